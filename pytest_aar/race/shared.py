"""Races that the workers of one session share: whoever comes second takes over what the first one ran."""

import json
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from pytest_aar import errors
from pytest_aar.errors import InfrastructureError
from pytest_aar.leg import Leg
from pytest_aar.results import INFRASTRUCTURE, RaceRecord, from_json, read_trace, to_json
from pytest_aar.results.folder import replace
from pytest_aar.trace import ENDINGS, Finish

from .records import Race


class SharedRaces:
    """A folder of the session with one lock and, once it is run, one record for each race."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def race(self, key: tuple[str, str, int], leg: Leg, run: Callable[[], Race]) -> Race:
        """The race of this key: taken over from the worker that ran it, else run now.

        Waits while another worker runs it; a lock dies with its process.
        """
        from filelock import FileLock  # noqa: PLC0415 - loads asyncio, only workers need it

        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = blake2b(json.dumps(key).encode(), digest_size=16).hexdigest()
        kept = self._folder / f"{name}.json"
        with FileLock(self._folder / f"{name}.lock"):
            if kept.exists():
                return _taken_over(kept, leg)
            race = run()
            told = {"trace": str(race.trace_path), "record": to_json(race.record)}
            # Only the hand-over fails with it: another worker runs this race again, this one stands.
            with suppress(OSError):
                replace(kept, json.dumps(told))
            return race


def _taken_over(kept: Path, leg: Leg) -> Race:
    told = json.loads(kept.read_text(encoding="utf-8"))
    record, trace_path = from_json(told["record"]), Path(told["trace"])
    return Race(
        leg=leg,
        trace=read_trace(trace_path),
        finish=_finish(record),
        score=record.score,
        problem=_problem(record),
        record=record,
        trace_path=trace_path,
    )


def _finish(record: RaceRecord) -> Finish | None:
    for ending in ENDINGS:
        if record.outcome == ending:
            return Finish(ending=ending, answer=record.answer, detail=record.detail)
    return None


def _problem(record: RaceRecord) -> InfrastructureError | None:
    if record.outcome != INFRASTRUCTURE:
        return None
    kind = getattr(errors, record.error or "", InfrastructureError)
    problem: InfrastructureError = kind(record.detail)
    return problem
