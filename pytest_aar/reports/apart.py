"""Races that are counted apart: contaminated ones, and those that read pages past the gateway."""

from collections.abc import Iterable, Sequence
from textwrap import shorten

from pytest_aar.results import CONTAMINATED, UNOBSERVED, RaceRecord

from .figures import scores_of

_RACES_NAMED = 10
_EVIDENCE_SHOWN = 300


def lines(races: Sequence[RaceRecord]) -> list[str]:
    """A line for each kind that there is, with both rates where there are two."""
    return [line for line in (_contaminated(races), _unobserved(races)) if line]


def _contaminated(races: Sequence[RaceRecord]) -> str:
    count = _count(races, CONTAMINATED)
    if not count:
        return ""
    scores = scores_of(races)
    correct = sum(score.fa for score in scores)
    raced = len(scores) + count
    return (
        f"contaminated: {correct}/{raced} correct, {count} contaminated "
        f"({correct}/{len(scores)} of the clean races); such a race is never correct, and the run fails"
    )


def _unobserved(races: Sequence[RaceRecord]) -> str:
    found = [race.score for race in races if race.outcome == UNOBSERVED and race.score is not None]
    if not found:
        return ""
    correct = sum(score.fa for score in found)
    return (
        f"unobserved: {len(found)} of {len(races)} races asked the network past the gateway, where visits "
        f"can't be seen: FA {correct / len(found):.2f} ({correct}/{len(found)}), kept out of the rates above"
    )


def _count(races: Iterable[RaceRecord], outcome: str) -> int:
    return sum(race.outcome == outcome for race in races)


def evidence(races: Sequence[RaceRecord]) -> list[str]:
    """What each of these races was marked for."""
    found = [race for race in races if race.outcome in (CONTAMINATED, UNOBSERVED)]
    shown = [_marked(race) for race in found[:_RACES_NAMED]]
    more = [f"and {len(found) - _RACES_NAMED} more"] if len(found) > _RACES_NAMED else []
    return [*shown, *more]


def _marked(race: RaceRecord) -> str:
    repeat = f" r{race.repeat}" if race.repeat > 1 else ""
    said = shorten("; ".join(race.evidence), _EVIDENCE_SHOWN, placeholder=" ...")
    return f"{race.outcome}: {race.leg}{repeat}: {said}"
