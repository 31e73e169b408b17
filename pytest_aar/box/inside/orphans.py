"""Killing whatever a command left behind, where no namespace does it (Linux).

`tools/python_boot.py` does the same for one run of Python. It can't share this: its text is handed to an interpreter
as one argument, for it has no folder that it may import from.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # `signal` is slow to import; no stubs
import os
import time

_ROUNDS, _PAUSE = 2000, 0.002


def kill_descendants() -> None:
    """Kill every process below this one until none is left; signals that they ignore don't help them."""
    for _ in range(_ROUNDS):
        for pid in _below(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:  # gone, or of another user
                continue
        if not _children_left():
            return
        time.sleep(_PAUSE)


def _children_left() -> bool:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return False
    return True


def _below(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            children.setdefault(_parent_of(name), []).append(int(name))
    found = list(children.get(root, ()))
    for pid in found:
        found += children.get(pid, ())
    return found


def _parent_of(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:  # gone meanwhile
        return -1
