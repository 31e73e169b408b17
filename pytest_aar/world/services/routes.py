"""Driving distances in the shapes of Google Routes: real geometry, invented detours and speeds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_aar.world.gazetteer import valid_point
from pytest_aar.world.geodesy import Point, distance_km
from pytest_aar.world.grid import SMALL_ISLAND, Cell
from pytest_aar.world.seeded import between
from pytest_aar.world.services.answers import (
    SYNTHETIC,
    Answer,
    Request,
    google_error,
    json_answer,
)
from pytest_aar.world.services.geocoding import page_of

if TYPE_CHECKING:
    from pytest_aar.world.store import World

#: Kilometres per hour: the slowest and fastest seeded speed of each mode.
_SPEEDS = {
    "DRIVE": (50.0, 95.0),
    "TWO_WHEELER": (40.0, 75.0),
    "TRANSIT": (35.0, 80.0),
    "BICYCLE": (14.0, 18.0),
    "WALK": (4.6, 5.2),
}
#: How much longer than the straight line a road is.
_DETOUR = (1.12, 1.45)
#: Places on one small island (no component of its own) are joined when they are this near.
_ISLAND_KM = 60.0
MAX_ELEMENTS = 625
_NO_MASK = (
    "FieldMask is a required parameter. See "
    "https://cloud.google.com/apis/docs/system-parameters#definitions"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A route: metres and seconds."""

    metres: int
    seconds: int


def waypoint(world: "World", raw: Any) -> Point | None:
    """The point of a waypoint: `address`, `placeId` or `location.latLng`; None: not found."""
    if not isinstance(raw, dict):
        raise TypeError("a waypoint is an object with address, placeId or location.latLng")
    if "location" in raw:
        pair = raw["location"]["latLng"]
        point = (float(pair.get("latitude", 0)), float(pair.get("longitude", 0)))
        if not valid_point(point):
            raise ValueError(f"latLng out of range: {pair}")
        return point
    if "placeId" in raw:
        place = page_of(world, str(raw["placeId"]))
        return place.location if place else None
    matches = world.gazetteer.find(str(raw["address"]))
    return matches[0].place.location if matches else None


def way(world: "World", start: Point, end: Point, mode: str) -> Way | None:
    """The route between two points, or None: a sea lies between. The same in both directions."""
    straight = distance_km(start, end)
    first, last = (world.grid.nearest_land(*point, reach=2) for point in (start, end))
    if first is None or last is None or not _joined(first, last, straight):
        return None
    ends = sorted([(first.row, first.column), (last.row, last.column)])
    kilometres = straight * between(*_DETOUR, "detour", ends)
    speed = between(*_SPEEDS[mode], "speed", mode, ends)
    return Way(metres=round(kilometres * 1000), seconds=round(kilometres / speed * 3600))


def _joined(first: Cell, last: Cell, straight: float) -> bool:
    if first.component != last.component:
        return False
    island = first.component == SMALL_ISLAND
    return not island or (first.country == last.country and straight < _ISLAND_KM)


def _mode(body: dict[str, Any]) -> str:
    mode = body.get("travelMode") or "DRIVE"
    if mode not in _SPEEDS:
        raise ValueError(f"Invalid value at 'travel_mode': {mode!r}. Known: {', '.join(_SPEEDS)}")
    return str(mode)


def matrix(world: "World", request: Request) -> Answer:
    """`POST /distanceMatrix/v2:computeRouteMatrix`: a flat list; zero-valued fields are left out."""
    if "x-goog-fieldmask" not in request.headers:
        return google_error(400, _NO_MASK)
    try:
        body = request.json()
        mode = _mode(body)
        starts = [waypoint(world, item["waypoint"]) for item in body["origins"]]
        ends = [waypoint(world, item["waypoint"]) for item in body["destinations"]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return google_error(400, f"Invalid JSON payload received. {error}")
    if not starts or not ends or len(starts) * len(ends) > MAX_ELEMENTS:
        return google_error(400, f"Between 1 and {MAX_ELEMENTS} elements can be asked for.")
    elements = [
        {"originIndex": i, "destinationIndex": j} | _element(world, start, end, mode)
        for i, start in enumerate(starts)
        for j, end in enumerate(ends)
    ]
    return json_answer([{k: v for k, v in item.items() if v != 0} for item in elements])


def _element(world: "World", start: Point | None, end: Point | None, mode: str) -> dict[str, Any]:
    if start is None or end is None:
        return {"status": {"code": 5, "message": "Address not found."}}
    found = way(world, start, end, mode)
    if found is None:
        return {"status": {}, "condition": "ROUTE_NOT_FOUND"}
    return {
        "status": {},
        "distanceMeters": found.metres,
        "duration": f"{found.seconds}s",
        "staticDuration": f"{found.seconds}s",
        "condition": "ROUTE_EXISTS",
    }


def directions(world: "World", request: Request) -> Answer:
    """`POST /directions/v2:computeRoutes`; no route is an empty object."""
    if "x-goog-fieldmask" not in request.headers:
        return google_error(400, _NO_MASK)
    try:
        body = request.json()
        mode = _mode(body)
        start, end = waypoint(world, body["origin"]), waypoint(world, body["destination"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return google_error(400, f"Invalid JSON payload received. {error}")
    if start is None or end is None:
        missing = "origin" if start is None else "destination"
        return google_error(404, f"Address not found: {missing}.", "NOT_FOUND")
    found = way(world, start, end, mode)
    if found is None:
        return json_answer({})
    duration = f"{found.seconds}s"
    length = {"distanceMeters": found.metres} if found.metres else {}
    leg = length | {"duration": duration, "staticDuration": duration}
    route = leg | {"description": "Sandbox road", "legs": [leg]}
    return json_answer({"routes": [route], "sandbox": SYNTHETIC})
