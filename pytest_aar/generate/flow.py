"""How many stops a leg has of each kind, and how many of their values can flow into the digit."""

import random
from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass

from pytest_aar.leg.ancestry import FLOW

from .draft import Rejected, Thread
from .levels import Level

#: Operands of a finish line.
FEWEST_OPERANDS, MOST_OPERANDS = 2, 4
#: Stops that each diamond adds.
DIAMOND_STOPS = 3
_FEWEST_PAGES = 2
_TRIES = 60

_Tail = set[Hashable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many stops of each kind a leg is to have; `diamonds` is their number."""

    pages: int
    roadblocks: int
    detours: int
    diamonds: int

    @property
    def stops(self) -> int:
        """All of them, with the diamonds' stops and the finish line."""
        before = self.pages + self.roadblocks + self.detours
        return before + DIAMOND_STOPS * self.diamonds + 1


def enough(flow: int, stops: int) -> bool:
    """Whether the digit hangs on enough of a leg's stops."""
    return flow >= FLOW * stops


def counts_for(level: Level, variant: str, chance: random.Random) -> Counts:
    """Seeded counts within the level's ranges, such that enough of the leg can flow into the digit.

    Raises:
        Rejected: the ranges allow none.
    """
    for _ in range(_TRIES):
        counts = _some_counts(level, variant, chance)
        if counts is not None and enough(_most_flow(counts), counts.stops):
            return counts
    raise Rejected("plan", "no counts within the level's ranges")


def _some_counts(level: Level, variant: str, chance: random.Random) -> Counts | None:
    roadblocks = chance.randint(*level.roadblocks)
    detours = chance.randint(*level.detours)
    diamonds = chance.randint(*level.diamonds) if variant == "dag" else 0
    lowest = max(level.stops[0], roadblocks + detours + max(_FEWEST_PAGES, diamonds))
    if lowest > level.stops[1]:
        return None
    stops = chance.randint(lowest, level.stops[1])
    return Counts(
        pages=stops - roadblocks - detours,
        roadblocks=roadblocks,
        detours=detours,
        diamonds=diamonds,
    )


def _most_flow(counts: Counts) -> int:
    """With the best of pages: each operand hangs on a diamond, a roadblock or a page of its own."""
    diamonds = min(counts.diamonds, MOST_OPERANDS)
    roadblocks = min(counts.roadblocks, MOST_OPERANDS - diamonds)
    bare = max(0, min(MOST_OPERANDS - diamonds - roadblocks, counts.pages - diamonds - roadblocks))
    return (DIAMOND_STOPS + 1) * diamonds + 2 * roadblocks + bare + counts.detours


def flow_of(
    threads: Sequence[Thread], diamonds: Mapping[int, bool], spare: int, figures: Container[int]
) -> int:
    """How many stops of a plan flow into a finish line over the best operands.

    `diamonds` are places in the route, each with whether the page's value flows into it; `spare`
    detours go where `augment` puts them. `figures` are the places whose fact is a number: without a
    detour a text is no operand.
    """
    tails = [
        tail for number, thread in enumerate(threads) for tail in _tails(thread, number, figures)
    ]
    merges: list[_Tail] = [
        {("diamond", place, each) for each in range(DIAMOND_STOPS)}
        | ({place} if by_value else set())
        for place, by_value in sorted(diamonds.items(), key=lambda each: not each[1])
    ]
    everything = [*merges, *tails]
    for number in range(spare if everything else 0):
        max(merges[number:] or everything, key=len).add(("spare", number))
    return _best(everything)


def _tails(thread: Thread, number: int, figures: Container[int]) -> list[_Tail]:
    """What flows through each value of a thread that an operand may be."""
    detours = {("detour", number, each) for each in range(thread.detours)}
    if thread.template is None:
        return [{thread.page, *detours}] if detours or thread.page in figures else []
    head = {("head", number), *([thread.page] if thread.by_value else [])}
    return [head, {thread.page, *detours}] if thread.on_name else [head | detours]


def _best(tails: list[_Tail]) -> int:
    """How much flows through as many tails as a finish line has operands, the best first."""
    flow: _Tail = set()
    for _ in range(MOST_OPERANDS):
        flow |= max(tails, key=lambda tail: len(tail - flow), default=set())
    return len(flow)
