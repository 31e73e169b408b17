"""NESTFUL's calls: an argument such as `$var1.id$` or `$var_1.result$` names the call that it needs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pydantic import BeforeValidator, TypeAdapter
from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from pytest_aar.compositionality.entries import (
    Entry,
    Layout,
    checked,
    named_rows,
    read_entries,
    unquoted,
)
from pytest_aar.compositionality.records import Fault, Reading, ToolGraph

#: The last call of the first edition: it only says which results are the answer.
_FINISH = "var_result"
_REFERENCE = re.compile(r"\$(var_?\d+)(?:\.[^$]*)?\$")


class _Call(TypedDict):
    name: str
    arguments: dict[str, Any]
    label: NotRequired[str | None]


class _Sample(TypedDict):
    output: Annotated[list[_Call], BeforeValidator(unquoted)]


_SAMPLE = TypeAdapter(_Sample)


def read(paths: Sequence[Path]) -> Reading:
    """The samples of either edition: `v1` labels calls `var1`, `v2` labels them `$var_1`."""
    return read_entries(paths, _LAYOUT)


def _entries(found: object, file: Path) -> list[Entry] | None:
    return named_rows(found, file, key="output", name="sample_id", kind=list | str)


def _graph(entry: Entry) -> ToolGraph | Fault:
    sample = checked(_SAMPLE, entry)
    if isinstance(sample, Fault):
        return sample
    calls = sample["output"]
    labels = [(call.get("label") or "") for call in calls]
    places = {label.removeprefix("$"): place for place, label in enumerate(labels) if label}
    needs = [(name, place) for place, call in enumerate(calls) for name in _names(call)]
    unknown = [name for name, _ in needs if name not in places]
    if unknown:
        return entry.fault("dangling reference", f"no call has the label {unknown[0]!r}")
    if len(places) < sum(map(bool, labels)):
        return entry.fault("repeated step", "two calls have one label")
    return entry.graph(
        len(calls),
        ((places[name], place) for name, place in needs),
        finish=(place for place, call in enumerate(calls) if call["name"] == _FINISH),
        part="v2" if any(label.startswith("$") for label in labels) else "v1",
    )


def _names(call: _Call) -> list[str]:
    return [name for text in _texts(call["arguments"]) for name in _REFERENCE.findall(text)]


def _texts(value: object) -> Iterator[str]:
    """The texts in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


_LAYOUT = Layout(
    title="NESTFUL",
    holds="samples with a list `output` of calls (name, arguments, label)",
    entries=_entries,
    graph=_graph,
)
