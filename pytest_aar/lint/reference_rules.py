"""Rules of the clues' references to each other, compared with the leg."""

from collections.abc import Iterator

from pytest_aar.clue_numbers import referred_clues
from pytest_aar.leg import Leg, used_operands

from .clue_text import clues_of
from .finding import Fault


def dangling_reference(leg: Leg) -> Iterator[Fault]:
    """A clue refers to one that is not there, to a later one, or to itself."""
    clues = clues_of(leg.clues)
    there = {number for number, _ in clues}
    before: set[int] = set()
    for number, text in clues:
        for named in sorted(referred_clues(text) - before):
            why = "does not come before it" if named in there else "is not there"
            yield Fault(field="clues", what=f"clue {number} refers to clue {named}, which {why}")
        before.add(number)


def wrong_operands_named(leg: Leg) -> Iterator[Fault]:
    """The finish line's clue names other clues than those of the operands.

    A clue that names none may say it in words, and clues that are not numbered by stops can't be compared.
    Operands that are listed and not used may be named or not: another rule.
    """
    clues = clues_of(leg.clues)
    if [number for number, _ in clues] != list(range(1, len(leg.stops) + 1)):
        return
    number, text = clues[-1]
    named = referred_clues(text) - {number}
    needed = {stop + 1 for stop in used_operands(leg)}
    if named and needed and not needed <= named <= {stop + 1 for stop in leg.finish.operands}:
        what = f"clue {number} names {_told(named)}, the finish line computes with {_told(needed)}"
        yield Fault(field="clues", what=what)


def _told(numbers: set[int] | frozenset[int]) -> str:
    return f"clue{'s' * (len(numbers) > 1)} {', '.join(map(str, sorted(numbers)))}"
