"""Google's Geocoding and Elevation: addresses, coordinates and heights."""

from typing import Any

from pytest_aar.tools.arguments import Elevation, Geocode, Point, ReverseGeocode
from pytest_aar.tools.exchange import number, reading
from pytest_aar.tools.google_status import SPELLING, ask_status, check_status
from pytest_aar.tools.result import ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services


async def geocode(arguments: Geocode, services: Services) -> ToolResult:
    """`{formatted_address, location: {lat, lng}, place_id}` of the best match."""
    body = await ask_status(services, "geocode", {"address": arguments.address})
    return answer(address_in(body, f"the address {arguments.address!r}"))


async def reverse_geocode(arguments: ReverseGeocode, services: Services) -> ToolResult:
    """The same shape for the most specific address at a point."""
    latlng = point_text(arguments)
    body = await ask_status(services, "geocode", {"latlng": latlng})
    found = address_in(body, f"the point {latlng}", if_missing="nothing with an address is near")
    return answer(found)


async def elevation(arguments: Elevation, services: Services) -> ToolResult:
    """`{results: [{elevation (m), location: {lat, lng}, resolution?}]}`, ordered as asked."""
    points = "|".join(point_text(point) for point in arguments.locations)
    body = await ask_status(services, "elevation", {"locations": points})
    found = elevations_in(body)
    asked = len(arguments.locations)
    if len(found) != asked:  # which height is whose can't be told
        raise ToolFailure("upstream", f"Elevation answered for {len(found)} of {asked} locations")
    return answer({"results": found})


def address_in(body: Any, what: str, *, if_missing: str = SPELLING) -> dict[str, Any]:
    """The first result of a geocoding reply; `what` names what was asked for."""
    with reading("Geocoding"):
        check_status(body, "Geocoding", what, if_missing=if_missing)
        if not body["results"]:
            raise ToolFailure("not_found", f"Geocoding knows nothing for {what}; {if_missing}")
        best = body["results"][0]
        found = {
            "formatted_address": best.get("formatted_address"),
            "location": location_in(best["geometry"]["location"]),
            "place_id": best.get("place_id"),
        }
        return {**found, "partial_match": True} if best.get("partial_match") else found


def elevations_in(body: Any) -> list[dict[str, Any]]:
    """Every result of an elevation reply."""
    with reading("Elevation"):
        check_status(body, "Elevation", "these locations", if_missing="give other points")
        if not body["results"]:
            raise ToolFailure("not_found", "Elevation knows no height for these locations")
        return [_elevation(result) for result in body["results"]]


def location_in(raw: Any) -> dict[str, float]:
    """`{lat, lng}` of a location in the older shape."""
    return {"lat": float(number(raw["lat"])), "lng": float(number(raw["lng"]))}


def point_text(point: Point) -> str:
    """A point as services want it in a query: plain decimals, never 1e-05."""
    return f"{_decimal(point.latitude)},{_decimal(point.longitude)}"


def _decimal(number: float) -> str:
    text = f"{number:.7f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _elevation(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "elevation": float(number(result["elevation"])),
        "location": location_in(result["location"]),
    }
    return {**found, "resolution": result["resolution"]} if "resolution" in result else found
