"""Google Routes: a matrix of distances, and one route; Routes API, else the legacy APIs."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_aar.tools.arguments import Directions, DistanceMatrix, TravelMode, lat_lng
from pytest_aar.tools.exchange import Ask
from pytest_aar.tools.google_errors import (
    ROUTES,
    ask_new,
    headers,
    of_either_family,
)
from pytest_aar.tools.google_status import ask_status
from pytest_aar.tools.result import ToolResult, answer
from pytest_aar.tools.route_shapes import matrix_in, route_in
from pytest_aar.tools.services import Services

_MODES: dict[TravelMode, str] = {
    "driving": "DRIVE",
    "walking": "WALK",
    "bicycling": "BICYCLE",
    "transit": "TRANSIT",
}
_MATRIX_FIELDS = "originIndex,destinationIndex,duration,distanceMeters,status,condition"
#: Google counts a matrix by its elements and allows 3,000 a minute, five for each request that our limits allow.
_ELEMENTS_A_REQUEST = 5
_ROUTE_FIELDS = "routes.distanceMeters,routes.duration,routes.description"


async def distance_matrix(arguments: DistanceMatrix, services: Services) -> ToolResult:
    """`{results: [{origin, destination, status, distance_km, duration_min}], rows: [{elements}]}`.

    `rows` is the nested form of Google's older API: metres and seconds. Without a route an
    element has a status other than "OK" and no distance.
    """
    origins, destinations = arguments.origins, arguments.destinations
    weight = math.ceil(len(origins) * len(destinations) / _ELEMENTS_A_REQUEST)

    async def new() -> dict[str, Any]:
        path = "/distanceMatrix/v2:computeRouteMatrix"
        places = {
            "origins": [{"waypoint": _waypoint(place)} for place in origins],
            "destinations": [{"waypoint": _waypoint(place)} for place in destinations],
        }
        body = {**places, "travelMode": _MODES[arguments.mode]}
        reply = await _asked(services, path, _MATRIX_FIELDS, body, weight=weight)
        return matrix_in(reply, origins, destinations)

    async def legacy() -> dict[str, Any]:
        asked = {"origins": _piped(origins), "destinations": _piped(destinations)}
        params = {**asked, "mode": arguments.mode}
        reply = await ask_status(services, "distancematrix", params, weight=weight)
        return matrix_in(reply, origins, destinations)

    return answer(await of_either_family(new, legacy))


async def directions(arguments: Directions, services: Services) -> ToolResult:
    """`{distance_km, duration_min, summary}` of the best route."""
    ends = {"origin": arguments.origin, "destination": arguments.destination}
    what = f"{arguments.mode} from {arguments.origin!r} to {arguments.destination!r}"

    async def new() -> dict[str, Any]:
        path = "/directions/v2:computeRoutes"
        places = {name: _waypoint(place) for name, place in ends.items()}
        body = {**places, "travelMode": _MODES[arguments.mode]}
        return route_in(await _asked(services, path, _ROUTE_FIELDS, body), what)

    async def legacy() -> dict[str, Any]:
        reply = await ask_status(services, "directions", {**ends, "mode": arguments.mode})
        return route_in(reply, what)

    return answer(await of_either_family(new, legacy))


async def _asked(
    services: Services, path: str, wanted: str, body: Mapping[str, Any], *, weight: int = 1
) -> Any:
    """The reply of one of the two services; `wanted` are the fields of it that we read."""
    request = Ask(
        service=ROUTES.service,
        endpoint="routes",
        url=f"{services.endpoints.routes}{path}",
        headers=headers(services, wanted, endpoint="routes"),
        body=body,
        weight=weight,
    )
    return await ask_new(services, request, ROUTES)


def _waypoint(place: str) -> dict[str, Any]:
    pair = lat_lng(place)
    if pair is None:
        return {"address": place}
    return {"location": {"latLng": {"latitude": pair[0], "longitude": pair[1]}}}


def _piped(places: Sequence[str]) -> str:
    """Places as the legacy API wants them; its separator may not stand inside one."""
    return "|".join(place.replace("|", " ") for place in places)
