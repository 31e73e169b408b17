"""Google Places (New): text search with 20 results and no paging, and details by id."""

from typing import Any
from urllib.parse import quote

from pytest_aar.tools.arguments import PlaceDetails, SearchPlaces
from pytest_aar.tools.exchange import Ask, fetch_json, reading
from pytest_aar.tools.google_errors import classify, headers
from pytest_aar.tools.result import ToolResult, answer
from pytest_aar.tools.services import Services

#: The published golden counts stop at 20: one page, however many more there are.
PAGE_SIZE = 20
_FIELDS = ("id", "displayName", "formattedAddress", "location", "rating", "userRatingCount")
_DEFAULT_RADIUS = 5_000.0


async def search_places(arguments: SearchPlaces, services: Services) -> ToolResult:
    """`{places: [{name, place_id, address, location, rating, rating_count}], count}`."""
    body: dict[str, Any] = {"textQuery": arguments.query, "pageSize": PAGE_SIZE}
    if arguments.location is not None:
        center = {
            "latitude": arguments.location.latitude,
            "longitude": arguments.location.longitude,
        }
        circle = {"center": center, "radius": arguments.radius or _DEFAULT_RADIUS}
        body["locationBias"] = {"circle": circle}
    reply = await fetch_json(
        services,
        Ask(
            service="Google Places",
            url=f"{services.endpoints.places}/v1/places:searchText",
            headers=headers(services, ",".join(f"places.{field}" for field in _FIELDS)),
            body=body,
        ),
        classify,
    )
    found = places_in(reply)
    return answer({"places": found, "count": len(found)})


async def place_details(arguments: PlaceDetails, services: Services) -> ToolResult:
    """One place in the same shape as in a search."""
    reply = await fetch_json(
        services,
        Ask(
            service="Google Places",
            url=f"{services.endpoints.places}/v1/places/{quote(arguments.place_id, safe='')}",
            headers=headers(services, ",".join(_FIELDS)),
        ),
        classify,
    )
    with reading("Places"):
        return answer(_place(reply))


def places_in(body: Any) -> list[dict[str, Any]]:
    """The places of a search reply; without any, the key is missing altogether."""
    with reading("Places"):
        return [_place(place) for place in body.get("places", [])[:PAGE_SIZE]]


def _place(raw: Any) -> dict[str, Any]:
    location = raw.get("location")
    return {
        "name": raw["displayName"]["text"],
        "place_id": raw["id"],
        "address": raw.get("formattedAddress"),
        "location": {"lat": location["latitude"], "lng": location["longitude"]}
        if location
        else None,
        "rating": raw.get("rating"),
        "rating_count": raw.get("userRatingCount", 0),
    }
