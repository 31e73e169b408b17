"""What all JSON formats share: files to entries, entries to graphs, repeated ones apart."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from pytest_aar.errors import ConfigurationError

from .documents import document, files_below, text_of
from .records import Fault, Reading, ToolGraph

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One instance as its file holds it; `instance` is its name, unique within the benchmark."""

    instance: str
    where: str
    raw: object

    def fault(self, kind: str, what: str) -> Fault:
        """This instance can't be measured."""
        return Fault(kind=kind, instance=self.instance, where=self.where, what=what)

    def graph(
        self,
        nodes: int,
        edges: Iterable[tuple[int, int]] | None,
        *,
        finish: Iterable[int] = (),
        part: str = "",
    ) -> ToolGraph:
        """This instance's graph."""
        return ToolGraph(
            instance=self.instance,
            where=self.where,
            nodes=nodes,
            edges=None if edges is None else frozenset(edges),
            finish=frozenset(finish),
            part=part,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a format lays out its files.

    `holds` says what an entry must have. `entries` gives a document's entries, None for a document of
    another kind; `graph` judges one of them.
    """

    title: str
    holds: str
    entries: Callable[[object, Path], Sequence[Entry] | None]
    graph: Callable[[Entry], ToolGraph | Fault]


@dataclass(slots=True)
class Collected:
    """What is read of a benchmark, instance after instance, from whichever of its files."""

    graphs: dict[str, ToolGraph] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    repeated: int = 0

    def add(self, found: ToolGraph | Fault, *, key: str | None = None) -> None:
        """Keep what was found; a graph that is there already is counted, another one under its key is a fault.

        `key` stands for the instance, its name by default.
        """
        if isinstance(found, Fault):
            self.faults.append(found)
            return
        before = self.graphs.setdefault(key or found.instance, found)
        if before is found:
            return
        if found.repeats(before):
            self.repeated += 1
        else:
            what = f"another graph has this name in {before.where}"
            self.faults.append(
                Fault(kind="repeated name", instance=found.instance, where=found.where, what=what)
            )

    def reading(self) -> Reading:
        """All of it."""
        return Reading(
            graphs=tuple(self.graphs.values()),
            faults=tuple(self.faults),
            passed_over=tuple(self.passed_over),
            repeated=self.repeated,
        )


def read_entries(paths: Sequence[Path], layout: Layout) -> Reading:
    """What the files hold; below folders, files of other kinds and empty ones are passed over.

    Raises ConfigurationError for a named file of another kind, and for what is no JSON.
    """
    collected = Collected()
    for file in files_below(paths):
        text = text_of(file)
        is_left = file not in paths and not text.strip()  # its program was stopped before it wrote
        entries = None if is_left else layout.entries(document(file, text), file)
        if entries is not None:
            for entry in entries:
                collected.add(layout.graph(entry))
        elif file in paths:
            raise ConfigurationError(
                f"{file}: not in the format of {layout.title}, which has {layout.holds}; choose "
                "another --format, or name another file"
            )
        else:
            collected.passed_over.append(str(file))
    return collected.reading()


def rows_with(found: object, key: str, kind: type | UnionType = object) -> list[Any] | None:
    """A document's rows if one of them has this key, with a value of this kind; else None."""
    rows = found if isinstance(found, list) else [found]
    fits = any(
        isinstance(row, Mapping) and key in row and isinstance(row[key], kind) for row in rows
    )
    return rows if fits else None


def named_rows(
    found: object, file: Path, *, key: str, name: str, kind: type | UnionType = object
) -> list[Entry] | None:
    """The document's rows as entries, named by the value of `name`; None for another kind of document."""
    rows = rows_with(found, key, kind)
    if rows is None:
        return None
    return [
        Entry(instance=name_of(row, name, file, number), where=str(file), raw=row)
        for number, row in enumerate(rows, 1)
    ]


def name_of(row: object, key: str, file: Path, number: int) -> str:
    """A row's name by its key, else its file and number (the first is 1)."""
    name = row.get(key) if isinstance(row, Mapping) else None
    return str(name) if isinstance(name, str | int) else f"{file}:{number}"


def checked(shape: TypeAdapter[_T], entry: Entry) -> _T | Fault:
    """The entry in its shape, else a fault that names the field."""
    try:
        return shape.validate_python(entry.raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the entry"
        return entry.fault("malformed", f"{place}: {first['msg']}")


def unquoted(value: object) -> object:
    """A list or object that is kept as a JSON text, unpacked; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def chain(nodes: int) -> list[tuple[int, int]]:
    """The edges of a path."""
    return [(before, before + 1) for before in range(nodes - 1)]
