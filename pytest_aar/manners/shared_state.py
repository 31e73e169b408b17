"""A small JSON object in a file that several processes change, one at a time."""

import asyncio
import fcntl
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

#: Seconds: a change takes thousandths of one.
LONGEST_HOLD = 10.0
_LOOK_AGAIN = 0.002


class SharedState:
    """The object in `path`, {} while there is no file; whoever is killed in a change has changed nothing."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, path.with_suffix(".lock")

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """The object, locked; what the block made of it is written at its end, if it is another one then."""
        began = time.monotonic()
        while (handle := self._locked(began)) is None:
            time.sleep(_LOOK_AGAIN)
        with self._change(handle) as values:
            yield values

    @asynccontextmanager
    async def changing_in_turn(self) -> AsyncIterator[dict[str, Any]]:
        """The same; while another process has the lock, this one's other tasks go on."""
        began = time.monotonic()
        while (handle := self._locked(began)) is None:
            await asyncio.sleep(_LOOK_AGAIN)
        with self._change(handle) as values:
            yield values

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

    @contextmanager
    def _change(self, handle: int) -> Iterator[dict[str, Any]]:
        try:
            values = self.read()
            before = _text(values)
            yield values
            after = _text(values)
            if after != before and os.fstat(handle).st_nlink:
                self._write(after)
        finally:
            os.close(handle)  # which gives the lock back

    def _locked(self, began: float) -> int | None:
        """The lock; None while another process has it, or when it was forgotten between our open and our lock.

        `began`: since when it is tried.
        """
        handle = self._opened()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() - began > LONGEST_HOLD:
                self._take_from_the_stopped(handle)
            os.close(handle)
            return None
        os.utime(handle)
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)
        return None

    def _take_from_the_stopped(self, handle: int) -> None:
        """Forget a lock that is held for much longer than any change takes: its process stands still (Ctrl-Z).

        Going on, that process finds its lock forgotten, and writes nothing.
        """
        held = os.fstat(handle)
        if held.st_nlink and time.time() - held.st_mtime > LONGEST_HOLD:
            with suppress(FileNotFoundError):
                if self._lock.stat().st_ino == held.st_ino:
                    self._lock.unlink()

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
