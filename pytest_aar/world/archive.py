"""The data file: a zip of stored members, each a row of separately compressed blocks.

A member starts with its number of blocks (uint32, little endian), then one end offset per block,
then the blocks (LZMA; an empty block takes no bytes). The file is mapped, so that only the blocks a
request needs are read and unpacked.
"""

import hashlib
import lzma
import mmap
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pytest_aar.errors import InfrastructureError

#: Part of the world's hash: raise it when the same data would be answered in another way.
CODE_FORMAT = 1

_UINT = struct.Struct("<I")
_LOCAL_HEADER = 30
#: Small, because the reader allocates it for every block; no block is larger.
_DICTIONARY = 1 << 21
#: Every member carries this date, so that the same inputs give the same bytes.
_ZIP_DATE = (2026, 1, 1, 0, 0, 0)
_MEMBERS = ("index", "pages", "countries", "search", "grid")
_REMEDY = (
    "install pytest-aar anew (pip install --force-reinstall pytest-aar); in a checkout, restore the file "
    "(git checkout) or run `python -m pytest_aar.world.build`"
)


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
    """Write the data file, as a whole or not at all; same members, same bytes."""
    # Beside the target: a rename is atomic only on one file system.
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as archive:
            for name, blocks in members.items():
                entry = zipfile.ZipInfo(name, date_time=_ZIP_DATE)
                entry.create_system = 3
                archive.writestr(entry, pack_blocks(blocks))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


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
    """The opened data file, checked as a whole: what it holds later needs no further checks."""

    def __init__(self, path: Path) -> None:
        """Map the file.

        Raises:
            zipfile.BadZipFile, struct.error, ValueError, OSError: it is damaged or no data file.
        """
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            with zipfile.ZipFile(file) as archive:
                members = {info.filename: info for info in archive.infolist()}
        if missing := [name for name in _MEMBERS if name not in members]:
            raise ValueError(f"it holds no {missing[0]!r}")
        self._members = {name: self._open(info) for name, info in members.items()}

    def _open(self, info: zipfile.ZipInfo) -> Member:
        names = struct.unpack_from("<HH", self._map, info.header_offset + 26)
        start = info.header_offset + _LOCAL_HEADER + sum(names)
        with memoryview(self._map) as view:
            # LZMA's own format here has no checksum: a flipped bit would be a changed world.
            if zlib.crc32(view[start : start + info.file_size]) != info.CRC:
                raise ValueError(f"the bytes of {info.filename!r} are not those that were written")
        return Member(self._map, start)

    def __getitem__(self, name: str) -> Member:
        return self._members[name]

    def sha256(self) -> str:
        """Hash of the whole file, in hex."""
        return hashlib.sha256(self._map).hexdigest()


@lru_cache(maxsize=4)
def open_archive(path: Path) -> Archive:
    """The archive at this path, opened once per process.

    Raises:
        InfrastructureError: there is none, or it is damaged; says what to do.
    """
    if not path.is_file():
        raise InfrastructureError(
            f"no data of the sandbox world at {path}: the package ships them; {_REMEDY}"
        )
    try:
        return Archive(path)
    except (zipfile.BadZipFile, struct.error, ValueError, OSError) as error:
        raise InfrastructureError(
            f"the data of the sandbox world at {path} are damaged ({error}); {_REMEDY}"
        ) from error
