"""Figures over many races: rates with their intervals, error classes, recovery."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from .records import ERROR_CLASSES, ErrorClass, Score
from .statistics import bootstrap_mean, wilson

#: A digit guessed at random is right once in ten.
GUESSING_FLOOR = 0.1
RECOVERY_THRESHOLD = 0.8
FEW_RACES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A rate over `n` races with its 95 % interval; `value`, `low`, `high` are None for n = 0."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """FA among the races that met a condition (the paper's Table 9); `few`: fewer than 30."""

    condition: str
    fa: Rate
    few: bool


def accuracy(scores: Iterable[Score]) -> Rate:
    """FA with Wilson's interval."""
    outcomes = [score.fa for score in scores]
    if not outcomes:
        return Rate(n=0)
    low, high = wilson(sum(outcomes), len(outcomes))
    return Rate(n=len(outcomes), value=sum(outcomes) / len(outcomes), low=low, high=high)


def mean_rate(values: Iterable[float | None]) -> Rate:
    """The mean of those rates that are not None, with the bootstrap's interval."""
    known = [value for value in values if value is not None]
    if not known:
        return Rate(n=0)
    low, high = bootstrap_mean(known)
    return Rate(n=len(known), value=fsum(known) / len(known), low=low, high=high)


def error_classes(scores: Iterable[Score]) -> dict[ErrorClass, int]:
    """Races per error class; they add up to all of them."""
    counts = dict.fromkeys(ERROR_CLASSES, 0)
    for score in scores:
        counts[score.error_class] += 1
    return counts


def recovery(scores: Sequence[Score]) -> tuple[Recovery, Recovery]:
    """FA given PVR >= 0.8, and given PVR and RCR >= 0.8."""
    arrived = [score for score in scores if score.pvr >= RECOVERY_THRESHOLD]
    both = [s for s in arrived if s.rcr is not None and s.rcr >= RECOVERY_THRESHOLD]
    return _recovery("pvr >= 0.8", arrived), _recovery("pvr >= 0.8 and rcr >= 0.8", both)


def _recovery(condition: str, scores: Sequence[Score]) -> Recovery:
    return Recovery(condition=condition, fa=accuracy(scores), few=len(scores) < FEW_RACES)
