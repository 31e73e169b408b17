"""The eight steps in order, tried anew with the next chance until a draft passes every gate."""

import random
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from pytest_aar.leg import Leg
from pytest_aar.leg.marks import SMOKE
from pytest_aar.leg_file import parse_leg, write_leg
from pytest_aar.lint import lint_leg

from .assemble import Stamp, assemble
from .augment import augment
from .build import build
from .crawl import crawl
from .digits import digit_for, may_root
from .draft import Ask, Bench, Draft, PageGraph, Rejected, RoutePlan
from .execute import execute
from .link import link
from .order import GENERATOR, Order, Workshop
from .plan import plan
from .rare import rare_for, rare_template_for
from .reword import reworded
from .tool_calls import asked_once
from .validate import validate
from .verbalize import round_trip, verbalize

#: Drafts tried for one leg before giving up, and for one seed page of those that were asked for.
MOST_TRIES = 1_000
_TRIES_A_SEED = 40
#: Drafts tried for one leg where a model has to be paid for them.
ASKED_TRIES = 60
#: Plans tried over one crawled graph.
_PLANS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of the tries for one leg: the leg, None after too many; the last try's number."""

    leg: Leg | None
    attempt: int
    rejects: Mapping[str, int]


async def make_leg(
    order: Order, number: int, shop: Workshop, *, attempt: int = 0, ask: Ask | None = None
) -> Tried:
    """Leg `number` (from 1) of an order, by the tries from `attempt` on; `ask` asks the model."""
    rejects: Counter[str] = Counter()
    for trial in range(attempt, MOST_TRIES if ask is None else ASKED_TRIES):
        bench = _with_model(_bench(order, number, trial, shop), order, ask)
        try:
            leg = await _one(order, number, trial, bench, rejects)
        except Rejected as rejected:
            rejects[str(rejected)] += 1
        else:
            return Tried(leg=leg, attempt=trial, rejects=rejects)
    return Tried(leg=None, attempt=MOST_TRIES, rejects=rejects)


def _with_model(bench: Bench, order: Order, ask: Ask | None) -> Bench:
    return replace(
        bench,
        planner=ask if "planner" in order.asked else None,
        verbalizer=ask if "verbalizer" in order.asked else None,
    )


def _bench(order: Order, number: int, trial: int, shop: Workshop) -> Bench:
    return Bench(
        level=order.level,
        variant=order.variant,
        atlas=shop.atlas,
        call_tool=shop.call_tool,
        read=asked_once(shop.call_tool),
        chance=random.Random(f"{order.key}/{number}/{trial}"),
        digit=digit_for(order.key, number),
        may_root=may_root(order.key, number),
        rare=rare_for(order.key, number),
        rare_template=rare_template_for(order.key, number),
        degrees=shop.degrees,
    )


async def _one(order: Order, number: int, trial: int, bench: Bench, rejects: Counter[str]) -> Leg:
    """One try: all eight steps; what `augment` adds is validated like the rest."""
    stamped = partial(_finished, stamp=_stamp(order, number))
    graph = await crawl(_seed(order, number, trial, bench), bench)
    draft = await build(graph, await _planned(graph, bench, rejects), bench)
    draft = await validate(draft, bench)
    draft = await link(draft, bench)
    draft = await validate(await augment(draft, bench), bench, known=draft)
    draft = await execute(draft, stamped, bench)
    draft = verbalize(draft, bench)
    leg = stamped(await reworded(draft, bench.verbalizer) if bench.verbalizer else draft)
    round_trip(leg)
    _lint(leg)
    return leg


def _lint(leg: Leg) -> None:
    """The same checks that `aar lint` makes of one leg.

    Raises:
        Rejected: with the name of the rule that is broken.
    """
    found = lint_leg(leg)
    if found:
        raise Rejected("lint", found[0].rule)


def _seed(order: Order, number: int, trial: int, bench: Bench) -> str:
    """A random seed, or the next of those asked for; one that gives no leg makes room for another."""
    group = bench.chance.choice(order.seeds)
    if not order.has_given_seeds:
        return bench.chance.choice(group)
    return group[(number - 1 + trial // _TRIES_A_SEED) % len(group)]


async def _planned(graph: PageGraph, bench: Bench, rejects: Counter[str]) -> RoutePlan:
    """A plan over a graph; crawling costs more than planning, so a few are tried."""
    for _ in range(_PLANS - 1 if bench.planner is None else 0):
        try:
            return await plan(graph, bench)
        except Rejected as rejected:
            rejects[str(rejected)] += 1
    return await plan(graph, bench)


def _stamp(order: Order, number: int) -> Stamp:
    key = f"{order.key}/{number}"
    return Stamp(
        leg_id=order.leg_id(number),
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
            **order.asked,
            **({SMOKE: True} if order.is_smoke(number) else {}),
            "canary": str(uuid.uuid5(uuid.NAMESPACE_URL, f"aar:canary:{key}")),
        },
    )


def _finished(draft: Draft, *, stamp: Stamp) -> Leg:
    """The draft as a leg, written and read back: what the file will hold is what counts."""
    data = write_leg(assemble(draft, stamp))
    return parse_leg(data, leg_id=stamp.leg_id, where=f"{stamp.leg_id}.json")
