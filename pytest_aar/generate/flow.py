"""How many stops a leg has of each kind, and how many of their values can flow into the digit."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor

from pytest_aar.leg.ancestry import FLOW

from .draft import Rejected, Thread
from .levels import Level

#: Operands of a finish line.
FEWEST_OPERANDS, MOST_OPERANDS = 2, 4
#: Stops that each diamond adds.
DIAMOND_STOPS = 3
_FEWEST_PAGES = 2
_TRIES = 60


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

    def slack(self, flow: int) -> int:
        """How many stops fewer than that would still be enough."""
        return max(0, floor(flow + self.detours - FLOW * self.stops))

    def flows(self, flow: int) -> bool:
        """Whether so many stops beside the detours, and all detours, are enough."""
        return enough(flow + self.detours, self.stops)


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
        if counts is not None and counts.flows(_most_flow(counts)):
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
    return (DIAMOND_STOPS + 1) * diamonds + 2 * roadblocks + bare


def flow_of(threads: Iterable[Thread], diamonds: Sequence[int]) -> int:
    """Stops beside the detours that flow into the best operands; `diamonds` are what these bring."""
    gains = [*diamonds, *(_gain(thread) for thread in threads)]
    return sum(sorted(gains, reverse=True)[:MOST_OPERANDS])


def _gain(thread: Thread) -> int:
    return 2 if thread.template is not None and thread.by_value else 1
