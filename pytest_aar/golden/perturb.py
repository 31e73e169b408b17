"""What a leg's digit would be if one stop's value were another: how much the digit hangs on each stop."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from pytest_aar import transforms
from pytest_aar.leg import ChainStep, Detour, FinishLine, Leg, PitStop, Roadblock, Value, arithmetic
from pytest_aar.leg.ancestry import ancestry, value_sources
from pytest_aar.leg.operands import partners_of
from pytest_aar.leg.templates import is_merge
from pytest_aar.readings import number_of

from . import chains
from .operands import fresh_operands
from .pages import as_date
from .records import CallTool

#: Gives another text for a stop, such as another city's name; None where there is none.
OtherText = Callable[[PitStop], Awaitable[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sway:
    """Of the stops whose values flow into the digit: those that changed it, and those that did not.

    `broken` are those with whose other value no digit could be computed: they show nothing about it.
    """

    changing: tuple[int, ...]
    idle: tuple[int, ...]
    broken: tuple[int, ...] = ()

    @property
    def share(self) -> float:
        """Share of those that changed the digit, the broken left out; 0 if none is left."""
        tried = len(self.changing) + len(self.idle)
        return len(self.changing) / tried if tried else 0.0


async def sway(leg: Leg, call_tool: CallTool, other_text: OtherText) -> Sway:
    """Every stop of the digit's value ancestry changed in turn, all others kept.

    A number becomes the next one, a date the next day, a text what `other_text` gives; where it gives
    None the stop is left out.
    """
    changing: list[int] = []
    idle: list[int] = []
    broken: list[int] = []
    for index in sorted(ancestry(leg)):
        stop = leg.stops[index]
        value = await _other(stop, other_text)
        if value is not None:
            digit = await digit_with(leg, index, value, call_tool)
            (broken if digit is None else idle if digit == leg.digit else changing).append(index)
    return Sway(changing=tuple(changing), idle=tuple(idle), broken=tuple(broken))


async def _other(stop: PitStop, other_text: OtherText) -> Value | None:
    number = number_of(stop.value)
    if number is not None:
        return number + 1
    day = as_date(stop.value) if isinstance(stop.value, str) else None
    return (day + timedelta(days=1)).isoformat() if day else await other_text(stop)


async def digit_with(leg: Leg, index: int, value: Value, call_tool: CallTool) -> int | None:
    """The digit with another value at stop `index`; None if the stops after it can't be computed."""
    values: dict[int, Value] = {stop.index: stop.value for stop in leg.stops} | {index: value}
    changed = {index}
    sources = value_sources(leg)
    for stop in leg.stops[index + 1 :]:
        if changed.isdisjoint(sources[stop.index]):
            continue
        try:
            fresh = await _recomputed(leg, stop, values, call_tool)
        except ValueError:
            return None
        if fresh != values[stop.index]:
            values[stop.index] = fresh
            changed.add(stop.index)
    digit = number_of(values[leg.finish.index])
    return None if digit is None else int(digit)


async def _recomputed(
    leg: Leg, stop: PitStop, values: Mapping[int, Value], call_tool: CallTool
) -> Value:
    match stop:
        case Detour():
            return transforms.apply(stop.transform, values[stop.source])
        case FinishLine():
            return _finish(leg, stop, values)
        case Roadblock() if is_merge(stop):
            return _merge(stop, values)
        case Roadblock():
            olds = {leg.stops[i].value: values[i] for i in stop.bridge_extra["referenced_stops"]}
            return await chains.run_chain(_renewed(stop.chain, olds), call_tool)
    return stop.value


def _merge(stop: Roadblock, values: Mapping[int, Value]) -> Value:
    numbers = [number_of(values[branch]) for branch in stop.depends_on or ()]
    code = str(stop.chain[0].arguments["code"])
    fresh = chains.substituted(code, [number for number in numbers if number is not None])
    return arithmetic.evaluate(chains.merge_expression(fresh) or "")


def _finish(leg: Leg, stop: FinishLine, values: Mapping[int, Value]) -> Value:
    golden = {each.index: each.value for each in leg.stops}
    fresh = fresh_operands(partners_of(stop, golden), values)
    return arithmetic.evaluate(stop.expression, fresh)


def _renewed(chain: tuple[ChainStep, ...], olds: Mapping[Any, Value]) -> tuple[ChainStep, ...]:
    """The chain with other values in its arguments.

    Raises:
        ValueError: an old value does not stand in them.
    """
    for old, new in olds.items():
        if old == new:
            continue
        renewed = tuple(replace(step, arguments=_with(step.arguments, old, new)) for step in chain)
        if renewed == chain:
            raise ValueError(f"{old!r} does not stand in the chain's arguments")
        chain = renewed
    return chain


def _with(arguments: Mapping[str, Any], old: Value, new: Value) -> dict[str, Any]:
    return {
        name: _replaced(text, old, new) if isinstance(text, str) else text
        for name, text in arguments.items()
    }


def _replaced(text: str, old: Value, new: Value) -> str:
    """Numbers stand in code as floats (`1234.0`), other values as they are."""
    number, fresh = number_of(old), number_of(new)
    if number is not None and fresh is not None and repr(float(number)) in text:
        return text.replace(repr(float(number)), repr(float(fresh)), 1)
    return text.replace(str(old), str(new))
