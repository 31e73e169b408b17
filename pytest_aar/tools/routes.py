"""Google Routes: a matrix of distances, and one route. Replies leave out fields at zero."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_aar.tools.arguments import Directions, DistanceMatrix, TravelMode, lat_lng
from pytest_aar.tools.exchange import Ask, fetch_json, message_in, number, reading
from pytest_aar.tools.google_errors import classify, headers
from pytest_aar.tools.result import ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services

_MODES: dict[TravelMode, str] = {
    "driving": "DRIVE",
    "walking": "WALK",
    "bicycling": "BICYCLE",
    "transit": "TRANSIT",
}
_MATRIX_FIELDS = "originIndex,destinationIndex,duration,distanceMeters,status,condition"
_ROUTE_FIELDS = "routes.distanceMeters,routes.duration,routes.description"


async def distance_matrix(arguments: DistanceMatrix, services: Services) -> ToolResult:
    """`{results: [{origin, destination, status, distance_km, duration_min}], rows: [{elements}]}`.

    `rows` is the nested form of Google's older API: metres and seconds. Without a route an
    element has a status other than "OK" and no distance.
    """
    path = "/distanceMatrix/v2:computeRouteMatrix"
    places = {
        "origins": [{"waypoint": _waypoint(place)} for place in arguments.origins],
        "destinations": [{"waypoint": _waypoint(place)} for place in arguments.destinations],
    }
    reply = await _asked(services, path, _MATRIX_FIELDS, places, arguments.mode)
    return answer(matrix_in(reply, arguments.origins, arguments.destinations))


async def directions(arguments: Directions, services: Services) -> ToolResult:
    """`{distance_km, duration_min, summary}` of the best route."""
    path = "/directions/v2:computeRoutes"
    places = {
        "origin": _waypoint(arguments.origin),
        "destination": _waypoint(arguments.destination),
    }
    reply = await _asked(services, path, _ROUTE_FIELDS, places, arguments.mode)
    what = f"{arguments.mode} from {arguments.origin!r} to {arguments.destination!r}"
    return answer(route_in(reply, what))


def matrix_in(body: Any, origins: Sequence[str], destinations: Sequence[str]) -> dict[str, Any]:
    """A matrix reply, which lists its elements in any order, as rows by origin."""
    with reading("Routes"):
        _refuse_error_list(body)
        elements = {
            (item.get("originIndex", 0), item.get("destinationIndex", 0)): _element(item)
            for item in body
        }
        missing = {"status": "NOT_FOUND"}
        rows = [
            [elements.get((row, column), missing) for column in range(len(destinations))]
            for row in range(len(origins))
        ]
    return {
        "results": [
            _flat(origin, destination, element)
            for origin, row in zip(origins, rows, strict=True)
            for destination, element in zip(destinations, row, strict=True)
        ],
        "rows": [{"elements": row} for row in rows],
    }


def route_in(body: Any, what: str) -> dict[str, Any]:
    """The first route of a reply; `{}` means that there is none."""
    with reading("Routes"):
        routes = body.get("routes") or []
        if not routes:
            raise ToolFailure("not_found", f"there is no route {what}")
        distance, duration = _metres(routes[0]), _seconds(routes[0])
        name = routes[0].get("description")
    distance_km, minutes = _km(distance), _minutes(duration)
    summary = f"{what}: {distance_km} km, {minutes} min{f' via {name}' if name else ''}"
    return {"distance_km": distance_km, "duration_min": minutes, "summary": summary}


async def _asked(
    services: Services, path: str, wanted: str, places: Mapping[str, Any], mode: TravelMode
) -> Any:
    """The reply of one of the two services; `wanted` are the fields of it that we read."""
    request = Ask(
        service="Google Routes",
        url=f"{services.endpoints.routes}{path}",
        headers=headers(services, wanted),
        body={**places, "travelMode": _MODES[mode]},
    )
    return await fetch_json(services, request, classify)


def _waypoint(place: str) -> dict[str, Any]:
    pair = lat_lng(place)
    if pair is None:
        return {"address": place}
    return {"location": {"latLng": {"latitude": pair[0], "longitude": pair[1]}}}


def _refuse_error_list(body: Any) -> None:
    if isinstance(body, list) and body and "error" in body[0]:
        kind = classify(200, body, message_in(body)) or "upstream"
        raise ToolFailure(kind, f"Google Routes answered: {message_in(body)}")
    if not isinstance(body, list):
        raise TypeError(f"a list of elements expected, got {type(body).__name__}")


def _element(item: Any) -> dict[str, Any]:
    if item.get("status", {}).get("code"):
        return {"status": "NOT_FOUND"}
    if item.get("condition", "ROUTE_EXISTS") != "ROUTE_EXISTS":
        return {"status": "ZERO_RESULTS"}
    return {
        "status": "OK",
        "distance": {"value": _metres(item)},
        "duration": {"value": _seconds(item)},
    }


def _flat(origin: str, destination: str, element: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "origin": origin,
        "destination": destination,
        "status": element["status"],
    }
    if element["status"] != "OK":
        return {**found, "distance_km": None, "duration_min": None}
    return {
        **found,
        "distance_km": _km(element["distance"]["value"]),
        "duration_min": _minutes(element["duration"]["value"]),
    }


def _metres(item: Any) -> float:
    return number(item.get("distanceMeters", 0))


def _seconds(item: Any) -> float:
    """A duration such as "160s" as a number; the field is left out for zero."""
    seconds = number(item.get("duration", "0s").removesuffix("s"))
    return int(seconds) if seconds == int(seconds) else seconds


def _km(metres: float) -> float:
    return round(metres / 1000, 3)


def _minutes(seconds: float) -> float:
    return round(seconds / 60, 4)
