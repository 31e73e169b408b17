"""However a run ends, nothing that an agent started lives on."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from box_kinds import STUBBORN, eventually, isolation, with_argument

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
SECONDS = 5.0


@dataclass
class Stubborn:
    """A run of pytest whose agent starts what does not want to end: two processes for each race."""

    project: object
    isolation: str
    argument: str

    def command(self, *more: str) -> list[str]:
        line = f"command=python3 ./stubborn.py {self.argument}"
        options = ["--aar-agent=command", "--aar-agent-option", line, "-p", "no:cacheprovider"]
        return ["legs", *options, f"--aar-isolation={self.isolation}", *more]

    def start(self, *more: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *self.command(*more)],
            cwd=self.project.path,  # type: ignore[attr-defined]
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def agents(self) -> int:
        """Agents' own processes: Python with the argument, without the shell that started it."""
        found = [pid for pid in with_argument(self.argument) if _is_python(pid)]
        return len(found)


def _is_python(pid: int) -> bool:
    try:
        return b"python" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return False


@pytest.fixture(params=["none", "bwrap"])
def stubborn(request: pytest.FixtureRequest, project) -> Iterator[Stubborn]:  # type: ignore[no-untyped-def]
    if request.param == "bwrap":
        isolation("bwrap-user")
    (project.path / "stubborn.py").write_text(STUBBORN)
    made = Stubborn(
        project, request.param, f"agent-{request.param}-{project.path.name}-{os.getpid()}"
    )
    yield made
    for pid in with_argument(made.argument):
        os.kill(pid, signal.SIGKILL)


def test_the_deadline(stubborn: Stubborn) -> None:
    result = stubborn.project.run(
        *stubborn.command("--aar-timeout=1", "--aar-results=run"), agent=None
    )  # type: ignore[attr-defined]
    result.assert_outcomes(failed=2)
    races = stubborn.project.races()  # type: ignore[attr-defined]
    assert {(race["outcome"], race["isolation"]) for race in races} == {
        ("timeout", stubborn.isolation)
    }
    assert all(race["race_seconds"] < 1 + SECONDS for race in races)
    assert stubborn.agents() == 0


def test_control_c_with_workers(stubborn: Stubborn) -> None:
    run = stubborn.start("-n", "2")
    assert eventually(lambda: stubborn.agents() == 4, 30)
    os.killpg(run.pid, signal.SIGINT)
    assert eventually(lambda: stubborn.agents() == 0, SECONDS)
    _end(run)


def test_a_killed_worker_and_a_killed_controller(stubborn: Stubborn) -> None:
    run = stubborn.start("-n", "2", "--max-worker-restart=0")
    assert eventually(lambda: stubborn.agents() == 4, 30)
    workers = [pid for pid in _children(run.pid) if _is_python(pid)]
    os.kill(workers[0], signal.SIGKILL)
    assert eventually(lambda: stubborn.agents() <= 2, SECONDS)
    run.kill()
    run.wait(5)
    assert eventually(lambda: stubborn.agents() == 0, SECONDS)
    _end(run)


def test_a_terminated_controller(stubborn: Stubborn) -> None:
    run = stubborn.start()
    assert eventually(lambda: stubborn.agents() == 2, 30)
    run.terminate()
    run.wait(10)
    assert eventually(lambda: stubborn.agents() == 0, SECONDS)


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def _end(run: subprocess.Popen[bytes]) -> None:
    """xdist waits for its workers for a while: what was to be seen has been seen."""
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.wait(10)
