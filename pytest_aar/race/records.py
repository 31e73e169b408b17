"""A finished race, and its line in the results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_aar.errors import InfrastructureError, ServiceRefused
from pytest_aar.leg import Leg, validity_of
from pytest_aar.leg.marks import templates_of
from pytest_aar.results import CONTAMINATED, INFRASTRUCTURE, SKIPPED, UNOBSERVED, RaceRecord
from pytest_aar.score import Score, over_budget
from pytest_aar.trace import Finish, ModelCall, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """One race as tests see it.

    `finish` and `score` are None when `problem` is not, or it was skipped or contaminated.
    """

    leg: Leg
    trace: Trace
    finish: Finish | None
    score: Score | None
    problem: InfrastructureError | None
    record: RaceRecord
    trace_path: Path

    @property
    def outcome(self) -> str:
        """How it ended: an ending of the trace, or `infrastructure`."""
        return self.record.outcome

    @property
    def skipped(self) -> bool:
        """Whether it was not even started: the run's budget was used up."""
        return self.record.outcome == SKIPPED

    @property
    def contaminated(self) -> bool:
        """Whether the agent saw what gives the answer away: such a race is never won."""
        return self.record.outcome == CONTAMINATED

    @property
    def answer(self) -> int | None:
        """The agent's digit."""
        return None if self.finish is None else self.finish.answer

    @property
    def won(self) -> bool:
        """Whether the digit is right."""
        return self.score is not None and self.score.fa == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """Who races: names and versions as they stand in results and cassettes.

    `recorded_as` stands for the agent in the names of its cassettes, "" for its own name.
    """

    agent: str
    recorded_as: str = ""
    version: str = ""
    model: str | None = None
    repeat: int = 1
    world: str = ""
    world_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one attempt came to; `skipped` says why it was not even started, `isolation` where programs ran.

    `contaminated` and `unobserved` are the lookout's lines of evidence. `redirects` says where the addresses of
    golden pages lead in the live world (None: not asked), `wiki_failure` why not of all.
    """

    trace: Trace = field(default_factory=Trace)
    finish: Finish | None = None
    problem: InfrastructureError | None = None
    replay: Mapping[str, int] | None = None
    stale: tuple[str, ...] = ()
    skipped: str = ""
    isolation: str = ""
    contaminated: tuple[str, ...] = ()
    unobserved: tuple[str, ...] = ()
    redirects: Mapping[str, str] | None = None
    wiki_failure: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is judged by its digit."""
        return self.problem is None and not self.contaminated


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What else stands in the line: attempts, times, the scripted plan, where the trace lies.

    `validity` is the class by which the leg was chosen, "" if by none: it is judged then.
    `paid` are the live model calls of the failed attempts before the one that counts.
    """

    attempts: int = 1
    paid: tuple[ModelCall, ...] = ()
    started_at: float = 0.0
    race_seconds: float = 0.0
    plan: Mapping[str, Any] | None = None
    trace: str | None = None
    show_golden: bool = False
    validity: str = ""


def line_of(
    leg: Leg,
    entrant: Entrant,
    attempt: Attempt,
    score: Score | None,
    circumstances: Circumstances,
) -> RaceRecord:
    """The race's line in the results."""
    return RaceRecord(
        **_leg_fields(leg),
        validity=circumstances.validity or validity_of(leg).name,
        **_entrant_fields(entrant),
        **_outcome_fields(attempt),
        **_trace_fields(leg, attempt.trace),
        **_spent(Trace(events=(*circumstances.paid, *attempt.trace.model_calls))),
        score=score,
        golden=leg.digit if circumstances.show_golden else None,
        replay=attempt.replay,
        stale=attempt.stale,
        wiki_failure=attempt.wiki_failure,
        isolation=attempt.isolation,
        attempts=circumstances.attempts,
        plan=circumstances.plan,
        trace=circumstances.trace,
        started_at=circumstances.started_at,
        race_seconds=circumstances.race_seconds,
    )


def _leg_fields(leg: Leg) -> dict[str, Any]:
    return {
        "leg": leg.leg_id,
        "variant": leg.variant,
        "level": leg.level,
        "sha256": leg.sha256,
        "stops": len(leg.stops),
        "templates": templates_of(leg),
    }


def _entrant_fields(entrant: Entrant) -> dict[str, Any]:
    return {
        "agent": entrant.agent,
        "agent_version": entrant.version,
        "model": entrant.model,
        "repeat": entrant.repeat,
        "world": entrant.world,
        "world_hash": entrant.world_hash,
    }


def _outcome_fields(attempt: Attempt) -> dict[str, Any]:
    if attempt.skipped:
        return {"outcome": SKIPPED, "detail": attempt.skipped}
    if attempt.contaminated:
        return {"outcome": CONTAMINATED, "evidence": attempt.contaminated, **_ending(attempt)}
    if attempt.problem is not None or attempt.finish is None:
        return {"outcome": INFRASTRUCTURE, **_ending(attempt)}
    if attempt.unobserved:
        return {"outcome": UNOBSERVED, "evidence": attempt.unobserved, **_ending(attempt)}
    return {"outcome": attempt.finish.ending, **_ending(attempt)}


def _ending(attempt: Attempt) -> dict[str, Any]:
    """How the race itself ended; a contaminated one may have met an infrastructure error, too."""
    finish, problem = attempt.finish, attempt.problem
    if problem is not None or finish is None:
        missing = problem.missing_keys if isinstance(problem, ServiceRefused) else ()
        return {
            "error": type(problem).__name__,
            "detail": str(problem),
            "missing_keys": missing,
        }
    return {"ending": finish.ending, "answer": finish.answer, "detail": finish.detail}


def _trace_fields(leg: Leg, trace: Trace) -> dict[str, Any]:
    calls = trace.model_calls
    return {
        "model_calls": len(calls),
        "tool_calls": len(trace.tool_calls),
        "recorded_seconds": _recorded(calls),
        "waited_seconds": _waited(trace),
        "over_budget": over_budget(leg, trace),
    }


def _waited(trace: Trace) -> dict[str, float]:
    waited: dict[str, float] = {}
    for call in trace.tool_calls:
        for service, seconds in call.details.get("waited_seconds", {}).items():
            waited[service] = round(waited.get(service, 0.0) + seconds, 3)
    return waited


def _spent(all_attempts: Trace) -> dict[str, Any]:
    return {
        "input_tokens": all_attempts.input_tokens,
        "output_tokens": all_attempts.output_tokens,
        "cost": all_attempts.cost,
    }


def _recorded(calls: tuple[ModelCall, ...]) -> float | None:
    known = [call.recorded_seconds for call in calls if call.recorded_seconds is not None]
    return sum(known) if known else None
