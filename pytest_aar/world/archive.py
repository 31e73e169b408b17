"""The data file: a zip of stored members, each a row of separately compressed blocks.

A member starts with its number of blocks (uint32, little endian), then one end offset per block,
then the blocks (LZMA; an empty block takes no bytes). The file is mapped, so that only the blocks a
request needs are read and unpacked.
"""

import hashlib
import lzma
import mmap
import struct
import zipfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

#: Part of the world's hash: raise it when the same data would be answered in another way.
CODE_FORMAT = 1

_UINT = struct.Struct("<I")
_LOCAL_HEADER = 30
#: Small, because the reader allocates it for every block; no block is larger.
_DICTIONARY = 1 << 21
#: Every member carries this date, so that the same inputs give the same bytes.
_ZIP_DATE = (2026, 1, 1, 0, 0, 0)


def _pack(block: bytes) -> bytes:
    """The smaller of two packings: grids like few literal context bits, texts many."""
    if not block:
        return b""
    settings = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0, "lp": 0}
    tries = (
        [{**settings, "dict_size": _DICTIONARY, "lc": literal_context}]
        for literal_context in (0, 4)
    )
    return min((lzma.compress(block, lzma.FORMAT_ALONE, filters=one) for one in tries), key=len)


def pack_blocks(blocks: Sequence[bytes]) -> bytes:
    """A member's bytes for these blocks."""
    packed = [_pack(block) for block in blocks]
    ends: list[int] = []
    total = 0
    for block in packed:
        total += len(block)
        ends.append(total)
    head = _UINT.pack(len(packed)) + b"".join(_UINT.pack(end) for end in ends)
    return head + b"".join(packed)


def write_archive(path: Path, members: Mapping[str, Sequence[bytes]]) -> None:
    """Write the data file; same members, same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, blocks in members.items():
            entry = zipfile.ZipInfo(name, date_time=_ZIP_DATE)
            entry.create_system = 3
            archive.writestr(entry, pack_blocks(blocks))


class Member:
    """One member: blocks by number, unpacked when asked for."""

    __slots__ = ("_ends", "_map", "_start")

    def __init__(self, mapped: mmap.mmap, start: int) -> None:
        (count,) = _UINT.unpack_from(mapped, start)
        self._map = mapped
        self._ends = struct.unpack_from(f"<{count}I", mapped, start + _UINT.size)
        self._start = start + _UINT.size * (count + 1)

    def __len__(self) -> int:
        return len(self._ends)

    def block(self, number: int) -> bytes:
        """The unpacked block; the caller keeps what it wants to keep."""
        begin = self._start + (self._ends[number - 1] if number else 0)
        packed = self._map[begin : self._start + self._ends[number]]
        return lzma.decompress(packed, lzma.FORMAT_ALONE) if packed else b""


class Archive:
    """The opened data file."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            with zipfile.ZipFile(file) as archive:
                offsets = {info.filename: info.header_offset for info in archive.infolist()}
        self._members = {name: self._open(offset) for name, offset in offsets.items()}

    def _open(self, offset: int) -> Member:
        name_length, extra_length = struct.unpack_from("<HH", self._map, offset + 26)
        return Member(self._map, offset + _LOCAL_HEADER + name_length + extra_length)

    def __getitem__(self, name: str) -> Member:
        return self._members[name]

    def sha256(self) -> str:
        """Hash of the whole file, in hex."""
        return hashlib.sha256(self._map).hexdigest()


@lru_cache(maxsize=4)
def open_archive(path: Path) -> Archive:
    """The archive at this path, opened once per process."""
    return Archive(path)
