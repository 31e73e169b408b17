"""BFCL's possible answers: calls, and nothing on which of them needs another's result."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from pytest_aar.compositionality.entries import (
    Entry,
    Layout,
    checked,
    named_rows,
    read_entries,
    rows_with,
)
from pytest_aar.compositionality.records import Fault, Reading, ToolGraph


class _Row(TypedDict):
    ground_truth: list[dict[str, Any] | list[str]]


_ROW = TypeAdapter(_Row)


def read(paths: Sequence[Path]) -> Reading:
    """The rows of files of possible answers; those whose answers are texts, not calls, are passed over."""
    return read_entries(paths, _LAYOUT)


def _entries(found: object, file: Path) -> list[Entry] | None:
    rows = rows_with(found, "ground_truth", list)
    if rows is None or not any(map(_has_calls, rows)):
        return None
    return named_rows(rows, file, key="ground_truth", name="id")


def _has_calls(row: object) -> bool:
    truth = row.get("ground_truth") if isinstance(row, Mapping) else None
    return isinstance(truth, list) and any(isinstance(each, dict | list) for each in truth)


def _graph(entry: Entry) -> ToolGraph | Fault:
    row = checked(_ROW, entry)
    if isinstance(row, Fault):
        return row
    # One call an object; a list is a turn, of calls as texts.
    calls = sum(len(each) if isinstance(each, list) else 1 for each in row["ground_truth"])
    return entry.graph(calls, None)


_LAYOUT = Layout(
    title="BFCL",
    holds="possible answers: rows with a list `ground_truth` of calls, or of turns of calls",
    entries=_entries,
    graph=_graph,
)
