"""Files that are replaced whole or not at all, and locks that die with their process."""

import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_LOCK_WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.02


def temporary(path: Path) -> Path:
    """Where the next content of `path` is built; always the same name, recorders are alone."""
    return path.with_name(f".{path.name}.tmp")


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Give each file its new content: all on disk first, then renamed in the given order.

    Raises:
        OSError: nothing was renamed, or (a crash between two renames) the next reader can go on
            from the temporary file that is left.
    """
    try:
        for path, data in contents.items():
            _write_synced(temporary(path), data)
    except OSError:
        for path in contents:
            temporary(path).unlink(missing_ok=True)
        raise
    for path in contents:
        os.replace(temporary(path), path)
    for folder in {path.parent for path in contents}:
        _sync_folder(folder)


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


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
