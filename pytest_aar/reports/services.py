"""What the summary says of live services: refusals, and waits for their limits."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum

from pytest_aar.errors import ServiceRefused
from pytest_aar.results import RaceRecord

_NOT_RACED = "not raced: "


def lines(races: Sequence[RaceRecord]) -> list[str]:
    """One line for each refusal, one for each service that was waited for."""
    return [*refused(races), *waits(races)]


def refused(races: Iterable[RaceRecord]) -> list[str]:
    """What services refused, with the number of races that it took."""
    reasons = Counter(
        race.detail.removeprefix(_NOT_RACED)
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
