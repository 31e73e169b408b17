"""Pages that a run has read, on disk for all of its workers: each is asked for once, also by several at once.

An entry is a line of JSON (status, headers) and the body as it came.
"""

import asyncio
import fcntl
import hashlib
import json
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from .meter import METER, Meter

#: Bytes of all pages together; the oldest give way. And of one that is kept at all.
MOST_BYTES = 256 * 1024 * 1024
LARGEST_PAGE = 8 * 1024 * 1024
#: Of the room that is left, what one worker may fill before it looks again: others fill it, too.
_SHARE = 16
#: What gives way at once when the folder is full, so that not every page looks for room.
_CLEARED = 8
_STATUSES = frozenset({200, 404, 410})
_HEADERS = ("content-type", "content-encoding")
_LOOK_AGAIN = 0.05
#: A wiki's API says all it has with status 200: whole pages and lists, errors about the page, errors that may pass.
_API, _OK = "/api.php", 200
_CONTENT = frozenset({"parse", "query"})
_OF_PAGES = frozenset(
    {"missingtitle", "nosuchrevid", "invalidtitle", "nosuchsection", "pagecannotexist"}
)
#: What a call waited for, in its trace and in the summary.
_OTHERS = "pages that others were reading"

Sleep = Callable[[float], Awaitable[None]]


class PageCache:
    """The pages in a folder."""

    def __init__(
        self,
        folder: Path,
        *,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._clock, self._sleep = clock, sleep
        self._room = 0  # bytes that may be kept without looking at the folder

    async def page(
        self, url: httpx.URL, ask: Callable[[], Awaitable[httpx.Response]]
    ) -> httpx.Response:
        """The page from disk, else what `ask` gives, kept if it is a page.

        Whoever comes second waits for the first, as long as its call may wait. When the first one got no page, all who
        waited ask at once, each in its turn at the service: one after another they would wait without end.
        """
        path = self._folder / hashlib.sha256(str(url).encode()).hexdigest()
        found = _read(path)
        if found is not None:
            return found
        with self._lock(path.with_suffix(".lock")) as handle:
            is_first = _locked(handle)
            if not is_first:
                await self._wait(handle)
            found = _read(path)
            if found is None and is_first:
                return await self._asked(url, path, ask)
        return await self._asked(url, path, ask) if found is None else found

    async def _asked(
        self, url: httpx.URL, path: Path, ask: Callable[[], Awaitable[httpx.Response]]
    ) -> httpx.Response:
        found = await ask()
        if _is_page(url, found):
            self._keep(path, found)
        return found

    @contextmanager
    def _lock(self, path: Path) -> Iterator[int]:
        """A file to lock; a lock dies with its process."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield handle
        finally:
            os.close(handle)

    async def _wait(self, handle: int) -> None:
        """Until whoever has the lock gives it back, but not for too long."""
        meter, started = METER.get() or Meter(), self._clock()
        latest = started + meter.patience
        try:
            with meter.pauses.one(_OTHERS):
                while self._clock() < latest and not _locked(handle):
                    await self._sleep(_LOOK_AGAIN)
        finally:
            meter.wait(_OTHERS, self._clock() - started)

    def _keep(self, path: Path, reply: httpx.Response) -> None:
        assert isinstance(reply.stream, httpx.ByteStream)  # the road reads replies whole
        headers = {name: reply.headers[name] for name in _HEADERS if name in reply.headers}
        head = json.dumps([reply.status_code, headers]).encode()
        body = b"".join(reply.stream)
        if len(body) > min(LARGEST_PAGE, self._most_bytes):
            return
        self._make_room(len(body))
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
        try:
            temporary.write_bytes(head + b"\n" + body)
            os.replace(temporary, path)
        except OSError:  # a full disk: the page is asked for again
            temporary.unlink(missing_ok=True)

    def _make_room(self, size: int) -> None:
        if size <= self._room:
            self._room -= size
        else:
            self._room = (self._most_bytes - self._total_with(size)) // _SHARE

    def _total_with(self, size: int) -> int:
        """Bytes of all pages and of `size` more; when these are too many, the oldest pages give way first."""
        pages = [entry for entry in os.scandir(self._folder) if "." not in entry.name]
        stats = []
        for entry in pages:
            with suppress(FileNotFoundError):  # another worker made room
                stats.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
        total = sum(each[1] for each in stats) + size
        if total <= self._most_bytes:
            return total
        for _, bytes_, path in sorted(stats):
            if total <= self._most_bytes - self._most_bytes // _CLEARED:
                break
            Path(path).unlink(missing_ok=True)
            total -= bytes_
        return total


def decoded(reply: httpx.Response) -> bytes:
    """The body of a reply that was read whole, without its encoding.

    Raises:
        httpx.DecodingError: it is in none.
    """
    assert isinstance(reply.stream, httpx.ByteStream)
    raw = b"".join(reply.stream)
    return httpx.Response(reply.status_code, headers=reply.headers, content=raw).content


def _read(path: Path) -> httpx.Response | None:
    try:
        head, _, body = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    status, headers = json.loads(head)
    return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_page(url: httpx.URL, reply: httpx.Response) -> bool:
    """Whether it says something about the page that stays true for a run."""
    if not url.path.endswith(_API):
        return reply.status_code in _STATUSES
    return reply.status_code == _OK and _is_of_wiki(_json_in(decoded(reply)))


def _is_of_wiki(said: Any) -> bool:
    """Nothing else is an answer of the API: its other errors pass, a login page of the network is none of it."""
    if not isinstance(said, dict):
        return False
    if "error" not in said:
        return not _CONTENT.isdisjoint(said)
    error = said["error"]
    return isinstance(error, dict) and str(error.get("code")) in _OF_PAGES


def _json_in(body: bytes) -> Any:
    """None for a body that breaks off, or is something else."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
