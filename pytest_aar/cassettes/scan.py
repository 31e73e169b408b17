"""Looking for secrets in files that are there already: cassettes, a run's folder, anything."""

import gzip
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.cassettes import cassette_file
from pytest_aar.cassettes.entries import blobs_of
from pytest_aar.cassettes.paths import BODIES, INDEX
from pytest_aar.errors import CassetteCorrupted, CassetteMissing
from pytest_aar.secrets import Secrets

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found where; `what` never repeats it."""

    path: Path
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}{self.where}: {self.what}"


def files_in(place: Path) -> list[Path]:
    """The files in a folder and below, sorted, links left out; a file stands for itself.

    Raises:
        CassetteMissing: nothing is there.
    """
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise CassetteMissing(f"{place}: no such file or folder; give cassettes or a run's folder.")
    found = (Path(folder, name) for folder, _, names in os.walk(place) for name in names)
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def findings(path: Path, secrets: Secrets) -> list[Finding]:
    """The secrets in one file; packed bodies are unpacked. A file that can't be read is one, too."""
    try:
        data = path.read_bytes()
        packed = data.startswith(_GZIP)
        plain = gzip.decompress(data) if packed else data
    except (OSError, EOFError, zlib.error) as error:
        return [Finding(path=path, where="", what=f"can't be looked into ({error})")]
    found = secrets.find(plain)
    if not found:
        return []
    places = _in_bodies(path, secrets) if packed else _in_lines(plain, secrets)
    located = [Finding(path=path, where=where, what=", ".join(what)) for where, what in places]
    return located or [Finding(path=path, where="", what=", ".join(found))]


def _in_lines(data: bytes, secrets: Secrets) -> Iterator[tuple[str, tuple[str, ...]]]:
    for number, line in enumerate(data.splitlines(), 1):
        if found := secrets.find(line):
            yield f":{number}", found


def _in_bodies(path: Path, secrets: Secrets) -> Iterator[tuple[str, tuple[str, ...]]]:
    """By interaction, when the cassette is whole; else nothing."""
    if not path.name.endswith(BODIES):
        return
    try:
        recording = cassette_file.read(path.with_name(path.name.removesuffix(BODIES) + INDEX))
    except (CassetteCorrupted, FileNotFoundError):
        return
    seen: set[str] = set()
    for number, interaction in enumerate(recording.interactions):
        new = {blob.digest: blob for blob in blobs_of(interaction) if blob.digest not in seen}
        seen |= new.keys()
        found = secrets.find(b"\n".join(blob.read() for blob in new.values()))
        if found:
            yield f", interaction {number}", found
