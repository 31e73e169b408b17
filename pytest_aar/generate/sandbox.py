"""The sandbox world as a place to make legs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pytest_aar.gateway.worlds import open_world
from pytest_aar.sandbox_hosts import WIKI_PAGES
from pytest_aar.settings import Settings
from pytest_aar.world import load

from .atlas import SEED_KINDS, world_atlas
from .order import Workshop
from .tool_calls import caller

WORLD = "sandbox"


@asynccontextmanager
async def workshop() -> AsyncIterator[Workshop]:
    """The sandbox world's pages and tools."""
    async with open_world(WORLD, Settings()) as opened:
        world = load()
        atlas = world_atlas(world)
        yield Workshop(
            world=WORLD,
            world_hash=world.hash,
            date=world.date,
            wiki=WIKI_PAGES,
            atlas=atlas,
            call_tool=caller(opened.services),
            # By kind, so that the many airports don't outweigh the rest.
            is_whole=True,
            seeds=tuple(filter(None, map(atlas.seeds, SEED_KINDS))),
        )
