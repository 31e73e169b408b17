"""GAIA's questions: the annotator's number of steps, which are a numbered list."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from pytest_aar.compositionality.entries import (
    Entry,
    Layout,
    chain,
    checked,
    named_rows,
    read_entries,
)
from pytest_aar.compositionality.records import Fault, Reading, ToolGraph

_METADATA = "Annotator Metadata"
_COUNT = "Number of steps"
_NUMBER = re.compile(r"[1-9][0-9]{0,2}")
_Row = TypedDict("_Row", {"Annotator Metadata": dict[str, Any]})
_ROW = TypeAdapter(_Row)


def read(paths: Sequence[Path]) -> Reading:
    """The questions in `metadata.jsonl`; those of the test split have no metadata, so no steps."""
    return read_entries(paths, _LAYOUT)


def _entries(found: object, file: Path) -> list[Entry] | None:
    return named_rows(found, file, key=_METADATA, name="task_id")


def _graph(entry: Entry) -> ToolGraph | Fault:
    row = checked(_ROW, entry)
    if isinstance(row, Fault):
        return row
    stated = str(row["Annotator Metadata"].get(_COUNT) or "").strip()
    if not _NUMBER.fullmatch(stated):
        return entry.fault("no steps", f"{_COUNT} is {stated!r}, not a number from 1 to 999")
    return entry.graph(int(stated), chain(int(stated)))


_LAYOUT = Layout(
    title="GAIA",
    holds=f"questions with an object {_METADATA!r} and in it {_COUNT!r}",
    entries=_entries,
    graph=_graph,
)
