"""While a race is open, programs of the same user can't read this process's environment."""

import os
import shutil
import subprocess
import sys

import pytest

from pytest_aar.lookout import undumpable

#: Reads the environment of its parent in three ways of being called: before, within, after.
SCRIPT = """
import faulthandler, os, subprocess, sys, threading
from pytest_aar.lookout import undumpable

faulthandler.enable()

def peek():
    line = f"cat /proc/{os.getpid()}/environ 2>&1 | tr '\\\\0' '\\\\n' | grep -E 'MY_KEY|denied'"
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True).stdout.strip()[-17:]

print(peek())
with undumpable():
    with undumpable():
        print(peek())
    print(peek())
    print(len(os.listdir("/proc/self/fd")) > 2, subprocess.run(["true"]).returncode)
    thread = threading.Thread(target=lambda: print("thread"))
    thread.start()
    thread.join()
print(peek())
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")


def as_plain_user() -> list[str]:
    """Root reads everything: what the words before a command are that run it as somebody else."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root without setpriv can't try as another user")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@linux
def test_the_environment_is_hidden_while_it_lasts_and_all_else_goes_on() -> None:
    command = [*as_plain_user(), sys.executable, "-c", SCRIPT]
    done = subprocess.run(
        command, env={**os.environ, "MY_KEY": "sk-1"}, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == [
        "MY_KEY=sk-1",
        "Permission denied",
        "Permission denied",
        "True 0",
        "thread",
        "MY_KEY=sk-1",
    ], done.stderr


def broken_race() -> None:
    with undumpable():
        assert state() == 0
        raise ZeroDivisionError


@linux
def test_it_is_taken_back_also_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        broken_race()
    assert state() == 1


def state() -> int:
    import ctypes  # noqa: PLC0415 - only here

    return int(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
