"""While a race is open, no process of the same user looks into this one (Linux).

The agent's programs run with a clean environment, but `/proc/PID/environ` of the process that started them holds
the keys. A process that is not dumpable belongs to root there. The environment of the shell that started pytest
is that shell's own business, and root sees everything.
"""

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 3, 4


class _Count:
    """How many races ask for it: the first one sets it, the last one takes it back."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.asked = 0
        self.before = 1


_COUNT = _Count()


@contextmanager
def undumpable() -> Iterator[None]:
    """Keep this process from being looked into (and from leaving a core dump); nested as often as wanted."""
    with _COUNT.lock:
        if not _COUNT.asked:
            _COUNT.before = _prctl(_PR_GET_DUMPABLE)
            _prctl(_PR_SET_DUMPABLE)
        _COUNT.asked += 1
    try:
        yield
    finally:
        with _COUNT.lock:
            _COUNT.asked -= 1
            if not _COUNT.asked and _COUNT.before == 1:  # another value can't be set by hand
                _prctl(_PR_SET_DUMPABLE, 1)


def _prctl(option: int, value: int = 0) -> int:
    """What the kernel says; 0 where it is none of Linux's."""
    return int(_libc().prctl(option, value, 0, 0, 0)) if sys.platform == "linux" else 0


@cache
def _libc() -> Any:
    return ctypes.CDLL(None)
