"""While agents race, neither workers nor their controller can be looked into; afterwards they can again."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

SEEN = """
import ctypes
from pathlib import Path
from racers import Guess


def note(who):
    state = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)  # PR_GET_DUMPABLE
    with Path("seen").open("a") as file:
        file.write(f"{who} {state}\\n")


class Noting(Guess):
    name = "noting"

    async def run(self, envelope, course, limits):
        note("race")
        return self.digit
"""
CONFTEST = """
from noting import note


def pytest_runtest_logreport(report):
    if report.when == "call":
        note("report")


def pytest_runtest_teardown(item):
    note("teardown")
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")


@linux
@pytest.mark.parametrize(
    ("workers", "seen"),
    [
        # in one process: hidden for the race only
        ((), {"race 0", "teardown 1", "report 1"}),
        # with workers, controller and workers all the time: others race between the races of one
        (("-n", "1"), {"race 0", "teardown 0", "report 0"}),
    ],
    ids=["serial", "n1"],
)
def test_processes_are_hidden_while_agents_race(project, workers, seen) -> None:
    project.pytester.makepyfile(noting=SEEN)
    project.pytester.makeconftest(CONFTEST)
    result = project.run_subprocess("legs/linear", *workers, agent="noting:Noting")
    result.assert_outcomes(passed=1)
    assert set((project.path / "seen").read_text().splitlines()) == seen


#: One race looks into all processes again and again, the other is over at once: its worker is between races then.
LOOKS = """
import time
from pathlib import Path

from pytest_aar.box import CommandSpec
from racers import Guess

SEEN = Path("seen").absolute()


class Looking(Guess):
    name = "looking"

    async def run(self, envelope, course, limits):
        line = "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\\\0' '\\\\n' | grep -a ^MY_KEY; true"
        deadline = time.monotonic() + ("look" in envelope.clues) * 3
        while time.monotonic() < deadline:
            spec = CommandSpec(command=line, workdir=course.workdir, timeout=9)
            with SEEN.open("a") as file:
                file.write(f"looked {course.box.run(spec).output}\\n")
            time.sleep(0.05)
        return self.digit
"""
LINGERS = """
import time


def pytest_runtest_teardown(item):
    time.sleep(1.5)
"""


@pytest.fixture
def public_project(project) -> Iterator[Path]:
    """The project where any user can run it."""
    project.pytester.makepyfile(looking=LOOKS)
    project.pytester.makeconftest(LINGERS)
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        shutil.copytree(project.path, folder, dirs_exist_ok=True)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o777)
        yield folder


def as_plain_user() -> list[str]:
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root without setpriv can't try as another user")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def environment(folder: Path) -> dict[str, str]:
    paths = os.pathsep.join((str(folder), *(path for path in sys.path if path)))
    return {
        **os.environ,
        "MY_KEY": "sk-4711",
        "PYTHONPATH": paths,
        "HOME": "/tmp",
        "PYTEST_DEBUG_TEMPROOT": str(folder),
    }


def python_of_anybody(folder: Path) -> str:
    """An interpreter that a plain user can start, too: ours may lie in a home folder."""
    same = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, same):
        line = f"{python} -c 'import xdist, pytest_aar.race'"  # a shell: without rights that setpriv left
        tried = subprocess.run(
            [*as_plain_user(), "sh", "-c", line],
            env=environment(folder),
            capture_output=True,
            check=False,
        )
        if not tried.returncode:
            return python
    pytest.skip(f"neither {sys.executable} nor {same} runs pytest as a plain user")


@linux
def test_no_agent_looks_into_a_worker_between_its_races(public_project: Path) -> None:
    leg = public_project / "legs/linear/easy/001.json"
    leg.write_text(leg.read_text().replace('"riddle": "', '"riddle": "look '))
    python = python_of_anybody(public_project)
    command = [python, "-B", "-m", "pytest", "legs", "-n", "2", "-p", "no:cacheprovider"]
    options = ("--aar-agent=looking:Looking", "--aar-isolation=none", "--aar-results=run")
    done = subprocess.run(
        [*as_plain_user(), *command, *options],
        cwd=public_project,
        env=environment(public_project),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    seen = (public_project / "seen").read_text()
    assert seen.count("looked") > 3
    assert "MY_KEY" not in seen
