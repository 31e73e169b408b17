"""No race vanishes: whatever breaks becomes a line with its reason."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import LEG, chat, gateway, open_world

from pytest_aar.agents import Course, Limits
from pytest_aar.errors import InfrastructureError
from pytest_aar.folders import sweep_once
from pytest_aar.gateway import Gateway, RaceSession
from pytest_aar.gateway.session import RaceOrder
from pytest_aar.leg import ClueEnvelope, Leg
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
    depth: int = 0

    def version(self) -> str:
        return "1"

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        await course.http.post("tools/countries_area", content=self.arguments.encode())
        self._dig(course.workdir)
        if isinstance(self.end, Exception):
            raise self.end
        finish: Finish = self.end
        return finish

    def _dig(self, place: Path) -> None:
        """Folders in folders, as `mkdir a; cd a` makes them."""
        here = os.open(place, os.O_RDONLY)
        for _ in range(self.depth):
            os.mkdir("a", dir_fd=here)
            above, here = here, os.open("a", os.O_RDONLY, dir_fd=here)
            os.close(above)
        os.close(here)


def race(
    racer: Racer, tmp_path: Path, *, leg: Leg = LEG, gate: Gateway | None = None, **settings: Any
) -> tuple[Race, Track]:
    given = Settings(model="some-model", record="off", infra_retries=0)
    track = Track(replace(given, **settings), tmp_path / "run", gateway=gate or gateway())
    try:
        return track.race(leg, racer), track
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


def test_races_that_ask_otherwise_have_cassettes_of_their_own(tmp_path: Path) -> None:
    class Thinks(Racer):
        async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
            await course.http.post("openai/v1/chat/completions", json={"messages": []})
            return await super().run(envelope, course, limits)

    class Other(Thinks):
        recorded_as = "racer-other"

    end, tapes = Finish(ending="answered", answer=6), tmp_path / "tapes"
    for racer in (Thinks(end), Other(end)):
        gate = gateway(httpx.MockTransport(lambda _: httpx.Response(200, json=chat())))
        found, _ = race(racer, tmp_path, gate=gate, record="once", cassettes=tapes)
        assert (found.problem, found.record.agent) == (None, "racer")
    names = {path.name for path in tapes.rglob("*.json")}
    assert names == {"racer--some-model.json", "racer-other--some-model.json"}


CANARY = "5a1c6d0e-8b0f-4a51-9d0c-0c9a3f1f7e11"
#: An agent that asks for the leg's canary has seen the leg.
PEEKED = f'{{"country": "{CANARY}"}}'
WATCHED = replace(LEG, metadata={"canary": CANARY})


@pytest.fixture
def in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder for temporary files; thousands of folders take seconds on some disks."""
    memory = Path("/dev/shm")
    place = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def test_a_lost_race_stays_lost_whatever_the_agent_leaves_in_its_folder(
    tmp_path: Path, in_memory: Path
) -> None:
    loser = Racer(Finish(ending="answered", answer=5), depth=3000)
    found, _ = race(loser, tmp_path, infra_retries=2)
    assert (found.outcome, found.record.attempts) == ("answered", 1)
    assert (found.problem, found.won) == (None, False)
    in_memory.rmdir()  # nothing is left


@pytest.mark.parametrize(
    "end", [Finish(ending="answered", answer=6), KeyError("x"), RecursionError()]
)
def test_what_was_seen_of_a_race_outlives_its_faults(
    tmp_path: Path, in_memory: Path, end: Any
) -> None:
    cheat = Racer(end, arguments=PEEKED, depth=3000)
    found, _ = race(cheat, tmp_path, leg=WATCHED, infra_retries=2)
    assert (found.outcome, found.record.attempts) == ("contaminated", 1)
    assert found.record.evidence[0].startswith("the leg's canary in the arguments of")
    assert found.trace.tool_calls
    in_memory.rmdir()


class Jammed(Gateway):
    """Its races can't be closed."""

    def open_race(self, order: RaceOrder) -> RaceSession:
        race = super().open_race(order)
        race.close = self._jam  # type: ignore[method-assign]
        return race

    def _jam(self) -> None:
        raise RuntimeError("jammed")


def test_what_was_seen_of_a_race_outlives_faults_at_its_end(tmp_path: Path) -> None:
    settings = Settings(model="some-model", base_url="https://model.test/v1")
    gate = Jammed(settings, open_world=open_world)
    cheat = Racer(Finish(ending="answered", answer=6), arguments=PEEKED)
    found, _ = race(cheat, tmp_path, leg=WATCHED, gate=gate)
    assert found.outcome == "contaminated"
    found, _ = race(
        Racer(Finish(ending="answered", answer=5)),
        tmp_path,
        gate=Jammed(settings, open_world=open_world),
    )
    assert (found.outcome, found.trace.tool_calls != ()) == ("infrastructure", True)
    assert "jammed" in found.record.detail


@dataclass
class Squatter(Racer):
    """Puts a folder where its recording is written, which nobody can delete as a file."""

    cassettes: Path = Path()

    def _dig(self, place: Path) -> None:
        (journal,) = self.cassettes.rglob("*.partial")
        journal.unlink()
        journal.mkdir()


def test_a_recording_that_can_not_be_closed_takes_no_attempt_with_it(tmp_path: Path) -> None:
    def raced(arguments: str) -> Race:
        tapes = tmp_path / f"tapes{len(arguments)}"
        end = Finish(ending="answered", answer=5)
        racer = Squatter(end, arguments=arguments, cassettes=tapes)
        return race(racer, tmp_path, leg=WATCHED, record="all", cassettes=tapes)[0]

    found = raced(Racer.arguments)
    assert (found.outcome, len(found.trace.tool_calls)) == ("infrastructure", 1)
    assert "can't let go of the race's recordings: " in found.record.detail
    assert "racer--some-model.partial" in found.record.detail
    cheat = raced(PEEKED)
    assert (cheat.outcome, len(cheat.trace.tool_calls)) == ("contaminated", 1)
    assert cheat.record.evidence[0].startswith("the leg's canary in the arguments of")


KILLED = """
import os, signal
from pytest_aar.folders import work_folder
with work_folder() as folder:
    (folder / "race").mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_first_race_sweeps_what_killed_runs_have_left(tmp_path: Path, in_memory: Path) -> None:
    words = (sys.executable, "-c", KILLED)
    subprocess.run(words, env={**os.environ, "TMPDIR": str(in_memory)}, check=False)
    assert [each.name[:4] for each in in_memory.iterdir()] == ["aar-"]
    sweep_once.cache_clear()
    race(Racer(Finish(ending="answered", answer=6)), tmp_path)
    in_memory.rmdir()
