"""Repairs that can't do harm: labels, numbers and route order that a leg's other parts already settle."""

from dataclasses import replace
from itertools import count

from pytest_aar.clue_numbers import CLUE, other_numbers, referred_clues
from pytest_aar.leg import Leg

from .clue_text import clues_of, unnumbered


def declare_level(leg: Leg) -> Leg:
    """The level that the leg lies under, told by the leg, too."""
    return replace(leg, difficulty=replace(leg.difficulty, level=leg.level))


def straighten(leg: Leg) -> Leg:
    """Every stop that names others follows the stop before it; the finish line's list stays."""
    route = (
        replace(stop, depends_on=(stop.index - 1,) if stop.index else ())
        if stop.depends_on
        else stop
        for stop in leg.stops[:-1]
    )
    return replace(leg, stops=(*route, leg.finish))


def renumber(leg: Leg) -> Leg:
    """The clues numbered from 1, where each stop has one and no clue that is referred to moves.

    A number in any other form that could name a clue that moves ("#4", "the fourth") hinders it, too.
    """
    numbers = [number for number, _ in clues_of(leg.clues)]
    stay = {number for place, number in enumerate(numbers, 1) if number == place}
    once = {number for number in stay if numbers.count(number) == 1}
    moved = {*numbers, *range(1, len(numbers) + 1)} - once
    text = unnumbered(leg.clues)
    if len(numbers) != len(leg.stops) or not referred_clues(text) <= once:
        return leg
    if not moved.isdisjoint(other_numbers(text)):
        return leg
    following = count(1)

    def numbered_anew(clue: str, old: str) -> str:
        return clue.replace(old, str(next(following)), 1)

    return replace(
        leg, clues=CLUE.sub(lambda found: numbered_anew(found.group(), found[1]), leg.clues)
    )
