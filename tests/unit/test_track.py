"""No race vanishes: whatever breaks becomes a line with its reason."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from little_world import LEG, gateway

from pytest_aar.agents import Course, Limits
from pytest_aar.errors import InfrastructureError
from pytest_aar.leg import ClueEnvelope
from pytest_aar.race import Race, Track
from pytest_aar.settings import Settings
from pytest_aar.trace import Finish


@dataclass
class Racer:
    """Calls a tool, then returns or raises what it was given."""

    end: Any
    name: str = "racer"
    needs_model: bool = False
    arguments: str = '{"country": "Norland"}'

    def version(self) -> str:
        return "1"

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        await course.http.post("tools/countries_area", content=self.arguments.encode())
        if isinstance(self.end, Exception):
            raise self.end
        return self.end


def race(racer: Racer, tmp_path: Path, **settings: Any) -> tuple[Race, Track]:
    given = Settings(model="some-model", record="off", infra_retries=0)
    track = Track(replace(given, **settings), tmp_path / "run", gateway=gateway())
    try:
        return track.race(LEG, racer), track
    finally:
        track.close()


def test_what_nobody_foresaw_is_a_line_with_its_reason(tmp_path: Path) -> None:
    found, track = race(Racer(KeyError("which way?")), tmp_path)
    assert type(found.problem) is InfrastructureError
    assert (found.outcome, found.score, found.finish) == ("infrastructure", None, None)
    assert "KeyError: 'which way?'" in found.record.detail
    assert "the race broke off on a fault" in found.record.detail
    assert track.take_ended() == [found.record]


def test_it_is_tried_again_as_often_as_other_faults(tmp_path: Path) -> None:
    found, _ = race(Racer(KeyError("x")), tmp_path, infra_retries=2)
    assert found.record.attempts == 3


def test_a_fault_in_the_scoring_keeps_the_trace(tmp_path: Path) -> None:
    good = Racer(Finish(ending="answered", answer=5))
    found, track = race(good, tmp_path, error_threshold="high")
    assert "TypeError" in found.record.detail
    assert (found.outcome, found.score) == ("infrastructure", None)
    assert found.trace_path.is_file()
    assert len(track.take_ended()) == 1


def test_odd_arguments_of_a_tool_stand_in_the_trace(tmp_path: Path) -> None:
    good = Racer(Finish(ending="answered", answer=6), arguments='{"country": "\\ud800"}')
    found, _ = race(good, tmp_path)
    assert (found.problem, found.won) == (None, True)
    assert "\\ud800" in found.trace_path.read_text(encoding="utf-8")
    assert list(found.trace_path.parent.iterdir()) == [found.trace_path]


def test_a_trace_that_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    found, _ = race(Racer(Finish(ending="answered", answer=6)), tmp_path)
    assert "can't write the trace" in str(found.problem)
