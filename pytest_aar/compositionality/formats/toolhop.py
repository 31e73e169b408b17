"""ToolHop's questions: `sub_task` holds the hops in order, each a question with its answer."""

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


class _Question(TypedDict):
    sub_task: dict[str, Any]


_QUESTION = TypeAdapter(_Question)


def read(paths: Sequence[Path]) -> Reading:
    """The questions in `ToolHop.json`."""
    return read_entries(paths, _LAYOUT)


def _entries(found: object, file: Path) -> list[Entry] | None:
    return named_rows(found, file, key="sub_task", name="id", kind=dict)


def _graph(entry: Entry) -> ToolGraph | Fault:
    question = checked(_QUESTION, entry)
    if isinstance(question, Fault):
        return question
    hops = len(question["sub_task"])
    return entry.graph(hops, chain(hops))


_LAYOUT = Layout(
    title="ToolHop",
    holds="questions with an object `sub_task` of hops",
    entries=_entries,
    graph=_graph,
)
