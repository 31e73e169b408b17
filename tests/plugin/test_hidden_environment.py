"""While agents race, neither workers nor their controller can be looked into; afterwards they can again."""

import sys

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
        # the controller (its reports) all the time; workers (theirs, too) for their races
        (("-n", "1"), {"race 0", "teardown 1", "report 1", "report 0"}),
    ],
    ids=["serial", "n1"],
)
def test_processes_are_hidden_while_agents_race(project, workers, seen) -> None:
    project.pytester.makepyfile(noting=SEEN)
    project.pytester.makeconftest(CONFTEST)
    result = project.run_subprocess("legs/linear", *workers, agent="noting:Noting")
    result.assert_outcomes(passed=1)
    assert set((project.path / "seen").read_text().splitlines()) == seen
