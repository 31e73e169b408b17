"""Wikipedia, live or from a ZIM file, as a place to make legs: all by the tools that agents have."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from pytest_aar.gateway.worlds import open_world
from pytest_aar.settings import Settings, world_label, zim_choice
from pytest_aar.world import load

from .order import Workshop
from .page_atlas import PageAtlas
from .tool_calls import caller

_LIVE_HOST = "en.wikipedia.org"
#: How far from its page's coordinates a place may be found: maps and pages put cities differently.
_DEGREES = 0.3
#: Inhabitants from which a city of the sandbox world has an article of that very name, as a rule.
_LARGE = 500_000


@asynccontextmanager
async def wiki_workshop(settings: Settings) -> AsyncIterator[Workshop]:
    """The pages and tools of the world that the settings name.

    Raises:
        ConfigurationError: that world can't be opened.
    """
    async with open_world(settings.world, settings) as opened:
        host, date = _host_and_date(settings)
        wiki = f"https://{host}/wiki/"
        call_tool = caller(replace(opened.services, wiki_at=settings.wiki_at))
        yield Workshop(
            world=world_label(settings.world),
            world_hash=opened.world_hash or settings.world,
            date=date,
            wiki=wiki,
            atlas=PageAtlas(wiki, call_tool),
            call_tool=call_tool,
            seeds=_random_seeds(),
            degrees=_DEGREES,
        )


def _host_and_date(settings: Settings) -> tuple[str, str]:
    """The wiki's host, and when its pages are of: a file's day, or now."""
    choice = zim_choice(settings.world)
    if choice is None:
        return _LIVE_HOST, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    from pytest_aar.gateway.zim_world import zim_file  # noqa: PLC0415 - only this world needs it

    file = zim_file(choice, settings)
    assert file is not None  # nothing is replayed here, so a file that is not there was refused
    return file.edition.host, file.edition.date


def _random_seeds() -> tuple[tuple[str, ...], ...]:
    """Countries and large cities: their articles have infoboxes and lead anywhere."""
    world = load()
    countries = sorted(page.title for page in world.summaries("country"))
    cities = sorted(page.title for page in world.summaries("city") if page.size >= _LARGE)
    return tuple(countries), tuple(cities)
