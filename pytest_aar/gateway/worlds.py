"""Worlds: tools bound to the services of the sandbox or of the live web.

Here alone services of a world are put behind the tools; `tools` and `world` don't know each other.
"""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from pytest_aar.errors import ConfigurationError
from pytest_aar.settings import Settings
from pytest_aar.tools import (
    LIVE,
    SANDBOX,
    Endpoints,
    PublicPages,
    Reach,
    Services,
    TransportDecides,
)

from .python_tool import WalledPython

OPENABLE = ("sandbox", "live")
#: The archive of past weather may take more than 20 s.
_TIMEOUT = httpx.Timeout(40, connect=10)
_LIVE_ATTEMPTS = 4
_REACH = Reach()
_KEYS = ("GOOGLE_API_KEY", "SERPER_API_KEY", "RESTCOUNTRIES_API_KEY")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWorld:
    """A world ready for use. `world_hash` is None where answers may change: the live web."""

    name: str
    services: Services
    world_hash: str | None


@asynccontextmanager
async def open_world(
    name: str,
    settings: Settings,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    pages: httpx.AsyncBaseTransport | None = None,
) -> AsyncIterator[OpenWorld]:
    """The world of that name, closed at the end.

    `transport` replaces the road to its services, `pages` that to pages outside the encyclopedia.

    Raises:
        ConfigurationError: there is no such world.
    """
    if name not in OPENABLE:
        raise ConfigurationError(f"there is no world {name!r}; valid: {', '.join(OPENABLE)}")
    if name == "sandbox":
        road, world_hash = _sandbox_road(transport)
        async with _client(road) as client:
            yield OpenWorld(name=name, services=_sandbox(client, settings), world_hash=world_hash)
        return
    road = transport or httpx.AsyncHTTPTransport(trust_env=False)
    async with _client(road) as client, _client(pages or transport or outside_road()) as outside:
        services = _live(client, outside, settings)
        yield OpenWorld(name=name, services=services, world_hash=None)


def outside_road() -> httpx.AsyncBaseTransport:
    """The road to pages that agents choose: to public addresses only."""
    from pytest_aar.tools.outside_road import OutsideRoad  # noqa: PLC0415 - loads httpcore, live only

    return OutsideRoad(_REACH)


def _client(road: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=road, trust_env=False, timeout=_TIMEOUT)


def keys_from(environment: Mapping[str, str]) -> dict[str, str]:
    """The services' keys that are set, `GOOGLE_MAPS_API_KEY` standing in for `GOOGLE_API_KEY`."""
    google = environment.get("GOOGLE_API_KEY") or environment.get("GOOGLE_MAPS_API_KEY")
    found = {key: environment.get(key) for key in _KEYS} | {"GOOGLE_API_KEY": google}
    return {key: value.strip() for key, value in found.items() if value and value.strip()}


def _sandbox_road(
    transport: httpx.AsyncBaseTransport | None,
) -> tuple[httpx.AsyncBaseTransport, str]:
    from pytest_aar.world import WorldTransport, load  # noqa: PLC0415 - opens the data file

    world = load()
    return transport or WorldTransport(world), world.hash


def _sandbox(client: httpx.AsyncClient, settings: Settings) -> Services:
    return Services(
        http=client, endpoints=SANDBOX, python=_python(settings), guard=TransportDecides()
    )


def _python(settings: Settings) -> WalledPython | None:
    if not settings.python_tool:
        return None
    hidden = tuple(folder.resolve() for folder in settings.answer_folders)
    return WalledPython(wanted=settings.isolation, hidden=hidden)


def _live(client: httpx.AsyncClient, pages: httpx.AsyncClient, settings: Settings) -> Services:
    endpoints: Endpoints = LIVE.with_overrides(settings.services)
    return Services(
        http=client,
        endpoints=endpoints,
        keys=keys_from(os.environ),
        contact=settings.contact,
        python=_python(settings),
        guard=PublicPages(reach=_REACH),
        pages=pages,
        attempts=_LIVE_ATTEMPTS,
    )
