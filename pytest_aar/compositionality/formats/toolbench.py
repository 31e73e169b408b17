"""ToolBench's runs: a tree of messages; the calls of tools among them, each after the one above it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from pytest_aar.compositionality.entries import Entry, Layout, checked, read_entries
from pytest_aar.compositionality.records import Fault, Reading, ToolGraph

# The message may be cut short, so it is no literal any more.
_FINISH = re.compile(r"""\{['"]name['"]: ['"]Finish['"]""")


class _Message(TypedDict):
    role: str
    message: str
    next: list["_Message"]


class _Answer(TypedDict):
    answer_details: list[_Message]


class _Run(TypedDict):
    answer: _Answer


_RUN = TypeAdapter(_Run)


def read(paths: Sequence[Path]) -> Reading:
    """The runs in ToolEval's files of answers, each named by its file and query."""
    return read_entries(paths, _LAYOUT)


def _entries(found: object, file: Path) -> list[Entry] | None:
    if not isinstance(found, Mapping) or not any(map(_is_run, found.values())):
        return None
    return [
        Entry(instance=f"{file}:{query}", where=str(file), raw=raw) for query, raw in found.items()
    ]


def _is_run(raw: object) -> bool:
    answer = raw.get("answer") if isinstance(raw, Mapping) else None
    return isinstance(answer, Mapping) and "answer_details" in answer


def _graph(entry: Entry) -> ToolGraph | Fault:
    run = checked(_RUN, entry)
    if isinstance(run, Fault):
        return run
    finish: list[int] = []
    edges: list[tuple[int, int]] = []
    nodes = 0
    open_messages: list[tuple[_Message, int | None]] = [
        (message, None) for message in run["answer"]["answer_details"]
    ]
    while open_messages:
        message, before = open_messages.pop()
        if message["role"] == "tool":
            if before is not None:
                edges.append((before, nodes))
            if _FINISH.match(message["message"]):
                finish.append(nodes)
            before, nodes = nodes, nodes + 1
        open_messages += [(each, before) for each in message["next"]]
    return entry.graph(nodes, edges, finish=finish)


_LAYOUT = Layout(
    title="ToolBench",
    holds="an object of runs by query, each with `answer` and in it `answer_details`",
    entries=_entries,
    graph=_graph,
)
