"""Locks that die with their process."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK_WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.02


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Exclusive use of a folder among processes; leaves no file behind.

    Raises:
        OSError: still locked after a minute, or the folder can't be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        deadline = time.monotonic() + _LOCK_WAIT_SECONDS
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise TimeoutError(f"locked for over {_LOCK_WAIT_SECONDS:.0f} s by another process")
            time.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file for this process; False when another has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
