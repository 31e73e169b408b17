"""Which host and path is which service."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_aar.sandbox_hosts import WIKI_HOST
from pytest_aar.world.services import (
    countries,
    crypto,
    geocoding,
    places,
    routes,
    search,
    stocks,
    weather,
    wikipedia,
)
from pytest_aar.world.services.answers import (
    Answer,
    Request,
    Service,
    google_error,
    read_request,
)

if TYPE_CHECKING:
    from pytest_aar.world.store import World

_MAPS: Mapping[tuple[str, str], Service] = {
    ("GET", "/maps/api/geocode/json"): geocoding.geocode,
    ("GET", "/maps/api/elevation/json"): geocoding.elevation,
    ("POST", "/distanceMatrix/v2:computeRouteMatrix"): routes.matrix,
    ("POST", "/directions/v2:computeRoutes"): routes.directions,
    ("POST", "/v1/places:searchText"): places.search_text,
}


def maps(world: "World", request: Request) -> Answer:
    """Everything on maps.aar.test."""
    service = _MAPS.get((request.method, request.path))
    if service is not None:
        return service(world, request)
    if request.path.startswith("/v1/places/"):
        return places.details(world, request)
    known = ", ".join(f"{method} {path}" for method, path in _MAPS)
    message = f"No {request.method} {request.path} here. Known: {known}, GET /v1/places/ID"
    return google_error(404, message, "NOT_FOUND")


SERVICES: Mapping[str, Service] = {
    WIKI_HOST: wikipedia.wikipedia,
    "search.aar.test": search.search,
    "maps.aar.test": maps,
    "weather.aar.test": weather.weather,
    "countries.aar.test": countries.countries,
    "stocks.aar.test": stocks.stocks,
    "crypto.aar.test": crypto.crypto,
}
#: The world's hosts (reserved names: they resolve nowhere).
HOSTS = tuple(SERVICES)


def dispatch(
    world: "World",
    method: str,
    url: str,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
) -> Answer | None:
    """The world's answer to a request, or None when it has no such host."""
    request = read_request(method, url, body, headers)
    service = SERVICES.get(request.host)
    return None if service is None else service(world, request)
