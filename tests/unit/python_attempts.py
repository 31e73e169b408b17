"""python_execute_code in every isolation that this machine has."""

import asyncio
import os
import re

import pytest
from box_kinds import KINDS, alive, isolation

from pytest_aar.box.python_walls import walls_for
from pytest_aar.tools import PythonRun, SubprocessRunner

#: Where nothing but limits stands between the code and the machine.
WEAK = "none"


class Attempt:
    """One isolation, and what runs in it."""

    def __init__(self, kind: str) -> None:
        self.kind, walls = kind, walls_for(isolation(kind))
        self.runner = SubprocessRunner() if walls is None else SubprocessRunner(confinement=walls)

    def run(self, code: str, seconds: float = 10.0) -> PythonRun:
        return asyncio.run(self.runner.run(code, timeout_seconds=seconds))

    def left_after(self, run: PythonRun) -> list[int]:
        """Processes that are alive after a run whose code began with HEAD and printed `pid N` lines."""
        namespace, *_ = run.stdout.split()
        if namespace != os.readlink("/proc/self/ns/pid"):
            return [pid for pid in _pids() if _namespace(pid) == namespace and alive(pid)]
        return [int(pid) for pid in re.findall(r"pid (\d+)", run.stdout) if alive(int(pid))]


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _namespace(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return ""


@pytest.fixture(params=KINDS)
def attempt(request: pytest.FixtureRequest) -> Attempt:
    return Attempt(request.param)


@pytest.fixture(params=[kind for kind in KINDS if kind != WEAK])
def walled(request: pytest.FixtureRequest) -> Attempt:
    return Attempt(request.param)
