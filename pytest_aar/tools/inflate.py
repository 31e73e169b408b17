"""Bodies as they come over the wire -> at most so many decoded bytes."""

import zlib
from typing import Protocol

_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_HEADLESS = -zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
#: Bytes that tell what a stream is; they may arrive one by one.
_HEAD = 2


class NotInflatable(Exception):
    """An encoding that was not asked for, or bytes that are not in it."""


class _Inflater(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...


class Inflated:
    """Collects decoded bytes; never holds more than `most` of them and one chunk of the wire.

    `encoding` is the Content-Encoding header: "", identity, gzip or deflate.

    Raises:
        NotInflatable: another encoding, here and in `feed` for bytes that are not in it.
    """

    def __init__(self, encoding: str, *, most: int) -> None:
        self._encoding = encoding.strip().lower()
        if self._encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise NotInflatable(f"its encoding is {encoding!r}, asked for were gzip and deflate")
        self._is_plain = self._encoding in ("", "identity")
        self._inflater: _Inflater | None = None
        self._head = b""
        self._members = 0
        self._is_over = False
        self._most = most
        self._bytes = bytearray()

    @property
    def is_full(self) -> bool:
        """Whether no more is taken."""
        return len(self._bytes) >= self._most

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the wire."""
        room = self._most - len(self._bytes)
        if room > 0 and chunk and not self._is_over:
            self._bytes += chunk[:room] if self._is_plain else self._inflated(chunk, room)

    def whole(self) -> bytes:
        """All that was decoded."""
        return bytes(self._bytes)

    def _inflated(self, chunk: bytes, room: int) -> bytes:
        found, rest = bytearray(), self._head + chunk
        self._head = b""
        while rest and len(found) < room:
            self._inflater = self._inflater or self._next(rest)
            if self._inflater is None:
                self._is_over = len(rest) >= _HEAD
                self._head = rest
                break
            try:
                found += self._inflater.decompress(rest, room - len(found))
            except zlib.error as problem:
                raise NotInflatable(f"{self._encoding}: {problem}") from problem
            rest = self._inflater.unused_data
            if self._inflater.eof:
                self._inflater = None
        return bytes(found)

    def _next(self, start: bytes) -> _Inflater | None:
        """What inflates the stream that starts so, None when it takes more to know, or for what follows the last."""
        if len(start) < _HEAD:
            return None
        is_gzip, self._members = "gzip" in self._encoding, self._members + 1
        if self._members > 1:  # gzip may have several members; other bytes are padding
            goes_on = is_gzip and start.startswith(_GZIP_MAGIC)
            return zlib.decompressobj(_GZIP_OR_ZLIB) if goes_on else None
        is_headless = not is_gzip and not _has_head(start)
        return zlib.decompressobj(_HEADLESS if is_headless else _GZIP_OR_ZLIB)


def _has_head(start: bytes) -> bool:
    """Whether it is zlib's or gzip's: some servers mean `deflate` without.

    No encoder begins a headless stream so: it would be a stored block with ones for padding.
    """
    is_zlib = start[0] & 0x0F == zlib.DEFLATED and int.from_bytes(start[:_HEAD]) % 31 == 0
    return is_zlib or start.startswith(_GZIP_MAGIC)
