"""The `.partial` file of a running recording: each complete interaction is appended at once."""

import base64
import json
import os
import zlib
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any

from pytest_aar.cassettes.asked import Interaction
from pytest_aar.cassettes.blobs import Blob
from pytest_aar.cassettes.disk import try_lock
from pytest_aar.cassettes.entries import Entry, EntryReader, EntryWriter, blobs_of
from pytest_aar.cassettes.faults import busy, unwritable
from pytest_aar.guarded import append
from pytest_aar.secrets import Secrets


class Journal:
    """One recorder's journal; the lock on it makes it the only recorder.

    Each line is the crc32 of the rest, a space, and JSON: a body under its hash, or an interaction.
    """

    def __init__(self, path: Path, file: FileIO) -> None:
        self.path, self._file = path, file
        self._writer = EntryWriter()
        self._written: set[str] = set()

    @classmethod
    def open(cls, path: Path) -> "Journal":
        """Lock the journal; call `resume` or `start` next.

        Raises:
            InfrastructureError: another process records here, or the folder can't be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = _locked(path)
        except OSError as error:
            raise unwritable(path, error) from error
        if file is None:
            raise busy(path)
        return cls(path, file)

    def resume(self) -> list[Interaction]:
        """What an interrupted recording left; it stays in the journal and new lines follow it."""
        interactions, length = _read(self.path)
        self._file.truncate(length)  # a line that was cut off would swallow the next one
        for interaction in interactions:
            self._writer.entry(interaction)
            self._written.update(blob.digest for blob in blobs_of(interaction))
        return interactions

    def start(self) -> None:
        """Begin anew with an empty file."""
        self._file.truncate(0)
        self._writer, self._written = EntryWriter(), set()

    def append(self, interaction: Interaction, *, secrets: Secrets | None = None) -> None:
        """Write the interaction down; after this a kill of the process can't lose it.

        Raises:
            SecretFound: there is a secret in it; nothing of it was written.
            OSError: the disk is full, ...; nothing of it was written.
        """
        new = {
            blob.digest: blob.read()
            for blob in blobs_of(interaction)
            if blob.digest not in self._written
        }
        entry = self._writer.entry(interaction).model_dump()
        last = _line({"entry": entry, "took_seconds": interaction.took_seconds})
        lines = [_line({"body": digest, **_content(data)}) for digest, data in new.items()]
        append(
            self._file.fileno(),
            b"".join([*lines, last]),
            path=self.path,
            secrets=secrets,
            unpacked=b"\n".join([*new.values(), last]),
        )
        self._written.update(new)

    def close(self, *, keep: bool) -> None:
        """Let go of the lock; `keep` leaves a file that is not empty for a later recorder."""
        try:
            if not keep or not os.fstat(self._file.fileno()).st_size:
                self.path.unlink(missing_ok=True)
        finally:
            self._file.close()


def read_journal(path: Path) -> list[Interaction]:
    """What an interrupted recording left at `path`, up to the first damaged line."""
    return _read(path)[0] if path.is_file() else []


def _read(path: Path) -> tuple[list[Interaction], int]:
    """The interactions, and the length of the file up to the first damaged line."""
    blobs: dict[str, Blob] = {}
    reader = EntryReader(blobs.__getitem__)
    interactions: list[Interaction] = []
    length = 0
    for line, size in _whole_lines(path.read_bytes()):
        length += size
        if "body" in line:
            blobs[line["body"]] = Blob.of(_bytes(line))
            continue
        entry, number = Entry.model_validate(line["entry"]), len(interactions)
        interactions.append(
            reader.interaction(entry, took_seconds=line["took_seconds"], sequence=number)
        )
    return interactions, length


def _content(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _bytes(line: dict[str, Any]) -> bytes:
    return line["text"].encode() if "text" in line else base64.b64decode(line["base64"])


def _line(content: dict[str, Any]) -> bytes:
    data = json.dumps(content, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(data), data)


def _whole_lines(data: bytes) -> Iterator[tuple[dict[str, Any], int]]:
    """Lines and sizes up to the first damaged one: later ones may refer to what it held."""
    for line in data.splitlines(keepends=True):
        checksum, _, content = line.partition(b" ")
        if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(content[:-1]):
            return
        yield json.loads(content), len(line)


def _locked(path: Path) -> FileIO | None:
    """The file, open for appending and locked; None when another process has it."""
    while True:
        file = FileIO(path, "ab")  # no buffer: what is written must survive a kill
        if not try_lock(file.fileno()):
            file.close()
            return None
        # Its last owner may have deleted it between our open and our lock.
        if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
            return file
        file.close()
