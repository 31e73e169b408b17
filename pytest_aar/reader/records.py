"""What the reader makes of one clue, in the words a leg's stops are compared in."""

import re
from dataclasses import dataclass
from typing import Literal

from pytest_aar.leg import StopKind

Reached = Literal["start", "link", "search"]

#: How a clue singles out one link: the row of a box, its place in a list, the letters at its ends.
Pointer = Literal["row", "place", "letters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStep:
    """One step as the clue's words tell it.

    `number` is the printed one. `tools` are names of tools; `operation` is a transform's name, or
    sum, difference, digital_root for what is computed over several clues. `operands` are the
    numbers of the clues referred to, in order, `days` the dates (2001-12-31) named. `reached`,
    `start` (a clue's number) and `pointer` are how a page is come by, None where the clue does not
    tell. `text` is all that the clue says, case-folded, `question` the part of a page's clue that
    asks for something, `words` the stems of that part.
    """

    number: int
    kind: StopKind
    tools: frozenset[str] = frozenset()
    operation: str | None = None
    operands: tuple[int, ...] = ()
    days: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    reached: Reached | None = None
    start: int | None = None
    pointer: Pointer | None = None
    text: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A kind of step with the tools or the operation that make it up."""

    kind: StopKind
    tools: frozenset[str] = frozenset()
    operation: str | None = None


Cue = tuple[re.Pattern[str], float]


def cue(pattern: str, weight: float) -> Cue:
    """A pattern looked for in the case-folded clue, and how much it speaks for a meaning."""
    return re.compile(pattern), weight
