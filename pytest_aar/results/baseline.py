"""Baselines: a small JSON that a user commits, with the outcome of each leg and what the run was."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError

from .folder import RUN, read_races, read_run
from .records import RaceRecord

_SHOWN = 5
_FIGURES = ("fa", "pvr", "rcr", "rcr_strict")


@dataclass(frozen=True, slots=True, kw_only=True)
class LegResult:
    """A leg's mean figures over its races in the main rates (None: none was), and its races' outcomes."""

    sha256: str
    figures: Mapping[str, float | None]
    outcomes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What later runs are compared with.

    `subject` is what was tested (agent, model, their versions and options): it may differ between runs, and
    is named when it does. `profile` is the measure (world, limits, repeats, threshold): it must agree.
    `faults` says which lines of the run's results were left out; a saved baseline has none.
    """

    run: str
    subject: Mapping[str, Any]
    profile: Mapping[str, Any]
    legs: Mapping[str, LegResult]
    faults: tuple[str, ...] = ()


def baseline_of(races: Sequence[RaceRecord], provenance: Mapping[str, Any]) -> Baseline:
    """The baseline that a run makes."""
    by_leg: dict[str, list[RaceRecord]] = defaultdict(list)
    for race in races:
        by_leg[race.leg].append(race)
    versions = sorted({race.agent_version for race in races if race.agent_version})
    worlds = sorted({race.world_hash or race.world for race in races if race.world})
    return Baseline(
        run=str(provenance.get("run", "")),
        subject={**provenance.get("subject", {}), "agent_versions": versions},
        profile={**provenance.get("profile", {}), "worlds": worlds},
        legs={leg: _leg_result(by_leg[leg]) for leg in sorted(by_leg)},
    )


def _leg_result(races: list[RaceRecord]) -> LegResult:
    return LegResult(
        sha256=races[0].sha256,
        figures={
            name: _mean([getattr(race.main_score, name, None) for race in races])
            for name in _FIGURES
        },
        outcomes=tuple(race.outcome for race in sorted(races, key=lambda race: race.repeat)),
    )


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 6) if known else None


def known_to_both(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The names by which two subjects can be told apart: what one of them does not say is not different."""
    return sorted(before.keys() & after.keys())


def load_run(run: Path) -> Baseline:
    """The baseline that the run in this folder makes."""
    try:
        provenance = read_run(run)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{run / RUN}: {error}; give the folder of a run") from error
    found = read_races(run)
    return replace(baseline_of(found.races, provenance), faults=found.faults)


def dump(baseline: Baseline) -> str:
    """The file's text: one leg a line, so that a diff shows which legs changed."""
    head = {
        "schema": 1,
        "run": baseline.run,
        "subject": baseline.subject,
        "profile": baseline.profile,
    }
    lines = json.dumps(head, indent=1, sort_keys=True).removesuffix("\n}")
    legs = ",\n".join(
        f"  {json.dumps(leg)}: "
        + json.dumps({"sha256": item.sha256, "outcomes": list(item.outcomes), **item.figures})
        for leg, item in baseline.legs.items()
    )
    return f'{lines},\n "legs": {{\n{legs}\n }}\n}}\n'


def load(path: Path) -> Baseline:
    """Read a baseline's file, or make one of a run's folder. Raises ConfigurationError."""
    if path.is_dir():
        return load_run(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        legs = {leg: _loaded(item) for leg, item in data["legs"].items()}
        return Baseline(
            run=data["run"], subject=data["subject"], profile=data["profile"], legs=legs
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigurationError(
            f"{path} is no baseline ({error!r}); write one with: aar baseline save RUN {path}"
        ) from error


def _loaded(item: Mapping[str, Any]) -> LegResult:
    return LegResult(
        sha256=item["sha256"],
        figures={name: item[name] for name in _FIGURES},
        outcomes=tuple(item["outcomes"]),
    )


def differences(before: Baseline, after: Baseline) -> tuple[str, ...]:
    """What keeps two baselines from being compared; empty when they can be."""
    found = [
        f"{name}: {before.profile.get(name)!r} before, {after.profile.get(name)!r} now"
        for name in sorted({*before.profile, *after.profile})
        if before.profile.get(name) != after.profile.get(name)
    ]
    gone, new = before.legs.keys() - after.legs.keys(), after.legs.keys() - before.legs.keys()
    changed = {
        leg
        for leg in before.legs.keys() & after.legs.keys()
        if before.legs[leg].sha256 != after.legs[leg].sha256
    }
    for word, legs in (("missing now", gone), ("new", new), ("with another content", changed)):
        if legs:
            some = ", ".join(sorted(legs)[:_SHOWN])
            found.append(f"{len(legs)} legs {word}: {some}{', ...' if len(legs) > _SHOWN else ''}")
    return tuple(found)
