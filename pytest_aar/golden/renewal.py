"""A drifted leg brought up to date: what has changed, what can't be known, and the leg with its new values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_aar.leg import (
    ChainStep,
    Detour,
    FinishLine,
    Leg,
    PitStop,
    Roadblock,
    Value,
    ancestry,
    arithmetic,
)
from pytest_aar.leg.operands import partners_of
from pytest_aar.leg.templates import is_merge
from pytest_aar.readings import number_of
from pytest_aar.transforms import TRANSFORMS

from . import chains, facts, pages
from .operands import fresh_operands
from .records import CallTool, Mismatch, Walk
from .walk import walk

_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """One leg walked anew.

    `drifted`: stops with another value than the file's; `broken`: stops whose value, or way on, is
    gone; `stale`: roadblocks whose arguments hold the old value of a drifted stop; `unverifiable`:
    facts that no rule extracts. `needed` are the stops whose values flow into the digit.
    """

    leg: Leg
    walk: Walk
    drifted: tuple[Mismatch, ...]
    broken: tuple[Mismatch, ...]
    stale: Mapping[int, int]
    unverifiable: tuple[int, ...]
    needed: frozenset[int]

    @property
    def has_changed(self) -> bool:
        """Whether any stop gives another value, or none."""
        return bool(self.drifted or self.broken)

    def hindrances(self, *, unverifiable_too: bool) -> tuple[str, ...]:
        """Why the leg's new values can't be written; nothing when they can."""
        return tuple(self._hindrances(unverifiable_too=unverifiable_too))

    def _hindrances(self, *, unverifiable_too: bool) -> Iterator[str]:
        if self.broken:
            yield f"no value for {_stops(sorted({miss.stop for miss in self.broken}))}"
        if self.stale:
            yield f"arguments of {_stops(sorted(self.stale))} hold a value that has drifted"
        unsure = sorted(self.needed.intersection(self.unverifiable))
        if unsure and not unverifiable_too:
            yield f"the digit needs {_stops(unsure)}, unverifiable"


async def renewal_of(leg: Leg, call_tool: CallTool) -> Renewal:
    """Walk a leg anew, every fact that a rule can extract extracted from its page."""
    found = await walk(leg, call_tool, fact=facts.extracted)
    drifted = tuple(miss for miss in found.mismatches if miss.new is not None)
    return Renewal(
        leg=leg,
        walk=found,
        drifted=drifted,
        broken=tuple(miss for miss in found.mismatches if miss.new is None),
        stale=dict(_stale(leg, {miss.stop: miss.old for miss in drifted})),
        unverifiable=found.unverifiable,
        needed=ancestry(leg),
    )


def renewed(found: Renewal, generated_at: str, origin: Mapping[str, str] | None = None) -> Leg:
    """The leg with the walk's values in every place that holds them, and its digit.

    `metadata.unverifiable` names the stops whose old value was kept unseen, and is gone without any.
    `origin` (`world`, `world_hash`) is what gave the values; it is written where the leg had its own.
    """
    leg, values = found.leg, found.walk.values
    stops = tuple(_stop(leg, stop, values) for stop in leg.stops)
    finish = stops[-1]
    assert isinstance(finish.value, int)  # the walk gives the finish line a digit
    return replace(
        leg,
        stops=stops,
        digit=finish.value,
        generated_at=generated_at,
        metadata=_metadata(found, origin or {}),
    )


def _metadata(found: Renewal, origin: Mapping[str, str]) -> dict[str, Any]:
    """Nothing in them tells of an earlier walk."""
    old = {name: value for name, value in found.leg.metadata.items() if name != "unverifiable"}
    fresh = {name: value for name, value in origin.items() if name in old}
    unseen = {"unverifiable": list(found.unverifiable)} if found.unverifiable else {}
    return {**old, **fresh, **unseen}


def _stop(leg: Leg, stop: PitStop, values: Mapping[int, Value]) -> PitStop:
    value = values[stop.index]
    match stop:
        case Detour():
            return replace(stop, value=value, code=_detour_code(leg, stop, values))
        case FinishLine():
            return _finish(leg, stop, values)
        case Roadblock():
            return replace(stop, value=value, chain=_chain(leg, stop, values))
        case _:
            return replace(stop, value=value)


def _detour_code(leg: Leg, stop: Detour, values: Mapping[int, Value]) -> str | None:
    """The code over the source's new value; as it was where that has not changed."""
    source = values[stop.source]
    if source == leg.stops[stop.source].value and values[stop.index] == stop.value:
        return stop.code
    return TRANSFORMS[stop.transform].code(source)


def _chain(leg: Leg, stop: Roadblock, values: Mapping[int, Value]) -> tuple[ChainStep, ...]:
    """The chain, a merge's code over its branches' new values: these may differ where their merged value does not."""
    (*first, last) = stop.chain
    sources = (stop.index, *(stop.depends_on or ()))
    is_fresh = any(values[index] != leg.stops[index].value for index in sources)
    if is_merge(stop) and stop.depends_on and is_fresh:
        branches = [number_of(values[index]) for index in stop.depends_on]
        code = chains.substituted(
            str(last.arguments["code"]), [number for number in branches if number is not None]
        )
        last = replace(last, arguments={**last.arguments, "code": code})
    return (*first, last)


def _finish(leg: Leg, stop: FinishLine, values: Mapping[int, Value]) -> FinishLine:
    golden = {each.index: each.value for each in leg.stops}
    fresh = fresh_operands(partners_of(stop, golden), values)
    expression = arithmetic.rewritten(stop.expression, fresh)
    code = None if stop.code is None else stop.code.replace(stop.expression, expression)
    digit = int(arithmetic.evaluate(expression))
    return replace(stop, value=digit, expression=expression, code=code)


def _stale(leg: Leg, old: Mapping[int, Value]) -> Iterator[tuple[int, int]]:
    """(roadblock, drifted stop before it whose old value stands in its arguments)."""
    for stop in leg.roadblocks:
        if is_merge(stop):
            continue  # recomputed over its branches
        sources = stop.bridge_extra.get("referenced_stops", ())
        text = "\n".join(_leaves([step.arguments for step in stop.chain]))
        for drifted, value in old.items():
            if drifted < stop.index and (drifted in sources or _stands(value, text)):
                yield stop.index, drifted
                break


def _leaves(value: object) -> Iterator[str]:
    """Every text and number of nested arguments, as text."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield str(value)


def _stands(value: Value, text: str) -> bool:
    """Whether an old value stands in a text, as a number or words of its own."""
    number = number_of(value)
    if number is not None:
        return number in pages.numbers(_DAY.sub("", text))
    shown = str(value)
    return re.search(rf"(?<!\w){re.escape(shown)}(?!\w)", text) is not None


def _stops(indexes: Sequence[int]) -> str:
    return f"stop{'s' * (len(indexes) > 1)} {', '.join(map(str, indexes))}"
