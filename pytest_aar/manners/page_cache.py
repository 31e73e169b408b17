"""Pages that a run has read, on disk for all of its workers: each is asked for once, also by several at once.

An entry is a line of JSON (status, headers) and the body as it came.
"""

import asyncio
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx

#: Bytes of all pages together; the oldest give way. And of one that is kept at all.
MOST_BYTES = 256 * 1024 * 1024
LARGEST_PAGE = 8 * 1024 * 1024
_STATUSES = frozenset({200, 404, 410})
_HEADERS = ("content-type", "content-encoding")
_LOOK_AGAIN = 0.05
#: Errors of the wiki's API (with status 200) that are about the page; all others may pass.
_OF_PAGES = (b"missingtitle", b"nosuchrevid", b"invalidtitle", b"nosuchsection", b"pagecannotexist")
_ERROR_HEADER = "mediawiki-api-error"
_LONGEST_ERROR = 5_000

Sleep = Callable[[float], Awaitable[None]]


class PageCache:
    """The pages in a folder."""

    def __init__(
        self, folder: Path, *, most_bytes: int = MOST_BYTES, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._folder, self._most_bytes, self._sleep = folder, most_bytes, sleep

    async def page(
        self, url: httpx.URL, ask: Callable[[], Awaitable[httpx.Response]]
    ) -> httpx.Response:
        """The page from disk, else what `ask` gives, kept if it is a page. Whoever comes second waits for the first."""
        path = self._folder / hashlib.sha256(str(url).encode()).hexdigest()
        found = _read(path)
        if found is not None:
            return found
        async with self._alone(path.with_suffix(".lock")):
            found = _read(path)
            if found is None:
                found = await ask()
                self._keep(path, found)
            return found

    @asynccontextmanager
    async def _alone(self, path: Path) -> AsyncIterator[None]:
        """Holds a lock that dies with its process; other tasks go on meanwhile."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while not _locked(handle):
                await self._sleep(_LOOK_AGAIN)
            yield
        finally:
            os.close(handle)

    def _keep(self, path: Path, reply: httpx.Response) -> None:
        if not _is_page(reply):
            return
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
        pages = [entry for entry in os.scandir(self._folder) if "." not in entry.name]
        stats = []
        for entry in pages:
            with suppress(FileNotFoundError):  # another worker made room
                stats.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
        total = sum(each[1] for each in stats) + size
        for _, bytes_, path in sorted(stats):
            if total <= self._most_bytes:
                return
            Path(path).unlink(missing_ok=True)
            total -= bytes_


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


def _is_page(reply: httpx.Response) -> bool:
    """Whether it says something about the page that stays true for a run."""
    if reply.status_code not in _STATUSES:
        return False
    error = reply.headers.get(_ERROR_HEADER, "").encode()
    if not error:
        body = decoded(reply) if "json" in reply.headers.get("content-type", "") else b""
        if len(body) > _LONGEST_ERROR or b'"error"' not in body:
            return True
        error = body
    return any(code in error for code in _OF_PAGES)
