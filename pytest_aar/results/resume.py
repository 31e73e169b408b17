"""Going on with a run (`--aar-resume`): is it the same run, and which races does its folder hold?"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_aar.errors import ConfigurationError

from .baseline import known_to_both
from .folder import RESULTS, RUN, read_races, read_run
from .records import RaceRecord

#: The parts of a run's provenance that must agree: what is tested, and the measure.
_PARTS = ("subject", "profile")


def read_kept(run: Path) -> dict[tuple[str, str, int], RaceRecord]:
    """The races that a run's folder holds, by their keys; none where there are no results yet."""
    path = run / RESULTS
    if not path.exists() or not path.stat().st_size:
        return {}
    return {record.key: record for record in read_races(run).races}


def check_resumable(run: Path, provenance: Mapping[str, Any]) -> None:
    """Compare the run in the folder with this one; a folder without results is as good as a new one.

    Raises:
        ConfigurationError: another agent, model, option or limit; says which, then and now.
    """
    if not (run / RESULTS).exists():
        return
    try:
        then = read_run(run)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"--aar-resume: {run / RUN}: {error}; without it nobody knows what was raced: choose another folder"
        ) from error
    found = [line for part in _PARTS for line in _differences(part, then, provenance)]
    if found:
        raise ConfigurationError(
            f"--aar-resume: {run} holds another run: {'; '.join(found)}; give the options of that run, "
            "or choose another folder with --aar-results"
        )


def _differences(part: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    before, after = then.get(part, {}), json.loads(json.dumps(now[part]))
    return [
        f"{name} was {before.get(name)!r} and is {after.get(name)!r} now"
        for name in _names(part, before, after)
        if before.get(name) != after.get(name)
    ]


def _names(part: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    if part == "subject":
        return known_to_both(before, after)
    return sorted({*before, *after})
