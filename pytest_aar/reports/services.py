"""What the summary says of live services: refusals, waits for their limits, a wiki that didn't tell of golden pages."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from textwrap import shorten

from pytest_aar.errors import NOT_RACED, ServiceRefused
from pytest_aar.results import RaceRecord

_LONGEST_REASON = 300


def lines(races: Sequence[RaceRecord]) -> list[str]:
    """One line for each refusal, one for each service that was waited for, one for golden pages left unknown."""
    return [*refused(races), *waits(races), *unresolved(races)]


def refused(races: Iterable[RaceRecord]) -> list[str]:
    """What services refused, with the number of races that it took."""
    reasons = Counter(
        race.detail.removesuffix(NOT_RACED)
        for race in races
        if race.error == ServiceRefused.__name__
    )
    return [
        f"services: {count} {'races' if count > 1 else 'race'} not run, not scored: {reason}"
        for reason, count in reasons.most_common()
    ]


def waits(races: Iterable[RaceRecord]) -> list[str]:
    """`waited 312 s for wikipedia in 14 races`."""
    waited: dict[str, list[float]] = {}
    for race in races:
        for service, seconds in race.waited_seconds.items():
            waited.setdefault(service, []).append(seconds)
    return [
        f"waited {fsum(each):.{0 if fsum(each) >= 10 else 1}f} s for {service} in {len(each)} "  # noqa: PLR2004 - digits
        f"{'races' if len(each) > 1 else 'race'} (its limits: --aar-limits)"
        for service, each in sorted(waited.items())
    ]


def unresolved(races: Iterable[RaceRecord]) -> list[str]:
    """In how many races a wiki that failed may have cost visits, and what it said first."""
    failures = [
        race.wiki_failure
        for race in races
        if race.wiki_failure and race.score and race.score.pages_unresolved
    ]
    if not failures:
        return []
    count = f"{len(failures)} {'races' if len(failures) > 1 else 'race'}"
    first = shorten(failures[0], _LONGEST_REASON, placeholder=" ...")
    return [
        f"golden pages: in {count} it is not known where all of them lead (pages_unresolved), and PVR may be too low:"
        f" {first}"
    ]
