"""The text of an index file, and the check that not one byte of it changed.

```
{
 "checksum": "<sha256 of all lines up to times_at>",
 "format": 1, ...
 "times_at": {"recorded": "...", "took_seconds": [...], "checksum": "..."}
}
```

Times stand in a line of their own under a checksum of their own: recording the same race twice
gives equal files apart from that line.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_aar.cassettes.blobs import sha256_of
from pytest_aar.cassettes.faults import corrupted, not_a_cassette

FORMAT = 1
_START = b'{\n "checksum": "'
_TIMES = b' "times_at": '
_END = b"\n}\n"
_HASH_LENGTH = 64
_CONFLICT = re.compile(rb"^(<<<<<<<|=======|>>>>>>>)", re.MULTILINE)
_LFS = b"version https://git-lfs"


def sealed(document: Mapping[str, Any], *, recorded: str, took_seconds: Sequence[float]) -> bytes:
    """The bytes of an index file."""
    text = json.dumps({"format": FORMAT, **document}, indent=1, ensure_ascii=False)
    content = text.encode("utf-8", "replace").removeprefix(b"{\n").removesuffix(b"\n}") + b",\n"
    start = _START + sha256_of(content).encode() + b'",\n'
    return start + content + _TIMES + _times(recorded, took_seconds) + _END


def unsealed(path: Path, data: bytes) -> dict[str, Any]:
    """The document in an index file, with `times_at`.

    Raises:
        CassetteCorrupted: any byte is not as written; the message says what the file looks like.
    """
    data = data.replace(b"\r\n", b"\n")  # a checkout may have converted line ends
    content, _, times = data[len(_START) + _HASH_LENGTH + 3 :].rpartition(_TIMES)
    start = _START + sha256_of(content).encode() + b'",\n'
    if not data.startswith(start) or not times.endswith(_END):
        raise _explained(path, data)
    if not _times_fit(times.removesuffix(_END)):
        raise corrupted(path, "damaged: the checksum of times_at does not fit")
    document: dict[str, Any] = json.loads(data)
    if document["format"] != FORMAT:
        found = f"format {document['format']}, this version reads format {FORMAT}"
        raise corrupted(path, found, repair="Upgrade pytest-aar, or record again.")
    return document


def _times(recorded: str, took_seconds: Sequence[float]) -> bytes:
    times: dict[str, Any] = {"recorded": recorded, "took_seconds": took_seconds}
    checksum = sha256_of(json.dumps(times).encode())[:16]
    return json.dumps({**times, "checksum": checksum}).encode()


def _times_fit(line: bytes) -> bool:
    try:
        times = json.loads(line)
    except ValueError:
        return False
    if not isinstance(times, dict) or not {"recorded", "took_seconds"} <= times.keys():
        return False
    return _times(times["recorded"], times["took_seconds"]) == line


def _explained(path: Path, data: bytes) -> Exception:
    if not data.strip():
        return corrupted(path, "the file is empty")
    if data.startswith(_LFS):
        return corrupted(path, "a Git LFS pointer, not the file", repair="Run git lfs pull.")
    if _CONFLICT.search(data):
        repair = "Take one side whole (git checkout --ours or --theirs), or record again."
        return corrupted(path, "has merge conflict markers", repair=repair)
    if _is_of_another_kind(data):
        return not_a_cassette(path)
    return corrupted(path, "damaged or edited: the checksum in its first lines does not fit")


def _is_of_another_kind(data: bytes) -> bool:
    """Whether it is JSON without any part of an index, which an edited or reformatted index still has."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return not isinstance(document, dict) or not {"checksum", "interactions"} & document.keys()
