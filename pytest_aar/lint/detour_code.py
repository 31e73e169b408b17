"""What a detour's code works on, and how that stands to its source's value."""

import ast
import re
from collections.abc import Iterator
from typing import Literal

from pytest_aar.leg import Detour, Leg, Value
from pytest_aar.readings import fold, number_of
from pytest_aar.transforms import TRANSFORMS

_OUTERMOST = re.compile(r"(?!\s|def |import |from |class |#)")
_NUMBER = re.compile(r"(?:\(|= )(-?\d+(?:\.\d+)?)(?:\)|$)")

#: `exact`: the source's value itself; `rounded`: its whole part; `other`: something else;
#: `unknown`: the code shows no single argument.
Use = Literal["exact", "rounded", "other", "unknown"]


def use_of_source(leg: Leg, detour: Detour) -> Use:
    """How the detour's code uses its source's value."""
    argument = argument_of(detour)
    if argument is None:
        return "unknown"
    source = leg.stops[detour.source].value
    number, worked_on = number_of(source), number_of(argument)
    if number is not None and worked_on is not None:
        return _as_numbers(number, worked_on)
    return "exact" if fold(str(source)) == fold(str(argument)) else "other"


def argument_of(detour: Detour) -> Value | None:
    """The first literal that the code's outermost lines assign or pass on alone, None without one."""
    lines = [line for line in (detour.code or "").split("\n") if _OUTERMOST.match(line)]
    if TRANSFORMS[detour.transform].takes == "text":
        return next((text for line in lines for text in _texts(line)), None)
    found = (match for line in lines if (match := _NUMBER.search(line)) is not None)
    return next((number_of(match[1]) for match in found), None)


def _as_numbers(source: float, worked_on: float) -> Use:
    if abs(source) == abs(worked_on):
        return "exact"
    return "rounded" if abs(worked_on) in (int(abs(source)), round(abs(source))) else "other"


def _texts(line: str) -> Iterator[str]:
    """The texts that are assigned whole, or that a method or an index is of, in a line of code."""
    try:
        tree = ast.parse(line)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        match node:
            case (
                ast.Assign(value=ast.Constant(value=str() as text))
                | ast.Attribute(value=ast.Constant(value=str() as text))
                | ast.Subscript(value=ast.Constant(value=str() as text))
            ):
                yield text
