"""Worlds: tools bound to the services of the sandbox or of the live web.

Here alone services of a world are put behind the tools; `tools` and `world` don't know each other.
"""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from pytest_aar.errors import ConfigurationError
from pytest_aar.settings import WORLDS, WORLDS_WITHOUT_LEG, Settings, ZimChoice, zim_choice
from pytest_aar.tools import (
    LIVE,
    SANDBOX,
    PublicPages,
    Reach,
    Services,
    TransportDecides,
)
from pytest_aar.tools.service_keys import keys_from

from .country_book import country_book
from .live_road import Networks, Taped, directory_of, mannerly
from .python_tool import WalledPython
from .replayed_road import ReplayedRoad

#: The archive of past weather may take more than 20 s.
_TIMEOUT = httpx.Timeout(40, connect=10)
_LIVE_ATTEMPTS = 4
_REACH = Reach()


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
    taped: Taped = lambda road: road,
    meeting: Path | None = None,
) -> AsyncIterator[OpenWorld]:
    """The world of that name, closed at the end.

    `transport` replaces the road to its services, `pages` that to pages outside the encyclopedia. `taped` puts
    races' tapes on the live world's own roads, and `meeting` is the folder where workers share their manners.

    Raises:
        ConfigurationError: there is no such world.
    """
    choice = zim_choice(name)
    if choice is None and name not in WORLDS[1:]:
        raise ConfigurationError(
            f"there is no world {name!r}; valid: {', '.join(WORLDS_WITHOUT_LEG)}"
        )
    if name == "sandbox":
        road, world_hash = _sandbox_road(transport)
        async with _client(road) as client:
            yield OpenWorld(name=name, services=_sandbox(client, settings), world_hash=world_hash)
        return
    given = None if transport is None else Networks(services=transport, pages=pages or transport)
    with _networks(choice, settings, given, meeting) as roads:
        async with (
            _client(_told(taped(roads.services), choice, settings)) as client,
            _client(taped(roads.pages)) as outside,
        ):
            if choice is None:
                services = _live(client, outside, settings)
                yield OpenWorld(name=name, services=services, world_hash=None)
            else:
                yield _zim(choice, client, outside, settings)


def _told(
    road: httpx.AsyncBaseTransport, choice: ZimChoice | None, settings: Settings
) -> httpx.AsyncBaseTransport:
    """The same, with what a recording replays of live services told to the calls' meters."""
    if choice is not None and choice.with_sandbox:
        return road
    endpoints = LIVE.with_overrides(settings.services)
    return ReplayedRoad(road, directory_of(endpoints, settings).place)


@contextmanager
def _networks(
    choice: ZimChoice | None, settings: Settings, given: Networks | None, meeting: Path | None
) -> Iterator[Networks]:
    """The roads below the tape: `given`, else the world's own."""
    if given is not None:
        yield given
    elif choice is None:
        with _live_networks(settings, meeting) as live:
            yield live
    elif choice.with_sandbox:
        road = _sandbox_road(None)[0]
        yield _with_file(choice, settings, Networks(services=road, pages=road))
    else:
        with _live_networks(settings, meeting) as live:
            yield _with_file(choice, settings, live)


def _live_networks(settings: Settings, meeting: Path | None) -> AbstractContextManager[Networks]:
    services = httpx.AsyncHTTPTransport(trust_env=False)
    networks = Networks(services=services, pages=outside_road())
    endpoints = LIVE.with_overrides(settings.services)
    return mannerly(networks, endpoints, settings, meeting=meeting)


def _with_file(choice: ZimChoice, settings: Settings, rest: Networks) -> Networks:
    """The same roads; what is Wikipedia's comes from the file.

    Raises:
        ConfigurationError: the file can't be had.
    """
    from .zim_world import zim_road  # noqa: PLC0415 - only this world needs it

    return Networks(
        services=zim_road(choice, settings, rest.services),
        pages=zim_road(choice, settings, rest.pages),
    )


def _zim(
    choice: ZimChoice, client: httpx.AsyncClient, outside: httpx.AsyncClient, settings: Settings
) -> OpenWorld:
    from .zim_world import zim_hash, zim_services  # noqa: PLC0415 - only this world needs it

    found = _sandbox(client, settings) if choice.with_sandbox else _live(client, outside, settings)
    services = replace(zim_services(choice, settings, found), pages=outside)
    return OpenWorld(name=choice.name, services=services, world_hash=zim_hash(choice, settings))


def outside_road() -> httpx.AsyncBaseTransport:
    """The road to pages that agents choose: to public addresses only."""
    from pytest_aar.tools.outside_road import OutsideRoad  # noqa: PLC0415 - loads httpcore, live only

    return OutsideRoad(_REACH)


def _client(road: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=road, trust_env=False, timeout=_TIMEOUT)


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
    return Services(
        http=client,
        endpoints=LIVE.with_overrides(settings.services),
        keys=keys_from(os.environ),
        contact=settings.contact,
        python=_python(settings),
        guard=PublicPages(reach=_REACH),
        pages=pages,
        attempts=_LIVE_ATTEMPTS,
        country_book=country_book,
    )
