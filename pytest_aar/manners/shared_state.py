"""A small JSON object in a file that several processes change, one at a time."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class SharedState:
    """The object in `path`, {} while there is no file; whoever is killed in a change has changed nothing."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, path.with_suffix(".lock")

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """The object, locked; what the block made of it is written at its end, if it is another one then."""
        handle = self._opened()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
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
