"""Google's Geocoding, Elevation, Places (New) and Routes, as answered today."""

import math
from collections.abc import Iterator
from typing import Any

from pytest_aar.readings import number_of

from .answer_book import AnswerBook, chance, folded
from .exchange import Asked, Reply, as_json

_NO_KEY = (
    "You must use an API key to authenticate each request to Google Maps Platform APIs. For additional"
    " information, please refer to http://g.co/dev/maps-no-account"
)
_MOST_PLACES = 20
_KM_OF_DEGREE = 111.2


def answer(book: AnswerBook, asked: Asked) -> Reply:
    """The reply of whichever of the services lives at the path."""
    if asked.path in _OLD:
        key = asked.query.get("key")
        body = _OLD[asked.path](book, asked) if key else {"error_message": _NO_KEY, **_denied()}
        return as_json(body)
    if not asked.headers.get("x-goog-api-key"):
        return _refused(403, f"{_NO_KEY}.", "PERMISSION_DENIED")
    if not asked.headers.get("x-goog-fieldmask"):
        return _refused(400, "FieldMask is a required parameter.", "INVALID_ARGUMENT")
    if asked.path in _NEW:
        return as_json(_NEW[asked.path](book, asked.body))
    if asked.path.startswith("/v1/places/"):
        return as_json(_details(book, asked.path.removeprefix("/v1/places/")))
    return _refused(404, f"There is no {asked.path}", "NOT_FOUND")


def _denied() -> dict[str, Any]:
    return {"results": [], "status": "REQUEST_DENIED"}


def _refused(status: int, message: str, code: str) -> Reply:
    return as_json({"error": {"code": status, "message": message, "status": code}}, status)


def _geocode(book: AnswerBook, asked: Asked) -> dict[str, Any]:
    if "latlng" in asked.query:
        latitude, longitude = map(float, asked.query["latlng"].split(","))
        address = book.address(latitude, longitude)
        point = (latitude, longitude)
    else:
        address = " ".join(asked.query.get("address", "").split())
        point = book.place(address)
    if not address:
        return {"results": [], "status": "ZERO_RESULTS"}
    location = {"lat": point[0], "lng": point[1]}
    geometry = {"location": location, "location_type": "APPROXIMATE"}
    found = {
        "address_components": [], "formatted_address": address, "geometry": geometry,
        "place_id": _id(address), "types": ["establishment"],
    }  # fmt: skip
    return {"results": [found], "status": "OK"}


def _elevation(book: AnswerBook, asked: Asked) -> dict[str, Any]:
    rows = []
    for pair in asked.query["locations"].split("|"):
        latitude, longitude = map(float, pair.split(","))
        address = book.address(latitude, longitude)
        known = book.fact("elevation", address) if address else None
        height = known if known is not None else round(2_000 * chance(pair), 3)
        location = {"lat": latitude, "lng": longitude}
        rows.append({"elevation": height, "location": location, "resolution": 152.7})
    return {"results": rows, "status": "OK"}


def _search_text(book: AnswerBook, body: Any) -> dict[str, Any]:
    query = body["textQuery"]
    count, rating = book.fact("poi_count", query), book.fact("place_rating", query)
    if count is None:
        count = 1 if rating is not None else round(_MOST_PLACES * chance(query))
    most = min(int(number_of(count) or 0), body.get("pageSize", _MOST_PLACES))
    places = [_place(book, f"{query} {number}") for number in range(1, most + 1)]
    if places and rating is not None:
        places[0]["rating"] = rating
    return {"places": places} if places else {}


def _details(book: AnswerBook, place_id: str) -> dict[str, Any]:
    return _place(book, bytes.fromhex(place_id.removeprefix("fake")).decode())


def _place(book: AnswerBook, name: str) -> dict[str, Any]:
    latitude, longitude = book.place(name)
    return {
        "id": _id(name),
        "formattedAddress": f"1 Main Street, {name}",
        "location": {"latitude": latitude, "longitude": longitude},
        "rating": round(1 + 4 * chance(folded(name)), 1),
        "userRatingCount": 1 + int(999 * chance(f"{name} count")),
        "displayName": {"text": name, "languageCode": "en"},
    }


def _matrix(book: AnswerBook, body: Any) -> list[dict[str, Any]]:
    pairs = [
        (first, second, book_distance(book, origin["waypoint"], target["waypoint"]))
        for first, origin in enumerate(body["origins"])
        for second, target in enumerate(body["destinations"])
    ]
    return [_element(*pair) for pair in reversed(pairs)]


def _element(origin: int, target: int, km: float) -> dict[str, Any]:
    """Zero-valued fields are left out, as Google does."""
    whole = {
        "originIndex": origin, "destinationIndex": target, "distanceMeters": round(km * 1000),
    }  # fmt: skip
    shown = {name: value for name, value in whole.items() if value}
    return {**shown, "status": {}, "duration": f"{round(km * 45)}s", "condition": "ROUTE_EXISTS"}


def _route(book: AnswerBook, body: Any) -> dict[str, Any]:
    origin, target = _named(book, body["origin"]), _named(book, body["destination"])
    km = book_distance(book, body["origin"], body["destination"])
    minutes = number_of(book.fact("duration", origin, target))
    seconds = round(km * 45) if minutes is None else round(minutes * 60)
    route = {"distanceMeters": round(km * 1000), "duration": f"{seconds}s", "description": "A1"}
    return {"routes": [{name: value for name, value in route.items() if value}]}


def book_distance(book: AnswerBook, origin: Any, target: Any) -> float:
    """Kilometres on the road between two waypoints: the book's, else by the beeline."""
    known = number_of(book.fact("distance_km", _named(book, origin), _named(book, target)))
    if known is not None:
        return known
    (north, west), (south, east) = _point(book, origin), _point(book, target)
    narrow = math.cos(math.radians((north + south) / 2))
    return round(1.3 * _KM_OF_DEGREE * math.hypot(north - south, (west - east) * narrow), 3)


def _named(book: AnswerBook, waypoint: Any) -> str:
    if "address" in waypoint:
        return str(waypoint["address"])
    return book.address(*_point(book, waypoint)) or ""


def _point(book: AnswerBook, waypoint: Any) -> tuple[float, float]:
    if "address" in waypoint:
        return book.place(waypoint["address"])
    pair = waypoint["location"]["latLng"]
    return pair["latitude"], pair["longitude"]


def _id(name: str) -> str:
    return f"fake{name.encode().hex()}"


_OLD = {"/maps/api/geocode/json": _geocode, "/maps/api/elevation/json": _elevation}
_NEW = {
    "/v1/places:searchText": _search_text,
    "/distanceMatrix/v2:computeRouteMatrix": _matrix,
    "/directions/v2:computeRoutes": _route,
}


def known_paths() -> Iterator[str]:
    """Every path with an answer, beside the places' own."""
    yield from (*_OLD, *_NEW)
