"""The figures for people and programs: a table, and one JSON object."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from .measures import Measured
from .records import Row

_NAMED = 10


def as_json(measured: Sequence[Measured]) -> dict[str, Any]:
    """Counts as they are, mean steps to two places, shares in per cent to one; null where undefined."""
    return {"benchmarks": [_object(each) for each in measured]}


def table(rows: Sequence[tuple[str, Row]]) -> str:
    """A line for each labelled row, with notes below it."""
    from tabulate import tabulate  # noqa: PLC0415 - not for --json

    lines = [(label, row.instances, *figures(row)) for label, row in rows]
    headers = ("benchmark", "n", "steps", "% linear", "% DAG", "% other")
    shown = tabulate(
        lines, headers=headers, disable_numparse=True, colalign=("left", *["right"] * 5)
    )
    notes = dict.fromkeys(
        f"{label}: {'undefined: ' if row.undefined else ''}{row.undefined or row.note}"
        for label, row in rows
        if row.undefined or row.note
    )
    return "\n\n".join(filter(None, (shown, "\n".join(notes))))


def figures(row: Row) -> tuple[str, str, str, str]:
    """Mean steps and the shares of linear, DAG and other instances, as texts."""
    steps = "-" if row.steps is None else f"{row.steps:.2f}"
    shares = (row.percent("path"), row.percent("dag"), row.percent("fork", "apart"))
    linear, dag, other = ("undefined" if share is None else f"{share:.1f}" for share in shares)
    return steps, linear, dag, other


def remarks(each: Measured) -> Iterator[str]:
    """What is not in the figures: faulty instances by kind and name, repeated ones, files of other kinds."""
    where = f"{each.title} ({', '.join(each.paths)})"
    kinds = Counter(fault.kind for fault in each.faults)
    if kinds:
        counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        yield f"{where}: {len(each.faults)} left out: {counted}"
        yield from (f"  {fault}" for fault in each.faults[:_NAMED])
        if len(each.faults) > _NAMED:
            yield f"  ... {len(each.faults) - _NAMED} more: --json names them all"
    if each.repeated:
        yield f"{where}: {each.repeated} found again, counted once"
    if each.passed_over:
        count = len(each.passed_over)
        yield f"{where}: {count} file{'s' * (count != 1)} in another format passed over"


def labelled(measured: Sequence[Measured]) -> list[tuple[str, Row]]:
    """The rows with their names; two of one name are told apart by their paths."""
    names = Counter(row.benchmark for each in measured for row in each.rows)
    return [
        (
            row.benchmark
            if names[row.benchmark] == 1
            else f"{row.benchmark} ({', '.join(each.paths)})",
            row,
        )
        for each in measured
        for row in each.rows
    ]


def _object(each: Measured) -> dict[str, Any]:
    return {
        "benchmark": each.title,
        "paths": list(each.paths),
        "rows": [_row(row) for row in each.rows],
        "faults": [asdict(fault) for fault in each.faults],
        "repeated": each.repeated,
        "passed_over": list(each.passed_over),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": row.benchmark,
        "format": row.format,
        "part": row.part,
        "instances": row.instances,
        "mean_steps": _rounded(row.steps, 2),
        "percent_linear": _rounded(row.percent("path"), 1),
        "percent_dag": _rounded(row.percent("dag"), 1),
        "percent_other": _rounded(row.percent("fork", "apart"), 1),
        "shapes": None if row.shapes is None else dict(row.shapes),
        "undefined": row.undefined,
        "note": row.note,
    }


def _rounded(figure: float | None, places: int) -> float | None:
    return None if figure is None else round(figure, places)
