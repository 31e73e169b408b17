"""Google's Geocoding and Elevation: replies are HTTP 200 whatever happened, `status` decides."""

from typing import Any

from pytest_aar.tools.arguments import Elevation, Geocode, Point, ReverseGeocode
from pytest_aar.tools.exchange import Ask, fetch_json, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services

_KINDS: dict[str, ErrorKind] = {
    "ZERO_RESULTS": "not_found",
    "NOT_FOUND": "not_found",
    "OVER_QUERY_LIMIT": "quota",
    "OVER_DAILY_LIMIT": "quota",
    "REQUEST_DENIED": "denied",
    "INVALID_REQUEST": "bad_arguments",
}
_HINTS = {
    "denied": "; check the key, its billing, and that this API is enabled for it",
    "not_found": "; try another spelling, or add region and country",
}


async def geocode(arguments: Geocode, services: Services) -> ToolResult:
    """`{formatted_address, location: {lat, lng}, place_id}` of the best match."""
    body = await _ask(services, "geocode", {"address": arguments.address})
    return answer(address_in(body, f"the address {arguments.address!r}"))


async def reverse_geocode(arguments: ReverseGeocode, services: Services) -> ToolResult:
    """The same shape for the most specific address at a point."""
    latlng = point_text(arguments)
    body = await _ask(services, "geocode", {"latlng": latlng})
    return answer(address_in(body, f"the point {latlng}"))


async def elevation(arguments: Elevation, services: Services) -> ToolResult:
    """`{results: [{elevation (m), location: {lat, lng}, resolution?}]}`, ordered as asked."""
    points = "|".join(point_text(point) for point in arguments.locations)
    body = await _ask(services, "elevation", {"locations": points})
    return answer({"results": elevations_in(body)})


def address_in(body: Any, what: str) -> dict[str, Any]:
    """The first result of a geocoding reply; `what` names what was asked for."""
    with reading("Geocoding"):
        check_status(body, "Geocoding", what)
        if not body["results"]:
            raise ToolFailure(
                "not_found", f"Geocoding knows nothing for {what}{_HINTS['not_found']}"
            )
        best = body["results"][0]
        found = {
            "formatted_address": best["formatted_address"],
            "location": _location(best["geometry"]["location"]),
            "place_id": best.get("place_id"),
        }
        return {**found, "partial_match": True} if best.get("partial_match") else found


def elevations_in(body: Any) -> list[dict[str, Any]]:
    """Every result of an elevation reply."""
    with reading("Elevation"):
        check_status(body, "Elevation", "these locations")
        return [_elevation(result) for result in body["results"]]


def check_status(body: Any, service: str, what: str) -> None:
    """Return on "OK"; else raise the failure that a legacy-style status stands for."""
    status = body["status"]
    if status == "OK":
        return
    kind = _KINDS.get(status, "upstream")
    said = f": {body['error_message']}" if body.get("error_message") else ""
    raise ToolFailure(kind, f"{service} answered {status} for {what}{said}{_HINTS.get(kind, '')}")


def point_text(point: Point) -> str:
    """A point as services want it in a query: plain decimals, never 1e-05."""
    return f"{_decimal(point.latitude)},{_decimal(point.longitude)}"


def _decimal(number: float) -> str:
    text = f"{number:.7f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _location(raw: Any) -> dict[str, float]:
    return {"lat": float(number(raw["lat"])), "lng": float(number(raw["lng"]))}


def _elevation(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "elevation": float(number(result["elevation"])),
        "location": _location(result["location"]),
    }
    return {**found, "resolution": result["resolution"]} if "resolution" in result else found


async def _ask(services: Services, api: str, params: dict[str, str]) -> Any:
    key = services.key("GOOGLE_API_KEY")
    return await fetch_json(
        services,
        Ask(
            service=f"Google {api}",
            url=f"{services.endpoints.geocoding}/maps/api/{api}/json",
            params={**params, "key": key} if key else params,
        ),
    )
