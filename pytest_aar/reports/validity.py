"""FA over all legs beside FA over those whose digit can still be found."""

from collections import Counter
from collections.abc import Sequence

from pytest_aar.leg import CLASSES, PINNED, VALID
from pytest_aar.results import RaceRecord
from pytest_aar.score import Rate

from .figures import rates


def line(races: Sequence[RaceRecord], *, unpinned: bool = False) -> str:
    """One line when legs of several classes were raced, or such as needed a pinned Wikipedia without one; else ""."""
    scored = [race for race in races if race.main_score is not None and race.validity]
    classes = Counter(race.validity for race in scored)
    shaky = classes[PINNED] if unpinned else 0
    if len(classes) < len(("one", "another")) and not shaky:
        return ""
    valid = [race for race in scored if race.validity in VALID]
    named = ", ".join(f"{name} {classes[name]}" for name in CLASSES if classes[name])
    return (
        f"validity: FA {_shown(rates(scored).fa)} over all races, {_shown(rates(valid).fa)} over those of "
        f"valid legs ({named})"
        f"{f'; {PINNED} without --aar-wiki-at: the pages of {shaky} may have changed' if shaky else ''}"
    )


def _shown(rate: Rate) -> str:
    if rate.value is None:
        return "- (N = 0)"
    return f"{rate.value:.2f} [{rate.low:.2f}, {rate.high:.2f}] (N = {rate.n})"
