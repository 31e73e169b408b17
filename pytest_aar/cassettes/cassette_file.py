"""The two files of a cassette: a reviewable index, and its bodies. Reading checks every byte."""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from dataclasses import fields as dataclass_fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_aar.cassettes.asked import Interaction
from pytest_aar.cassettes.blobs import Blob, Pack, pack, sha256_of
from pytest_aar.cassettes.disk import folder_lock
from pytest_aar.cassettes.entries import Entry, EntryReader, EntryWriter, blobs_of
from pytest_aar.cassettes.faults import corrupted, unwritable
from pytest_aar.cassettes.metadata import Metadata
from pytest_aar.cassettes.paths import bodies_path
from pytest_aar.cassettes.seal import FORMAT, sealed, unsealed
from pytest_aar.errors import CassetteCorrupted
from pytest_aar.guarded import temporary, write_files
from pytest_aar.secrets import Secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What a cassette holds; `recorded_at` is UTC, ISO 8601, `pack` is set when read from disk.

    `open_ends` are the keys of the requests that had no answer when the race ran out of time.
    """

    metadata: Metadata
    interactions: tuple[Interaction, ...]
    open_ends: tuple[str, ...] = ()
    recorded_at: str = ""
    pack: Pack | None = None


class _Bodies(BaseModel):
    model_config = ConfigDict(extra="forbid")
    sha256: str
    bytes: int
    blobs: dict[str, int]


class _Times(BaseModel):
    model_config = ConfigDict(extra="forbid")
    recorded: str
    took_seconds: tuple[float, ...]
    checksum: str


class _Index(BaseModel):
    model_config = ConfigDict(extra="forbid")
    checksum: str
    format: int
    metadata: dict[str, str]
    interactions: tuple[Entry, ...]
    open_ends: tuple[str, ...] = ()
    bodies: _Bodies
    times_at: _Times


def write(path: Path, recording: Recording, *, secrets: Secrets) -> None:
    """Replace the cassette at `path` as a whole; on any failure the old one stays as it was.

    Raises:
        InfrastructureError: a secret in the bytes, disk full, no permission.
    """
    update(path, lambda _: recording, secrets=secrets)


def update(path: Path, change: Callable[[Path], Recording], *, secrets: Secrets) -> None:
    """Replace the cassette by what `change` makes of it, alone among processes.

    Raises:
        InfrastructureError: a secret in the bytes, disk full, no permission.
        CassetteCorrupted: `change` looked at the old cassette and that is not whole.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with folder_lock(path.parent):
            _finish_interrupted_save(path)
            _write(path, change(path), secrets)
    except OSError as error:
        raise unwritable(path, error) from error


def read(path: Path) -> Recording:
    """The cassette at `path`; its bodies are checked now and unpacked when one is needed.

    Raises:
        FileNotFoundError: there is none.
        CassetteCorrupted: there is one, but not whole.
    """
    try:
        try:
            return _read_pair(path)
        except (CassetteCorrupted, FileNotFoundError):
            # Perhaps a save is under way or was cut off between its two renames.
            with folder_lock(path.parent):
                _finish_interrupted_save(path)
                return _read_pair(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, error) from error


def _read_pair(path: Path) -> Recording:
    bodies = bodies_path(path)
    if bodies.exists() and not path.exists():
        raise corrupted(path, f"missing, but {bodies.name} is there")
    index = _index(path, path.read_bytes())
    if not bodies.exists():
        raise corrupted(path, f"{bodies.name} is missing beside it")
    packed = bodies.read_bytes()
    if sha256_of(packed) != index.bodies.sha256:
        raise corrupted(bodies, _size_or_damage(packed, index.bodies.bytes))
    pack_ = Pack(bodies, packed, index.bodies.blobs)
    reader, took = EntryReader(pack_.blob), index.times_at.took_seconds
    return Recording(
        metadata=_metadata(index.metadata),
        interactions=tuple(
            reader.interaction(entry, took_seconds=took[number], sequence=number)
            for number, entry in enumerate(index.interactions)
        ),
        open_ends=index.open_ends,
        recorded_at=index.times_at.recorded,
        pack=pack_,
    )


def read_or_none(path: Path) -> Recording | None:
    """The cassette for an `update`, whose lock is held: None when there is none."""
    if not exists(path):
        return None
    return _read_pair(path)


def exists(path: Path) -> bool:
    """Whether anything of a cassette is there, whole or not: both of its files count.

    Raises:
        CassetteCorrupted: the folder can't be looked into.
    """
    try:
        return path.exists() or bodies_path(path).exists()
    except OSError as error:
        raise _unreadable(path, error) from error


def now() -> str:
    """The time of a recording."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write(path: Path, recording: Recording, secrets: Secrets) -> None:
    blobs: dict[str, Blob] = {}
    for interaction in recording.interactions:
        blobs.update((blob.digest, blob) for blob in blobs_of(interaction))
    plain, packed = pack(blobs)
    bodies, index = bodies_path(path), _render(recording, blobs, packed)
    write_files({bodies: packed, path: index}, secrets=secrets, unpacked={bodies: plain})


def _render(recording: Recording, blobs: dict[str, Blob], packed: bytes) -> bytes:
    writer = EntryWriter()
    document: dict[str, Any] = {
        "metadata": asdict(recording.metadata),
        "interactions": [writer.entry(each).model_dump() for each in recording.interactions],
        # not in most files, which stay as they are
        **({"open_ends": recording.open_ends} if recording.open_ends else {}),
        "bodies": {
            "sha256": sha256_of(packed),
            "bytes": len(packed),
            "blobs": {digest: blob.length for digest, blob in blobs.items()},
        },
    }
    took = [round(interaction.took_seconds, 3) for interaction in recording.interactions]
    return sealed(document, recorded=recording.recorded_at, took_seconds=took)


def _index(path: Path, data: bytes) -> _Index:
    document = unsealed(path, data)
    try:
        return _Index.model_validate(document)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise corrupted(path, f"not an index of format {FORMAT}: field {where}") from error


def _metadata(fields: Mapping[str, str]) -> Metadata:
    known = (field.name for field in dataclass_fields(Metadata))
    return Metadata(**{name: fields[name] for name in known if name in fields})


def _unreadable(path: Path, error: OSError) -> CassetteCorrupted:
    found = f"can't be read ({error.strerror or error})"
    return corrupted(path, found, repair="Give read permission on it and its folder.")


def _size_or_damage(packed: bytes, expected: int) -> str:
    if len(packed) != expected:
        return f"{len(packed)} bytes, the index expects {expected}"
    return "damaged: its checksum is not the one in the index"


def _finish_interrupted_save(path: Path) -> None:
    """Go on where a crash between the two renames of a save stopped: the new index still waits."""
    waiting, bodies = temporary(path), bodies_path(path)
    if not waiting.exists() or not bodies.exists():
        return
    try:
        index = _index(waiting, waiting.read_bytes())
    except CassetteCorrupted:
        return  # the crash came before it was whole, and so before the first rename
    if sha256_of(bodies.read_bytes()) == index.bodies.sha256:
        os.replace(waiting, path)
