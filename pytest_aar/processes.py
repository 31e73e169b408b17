"""Child processes: which interpreter is the real one, and how a whole group ends."""

import os
import signal
import sys
from contextlib import suppress
from functools import cache


@cache
def base_interpreter() -> str:
    """The real binary behind this Python: no virtual environment, no version manager's shim."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def kill_group(pid: int) -> None:
    """Kill every process of the group that `pid` leads; what moved to a session of its own lives on."""
    # All gone already; macOS says EPERM for a group of zombies.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
