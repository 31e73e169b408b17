"""Finding the processes of a box by the mark in their environment (Linux)."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from .box import MARKER

_ROUNDS, _PAUSE = 500, 0.005


def marked(prefix: str) -> list[int]:
    """Living processes whose `AAR_BOX` begins so; of other users only what this one may look at."""
    wanted = f"{MARKER}={prefix}".encode()
    return [pid for pid in _pids() if _carries(pid, wanted)]


def kill_marked(marker: str) -> None:
    """Kill every process with this mark until none is left."""
    for _ in range(_ROUNDS):
        found = marked(marker)
        if not found:
            return
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE)


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _carries(pid: int, wanted: bytes) -> bool:
    try:
        # empty for a zombie: what is dead is not found
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(variable.startswith(wanted) for variable in variables)
