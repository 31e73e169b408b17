"""A project with two legs and an agent that says a digit, for runs of pytest inside pytest."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from handmade_legs import diamond, linear

# Imported here, these are not imported again in each run inside this process.
import pytest_aar.cassettes
import pytest_aar.gateway.app
import pytest_aar.gateway.race
import pytest_aar.gateway.worlds
import pytest_aar.race
import pytest_aar.reports.terminal  # noqa: F401

#: The linear leg's digit is 3, the diamond's 4.
RACERS = '''
import os, signal, time
from pytest_aar.errors import AgentCrashed

class Guess:
    """Says the same digit for each leg."""
    name = "guess"
    needs_model = False

    def __init__(self, digit="3"):
        self.digit = digit

    async def run(self, envelope, course, limits):
        return self.digit


class Crash(Guess):
    """Never gets anywhere."""
    name = "crash"

    async def run(self, envelope, course, limits):
        raise AgentCrashed("the crash agent crashed")


class CrashOnce(Guess):
    """Crashes at the first attempt of each leg."""
    name = "crash-once"
    seen = set()

    async def run(self, envelope, course, limits):
        if envelope.seed_url + envelope.clues not in self.seen:
            self.seen.add(envelope.seed_url + envelope.clues)
            raise AgentCrashed("once")
        return self.digit


class Kill(Guess):
    """Kills its own process on the leg whose clues say so."""
    name = "kill"

    async def run(self, envelope, course, limits):
        if "kill" in envelope.clues:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.digit


class Slow(Guess):
    """Does not end in time."""
    name = "slow"

    async def run(self, envelope, course, limits):
        time.sleep(0.2) if self.digit == "block" else None
        import asyncio
        await asyncio.sleep(60)


class Visit(Guess):
    """Fetches the seed page, then says its digit."""
    name = "visit"

    async def run(self, envelope, course, limits):
        await course.http.post("tools/fetch_webpage", json={"url": envelope.seed_url})
        return self.digit
'''


@dataclass
class Project:
    """The folder where a run inside pytest happens."""

    pytester: pytest.Pytester

    @property
    def path(self) -> Path:
        return self.pytester.path

    def write_leg(self, leg_id: str, wire: dict) -> Path:
        path = self.path / "legs" / f"{leg_id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(wire))
        return path

    def drop_legs(self) -> None:
        """The two that every project begins with, and whatever else is easy."""
        for path in self.path.glob("legs/*/easy/*.json"):
            path.unlink()

    def run(self, *arguments: str, agent: str | None = "Guess") -> pytest.RunResult:
        return self.pytester.runpytest_inprocess(*_chosen(agent), *arguments)

    def run_subprocess(self, *arguments: str, agent: str | None = "Guess") -> pytest.RunResult:
        return self.pytester.runpytest_subprocess(*_chosen(agent), *arguments)

    def races(self, run: str = "run") -> list[dict]:
        lines = (self.path / run / "results.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


def _chosen(agent: str | None) -> list[str]:
    if agent is None:
        return []
    return [f"--aar-agent={agent if ':' in agent else f'racers:{agent}'}"]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Two legs: `linear/easy/001` (digit 3) and `dag/easy/002` (digit 4)."""
    monkeypatch.syspath_prepend(pytester.path)
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    # The runs inside must not see CI's own settings.
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makepyfile(racers=RACERS)
    for name in (
        "GOOGLE_API_KEY",
        "SERPER_API_KEY",
    ):  # legs that need a key that is not there are not raced
        monkeypatch.setenv(name, "a key for nothing")
    # The agents here call no tool: the live world, unrecorded, costs nothing to open.
    pytester.makeini("[pytest]\nfilterwarnings = error\naar_world = live\naar_record = off\n")
    made = Project(pytester)
    made.write_leg("linear/easy/001", linear())
    made.write_leg("dag/easy/002", diamond())
    return made


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal in which no line of the summary is wrapped."""
    monkeypatch.setenv("COLUMNS", "1000")
