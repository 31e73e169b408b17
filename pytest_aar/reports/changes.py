"""One run beside a baseline: which legs were won and lost, and by how much the rates moved."""

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_aar.results import CONTAMINATED, Baseline, differences, known_to_both

_RATES = {"fa": "FA", "pvr": "PVR", "rcr": "RCR", "rcr_strict": "strict RCR"}
_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """`worse` and `better` are legs by their FA, `contaminated` those of the later run; `lines` is for people."""

    comparable: bool
    worse: tuple[str, ...]
    better: tuple[str, ...]
    lines: tuple[str, ...]
    contaminated: tuple[str, ...] = ()


def changes(before: Baseline, after: Baseline) -> Changes:
    """Compare, or say what keeps the two from being compared."""
    faults = differences(before, after)
    if faults:
        lines = ("not comparable with the baseline:", *(f"  {fault}" for fault in faults))
        return Changes(comparable=False, worse=(), better=(), lines=lines)
    moved = {leg: _moved(before, after, leg) for leg in after.legs}
    # Such legs have no rate to compare, but nobody may overlook them.
    contaminated = tuple(leg for leg, found in after.legs.items() if CONTAMINATED in found.outcomes)
    worse = tuple(leg for leg, by in moved.items() if by < 0)
    better = tuple(leg for leg, by in moved.items() if by > 0)
    lines = (
        *_subject(before.subject, after.subject),
        *(_rate(before, after, name) for name in _RATES),
        f"lost now: {_listed(worse)}",
        f"won now: {_listed(better)}",
        *([f"contaminated now: {_listed(contaminated)}"] if contaminated else []),
    )
    return Changes(
        comparable=True, worse=worse, better=better, lines=lines, contaminated=contaminated
    )


def _subject(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    return [
        f"{name}: {before.get(name)!r} -> {after.get(name)!r}"
        for name in known_to_both(before, after)
        if before.get(name) != after.get(name)
    ]


def _moved(before: Baseline, after: Baseline, leg: str) -> float:
    # A leg without a scored race on one side is neither better nor worse.
    old, new = before.legs[leg].figures["fa"], after.legs[leg].figures["fa"]
    return 0.0 if old is None or new is None else new - old


def _rate(before: Baseline, after: Baseline, name: str) -> str:
    old, new = _mean(before, name), _mean(after, name)
    if old is None or new is None:
        return f"{_RATES[name]}: unknown"
    return f"{_RATES[name]}: {old:.3f} -> {new:.3f} ({new - old:+.3f})"


def _mean(baseline: Baseline, name: str) -> float | None:
    values = [value for leg in baseline.legs.values() if (value := leg.figures[name]) is not None]
    return sum(values) / len(values) if values else None


def _listed(legs: tuple[str, ...]) -> str:
    if not legs:
        return "none"
    more = f", and {len(legs) - _SHOWN} more" if len(legs) > _SHOWN else ""
    return f"{len(legs)}: {', '.join(legs[:_SHOWN])}{more}"
