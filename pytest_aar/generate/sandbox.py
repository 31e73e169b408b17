"""The generator at work in the sandbox world: legs made, written, kept if there."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pytest_aar import tools
from pytest_aar.errors import ConfigurationError
from pytest_aar.gateway.worlds import open_world
from pytest_aar.golden import ToolReply
from pytest_aar.guarded import write_file
from pytest_aar.leg import Leg
from pytest_aar.leg_file import parse_leg, write_leg
from pytest_aar.sandbox_hosts import WIKI_PAGES
from pytest_aar.settings import Settings
from pytest_aar.world import load

from .atlas import SEED_KINDS, WorldAtlas, url_of
from .levels import Level
from .pipeline import GENERATOR, Order, Workshop, make_leg

WORLD = "sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One leg of a run: its file, and whether it was there before."""

    leg: Leg
    path: Path
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a user asks for: `seed_url` is None for random seed pages."""

    variant: str
    level: Level
    count: int
    rng_seed: int
    out: Path
    seed_url: str | None = None


@asynccontextmanager
async def workshop() -> AsyncIterator[Workshop]:
    """The sandbox world's pages and tools."""
    async with open_world(WORLD, Settings()) as opened:

        async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolReply:
            return await tools.call(name, arguments, opened.services)

        yield Workshop(atlas=WorldAtlas(load()), call_tool=call_tool, rejects=Counter())


async def make(wish: Wish, shop: Workshop, others: tuple[Leg, ...] = ()) -> AsyncIterator[Made]:
    """The wished legs in order, each written as soon as it is made.

    A file that holds a leg of the same generator, world and seed is kept. `others` are legs of the
    same set made before: pages and digits are to differ from theirs too.

    Raises:
        ConfigurationError: no leg could be made, a file of another making stands in the way, or the
            leg can't be written.
    """
    order = _order(wish)
    before = list(others)
    for number in range(1, wish.count + 1):
        leg_id = f"{wish.variant}/{wish.level.name}/{number:03}"
        path = wish.out / f"{leg_id}.json"
        kept = _kept(path, leg_id, order)
        leg = kept or await make_leg(order, number, before, shop)
        if leg is None:
            reasons = ", ".join(f"{why} ({n})" for why, n in shop.rejects.most_common(3))
            raise ConfigurationError(f"no leg for {leg_id} after many drafts; rejected: {reasons}")
        if kept is None:
            _write(path, leg)
        before.append(leg)
        yield Made(leg=leg, path=path, kept=kept is not None)


def _write(path: Path, leg: Leg) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, write_leg(leg))
    except OSError as error:
        raise ConfigurationError(
            f"can't write {path}: {error.strerror or error}; choose another --out"
        ) from error


def _order(wish: Wish) -> Order:
    world = load()
    title = None if wish.seed_url is None else _title(wish.seed_url)
    return Order(
        world=WORLD,
        world_hash=world.hash,
        generated_at=world.date,
        variant=wish.variant,
        level=wish.level,
        rng_seed=wish.rng_seed,
        seeds=_random_seeds() if title is None else ((title,),),
        seed_url=None if title is None else url_of(title),
    )


def _random_seeds() -> tuple[tuple[str, ...], ...]:
    """Titles to start on, grouped by kind so that the many airports don't outweigh the rest."""
    atlas = WorldAtlas(load())
    return tuple(filter(None, (atlas.seeds(kind) for kind in SEED_KINDS)))


def _title(seed_url: str) -> str:
    """The title of a page of the sandbox world that a race can start on."""
    if not seed_url.startswith(WIKI_PAGES):
        raise ConfigurationError(
            f"--seed-url {seed_url}: legs are made over the sandbox world, whose pages are "
            f"{WIKI_PAGES}TITLE; give an address such as {WIKI_PAGES}Peru"
        )
    title = unquote(urlsplit(seed_url).path.removeprefix("/wiki/")).replace("_", " ")
    if not any(title in names for names in _random_seeds()):
        raise ConfigurationError(
            f"--seed-url {seed_url}: the sandbox world has no page {title!r} to start on; "
            f"give an address such as {WIKI_PAGES}Peru"
        )
    return title


def _kept(path: Path, leg_id: str, order: Order) -> Leg | None:
    """The leg that stands there already, None without one.

    Raises:
        ConfigurationError: it was made from another seed, seed URL, world or generator.
    """
    if not path.exists():
        return None
    leg = parse_leg(path.read_bytes(), leg_id=leg_id, where=str(path))
    wanted = {
        "generator": ("generator", GENERATOR),
        "world_hash": ("world", order.world_hash),
        "seed": ("--rng-seed", order.rng_seed),
        "asked_seed_url": ("--seed-url", order.seed_url),
    }
    others = [
        f"{name} is {_said(leg.metadata.get(key))} there, {_said(value)} wanted"
        for key, (name, value) in wanted.items()
        if leg.metadata.get(key) != value
    ]
    if others:
        raise ConfigurationError(
            f"{path} holds a leg of another making: {'; '.join(others)}. "
            "Move it away or choose another --out"
        )
    return leg


def _said(value: object) -> str:
    return "none" if value is None else str(value)
