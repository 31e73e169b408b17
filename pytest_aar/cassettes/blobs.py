"""Pieces of content: a blob knows its hash and length and is read only when somebody needs it."""

import zlib
from collections.abc import Callable, Mapping
from hashlib import blake2b, sha256
from pathlib import Path

from pytest_aar.cassettes.faults import corrupted


def digest_of(data: bytes) -> str:
    """The name of a content: 32 hex digits."""
    return blake2b(data, digest_size=16).hexdigest()


class Blob:
    """Immutable content under its hash; `length` in bytes."""

    __slots__ = ("_load", "digest", "length")

    def __init__(self, digest: str, length: int, load: Callable[[], bytes]) -> None:
        self.digest, self.length, self._load = digest, length, load

    @classmethod
    def of(cls, data: bytes) -> "Blob":
        """A blob of content at hand."""
        return cls(digest_of(data), len(data), lambda: data)

    def read(self) -> bytes:
        """The content."""
        return self._load()

    def text(self) -> str:
        """The content as text; what is not UTF-8 is replaced."""
        return self.read().decode("utf-8", "replace")

    def __deepcopy__(self, memo: object) -> "Blob":
        # vcrpy copies each response when it is appended: sharing keeps bodies unread until they
        # are played.
        return self

    def __repr__(self) -> str:
        return f"Blob({self.digest}, {self.length} bytes)"


class Pack:
    """The unique blobs of a cassette, one gzip stream, unpacked when the first one is read."""

    def __init__(self, path: Path, packed: bytes, lengths: Mapping[str, int]) -> None:
        self._path, self._packed, self._plain = path, packed, b""
        self._places: dict[str, tuple[int, int]] = {}
        start = 0
        for digest, length in lengths.items():
            self._places[digest] = (start, start + length)
            start += length
        self._size = start

    def blob(self, digest: str) -> Blob:
        """The blob of that hash, not read yet."""
        place = self._places.get(digest)
        if place is None:
            raise corrupted(self._path, f"body {digest} is missing")
        start, end = place
        return Blob(digest, end - start, lambda: self._unpacked()[start:end])

    def damaged(self) -> list[str]:
        """Hashes of the blobs whose content is another one; reads everything."""
        plain = self._unpacked()
        return [
            digest
            for digest, (start, end) in self._places.items()
            if digest_of(plain[start:end]) != digest
        ]

    def _unpacked(self) -> bytes:
        if self._packed:
            try:
                # gzip.decompress would copy the stream once more.
                plain = zlib.decompress(self._packed, wbits=31, bufsize=max(self._size, 1))
            except zlib.error as error:
                raise corrupted(self._path, f"not a gzip stream ({error})") from error
            if len(plain) != self._size:
                raise corrupted(self._path, f"{len(plain)} bytes inside, expected {self._size}")
            self._plain, self._packed = plain, b""
        return self._plain


def pack(blobs: Mapping[str, Blob]) -> tuple[bytes, bytes]:
    """The blobs joined in order: (plain, gzip stream); no time inside, equal blobs, equal bytes."""
    plain = b"".join(blob.read() for blob in blobs.values())
    compressor = zlib.compressobj(level=6, wbits=31)
    return plain, compressor.compress(plain) + compressor.flush()


def sha256_of(data: bytes) -> str:
    """Checksum of a whole file."""
    return sha256(data).hexdigest()
