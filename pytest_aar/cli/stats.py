"""`aar stats`: what a set of legs holds, counted as in the paper's Tables 2, 4, 7 and 8, and how diverse it is."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import TEMPLATES, Leg, diamonds, templates_of
from pytest_aar.leg_file import legs_in, read_leg
from pytest_aar.levels import VARIANTS, cell_rank, length_bin, length_bins
from pytest_aar.lint.likeness import MOST_ALIKE, MOST_UNEVEN

from .set_views import diversity, means, ranges

_COUNTS = ("legs", "stops", "roadblocks", "detours", "tool_calls")
_MEANS = ("means per leg", "level", "legs", *(name.replace("_", " ") for name in _COUNTS[1:]))
_LEVELS = ("before diamonds", "level", "legs", "stops", "roadblocks", "detours", "diamonds")


@click.command("stats")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def command(paths: tuple[Path, ...], *, as_json: bool) -> None:
    """Count legs, stops and tool calls per variant and level in PATHS (files or folders)."""
    found = statistics(legs_below(paths))
    click.echo(json.dumps(found, indent=2) if as_json else _tables(found))


def legs_below(paths: Iterable[Path]) -> Iterator[Leg]:
    """The legs in files and below folders, each file once, by path.

    Raises LegError for a broken one, ConfigurationError when there is none at all.
    """
    return map(read_leg, leg_files(paths))


def leg_files(paths: Iterable[Path], legs_root: Path | None = None) -> list[Path]:
    """The files of legs among files and below folders, each once, by path; of folders without their hidden ones.

    Below `legs_root` every JSON file counts as one.

    Raises ConfigurationError when there is none at all, or a named file is none.
    """
    paths = tuple(paths)
    files = dict.fromkeys(file for path in paths for file in _files(path, legs_root))
    if not files:
        raise ConfigurationError(
            f"no legs at {', '.join(map(str, paths))}: name a leg's JSON file, or a folder of them"
        )
    return list(files)


def statistics(legs: Iterable[Leg]) -> dict[str, Any]:
    """What a set holds, ready for JSON: integer totals, and what is derived from them.

    `means` and `ranges` are as the paper's Tables 2 and 4; `lengths` and `templates` count linear
    legs, as its Tables 8 and 7 do; `*_dag` the others.
    """
    legs = tuple(legs)
    cells: dict[tuple[str, str], Counter[str]] = {}
    kinds: Counter[str] = Counter()
    lengths: dict[str, Counter[str]] = {variant: Counter() for variant in VARIANTS}
    templates: dict[str, Counter[str]] = {variant: Counter() for variant in VARIANTS}
    for leg in legs:
        cells.setdefault((leg.variant, leg.level), Counter()).update(_counts(leg))
        kinds.update(_kinds(leg))
        lengths[leg.variant][length_bin(len(leg.stops))] += 1
        templates[leg.variant].update(templates_of(leg))
    rows = [_cell(*key, cells[key]) for key in sorted(cells, key=lambda key: cell_rank(*key))]
    return {
        "cells": rows,
        "means": means(rows, _COUNTS[1:]),
        "ranges": ranges(legs),
        "lengths": _row_of_lengths(lengths["linear"]),
        "templates": _row_of_templates(templates["linear"]),
        "lengths_dag": _row_of_lengths(lengths["dag"]),
        "templates_dag": _row_of_templates(templates["dag"]),
        "diversity": diversity(legs),
        "total": _total(cells.values()) | dict(sorted(kinds.items())),
    }


def _files(path: Path, legs_root: Path | None) -> list[Path]:
    if path.is_dir():
        return legs_in(path, legs_root)
    return [named_leg(path)]


def named_leg(path: Path) -> Path:
    """The path as given.

    Raises ConfigurationError unless it is that of a JSON file: whether that is a leg, reading it tells.
    """
    if path.suffix != ".json":
        raise ConfigurationError(
            f"{path} is no leg: name a leg's file, which ends with .json (aar generate makes some)"
        )
    return path


def _counts(leg: Leg) -> dict[str, int]:
    return {
        "legs": 1,
        "stops": len(leg.stops),
        "roadblocks": len(leg.roadblocks),
        "detours": len(leg.detours),
        "tool_calls": sum(len(roadblock.chain) for roadblock in leg.roadblocks),
    }


def _kinds(leg: Leg) -> dict[str, int]:
    return {"route_infos": len(leg.route_infos), "diamonds": len(diamonds(leg)), "finish_lines": 1}


def _cell(variant: str, level: str, counts: Counter[str]) -> dict[str, Any]:
    return {"variant": variant, "level": level} | {name: counts[name] for name in _COUNTS}


def _total(cells: Iterable[Counter[str]]) -> dict[str, int]:
    total = sum(cells, Counter[str]())
    return {name: total[name] for name in _COUNTS}


def _row_of_lengths(counts: Counter[str]) -> dict[str, int]:
    names = length_bins()
    return {name: counts[name] for name in [*names, *(n for n in sorted(counts) if n not in names)]}


def _row_of_templates(counts: Counter[str]) -> dict[str, int]:
    order = [template.name for template in TEMPLATES]
    return {name: counts[name] for name in [*order, *(n for n in sorted(counts) if n not in order)]}


def _tables(found: dict[str, Any]) -> str:
    from tabulate import tabulate  # noqa: PLC0415 - not for --json

    columns = ("variant", "level", *_COUNTS)
    rows = [[cell[name] for name in columns] for cell in found["cells"]]
    rows.append(["all", "", *(found["total"][name] for name in _COUNTS)])
    labels = {template.name: template.label or "" for template in TEMPLATES}
    lengths = [[n, k, found["lengths_dag"].get(n, 0)] for n, k in found["lengths"].items()]
    names = dict.fromkeys((*found["templates"], *found["templates_dag"]))
    templates = [
        [n, labels.get(n, ""), found["templates"].get(n, 0), found["templates_dag"].get(n, 0)]
        for n in names
    ]
    return "\n\n".join(
        (
            tabulate(rows, headers=[name.replace("_", " ") for name in columns]),
            tabulate(_mean_rows(found["means"]), headers=_MEANS, floatfmt=".1f"),
            tabulate(_range_rows(found["ranges"]), headers=_LEVELS),
            tabulate(lengths, headers=["legs by stops", "linear", "dag"]),
            tabulate(templates, headers=["legs with template", "Table 7", "linear", "dag"]),
            _told(found["diversity"]),
        )
    )


def _mean_rows(rows: Iterable[Mapping[str, Any]]) -> list[list[Any]]:
    return [list(row.values()) for row in rows]


def _range_rows(rows: Iterable[Mapping[str, Any]]) -> list[list[Any]]:
    """Each range as found, the level's own, and how many legs are outside: "3-6 of 3-6, 0 out"."""
    return [
        [
            cell
            if not isinstance(cell, dict)
            else _range(cell["found"], cell["level"], cell["outside"])
            for cell in row.values()
        ]
        for row in rows
    ]


def _range(found: Sequence[int], level: Sequence[int], outside: int) -> str:
    (low, high), (least, most) = found, level
    return f"{low}-{high} of {least}-{most}, {outside} out"


def _told(found: Mapping[str, Any]) -> str:
    mean, uneven = found["mean_jaccard"], found["digits_chi_square"]
    digits = ", ".join(f"{digit}: {count}" for digit, count in enumerate(found["digits"]))
    shared = "one leg alone" if mean is None else f"mean Jaccard similarity of two legs {mean:.4f}"
    return (
        f"{found['pages']:,} pages; {shared}; pairs above {MOST_ALIKE}: {found['pairs_above_half']:,}\n"
        f"digits {digits}; chi-square {uneven:.1f} (even up to {MOST_UNEVEN:.1f})"
    )
