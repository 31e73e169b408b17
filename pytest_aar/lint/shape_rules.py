"""Rules of a leg's shape against what it says of itself: level, variant, diamonds, route."""

from collections.abc import Iterator

from pytest_aar.leg import Leg, diamonds
from pytest_aar.leg_file.identity import variant_of
from pytest_aar.levels import DIAMONDS, VARIANTS

from .finding import Fault


def level_mismatch(leg: Leg) -> Iterator[Fault]:
    """The level that the file declares is not that of its folder."""
    declared = leg.difficulty.level
    if declared != leg.level:
        yield Fault(field="level", what=f"declared {declared!r}, in the folder of {leg.level!r}")


def variant_mismatch(leg: Leg) -> Iterator[Fault]:
    """The variant that the file declares is not that of its folder, or not that of its shape."""
    declared, folder = leg.metadata.get("variant"), variant_of(leg.leg_id, {})
    if declared in VARIANTS and folder and declared != folder:
        yield Fault(field="variant", what=f"declared {declared!r}, in the folder of {folder!r}")
    if leg.variant == "linear" and (found := diamonds(leg)):
        merges = [diamond.merge for diamond in found]
        yield Fault(field="variant", what=f"a linear leg with diamonds at the stops {merges}")


def no_diamond(leg: Leg) -> Iterator[Fault]:
    """A leg of the DAG variant has no diamond."""
    if leg.variant == "dag" and not diamonds(leg):
        yield Fault(field="variant", what="a leg of the DAG variant without a diamond")


def few_diamonds(leg: Leg) -> Iterator[Fault]:
    """A leg of the DAG variant has fewer diamonds than its level asks for."""
    fewest = DIAMONDS.get(leg.level, (0, 0))[0]
    found = len(diamonds(leg)) if leg.variant == "dag" else 0
    if 0 < found < fewest:
        what = f"{found} diamond{'s' * (found > 1)}; the level {leg.level!r} has at least {fewest}"
        yield Fault(field="level", what=what)


def linear_route(leg: Leg) -> Iterator[Fault]:
    """A stop of a linear leg does not follow the stop before it."""
    if leg.variant != "linear" or diamonds(leg):
        return
    for stop in leg.stops[:-1]:
        before = (stop.index - 1,) if stop.index else ()
        if stop.depends_on and stop.depends_on != before:
            what = f"follows {list(stop.depends_on)}; in a linear leg it follows {list(before)}"
            yield Fault(stop=stop.index, field="depends_on", what=what)
