"""While this process races, no other one of the same user looks into it (Linux).

The agent's programs run with a clean environment, but `/proc/PID/environ` of the process that started them holds
the keys. A process that is not dumpable belongs to root there. The environment of the shell that started pytest
is that shell's own business, and root sees everything.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .libc import libc

_PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 3, 4


@contextmanager
def undumpable() -> Iterator[None]:
    """Keep this process from being looked into (and from leaving a core dump); within another one it changes nothing.

    The kernel holds the state: an outer one is what the inner one finds and leaves.
    """
    before = _prctl(_PR_GET_DUMPABLE)
    _prctl(_PR_SET_DUMPABLE)
    try:
        yield
    finally:
        if before == 1:  # another value can't be set by hand
            _prctl(_PR_SET_DUMPABLE, 1)


def stay_undumpable() -> None:
    """The same until this process ends."""
    _prctl(_PR_SET_DUMPABLE)


def _prctl(option: int, value: int = 0) -> int:
    """What the kernel says; 0 where it is none of Linux's, or can't be asked."""
    functions = libc() if sys.platform == "linux" else None
    return 0 if functions is None else int(functions.prctl(option, value, 0, 0, 0))
