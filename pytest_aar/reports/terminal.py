"""The terminal summary as sections of plain lines; pytest's own reporter writes them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from pytest_aar.results import INFRASTRUCTURE, SKIPPED, RaceRecord
from pytest_aar.score import GUESSING_FLOOR, Rate, Recovery, error_classes, recovery

from . import apart, figures, resources, services, validity
from .table import table

_SLOWEST = 3
_LEGS_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How much is shown: `width` in characters; `verbosity` as pytest counts it (-q: below 0)."""

    width: int = 80
    verbosity: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Lines below a title ("" for none); those of a table stay as they are, others are wrapped."""

    title: str
    lines: tuple[str, ...]
    is_table: bool = False


_NOTHING = Section(title="", lines=("no race was scored: there are no rates",))


def summary(
    races: Sequence[RaceRecord],
    look: Look,
    *,
    changes: Sequence[str] = (),
    unpinned: bool = False,
) -> list[Section]:
    """The sections to print; none when there was no race. `unpinned`: live Wikipedia was read as it is today."""
    if not races:
        return []
    if look.verbosity < 0:
        lines = [
            in_all(races),
            _error_line(races),
            validity.line(races, unpinned=unpinned),
            *apart.lines(races),
            _skipped(races),
            *services.refused(races),
            _unplayed(races),
            _warnings(races),
        ]
        return [Section(title="", lines=tuple(line for line in lines if line))]
    tables = _tables(races, look.width) if any(race.score for race in races) else [_NOTHING]
    sections = [
        Section(title="", lines=tuple(_head(races))),
        *tables[:1],
        Section(title="", lines=tuple(_lines_of_all(races, unpinned=unpinned))),
        *tables[1:],
        Section(title="", lines=tuple(apart.evidence(races))),
    ]
    if changes:
        sections.append(Section(title="changes against the baseline", lines=tuple(changes)))
    return sections


def flat(sections: Sequence[Section], look: Look) -> list[str]:
    """The sections' lines in the look's width, an empty one between two of them unless little is shown."""
    found: list[str] = []
    for section in sections:
        lines = [line for line in (section.title, *section.lines) if line]
        if not section.is_table:
            lines = [part for line in lines for part in _wrapped(line, look.width)]
        gap = [""] if found and lines and look.verbosity >= 0 else []
        found += [*gap, *lines]
    return found


def _wrapped(line: str, width: int) -> list[str]:
    """Words stay whole, paths and addresses among them; what goes on is indented."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def in_all(races: Sequence[RaceRecord]) -> str:
    """One line: the three scores over all races."""
    found = figures.rates(races)
    return f"FA {rate(found.fa)}, PVR {rate(found.pvr)}, RCR {rate(found.rcr)}, N = {found.fa.n}"


def rate(value: Rate) -> str:
    """`0.42 [0.25, 0.61]`, or `-` without races."""
    if value.value is None:
        return "-"
    return f"{value.value:.2f} [{value.low:.2f}, {value.high:.2f}]"


def _head(races: Sequence[RaceRecord]) -> list[str]:
    first = races[0]
    agent = f"{first.agent} {first.agent_version}".strip()
    models = dict.fromkeys(_model(race) for race in races if race.model is not None)
    return [f"agent {agent}, model {', '.join(models)}" if models else f"agent {agent}"]


def _model(race: RaceRecord) -> str:
    return f"{race.model} ({race.model_note})" if race.model_note else str(race.model)


def _tables(races: Sequence[RaceRecord], width: int) -> list[Section]:
    """The scores by cell, then those by other groups."""
    by_cell = Section(title="", lines=tuple(_scores(races, width)), is_table=True)
    return [by_cell, *_groups(races, width)]


def _scores(races: Sequence[RaceRecord], width: int) -> list[str]:
    rows = [
        [f"{variant} {level}", *_score_cells(group)]
        for variant, level, group in figures.cells(races)
    ]
    rows.append(["all", *_score_cells(races)])
    head = ["", "N", "FA [95 %]", "PVR [95 %]", "RCR [95 %]", "strict RCR"]
    floor = f"FA by guessing: {GUESSING_FLOOR:.2f}; RCR is the paper's, by names of tools"
    return [*table(head, rows, width=width), floor]


def _score_cells(races: Sequence[RaceRecord]) -> list[str]:
    found = figures.rates(races)
    strict = found.rcr_strict.value
    return [
        str(found.fa.n),
        rate(found.fa),
        rate(found.pvr),
        rate(found.rcr),
        "-" if strict is None else f"{strict:.2f}",
    ]


def _lines_of_all(races: Sequence[RaceRecord], *, unpinned: bool) -> list[str]:
    lines = [
        _error_line(races),
        validity.line(races, unpinned=unpinned),
        f"outcomes: {_counted(figures.outcomes(races))}",
        *apart.lines(races),
        _skipped(races),
        _recovery(races),
        resources.line(races),
        _replay(races),
        _unplayed(races),
        _stale(races),
        _warnings(races),
        *services.lines(races),
        _slowest(races),
    ]
    return [line for line in lines if line]


def _error_line(races: Sequence[RaceRecord]) -> str:
    scores = figures.scores_of(races)
    counts = error_classes(scores)
    shares = [
        f"{name} {count} ({count / len(scores):.0%})" for name, count in counts.items() if scores
    ]
    lost = sum(race.outcome == INFRASTRUCTURE for race in races)
    if lost:
        shares.append(f"infrastructure errors {lost} (not scored)")
    return f"races: {', '.join(shares)}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _recovery(races: Sequence[RaceRecord]) -> str:
    scores = figures.scores_of(races)
    if not scores:
        return ""
    pages, both = recovery(scores)
    return f"recovery: FA given PVR >= 0.8: {_few(pages)}; given PVR and RCR >= 0.8: {_few(both)}"


def _few(found: Recovery) -> str:
    if found.fa.value is None:
        return "no race"
    return f"{found.fa.value:.2f} (N = {found.fa.n}{', few' if found.few else ''})"


def _skipped(races: Sequence[RaceRecord]) -> str:
    """The legs that the run's budget did not reach."""
    found = [race for race in races if race.outcome == SKIPPED]
    if not found:
        return ""
    count = f"{len(found)} race{'s' if len(found) > 1 else ''}"
    return f"skipped: {count}, not scored: {found[0].detail}; go on with --aar-resume --aar-results DIR"


def _replay(races: Sequence[RaceRecord]) -> str:
    counts = [race.replay for race in races if race.replay is not None]
    if not counts:
        return ""
    names = ("hits", "misses", "unplayed")
    total = {name: sum(count.get(name, 0) for count in counts) for name in names}
    return f"replay: {_counted(total)}"


def _unplayed(races: Sequence[RaceRecord]) -> str:
    """The finished races that left recorded calls unused: their agent took a shorter way than before."""
    counts = {
        f"{race.leg}{f' r{race.repeat}' if race.repeat > 1 else ''}": race.replay.get("unplayed", 0)
        for race in races
        if race.replay is not None and race.score is not None
    }
    found = [f"{leg} ({count})" for leg, count in counts.items() if count]
    if not found:
        return ""
    more = f", and {len(found) - _LEGS_NAMED} more" if len(found) > _LEGS_NAMED else ""
    return (
        f"warning: recorded model calls were left unplayed in {', '.join(found[:_LEGS_NAMED])}{more}; "
        "--aar-strict-replay makes that an error, --aar-record=all records anew"
    )


def _stale(races: Sequence[RaceRecord]) -> str:
    lines = Counter(line for race in races for line in race.stale)
    if not lines:
        return ""
    found = "; ".join(f"{line} ({count} races)" for line, count in lines.most_common())
    return f"stale recordings: {found}; record again with --aar-record=all"


def _warnings(races: Sequence[RaceRecord]) -> str:
    from pytest_aar.agents.from_npm import warnings_of  # noqa: PLC0415 - loads httpx

    entrants = dict.fromkeys((race.agent, race.agent_version, race.isolation) for race in races)
    found = dict.fromkeys(said for entrant in entrants for said in warnings_of(*entrant))
    return f"warning: {'; '.join(found)}" if found else ""


def _slowest(races: Sequence[RaceRecord]) -> str:
    raced = [race for race in races if race.score or race.model_calls or race.tool_calls]
    if not raced:
        return ""
    slowest = sorted(raced, key=lambda race: -race.race_seconds)[:_SLOWEST]
    return f"slowest: {', '.join(f'{race.leg} {race.race_seconds:.2f} s' for race in slowest)}"


def _groups(races: Sequence[RaceRecord], width: int) -> Iterable[Section]:
    for title, groups in (
        ("template", figures.by_template(races)),
        ("pit stops", figures.by_length(races)),
    ):
        rows = [[name, *_score_cells(group)[:4]] for name, group in groups.items()]
        if rows:
            head = [f"by {title}", "N", "FA [95 %]", "PVR [95 %]", "RCR [95 %]"]
            yield Section(title="", lines=tuple(table(head, rows, width=width)), is_table=True)
