"""The roads of the live world: network below, manners above it, the race's tape on top.

What is replayed comes from the tape: it waits for nobody and touches no network.
"""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path

import httpx

from pytest_aar.folders import join, sweep_once, work_folder
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.page_cache import PageCache
from pytest_aar.manners.reached import Reached
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad
from pytest_aar.settings import KIWIX, Settings
from pytest_aar.tools import Endpoints
from pytest_aar.tools.kiwix_server import server_of
from pytest_aar.tools.service_keys import SERVICE_KEYS, keys_from

#: Puts the tape of whichever race calls on a road.
Taped = Callable[[httpx.AsyncBaseTransport], httpx.AsyncBaseTransport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Networks:
    """What lies below manners: the way to the services, and to pages outside the encyclopedia."""

    services: httpx.AsyncBaseTransport
    pages: httpx.AsyncBaseTransport


@contextmanager
def mannerly(
    networks: Networks, endpoints: Endpoints, settings: Settings, *, meeting: Path | None
) -> Iterator[Networks]:
    """The same with manners. `meeting` is the folder that a run's workers share; None: this process is alone."""
    unset = {key.variable for key in SERVICE_KEYS} - keys_from(os.environ).keys()
    directory = directory_of(endpoints, settings, unset=frozenset(unset))
    with ExitStack() as ends:
        folder = meeting or ends.enter_context(work_folder()) / "run"
        manners = _manners(folder, settings, ends)
        yield Networks(
            services=MannersRoad(
                networks.services,
                manners,
                find=directory.place,
                keeps=frozenset({"wikipedia"}),
            ),
            pages=MannersRoad(
                networks.pages,
                manners,
                find=directory.page,
                keeps=frozenset({"pages", "wikipedia"}),
                heeds=False,
            ),
        )


def directory_of(
    endpoints: Endpoints, settings: Settings, *, unset: frozenset[str] = frozenset()
) -> Directory:
    """Which service is where. `unset` are the variables of missing keys, of which a replay needs none."""
    return Directory(_bases(endpoints), settings.limits, contact=settings.contact, unset=unset)


def _manners(folder: Path, settings: Settings, ends: ExitStack) -> Manners:
    """Nothing is written before the first request: what is replayed leaves no file."""

    @cache
    def begin() -> None:
        sweep_once()
        ends.callback(join(folder))

    manners = Manners(
        turns=Turns(partial(_of_this_user, folder / "turns")),
        private=Turns(folder / "private"),
        reached=Reached(folder),
        refusals=Refusals(folder),
        pages=None if settings.page_cache == "off" else PageCache(folder / "pages"),
        begin=begin,
    )
    ends.callback(manners.close)
    return manners


def _bases(endpoints: Endpoints) -> dict[str, str]:
    """Where each service is; that of a SearXNG may be in the environment alone."""
    wiki = endpoints.wikipedia
    searxng = endpoints.searxng or os.environ.get("SEARXNG_URL", "").strip()
    found = {
        **asdict(endpoints),
        "searxng": searxng.rstrip("/").removesuffix("/search"),
        "wikipedia": server_of(wiki) if wiki.startswith(KIWIX) else wiki,
    }
    return {name: url for name, url in found.items() if _is_url(url)}


def _is_url(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


def _of_this_user(otherwise: Path) -> Path:
    """Where all runs of this user on this machine meet: a service counts its clients by their address.

    `otherwise` where the name is another's.
    """
    folder = Path(tempfile.gettempdir()) / f"aar-turns-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return otherwise
    is_mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return folder if is_mine and not found.st_mode & 0o077 else otherwise
