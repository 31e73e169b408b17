"""Bodies as they come over the wire -> at most so many decoded bytes."""

import zlib
from typing import Protocol

_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_HEADLESS = -zlib.MAX_WBITS


class NotInflatable(Exception):
    """An encoding that was not asked for, or bytes that are not in it."""


class _Inflater(Protocol):
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
        is_plain = self._encoding in ("", "identity")
        self._inflater: _Inflater | None = None if is_plain else zlib.decompressobj(_GZIP_OR_ZLIB)
        self._most = most
        self._bytes = bytearray()

    @property
    def is_full(self) -> bool:
        """Whether no more is taken."""
        return len(self._bytes) >= self._most

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the wire."""
        room = self._most - len(self._bytes)
        if room > 0 and chunk:
            self._bytes += chunk[:room] if self._inflater is None else self._inflated(chunk, room)

    def whole(self) -> bytes:
        """All that was decoded."""
        return bytes(self._bytes)

    def _inflated(self, chunk: bytes, room: int) -> bytes:
        assert self._inflater is not None  # the caller has looked
        try:
            return self._inflater.decompress(chunk, room)
        except zlib.error as problem:
            if self._encoding != "deflate" or self._bytes:
                raise NotInflatable(f"{self._encoding}: {problem}") from problem
        self._inflater = zlib.decompressobj(_HEADLESS)  # some servers mean it without its header
        try:
            return self._inflater.decompress(chunk, room)
        except zlib.error as problem:
            raise NotInflatable(f"deflate: {problem}") from problem
