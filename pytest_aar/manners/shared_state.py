"""A small JSON object in a file that several processes change, one at a time."""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


class SharedState:
    """The object in `path`, {} while there is no file; whoever is killed in a change has changed nothing."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, path.with_suffix(".lock")

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """The object, locked; what the block made of it is written at its end, if it is another one then."""
        handle = self._locked()
        try:
            values = self.read()
            before = _text(values)
            yield values
            after = _text(values)
            if after != before:
                self._write(after)
        finally:
            os.close(handle)  # which gives the lock back

    def read(self) -> dict[str, Any]:
        """The object as it was written last; what is no object is as good as nothing."""
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def forget(self, is_over: Callable[[dict[str, Any], float], bool]) -> None:
        """Remove its files if nobody changes it now, and `is_over` says so of the object and its age in seconds."""
        with suppress(OSError):  # gone meanwhile, or in use
            handle = os.open(self._lock, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if is_over(self.read(), time.time() - self._last_change()):
                    for path in (self._path, self._path.with_suffix(".tmp"), self._lock):
                        path.unlink(missing_ok=True)
            finally:
                os.close(handle)

    def _last_change(self) -> float:
        return (self._path if self._path.exists() else self._lock).stat().st_mtime

    def _locked(self) -> int:
        while True:
            handle = self._opened()
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle).st_nlink:
                return handle
            os.close(
                handle
            )  # forgotten between our open and our lock: what others lock is a new file

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            return os.open(self._lock, flags, 0o600)
        except FileNotFoundError:
            self._lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._lock, flags, 0o600)

    def _write(self, text: str) -> None:
        temporary = self._path.with_suffix(".tmp")
        temporary.write_text(text)
        os.replace(temporary, self._path)


def _text(values: dict[str, Any]) -> str:
    return json.dumps(values, separators=(",", ":"))
