"""Races that were run before: told by another worker, or kept by the run that this one goes on with."""

from collections.abc import Mapping
from pathlib import Path

from pytest_aar import errors
from pytest_aar.errors import InfrastructureError
from pytest_aar.leg import Leg
from pytest_aar.results import CONTAMINATED, INFRASTRUCTURE, RaceRecord, read_kept, read_trace
from pytest_aar.trace import ENDINGS, Finish

from .records import Entrant, Race

Key = tuple[str, str, int]


def kept_race(record: RaceRecord, leg: Leg, trace_path: Path) -> Race:
    """The race as whoever ran it had it."""
    return Race(
        leg=leg,
        trace=read_trace(trace_path),
        finish=_finish(record),
        score=record.score,
        problem=_problem(record),
        record=record,
        trace_path=trace_path,
    )


class EarlierRaces:
    """The scored and the contaminated races of the run that is resumed, read at the first use."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._records: Mapping[Key, RaceRecord] | None = None

    def find(self, key: Key, leg: Leg, entrant: Entrant) -> Race | None:
        """The race of this key, if it was of the same leg, agent's version and world and has its trace."""
        if self._records is None:
            self._records = read_kept(self._run)
        record = self._records.get(key)
        if record is None or record.trace is None:
            return None
        if record.score is None and record.outcome != CONTAMINATED:  # that one stays what it is
            return None
        trace_path = self._run / record.trace
        then = (record.sha256, record.agent_version, record.world, record.world_hash)
        now = (leg.sha256, entrant.version, entrant.world, entrant.world_hash)
        return kept_race(record, leg, trace_path) if then == now and trace_path.exists() else None


def _finish(record: RaceRecord) -> Finish | None:
    for ending in ENDINGS:
        if record.ending == ending and record.outcome != CONTAMINATED:
            return Finish(ending=ending, answer=record.answer, detail=record.detail)
    return None


def _problem(record: RaceRecord) -> InfrastructureError | None:
    if record.outcome != INFRASTRUCTURE:
        return None
    kind = getattr(errors, record.error or "", InfrastructureError)
    problem: InfrastructureError = kind(record.detail)
    return problem
