"""What the summary says of live services: refusals, waits for their limits, a wiki that didn't tell of golden pages."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from textwrap import shorten

from pytest_aar.errors import LEG_NEEDS, NEEDED_BY, NOT_RACED, ServiceRefused, ServiceUnavailable
from pytest_aar.manners.waits import remedy
from pytest_aar.results import RaceRecord

_LONGEST_REASON = 300
_ANY, _ANY_TOOL = "anytool", r"\w+"
#: In the message of a refusal: which tool met it.
_NEEDED_BY = re.compile(re.escape(NEEDED_BY.format(tool=_ANY)).replace(_ANY, _ANY_TOOL))
#: In the message of an outage: the same.
_LEG_NEEDS = re.compile(f"{re.escape(LEG_NEEDS.format(tool=_ANY))}$".replace(_ANY, _ANY_TOOL))


def lines(races: Sequence[RaceRecord]) -> list[str]:
    """A line for each refusal, outage and service that was waited for, and one for golden pages left unknown."""
    return [*refused(races), *silent(races), *waits(races), *unresolved(races)]


def refused(races: Iterable[RaceRecord]) -> list[str]:
    """Each key that is missing and what services refused, with the number of races that it took."""
    lost = [race for race in races if race.error == ServiceRefused.__name__]
    keys = Counter(key for race in lost for key in race.missing_keys)
    reasons = Counter(
        _NEEDED_BY.sub("", race.detail.removesuffix(NOT_RACED))
        for race in lost
        if not race.missing_keys
    )
    found = [*_keyless(keys), *reasons.most_common()]
    return [f"services: {_races(count)} not run, not scored: {reason}" for reason, count in found]


def _keyless(keys: Counter[str]) -> list[tuple[str, int]]:
    """What to do about each key that is missing, and how many races lacked it."""
    if not keys:
        return []
    from pytest_aar.gateway.needs import source_of  # noqa: PLC0415 - loads the tools

    return [
        (f"no {key}: {source_of(key)}, then go on with --aar-resume", count)
        for key, count in keys.most_common()
    ]


def silent(races: Iterable[RaceRecord]) -> list[str]:
    """What services did not answer, with the number of races that it broke off."""
    reasons = Counter(
        _LEG_NEEDS.sub("; race again with --aar-resume", race.detail)
        for race in races
        if race.error == ServiceUnavailable.__name__
    )
    return [
        f"services: {_races(count)} broken off, not scored: {reason}"
        for reason, count in reasons.most_common()
    ]


def waits(races: Iterable[RaceRecord]) -> list[str]:
    """`waited 312 s for wikipedia in 14 races`."""
    waited: dict[str, list[float]] = {}
    for race in races:
        for service, seconds in race.waited_seconds.items():
            waited.setdefault(service, []).append(seconds)
    return [
        f"waited {fsum(each):.{0 if fsum(each) >= 10 else 1}f} s for {service} in "  # noqa: PLR2004 - digits
        f"{_races(len(each))} ({remedy(service)})"
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
    count = _races(len(failures))
    first = shorten(failures[0], _LONGEST_REASON, placeholder=" ...")
    return [
        f"golden pages: in {count} it is not known where all of them lead (pages_unresolved), and PVR may be too low:"
        f" {first}"
    ]


def _races(count: int) -> str:
    return f"{count} {'races' if count > 1 else 'race'}"
