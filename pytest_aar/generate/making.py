"""A set of legs: made in order, compared with each other, written, kept if there."""

import random
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pytest_aar.errors import ConfigurationError
from pytest_aar.guarded import told_if_unwritable, write_file
from pytest_aar.leg import Leg
from pytest_aar.leg.ancestry import FLOW
from pytest_aar.leg.marks import SMOKE
from pytest_aar.leg_file import parse_leg, write_leg
from pytest_aar.lint.likeness import MOST_ALIKE, jaccard, pages_of

from .draft import Ask, Rejected
from .flow import counts_for
from .hands import Hands, OwnHands
from .level_file import ranges_of
from .order import GENERATOR, Order, Wish, Workshop
from .pipeline import Tried

_ALIKE = "set: pages too much like another leg's"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One leg of a run: its file, and whether it was there before."""

    leg: Leg
    path: Path
    kept: bool


async def make(
    wish: Wish, shop: Workshop, others: tuple[Leg, ...] = (), *, hands: Hands | None = None
) -> AsyncIterator[Made]:
    """The wished legs in order, each written as soon as it is made.

    A file that holds a leg of the same generator, world, seed and request is kept. `others` are legs
    of the same set made before: pages are to differ from theirs, too. `hands` make the legs, the
    workshop's process by default.

    Raises:
        ConfigurationError: no leg could be made, a file of another making stands in the way, or the
            leg can't be written.
    """
    order = order_for(wish, shop)
    run = _Run(order, wish, shop, hands or OwnHands(shop=shop))
    before = [pages_of(leg) for leg in others]
    for number in range(1, wish.count + 1):
        path = wish.out / f"{order.leg_id(number)}.json"
        kept = run.kept.get(number)
        leg = kept or await run.leg(number, before)
        if kept is None:
            _write(path, leg)
        before.append(pages_of(leg))
        yield Made(leg=leg, path=path, kept=kept is not None)


class _Run:
    """The legs that are under way."""

    def __init__(self, order: Order, wish: Wish, shop: Workshop, hands: Hands) -> None:
        self._order, self._shop, self._hands = order, shop, hands
        paths = {n: wish.out / f"{order.leg_id(n)}.json" for n in range(1, wish.count + 1)}
        found = {number: _kept(path, number, order) for number, path in paths.items()}
        self.kept = {number: leg for number, leg in found.items() if leg is not None}
        self._waiting = [number for number in paths if number not in self.kept]
        self._begun: dict[int, Awaitable[Tried]] = {}

    async def leg(self, number: int, before: list[frozenset[str]]) -> Leg:
        """Leg `number`, with other pages than those before it.

        Raises:
            ConfigurationError: too many drafts came to nothing.
        """
        async with _asking(self._order, number, self._shop) as ask:
            tried = await self._first(number, ask)
            while tried.leg is not None and _is_like(tried.leg, before):
                self._shop.rejects[_ALIKE] += 1
                following = self._hands.begin(self._order, number, tried.attempt + 1, ask)
                tried = self._counted(await following)
        if tried.leg is None:
            raise ConfigurationError(self._nothing(number))
        return tried.leg

    async def _first(self, number: int, ask: Ask | None) -> Tried:
        """The leg's first draft to pass; those of the next legs are begun meanwhile, if hands are free."""
        while self._waiting and len(self._begun) < self._hands.ahead:
            following = self._waiting.pop(0)
            self._begun[following] = self._hands.begin(self._order, following, 0, ask)
        return self._counted(await self._begun.pop(number))

    def _counted(self, tried: Tried) -> Tried:
        self._shop.rejects.update(tried.rejects)
        return tried

    def _nothing(self, number: int) -> str:
        reasons = ", ".join(f"{why} ({n})" for why, n in self._shop.rejects.most_common(3))
        return (
            f"no leg for {self._order.leg_id(number)} after many drafts; rejected: {reasons}. "
            "Choose other seed pages, another --rng-seed, or wider ranges of the level"
        )


def _asking(order: Order, number: int, shop: Workshop) -> AbstractAsyncContextManager[Ask | None]:
    """One conversation for all drafts of a leg: they are recorded together."""
    return nullcontext() if shop.author is None else shop.author.of_leg(order, number)


def _is_like(leg: Leg, others: list[frozenset[str]]) -> bool:
    """Whether a leg's pages are too much like those of another."""
    own = pages_of(leg)
    return any(jaccard(own, other) > MOST_ALIKE for other in others)


def order_for(wish: Wish, shop: Workshop) -> Order:
    """The wish over that world.

    Raises:
        ConfigurationError: a page to start on is not one of the world's, or no leg fits the level.
    """
    titles = tuple(
        title_of(url, shop, wish.places.get(url, "--seed-url")) for url in wish.seed_urls
    )
    _check_level(wish)
    return Order(
        world=shop.world,
        world_hash=shop.world_hash,
        generated_at=shop.date,
        variant=wish.variant,
        level=wish.level,
        rng_seed=wish.rng_seed,
        seeds=(titles,) if titles else shop.seeds,
        wiki=shop.wiki,
        asked={**_asked(wish.seed_urls), **wish.asked},
        smoke=wish.smoke,
    )


def _check_level(wish: Wish) -> None:
    try:
        counts_for(wish.level, wish.variant, random.Random(0))
    except Rejected:
        raise ConfigurationError(
            f"level {wish.level.name}: no {wish.variant} leg fits {ranges_of(wish.level)}: there must be "
            f"room for two pages, for a page to each diamond, and {FLOW:.0%} of all stops must flow into "
            "the digit; widen the ranges"
        ) from None


def _asked(seed_urls: tuple[str, ...]) -> Mapping[str, str]:
    """Only where pages were asked for: such legs are others than the random ones of their seed."""
    if len(seed_urls) == 1:
        return {"asked_seed_url": seed_urls[0]}
    return {"asked_seed_urls": " ".join(seed_urls)} if seed_urls else {}


def title_of(seed_url: str, shop: Workshop, place: str = "--seed-url") -> str:
    """The title of a page of the world that a race can start on; `place` is where the address was given."""
    if not seed_url.startswith(shop.wiki):
        raise ConfigurationError(
            f"{place} {seed_url}: legs are made over the {shop.world} world, whose pages are "
            f"{shop.wiki}TITLE; give an address such as {shop.wiki}Peru"
        )
    title = unquote(urlsplit(seed_url).path.removeprefix("/wiki/")).replace("_", " ")
    if shop.is_whole and not any(title in names for names in shop.seeds):
        raise ConfigurationError(
            f"{place} {seed_url}: the {shop.world} world has no page {title!r} to start on; "
            f"give an address such as {shop.wiki}Peru"
        )
    return title


def _write(path: Path, leg: Leg) -> None:
    with told_if_unwritable(path, "choose another --out"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, write_leg(leg))


def _kept(path: Path, number: int, order: Order) -> Leg | None:
    """The leg that stands there already, None without one.

    Raises:
        ConfigurationError: it was made from another seed, request, world or generator.
    """
    if not path.exists():
        return None
    leg = parse_leg(path.read_bytes(), leg_id=order.leg_id(number), where=str(path))
    wanted: dict[str, tuple[str, Any]] = {
        "generator": ("generator", GENERATOR),
        "world_hash": ("world", order.world_hash),
        "seed": ("--rng-seed", order.rng_seed),
        SMOKE: ("--smoke", order.is_smoke(number) or None),
        **{key: (option, order.asked.get(key)) for key, option in _REQUESTS.items()},
    }
    others = [
        f"{name} is {_said(leg.metadata.get(key), key)} there, {_said(value, key)} wanted"
        for key, (name, value) in wanted.items()
        if leg.metadata.get(key) != value
    ]
    if others:
        raise ConfigurationError(
            f"{path} holds a leg of another making: {'; '.join(others)}. "
            "Move it away or choose another --out"
        )
    return leg


#: Metadata that tell a request -> its option.
_REQUESTS = {
    "asked_seed_url": "--seed-url",
    "asked_seed_urls": "--seed-file",
    "levels": "--levels",
    "planner": "--planner",
    "verbalizer": "--verbalizer",
}


def _said(value: object, key: str) -> str:
    if key == SMOKE:
        return "marked" if value else "unmarked"
    return "none" if value is None else str(value)
