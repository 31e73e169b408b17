"""Rules of how values flow into the digit: detours, the finish line, the share of stops that count."""

import re
from collections.abc import Iterator

from pytest_aar.leg import Detour, Leg, Value, ancestry, arithmetic, used_operands
from pytest_aar.leg.ancestry import FLOW, operand_count
from pytest_aar.leg.validity import finish_faults, stop_fault, unknown_operands
from pytest_aar.readings import number_of

from .clue_text import clues_of
from .detour_code import argument_of, use_of_source
from .finding import Fault

_SAYS_WHOLE = re.compile(
    r"whole[- ](?:part|number)\b|fraction|trunc|\bround(?:ed|ing)?\b|decimals\b|decimal (?:point|part)"
    r"|integer part",
    re.IGNORECASE,
)


def unused_operands(leg: Leg) -> Iterator[Fault]:
    """The finish line lists stops that its expression does not use."""
    listed, used, count = leg.finish.operands, used_operands(leg), operand_count(leg)
    idle = [operand for operand in listed if operand not in used]
    if count and len(idle) > len(unknown_operands(leg)):  # each of these may stand for one
        what = f"{len(listed)} stops are listed, {leg.finish.expression!r} has {count} numbers"
        yield Fault(stop=leg.finish.index, field="operands", what=f"{what} (unused: {idle})")


def unknown_operand(leg: Leg) -> Iterator[Fault]:
    """The finish line computes with a number that is no listed stop's value."""
    for reason in finish_faults(leg):
        if reason.name == "unknown_operand":
            yield Fault(stop=reason.stop, field="expression", what=reason.what)


def wrong_digit(leg: Leg) -> Iterator[Fault]:
    """The finish line's expression does not give the digit."""
    finish = leg.finish
    try:
        found = int(arithmetic.evaluate(finish.expression))
    except ValueError as error:
        yield Fault(stop=finish.index, field="expression", what=str(error))
        return
    if found != leg.digit:
        what = f"{finish.expression!r} gives {found}, the digit is {leg.digit}"
        yield Fault(stop=finish.index, field="expression", what=what)
    elif finish.value != leg.digit:
        what = f"the value is {finish.value!r}, the digit is {leg.digit}"
        yield Fault(stop=finish.index, field="value", what=what)


def other_source(leg: Leg) -> Iterator[Fault]:
    """A detour works on something else than its source's value."""
    for stop in leg.detours:
        if use_of_source(leg, stop) == "other":
            source = leg.stops[stop.source].value
            what = f"the code works on {argument_of(stop)!r}, stop {stop.source} holds {source!r}"
            yield Fault(stop=stop.index, field="code", what=what)
            continue
        reason = stop_fault(leg, stop, "other_source")
        if reason is not None:
            yield Fault(stop=stop.index, field="value", what=reason.what)


def silent_rounding(leg: Leg) -> Iterator[Fault]:
    """A detour works on the whole part of a fraction, and its clue does not say so."""
    fractions = [stop for stop in leg.detours if _is_fraction(leg.stops[stop.source].value)]
    clues = dict(clues_of(leg.clues)) if fractions else {}
    for stop in fractions:
        said = _SAYS_WHOLE.search(clues.get(stop.index + 1, ""))
        if not said and use_of_source(leg, stop) == "rounded":
            yield Fault(stop=stop.index, field="code", what=_cut(leg, stop))


def idle_stops(leg: Leg) -> Iterator[Fault]:
    """Too few stops' values flow into the digit."""
    flow = len(ancestry(leg)) + 1
    if flow < FLOW * len(leg.stops):
        what = f"{flow} of {len(leg.stops)} stops are in the digit's ancestry, less than {FLOW:.0%}"
        yield Fault(stop=leg.finish.index, field="operands", what=what)


def _is_fraction(value: Value) -> bool:
    number = number_of(value)
    return number is not None and number != int(number)


def _cut(leg: Leg, stop: Detour) -> str:
    source = leg.stops[stop.source].value
    return f"the code works on {argument_of(stop)!r}, stop {stop.source} holds {source!r}; the clue is silent"
