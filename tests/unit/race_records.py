"""Results made by hand for tests of gate, reports and baselines."""

from typing import Any

from pytest_aar.results import RaceRecord
from pytest_aar.score import Score

_SCORE: dict[str, Any] = {
    "fa": 1,
    "pvr": 1.0,
    "seed_free_pvr": 1.0,
    "needed_pvr": 1.0,
    "rcr": 1.0,
    "rcr_strict": 1.0,
    "rcr_types": 1.0,
    "needed_rcr": 1.0,
    "needed_rcr_strict": 1.0,
    "error_class": "correct",
    "error_class_strict": "correct",
    "first_divergence": None,
    "first_divergence_kind": None,
    "needed_divergence": None,
    "needed_divergence_kind": None,
    "intermediate_rate": 1.0,
    "right_call_rate": 1.0,
    "valid_call_rate": 1.0,
    "steps": 5,
    "over_budget": False,
    "tokens": 100,
    "tool_calls": 4,
    "model_calls": 5,
    "pages_unresolved": 0,
}


def scored(**changed: Any) -> Score:
    return Score(**_SCORE | changed)


def record(leg: str, score: Score | None = None, **changed: Any) -> RaceRecord:
    """A race of the leg `variant/level/number`: won, unless the score says otherwise."""
    variant, level, _ = leg.split("/")
    fields = {
        "leg": leg,
        "variant": variant,
        "level": level,
        "sha256": f"hash of {leg}",
        "stops": 6,
        "agent": "guess",
        "outcome": "answered",
        "answer": 3,
        "score": score or scored(),
    }
    return RaceRecord(**fields | changed)


def broken(leg: str, **changed: Any) -> RaceRecord:
    """A race that ended in an infrastructure error."""
    fields = {
        "error": "AgentCrashed",
        "outcome": "infrastructure",
        "answer": None,
        "detail": "crash",
    }
    made = record(leg, **fields | changed)
    return RaceRecord(
        **{name: getattr(made, name) for name in RaceRecord.__slots__} | {"score": None}
    )


LOST = scored(
    fa=0,
    pvr=0.25,
    rcr=0.5,
    error_class="navigation",
    first_divergence=1,
    first_divergence_kind="route info",
)
