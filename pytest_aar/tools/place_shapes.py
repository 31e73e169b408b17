"""Replies of Google Places, New and legacy: whichever it is, one canonical place."""

from typing import Any

from pytest_aar.tools.exchange import number, reading
from pytest_aar.tools.geocoding import location_in
from pytest_aar.tools.google_errors import PLACES, refuse_errors
from pytest_aar.tools.google_status import check_status, has_status
from pytest_aar.tools.result import ToolFailure

#: The published golden counts stop at 20: one page, however many more there are.
PAGE_SIZE = 20
_LEGACY = "Places (legacy)"
_AGAIN = "ids change: search for the place again"
#: What a search reply may hold beside the places.
_BESIDE = {"nextPageToken", "routingSummaries", "contextualContents", "searchUri"}


def places_in(body: Any, query: str) -> list[dict[str, Any]]:
    """The places of a search reply, at most 20; the token of a next page is not followed.

    The present API leaves the key out when there are none, the legacy one says ZERO_RESULTS. Find Place,
    a legacy search, calls its places candidates.
    """
    with reading(PLACES.service):
        if has_status(body):
            return [_legacy_place(place) for place in _legacy_list(body, query)[:PAGE_SIZE]]
        refuse_errors(body, PLACES.service)
        if "places" not in body and body.keys() - _BESIDE:
            raise KeyError("places")
        return [_place(place) for place in body.get("places", [])[:PAGE_SIZE]]


def place_in(body: Any, place_id: str) -> dict[str, Any]:
    """The place of a details reply."""
    with reading(PLACES.service):
        if not has_status(body):
            refuse_errors(body, PLACES.service)
            return _place(body)
        what = f"the place {place_id!r}"
        check_status(body, _LEGACY, what, successor=PLACES, if_missing=_AGAIN)
        return _legacy_place(body["result"])


def _legacy_list(body: Any, query: str) -> list[Any]:
    if body["status"] == "ZERO_RESULTS":
        return []
    check_status(body, _LEGACY, f"the query {query!r}", successor=PLACES)
    return list(body["results"] if "results" in body else body["candidates"])


def _place(raw: Any) -> dict[str, Any]:
    """Fields that the mask of the request did not ask for are missing, the id too."""
    if not raw.keys() & {"id", "name", "displayName", "formattedAddress"}:
        raise ToolFailure("upstream", f"{PLACES.service} gave a place without name, id and address")
    name = raw.get("displayName")
    resource = raw["name"].removeprefix("places/") if "name" in raw else None
    return {
        "name": name["text"] if name else None,
        "place_id": raw.get("id", resource),
        "address": raw.get("formattedAddress"),
        "location": _location(raw["location"]) if raw.get("location") else None,
        "rating": _rating(raw),
        "rating_count": _count(raw, "userRatingCount"),
    }


def _legacy_place(raw: Any) -> dict[str, Any]:
    if not raw.keys() & {"name", "place_id", "formatted_address"}:
        raise ToolFailure("upstream", f"{_LEGACY} gave a place without name, id and address")
    where = (raw.get("geometry") or {}).get("location")
    return {
        "name": raw.get("name"),
        "place_id": raw.get("place_id"),
        "address": raw.get("formatted_address", raw.get("vicinity")),
        "location": location_in(where) if where else None,
        "rating": _rating(raw),
        "rating_count": _count(raw, "user_ratings_total"),
    }


def _location(raw: Any) -> dict[str, float]:
    """Present APIs leave out zeros: the equator has no latitude."""
    return {"lat": number(raw.get("latitude", 0)), "lng": number(raw.get("longitude", 0))}


def _rating(raw: Any) -> float | None:
    return None if raw.get("rating") is None else number(raw["rating"])


def _count(raw: Any, key: str) -> int | None:
    """How many rated it; old replies rate without saying how many did: None."""
    unknown = None if "rating" in raw else 0
    return int(number(raw[key])) if raw.get(key) is not None else unknown
