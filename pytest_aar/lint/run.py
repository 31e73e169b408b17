"""Runs rules over legs: one leg, a set of legs, files; and their repairs over one leg."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_aar.errors import LegError
from pytest_aar.leg import Leg
from pytest_aar.leg_file import LARGEST_BYTES, leg_id_of, read_leg
from pytest_aar.leg_file.lines import Lines, wire_field

from .finding import Finding
from .rules import NOT_A_LEG, RULES, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """What was found in files: the legs read, and the findings by file, each file's by line."""

    files: int
    findings: tuple[Finding, ...]


def lint_leg(leg: Leg, rules: Iterable[Rule] = tuple(RULES.values())) -> tuple[Finding, ...]:
    """The findings in one leg, by rule; rules of sets are passed over."""
    return tuple(
        _finding(rule, leg, fault.what, stop=fault.stop, field=fault.field)
        for rule in rules
        if rule.check is not None
        for fault in rule.check(leg)
    )


def lint_set(
    legs: Sequence[Leg], rules: Iterable[Rule] = tuple(RULES.values())
) -> tuple[tuple[int, Finding], ...]:
    """The findings in a set as a whole, each with the place of the leg where it is told."""
    return tuple(
        (fault.leg, _finding(rule, legs[fault.leg], fault.what, stop=None, field=fault.field))
        for rule in rules
        if rule.set_check is not None
        for fault in rule.set_check(legs)
    )


def lint_files(
    files: Iterable[Path], rules: Sequence[Rule] = tuple(RULES.values()), root: Path | None = None
) -> Linted:
    """The findings in files, with their lines; a file that is no leg is a finding, too.

    `root` is the legs root, for the legs' ids.
    """
    paths = tuple(files)
    found: dict[Path, list[Finding]] = {path: [] for path in paths}
    legs: list[tuple[Path, Leg]] = []
    for path in paths:
        try:
            leg = read_leg(path, legs_root=root)
        except LegError as error:
            found[path].extend(_unreadable(leg_id_of(path, root), error, rules))
        else:
            legs.append((path, leg))
            found[path].extend(lint_leg(leg, rules))
    for place, finding in lint_set([leg for _, leg in legs], rules):
        found[legs[place][0]].append(finding)
    placed = (finding for path in paths for finding in _placed(path, found[path]))
    return Linted(files=len(paths), findings=tuple(placed))


def fixed(leg: Leg, rules: Iterable[Rule]) -> tuple[Leg, tuple[str, ...]]:
    """The leg with every safe repair of the given rules, and the names of those that changed it."""
    done = []
    for rule in rules:
        if rule.fix is not None and rule.check is not None and any(rule.check(leg)):
            better = rule.fix(leg)
            if better != leg:
                leg = better
                done.append(rule.name)
    return leg, tuple(done)


def _finding(rule: Rule, leg: Leg, message: str, *, stop: int | None, field: str) -> Finding:
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        leg_id=leg.leg_id,
        stop=stop,
        field=wire_field(field),
        message=message,
        repair=rule.repair,
    )


def _unreadable(leg_id: str, error: LegError, rules: Iterable[Rule]) -> Iterator[Finding]:
    if NOT_A_LEG in rules:
        yield Finding(
            rule=NOT_A_LEG.name,
            severity=NOT_A_LEG.severity,
            leg_id=leg_id,
            stop=error.stop,
            field=error.field or "",
            message=error.problem,
            repair=NOT_A_LEG.repair,
        )


def _placed(path: Path, findings: Sequence[Finding]) -> list[Finding]:
    """The findings with their file and lines, by line; a file that is no JSON has line 1 alone."""
    if not findings:
        return []
    is_leg = all(finding.rule != NOT_A_LEG.name for finding in findings)
    lines = Lines(path.read_text(encoding="utf-8")) if is_leg else _lines_of(path)
    placed = [
        replace(finding, file=str(path), line=lines.of(finding.stop, finding.field) if lines else 1)
        for finding in findings
    ]
    return sorted(placed, key=lambda finding: finding.line or 0)


def _lines_of(path: Path) -> Lines | None:
    """The lines of a file that is no leg, None where it is not even JSON."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            return None
        text = path.read_text(encoding="utf-8")
        json.loads(text)
    except (OSError, ValueError, RecursionError):
        return None
    return Lines(text)
