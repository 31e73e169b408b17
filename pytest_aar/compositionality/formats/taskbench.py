"""TaskBench's tool graphs; where its data are not at hand, the counts that its README publishes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NotRequired

from pydantic import BeforeValidator, TypeAdapter
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from pytest_aar.compositionality.documents import files_below, text_of
from pytest_aar.compositionality.entries import (
    Entry,
    Layout,
    checked,
    name_of,
    read_entries,
    rows_with,
    unquoted,
)
from pytest_aar.compositionality.records import Fault, Published, Reading, Shape, ToolGraph
from pytest_aar.errors import ConfigurationError

_TABLE = re.compile(r"^\|.*\| *Node *\| *Chain *\| *DAG *\|$", re.MULTILINE)
_COUNTS = re.compile(r"\| *([\d,]+) *\| *([\d,]+) *\| *([\d,]+) *\|$")


class _Node(TypedDict):
    task: str


class _Link(TypedDict):
    source: str
    target: str


_Nodes = Annotated[list[_Node], BeforeValidator(unquoted)]
_Links = Annotated[list[_Link], BeforeValidator(unquoted)]


class _Sample(TypedDict):
    task_nodes: NotRequired[_Nodes]
    task_links: NotRequired[_Links]
    tool_nodes: NotRequired[_Nodes]
    tool_links: NotRequired[_Links]


_SAMPLE = TypeAdapter(_Sample)


def read(paths: Sequence[Path]) -> Reading:
    """The samples' graphs; of a README in Markdown, or of folders with nothing else, the published counts."""
    readmes = [path for path in paths if path.suffix == ".md"]
    rest = [path for path in paths if path not in readmes]
    reading = read_entries(rest, _LAYOUT)
    published = [_counts(file) for file in readmes]
    if not (published or reading.graphs or reading.faults):
        below = files_below(filter(Path.is_dir, rest), (".md",))
        published = [_counts(file) for file in below if _TABLE.search(text_of(file))]
    return replace(reading, published=tuple(published))


def _entries(found: object, file: Path) -> list[Entry] | None:
    rows = rows_with(found, "task_nodes") or rows_with(found, "tool_nodes")
    if rows is None:
        return None
    folder = file.parent.name
    return [
        Entry(instance=f"{folder}/{name_of(row, 'id', file, number)}", where=str(file), raw=row)
        for number, row in enumerate(rows, 1)
    ]


def _graph(entry: Entry) -> ToolGraph | Fault:
    sample = checked(_SAMPLE, entry)
    if isinstance(sample, Fault):
        return sample
    nodes = sample.get("task_nodes", sample.get("tool_nodes"))
    links = sample.get("task_links", sample.get("tool_links"))
    if nodes is None or links is None:
        return entry.fault("malformed", "task_nodes or task_links: Field required")
    names = [node["task"] for node in nodes]
    ends = [name for link in links for name in (link["source"], link["target"])]
    for name in ends:
        if names.count(name) != 1:
            kind = "repeated step" if name in names else "dangling reference"
            return entry.fault(kind, f"a link names {name!r}, which {names.count(name)} steps have")
    return entry.graph(
        len(names),
        ((names.index(link["source"]), names.index(link["target"])) for link in links),
    )


def _counts(file: Path) -> Published:
    """The sums of the columns Node, Chain and DAG.

    Raises ConfigurationError where there is no such table.
    """
    _, *table = _TABLE.split(text_of(file), maxsplit=1)
    lines = "".join(table).strip().split("\n\n")[0].splitlines()
    rows = [
        [int(cell.replace(",", "")) for cell in row.groups()]
        for row in map(_COUNTS.search, lines)
        if row
    ]
    if not rows:
        raise ConfigurationError(
            f"{file}: no table with the columns Node, Chain and DAG, as TaskBench's README has; "
            "name that README, or TaskBench's data"
        )
    single, chains, dags = map(sum, zip(*rows, strict=True))
    shapes: dict[Shape, int] = {"path": single + chains, "dag": dags, "fork": 0, "apart": 0}
    return Published(shapes=shapes)


_LAYOUT = Layout(
    title="TaskBench",
    holds="samples with `task_nodes` and `task_links` (or `tool_nodes` and `tool_links`)",
    entries=_entries,
    graph=_graph,
)
