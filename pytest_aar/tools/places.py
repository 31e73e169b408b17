"""Google Places: text search with 20 results and no paging, and details by id; New, else legacy."""

from typing import Any
from urllib.parse import quote

from pytest_aar.tools.arguments import PlaceDetails, SearchPlaces
from pytest_aar.tools.exchange import Ask
from pytest_aar.tools.geocoding import point_text
from pytest_aar.tools.google_errors import (
    PLACES,
    ask_new,
    headers,
    of_either_family,
)
from pytest_aar.tools.google_status import ask_status
from pytest_aar.tools.place_shapes import PAGE_SIZE, place_in, places_in
from pytest_aar.tools.result import ToolResult, answer
from pytest_aar.tools.services import Services

_FIELDS = ("id", "displayName", "formattedAddress", "location", "rating", "userRatingCount")
_LEGACY_FIELDS = "place_id,name,formatted_address,geometry,rating,user_ratings_total"
_DEFAULT_RADIUS = 5_000.0


async def search_places(arguments: SearchPlaces, services: Services) -> ToolResult:
    """`{places: [{name, place_id, address, location, rating, rating_count}], count}`."""

    async def new() -> list[dict[str, Any]]:
        return places_in(await _search_new(arguments, services), arguments.query)

    async def legacy() -> list[dict[str, Any]]:
        reply = await ask_status(services, "place/textsearch", _legacy_query(arguments))
        return places_in(reply, arguments.query)

    found = await of_either_family(new, legacy)
    return answer({"places": found, "count": len(found)})


async def place_details(arguments: PlaceDetails, services: Services) -> ToolResult:
    """One place in the same shape as in a search."""
    place_id = arguments.place_id

    async def new() -> dict[str, Any]:
        return place_in(await _details_new(place_id, services), place_id)

    async def legacy() -> dict[str, Any]:
        asked = {"place_id": place_id, "fields": _LEGACY_FIELDS}
        return place_in(await ask_status(services, "place/details", asked), place_id)

    return answer(await of_either_family(new, legacy))


async def _search_new(arguments: SearchPlaces, services: Services) -> Any:
    body: dict[str, Any] = {"textQuery": arguments.query, "pageSize": PAGE_SIZE}
    if arguments.location is not None:
        center = {
            "latitude": arguments.location.latitude,
            "longitude": arguments.location.longitude,
        }
        circle = {"center": center, "radius": arguments.radius or _DEFAULT_RADIUS}
        body["locationBias"] = {"circle": circle}
    ask = Ask(
        service=PLACES.service,
        endpoint="places",
        url=f"{services.endpoints.places}/v1/places:searchText",
        headers=headers(
            services, ",".join(f"places.{field}" for field in _FIELDS), endpoint="places"
        ),
        body=body,
    )
    return await ask_new(services, ask, PLACES)


async def _details_new(place_id: str, services: Services) -> Any:
    ask = Ask(
        service=PLACES.service,
        endpoint="places",
        url=f"{services.endpoints.places}/v1/places/{quote(place_id, safe='')}",
        headers=headers(services, ",".join(_FIELDS), endpoint="places"),
    )
    return await ask_new(services, ask, PLACES)


def _legacy_query(arguments: SearchPlaces) -> dict[str, str]:
    if arguments.location is None:
        return {"query": arguments.query}
    radius = f"{arguments.radius or _DEFAULT_RADIUS:.0f}"
    return {
        "query": arguments.query,
        "location": point_text(arguments.location),
        "radius": radius,
    }
