"""The pytest marks of a leg: by variant, level, template, and whether its digit can drift."""

from pytest_aar.levels import LEVELS

from .ancestry import ancestry
from .records import Leg
from .templates import template_of
from .validity import drift_of

#: Of a leg's metadata: true in those of the small set.
SMOKE = "smoke"


def templates_of(leg: Leg) -> tuple[str, ...]:
    """The Table 6 names of the leg's roadblocks (merges and custom chains too), in order."""
    return tuple(dict.fromkeys(map(template_of, leg.roadblocks)))


def drifts(leg: Leg) -> bool:
    """Whether a value that changes with time flows into the digit.

    Place counts, ratings, population, directions, distance, or a page's number of language
    editions. The sandbox world never changes.
    """
    if leg.is_sandbox:
        return False
    needed = ancestry(leg)
    return any(drift_of(stop) is not None for stop in leg.stops if stop.index in needed)


def marks_of(leg: Leg) -> tuple[str, ...]:
    """The leg's marks: `aar`, variant, level (the four known ones), drift, the small set, templates."""
    level = (f"aar_{leg.level}",) if leg.level in LEVELS else ()
    drift = "aar_drifting" if drifts(leg) else "aar_stable"
    smoke = ("aar_smoke",) if leg.metadata.get(SMOKE) is True else ()
    templates = (f"aar_template_{name}" for name in templates_of(leg))
    return ("aar", f"aar_{leg.variant}", *level, drift, *smoke, *templates)
