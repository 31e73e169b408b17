"""Which files are legs, and what a leg is called: never by how the command line names the file."""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_aar.levels import LEVELS, VARIANTS

_HEAD_BYTES = 4096
_MARKS = (b'"trail_id"', b'"stops"')
_LEGS = "legs"
#: How a mask of `aar validity` begins, without white space: it names legs and is none.
_MASK = b'{"format":1,"legs":{'


def looks_like_leg(path: Path, legs_root: Path | None = None) -> bool:
    """Whether a JSON file claims to be a leg: it lies below the legs root, or its head says so; a mask of legs never.

    One word of the two is not enough: "stops" alone is in many a file that has nothing to do with legs.

    Dot files never do. A file outside the root that can't be read is somebody else's.
    """
    if path.name.startswith(".") or path.suffix != ".json":
        return False
    head = _head(path)
    if legs_root is not None and _below(path, legs_root) is not None:
        return not b"".join(head.split()).startswith(_MASK)
    return all(mark in head for mark in _MARKS)


def legs_in(folder: Path, legs_root: Path | None = None) -> list[Path]:
    """The files below a folder that look like legs, by path; none in hidden folders below it."""
    return sorted(
        file
        for file in folder.rglob("*.json")
        if not is_hidden(file.relative_to(folder)) and looks_like_leg(file, legs_root)
    )


def is_hidden(relative: Path) -> bool:
    """Whether a file, or a folder that it lies in, begins with a dot; the path is as seen from a folder above."""
    return any(part.startswith(".") for part in relative.parts)


def _head(path: Path) -> bytes:
    """The first bytes of a file; none of what can't be read."""
    try:
        if not path.is_file():  # a pipe would block the reader
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except (OSError, RuntimeError):  # RuntimeError: a symlink loop, before Python 3.13
        return b""


def leg_id_of(path: Path, legs_root: Path | None = None) -> str:
    """The path without suffix below the legs root.

    For a file outside of it: below the nearest folder named `legs`, so that the id is the same from wherever
    pytest is started; else below the parent of the nearest folder whose name holds "linear" or "dag"; else
    the file's name alone.
    """
    below = None if legs_root is None else _below(path, legs_root)
    return _without_suffix(below if below is not None else _below_set(path))


def variant_of(leg_id: str, metadata: Mapping[str, Any]) -> str | None:
    """The variant by metadata, else by folder; None when neither says it (the shape decides)."""
    stated = metadata.get("variant")
    if stated in VARIANTS:
        return str(stated)
    for folder in reversed(leg_id.split("/")[:-1]):
        if variant := _variant_in(folder):
            return variant
    return None


def level_of(leg_id: str, declared: str) -> str:
    """The level by folder (a known one, or the one below the variant's), else as declared."""
    folders = leg_id.split("/")[:-1]
    for above, folder in zip(["", *folders], folders, strict=False):
        if folder in LEVELS or (_variant_in(above) and folder):
            return folder
    return declared


def _variant_in(name: str) -> str | None:
    return next((variant for variant in VARIANTS if variant in name.lower()), None)


def _below_set(path: Path) -> str:
    # abspath, not resolve(): a linked folder keeps its name
    parts = os.path.abspath(path).split(os.sep)
    for position in range(len(parts) - 2, 0, -1):
        if parts[position] == _LEGS:
            return os.sep.join(parts[position + 1 :])
    for position in range(len(parts) - 2, 0, -1):
        if _variant_in(parts[position]):
            return os.sep.join(parts[position:])
    return parts[-1]


def _without_suffix(relative: str) -> str:
    return os.path.splitext(relative)[0].replace(os.sep, "/")


def _below(path: Path, root: Path) -> str | None:
    """The path relative to the root, also when one of them is named through a symbolic link."""
    whole, folder = os.path.abspath(path), os.path.abspath(root)
    if whole.startswith(folder + os.sep):
        return whole[len(folder) + 1 :]
    above, name = os.path.split(whole)
    real, real_root = os.path.join(_real(above), name), _real(folder)
    return real[len(real_root) + 1 :] if real.startswith(real_root + os.sep) else None


@lru_cache(
    maxsize=256
)  # the legs of one folder ask the same, and each answer costs many system calls
def _real(folder: str) -> str:
    return os.path.realpath(folder)
