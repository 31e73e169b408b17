"""Races in groups, and the figures of a group."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_aar.levels import cell_rank, length_bin
from pytest_aar.results import RaceRecord
from pytest_aar.score import Rate, Score, accuracy, mean_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The scores of some races; `rcr` is the paper's."""

    fa: Rate
    pvr: Rate
    rcr: Rate
    rcr_strict: Rate


def scores_of(races: Iterable[RaceRecord]) -> list[Score]:
    """The scores in the main rates: infrastructure errors, contaminated and unobserved races are in none."""
    return [race.main_score for race in races if race.main_score is not None]


def rates(races: Iterable[RaceRecord]) -> Rates:
    """FA, PVR and RCR with their intervals."""
    scores = scores_of(races)
    return Rates(
        fa=accuracy(scores),
        pvr=mean_rate(score.pvr for score in scores),
        rcr=mean_rate(score.rcr for score in scores),
        rcr_strict=mean_rate(score.rcr_strict for score in scores),
    )


def cells(races: Sequence[RaceRecord]) -> list[tuple[str, str, list[RaceRecord]]]:
    """The races by variant and level, in the paper's order; levels of one's own come last."""
    groups: dict[tuple[str, str], list[RaceRecord]] = {}
    for race in races:
        groups.setdefault((race.variant, race.level), []).append(race)
    order = sorted(groups, key=lambda cell: cell_rank(*cell))
    return [(variant, level, groups[variant, level]) for variant, level in order]


def outcomes(races: Iterable[RaceRecord]) -> dict[str, int]:
    """Races by outcome, most frequent first."""
    return dict(Counter(race.outcome for race in races).most_common())


def by_template(races: Iterable[RaceRecord]) -> dict[str, list[RaceRecord]]:
    """The races whose leg holds a template, by its name."""
    groups: dict[str, list[RaceRecord]] = {}
    for race in races:
        for template in race.templates:
            groups.setdefault(template, []).append(race)
    return dict(sorted(groups.items()))


def by_length(races: Iterable[RaceRecord]) -> dict[str, list[RaceRecord]]:
    """The races by number of pit stops, in the bins of the paper's Table 8."""
    groups: dict[str, list[RaceRecord]] = {}
    for race in sorted(races, key=lambda race: race.stops):
        groups.setdefault(length_bin(race.stops), []).append(race)
    return groups
