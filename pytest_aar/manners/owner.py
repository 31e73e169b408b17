"""Whether a process lives, for other processes: it holds a lock that the kernel takes from it at its end."""

import fcntl
import os
import secrets
from contextlib import suppress
from pathlib import Path


class Owner:
    """This process's mark in a folder; `name` is what others ask `lives` for."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.name = secrets.token_hex(8)
        self._path = folder / self.name
        self._handle: int | None = self._marked()

    def _marked(self) -> int:
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle).st_nlink:
                return handle
            os.close(handle)  # somebody who tidied up took it for that of one who died

    def close(self) -> None:
        """Be gone for the others; a second time does nothing."""
        if self._handle is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None


def lives(folder: Path, name: str) -> bool:
    """Whether the process of that name is there; the mark of one that died is removed."""
    try:
        handle = os.open(folder / name, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        with suppress(OSError):
            (folder / name).unlink()
        return False
    finally:
        os.close(handle)
