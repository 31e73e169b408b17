"""The eight steps in order, tried anew with the next chance until a draft passes every gate."""

import random
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from pytest_aar.leg import Leg
from pytest_aar.leg_file import parse_leg, write_leg
from pytest_aar.lint.likeness import MOST_ALIKE, jaccard, pages_of

from .assemble import Stamp, assemble
from .augment import augment
from .build import build
from .crawl import crawl
from .draft import Atlas, Bench, CallTool, Draft, Rejected
from .execute import execute
from .levels import Level
from .link import link
from .plan import plan
from .validate import validate
from .verbalize import round_trip, verbalize

#: Written into each leg: raise the number when the same seed would give other legs.
GENERATOR = "pytest-aar/1"

#: Drafts tried for one leg before giving up.
MOST_TRIES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What legs are wanted, and of which world: `seeds` are the titles that a race may start on.

    `seed_url` is the page that was asked for, None for random ones.
    """

    world: str
    world_hash: str
    generated_at: str
    variant: str
    level: Level
    rng_seed: int
    seeds: tuple[tuple[str, ...], ...]
    seed_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Where legs are made: the pages, the tools, and the tally of rejected drafts by reason."""

    atlas: Atlas
    call_tool: CallTool
    rejects: Counter[str] = field(default_factory=Counter)


async def make_leg(order: Order, number: int, before: Iterable[Leg], shop: Workshop) -> Leg | None:
    """Leg `number` (from 1) of an order, unlike those `before` it; None after many rejects."""
    earlier = tuple(before)
    for attempt in range(MOST_TRIES):
        key = f"{order.world_hash}/{order.variant}/{order.level.name}/{order.rng_seed}/{number}"
        bench = Bench(
            level=order.level,
            variant=order.variant,
            atlas=shop.atlas,
            call_tool=shop.call_tool,
            chance=random.Random(f"{key}/{attempt}"),
        )
        try:
            leg = await _one(order, number, key, bench)
            _set_gate(leg, earlier)
        except Rejected as rejected:
            shop.rejects[str(rejected)] += 1
        else:
            return leg
    return None


async def _one(order: Order, number: int, key: str, bench: Bench) -> Leg:
    """One try: all eight steps; what `augment` adds is validated like the rest."""
    seed = bench.chance.choice(bench.chance.choice(order.seeds))
    stamped = partial(_finished, stamp=_stamp(order, number, key))
    graph = crawl(seed, bench)
    draft = await build(graph, plan(graph, bench), bench)
    draft = await validate(draft, bench)
    draft = await link(draft, bench)
    draft = await validate(await augment(draft, bench), bench)
    draft = await execute(draft, stamped, bench)
    leg = stamped(verbalize(draft, bench))
    round_trip(leg)
    return leg


def _stamp(order: Order, number: int, key: str) -> Stamp:
    return Stamp(
        leg_id=f"{order.variant}/{order.level.name}/{number:03}",
        variant=order.variant,
        level=order.level,
        trail_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"aar:trail:{key}")),
        generated_at=order.generated_at,
        metadata={
            "variant": order.variant,
            "world": order.world,
            "world_hash": order.world_hash,
            "generator": GENERATOR,
            "seed": order.rng_seed,
            # Only where one was asked for: such a leg is another than the random one of its seed.
            **({"asked_seed_url": order.seed_url} if order.seed_url else {}),
            "canary": str(uuid.uuid5(uuid.NAMESPACE_URL, f"aar:canary:{key}")),
        },
    )


def _finished(draft: Draft, *, stamp: Stamp) -> Leg:
    """The draft as a leg, written and read back: what the file will hold is what counts."""
    data = write_leg(assemble(draft, stamp))
    return parse_leg(data, leg_id=stamp.leg_id, where=f"{stamp.leg_id}.json")


def _set_gate(leg: Leg, earlier: tuple[Leg, ...]) -> None:
    """A set's legs differ in their pages and, as far as ten digits go, in their digits.

    Raises:
        Rejected: too alike another leg, or a digit that has had its share.
    """
    pages = pages_of(leg)
    if any(jaccard(pages, pages_of(other)) > MOST_ALIKE for other in earlier):
        raise Rejected("set", "pages too much like another leg's")
    roots = [other for other in (*earlier, leg) if "digital_root" in other.finish.expression]
    if leg in roots and len(roots) > 1 + len(earlier) // 3:
        raise Rejected("set", "digital roots have had their share")
    digits = Counter(other.digit for other in earlier)
    if digits[leg.digit] > min(digits[digit] for digit in range(10)):
        raise Rejected("set", "a digit that has had its share")
