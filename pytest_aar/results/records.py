"""What is kept of a race: one line of `results.jsonl`."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from pytest_aar.errors import SecretFound
from pytest_aar.score import Score
from pytest_aar.trace import total

#: The outcome of a race that could not be run to its end; the others are the endings of a trace.
INFRASTRUCTURE = "infrastructure"
#: Raced, but counted apart: the answer was seen; pages were read past the gateway; the run's budget was used up.
CONTAMINATED, UNOBSERVED, SKIPPED = "contaminated", "unobserved", "skipped"
SCHEMA = 1
STAND_IN = "scripted stand-in, not a model"
#: The pacer, with the hash of its skills.
_SCRIPTED = re.compile(r"pacer(-[0-9a-f]{8})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRecord:
    """One race of one leg. Between two equal runs only `*_at` and `*_seconds` may differ.

    `outcome` is an ending (`answered`, `no-answer`, `step-limit`, `timeout`, `budget`) or
    `infrastructure`; then `error` names the exception, `detail` its message, and `score` is None.
    `contaminated`, `unobserved` and `skipped` are outcomes, too; `ending` is how such a race itself ended.
    `replay` counts hits, misses and unplayed interactions, None when nothing was replayed; `stale` are
    recorded circumstances that differ from today's. `plan` is what a scripted model meant to do. `golden` is
    the golden digit, None unless it was asked for. `isolation` is the box that the agent's programs ran in
    ("bwrap", "none"), or "in-process" for agents that start none. `evidence` says in a line each what a
    contaminated or unobserved race was marked for. `cost` is in US dollars, None when a price is unknown.
    `validity` is the leg's class ("stable", "stable-if-pinned", "drifting", "faulty"), "" in older results.
    `trace` is the trace's path inside the run's folder.
    `waited_seconds` is how long its tools waited for their turn, by live service with its limits.
    `wiki_failure` is why it isn't known where all golden pages lead, "" if the wiki told.
    `missing_keys` are the environment variables for want of which the leg was not raced.
    `recorded_seconds` is how long the replayed model calls took when they were recorded.
    """

    leg: str
    variant: str
    level: str
    sha256: str
    stops: int
    templates: tuple[str, ...] = ()
    validity: str = ""
    agent: str
    agent_version: str = ""
    model: str | None = None
    repeat: int = 1
    world: str = ""
    world_hash: str | None = None
    isolation: str = ""
    outcome: str
    ending: str | None = None
    evidence: tuple[str, ...] = ()
    answer: int | None = None
    golden: int | None = None
    detail: str = ""
    error: str | None = None
    score: Score | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    model_calls: int = 0
    tool_calls: int = 0
    over_budget: bool = False
    attempts: int = 1
    replay: Mapping[str, int] | None = None
    stale: tuple[str, ...] = ()
    plan: Mapping[str, Any] | None = None
    trace: str | None = None
    started_at: float = 0.0
    race_seconds: float = 0.0
    recorded_seconds: float | None = None
    waited_seconds: Mapping[str, float] = field(default_factory=dict)
    wiki_failure: str = ""
    missing_keys: tuple[str, ...] = ()
    schema: int = field(default=SCHEMA)

    @property
    def main_score(self) -> Score | None:
        """The score if it belongs in the main rates: visits past the gateway can't score."""
        return None if self.outcome == UNOBSERVED else self.score

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells races of one run apart (a run has one model)."""
        return self.leg, self.agent, self.repeat

    @property
    def tokens(self) -> int | None:
        """Input and output tokens together, None when unknown."""
        return total((self.input_tokens, self.output_tokens))

    @property
    def model_note(self) -> str | None:
        """What must be said wherever the model is named: that it is none. None for a real one."""
        return STAND_IN if self.model is not None and _SCRIPTED.fullmatch(self.model) else None


def refused(record: RaceRecord, refusal: SecretFound) -> RaceRecord:
    """The line of a race whose own line can't be kept: an infrastructure error that says why."""
    return replace(
        record,
        outcome=INFRASTRUCTURE,
        error=type(refusal).__name__,
        detail=str(refusal),
        score=None,
        answer=None,
        evidence=(),
        stale=(),
        plan=None,
        replay=None,
        wiki_failure="",
        missing_keys=(),
    )


_LISTED = ("templates", "stale", "evidence", "missing_keys")
_FIELDS = tuple(item.name for item in fields(RaceRecord))


def to_json(record: RaceRecord) -> dict[str, Any]:
    """The record as builtin types, `schema` first."""
    values = {name: _plain(getattr(record, name)) for name in _FIELDS}
    return {"schema": values.pop("schema"), **values}


def from_json(values: Mapping[str, Any]) -> RaceRecord:
    """The record that `to_json` gave; fields of later versions are dropped."""
    known = {name: values[name] for name in _FIELDS if name in values}
    listed = {name: tuple(known.get(name, ())) for name in _LISTED}
    score = values.get("score")
    return RaceRecord(**{**known, **listed, "score": None if score is None else _score(score)})


def _score(values: Mapping[str, Any]) -> Score:
    return Score(**{item.name: values[item.name] for item in fields(Score)})


def _plain(value: Any) -> Any:
    if isinstance(value, Score):
        return asdict(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
