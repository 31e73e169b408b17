"""`aar validity`: which legs' digits can still be found, and a mask of them for other programs."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pytest_aar.errors import ConfigurationError
from pytest_aar.guarded import told_if_unwritable, write_file
from pytest_aar.leg import CLASSES, Leg, Validity, validity_of
from pytest_aar.leg_file import is_hidden, read_leg
from pytest_aar.levels import cell_rank
from pytest_aar.results import keep_out_of_git
from pytest_aar.results.mask import MASK, mask_of

from .stats import leg_files


@click.command("validity")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@click.option(
    "--mask",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"File to write each leg's class to. [default: {MASK}]",
)
@click.option("--reasons", is_flag=True, help="Print each leg's reasons, golden values among them.")
def command(paths: tuple[Path, ...], *, as_json: bool, mask: Path | None, reasons: bool) -> None:
    """Say which legs in PATHS (files or folders) are stable, stable-if-pinned, drifting or faulty."""
    if mask is not None:
        _check_place(mask, paths)
    judged = [(leg, validity_of(leg)) for leg in _told_apart(leg_files(paths))]
    found = counts(judged)
    written = _write(mask, mask_of(judged))
    click.echo(json.dumps(found, indent=2) if as_json else _tables(found))
    if reasons:
        click.echo("\n".join(["", *_lines(judged)]), err=as_json)
    click.echo(f"mask of {len(judged)} legs: {written}", err=True)


def _check_place(mask: Path, paths: Iterable[Path]) -> None:
    """Refuse a mask among legs, where each JSON file is taken for one; hidden folders hold none."""
    for folder in filter(Path.is_dir, paths):
        place, root = mask.absolute(), folder.absolute()
        if place.is_relative_to(root) and not is_hidden(place.relative_to(root)):
            raise ConfigurationError(
                f"--mask {mask} lies below {folder}, where each JSON file is taken for a leg: choose a file "
                f"elsewhere, or leave --mask out (then it is {MASK})"
            )


def _told_apart(files: Iterable[Path]) -> list[Leg]:
    """The legs in files; two of one id are refused, since a mask names legs by their ids."""
    legs: dict[str, tuple[Path, Leg]] = {}
    for file in files:
        leg = read_leg(file)
        if leg.leg_id in legs:
            raise ConfigurationError(
                f"two files have the leg id {leg.leg_id!r}: {legs[leg.leg_id][0]} and {file}; an id is the path "
                "below the legs root: judge the folders one by one, each with a --mask of its own"
            )
        legs[leg.leg_id] = file, leg
    return [leg for _, leg in legs.values()]


def counts(judged: Sequence[tuple[Leg, Validity]]) -> dict[str, Any]:
    """Legs by cell and class, and by class and reason (a leg counts once for each of its reasons)."""
    cells: dict[tuple[str, str], Counter[str]] = {}
    reasons: dict[str, Counter[str]] = {}
    for leg, found in judged:
        cells.setdefault((leg.variant, leg.level), Counter())[found.name] += 1
        names = {reason.name for reason in found.reasons}
        reasons.setdefault(found.name, Counter()).update(names)
    total: Counter[str] = Counter(found.name for _, found in judged)
    return {
        "cells": [
            {"variant": variant, "level": level, **_row(cells[variant, level])}
            for variant, level in sorted(cells, key=lambda cell: cell_rank(*cell))
        ],
        "total": _row(total),
        "reasons": {
            name: dict(reasons[name].most_common()) for name in CLASSES if reasons.get(name)
        },
    }


def _row(counted: Mapping[str, int]) -> dict[str, int]:
    return {"legs": sum(counted.values()), **{name: counted.get(name, 0) for name in CLASSES}}


def _write(wanted: Path | None, mask: Mapping[str, Any]) -> Path:
    """Write the mask; where it lies."""
    path = wanted or MASK
    with told_if_unwritable(path, "choose another file with --mask"):
        if wanted is None:
            keep_out_of_git(path.parent)
        write_file(path, json.dumps(mask, indent=1, ensure_ascii=False) + "\n")
    return path


def _lines(judged: Sequence[tuple[Leg, Validity]]) -> list[str]:
    return [
        f"{leg.leg_id}: {found.name}: {reason}" for leg, found in judged for reason in found.reasons
    ]


def _tables(found: Mapping[str, Any]) -> str:
    from tabulate import tabulate  # noqa: PLC0415 - not for --json

    columns = ("legs", *CLASSES)
    rows = [
        [cell["variant"], cell["level"], *(cell[name] for name in columns)]
        for cell in found["cells"]
    ]
    rows.append(["all", "", *(found["total"][name] for name in columns)])
    reasons = [
        [name, reason, count]
        for name, counted in found["reasons"].items()
        for reason, count in counted.items()
    ]
    tables = [tabulate(rows, headers=["variant", "level", *columns])]
    if reasons:
        tables.append(tabulate(reasons, headers=["class", "reason", "legs"]))
    return "\n\n".join(tables)
