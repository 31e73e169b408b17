"""Geocoding and elevation in the shapes of Google's web services (HTTP 200, decide on `status`)."""

from typing import TYPE_CHECKING, Any

from pytest_aar.world.gazetteer import parse_point
from pytest_aar.world.geodesy import Point
from pytest_aar.world.names import base_name
from pytest_aar.world.records import Summary
from pytest_aar.world.services.answers import Answer, Request, json_answer

if TYPE_CHECKING:
    from pytest_aar.world.store import World

MAX_RESULTS = 5
MAX_LOCATIONS = 512
#: Side of a cell of the elevation grid at the equator, in metres.
RESOLUTION_M = 9277.0
_TYPES = {
    "country": ["country", "political"],
    "region": ["administrative_area_level_1", "political"],
    "city": ["locality", "political"],
    "airport": ["airport", "establishment", "point_of_interest", "transit_station"],
    "mountain": ["establishment", "natural_feature"],
}
_HALF_SIZE = {"country": 2.0, "region": 0.5, "city": 0.1, "airport": 0.01, "mountain": 0.01}


def place_id(place: Summary) -> str:
    """The id of a page's place; `places` reads it back."""
    return f"aar-page-{place.number}"


def formatted_address(world: "World", place: Summary) -> str:
    """The address as shown: Thimphu, Bhutan."""
    country = world.countries.by_alpha2.get(place.country or "")
    name = place.title if place.kind == "airport" else base_name(place.title, place.kind)
    return name if country is None or place.kind == "country" else f"{name}, {country.name}"


def _box(point: Point, half: float) -> dict[str, dict[str, float]]:
    return {
        "northeast": {"lat": round(point[0] + half, 5), "lng": round(point[1] + half, 5)},
        "southwest": {"lat": round(point[0] - half, 5), "lng": round(point[1] - half, 5)},
    }


def _components(world: "World", place: Summary) -> list[dict[str, Any]]:
    name = base_name(place.title, place.kind)
    own = {"long_name": name, "short_name": name, "types": _TYPES[place.kind]}
    country = world.countries.by_alpha2.get(place.country or "")
    if country is None:
        return [own]
    land = {
        "long_name": country.name,
        "short_name": country.alpha2,
        "types": _TYPES["country"],
    }
    return [land] if place.kind == "country" else [own, land]


def geocode_result(world: "World", place: Summary) -> dict[str, Any]:
    """One entry of `results`."""
    point = place.location or (0.0, 0.0)
    return {
        "address_components": _components(world, place),
        "formatted_address": formatted_address(world, place),
        "geometry": {
            "location": {"lat": point[0], "lng": point[1]},
            "location_type": "APPROXIMATE",
            "viewport": _box(point, _HALF_SIZE[place.kind]),
        },
        "place_id": place_id(place),
        "types": _TYPES[place.kind],
    }


def geocode(world: "World", request: Request) -> Answer:
    """`/maps/api/geocode/json?address=` or `?latlng=`."""
    if latlng := request.query.get("latlng"):
        point = parse_point(latlng)
        if point is None:
            return _invalid(f"Invalid request. Invalid 'latlng' parameter: {latlng!r}.")
        return _reverse(world, point)
    if wanted := request.query.get("place_id"):
        return _by_id(world, wanted)
    address = request.query.get("address", "").strip()
    if not address:
        return _invalid("Invalid request. Missing the 'address' or 'latlng' parameter.")
    point = parse_point(address)
    if point is not None:
        return _reverse(world, point)
    matches = world.gazetteer.find(address)[:MAX_RESULTS]
    results = [
        geocode_result(world, match.place) | ({"partial_match": True} if match.partial else {})
        for match in matches
    ]
    return _results(results)


def _by_id(world: "World", wanted: str) -> Answer:
    place = page_of(world, wanted)
    return _results([geocode_result(world, place)] if place else [])


def page_of(world: "World", wanted: str) -> Summary | None:
    """The located page behind a place id, or None."""
    digits = wanted.removeprefix("aar-page-")
    if digits == wanted or not digits.isdigit() or int(digits) >= len(world):
        return None
    place = world.summary(int(digits))
    return place if place.location and place.kind in _TYPES else None


def _reverse(world: "World", point: Point) -> Answer:
    """The nearest city within 100 km and the country whose cell holds the point."""
    cell = world.grid.nearest_land(*point, reach=1)
    found: list[Summary] = []
    if cell is not None:
        city = world.gazetteer.nearest_city(point)
        country = world.country_of_cell(cell)
        found = [place for place in (city, country) if place]
    return _results([geocode_result(world, place) for place in found])


def _results(results: list[dict[str, Any]]) -> Answer:
    return json_answer({"results": results, "status": "OK" if results else "ZERO_RESULTS"})


def _invalid(message: str) -> Answer:
    return json_answer({"error_message": message, "results": [], "status": "INVALID_REQUEST"})


def elevation(world: "World", request: Request) -> Answer:
    """`/maps/api/elevation/json?locations=lat,lng|lat,lng`; metres above the sea, 0 at sea."""
    parts = [part for part in request.query.get("locations", "").split("|") if part]
    points = [parse_point(part) for part in parts]
    if not points or None in points or len(points) > MAX_LOCATIONS:
        return _invalid("Invalid request. Invalid 'locations' parameter.")
    results = [
        {
            "elevation": elevation_at(world, point),
            "location": {"lat": point[0], "lng": point[1]},
            "resolution": RESOLUTION_M,
        }
        for point in points
        if point is not None
    ]
    return json_answer({"results": results, "status": "OK"})


def elevation_at(world: "World", point: Point) -> float:
    """Elevation of the point's cell; of the nearest land within three cells on a coast."""
    cell = world.grid.nearest_land(*point)
    return float(cell.elevation) if cell else 0.0
