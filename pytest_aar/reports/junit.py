"""Properties of a race for JUnit XML and other readers of pytest's reports."""

from collections.abc import Iterable
from typing import Any

from pytest_aar.results import RaceRecord

PREFIX = "aar_"
_FIGURES = ("fa", "pvr", "rcr", "rcr_strict", "rcr_types", "seed_free_pvr", "steps")


def properties(race: RaceRecord) -> list[tuple[str, Any]]:
    """Names and builtin values; what is unknown is left out, never written as 0."""
    found: dict[str, Any] = {
        "leg": race.leg,
        "variant": race.variant,
        "level": race.level,
        "agent": race.agent,
        "agent_version": race.agent_version or None,
        "model": race.model,
        "model_note": race.model_note,
        "repeat": race.repeat,
        "isolation": race.isolation or None,
        "outcome": race.outcome,
        "evidence": "; ".join(race.evidence) or None,
        "answer": race.answer,
        "golden": race.golden,
        "error_class": race.score.error_class if race.score else None,
        "error": race.error,
        "tokens": race.tokens,
        "cost": None if race.cost is None else round(race.cost, 6),
        "tool_calls": race.tool_calls,
        "model_calls": race.model_calls,
        "attempts": race.attempts,
        "seconds": round(race.race_seconds, 3),
        "trace": race.trace,
    }
    found.update({name: getattr(race.score, name, None) for name in _FIGURES})
    return [(f"{PREFIX}{name}", value) for name, value in found.items() if value is not None]


def with_properties(
    old: Iterable[tuple[str, object]], new: Iterable[tuple[str, object]]
) -> list[tuple[str, object]]:
    """The old properties with ours replaced."""
    return [*(pair for pair in old if not pair[0].startswith(PREFIX)), *new]
