"""`aar compositionality`: how compositional benchmarks are, side by side, as the paper's Tables 1 and 10."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from pytest_aar.compositionality import (
    FORMATS,
    Measured,
    as_json,
    chart,
    labelled,
    measure,
    remarks,
    table,
)
from pytest_aar.errors import ConfigurationError
from pytest_aar.guarded import told_if_unwritable, write_file


@click.command("compositionality")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "formats",
    multiple=True,
    required=True,
    type=click.Choice(list(FORMATS)),
    help="Format of PATHS; once for all of them together, or once for each, in their order.",
)
@click.option("--json", "as_object", is_flag=True, help="Print one JSON object instead of a table.")
@click.option(
    "--chart",
    "chart_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="SVG file to write a bar chart to.",
)
def command(
    paths: tuple[Path, ...], formats: tuple[str, ...], *, as_object: bool, chart_file: Path | None
) -> None:
    """Measure the benchmarks in PATHS (files or folders): mean steps, % linear, % DAG.

    Several side by side: `aar compositionality legs --format aar plan.json --format teval`.
    """
    if chart_file is not None:
        _check_folder(chart_file)
    measured = [measure(FORMATS[name], files) for name, files in _pairs(paths, formats)]
    rows = labelled(measured)
    click.echo(json.dumps(as_json(measured), indent=2) if as_object else table(rows))
    _remark(measured)
    if chart_file is not None:
        _write(chart_file, chart(rows))
        click.echo(f"chart: {chart_file}", err=True)


def _check_folder(chart_file: Path) -> None:
    """Before the work, which may take minutes."""
    folder = chart_file.parent
    if not folder.is_dir():
        raise ConfigurationError(
            f"--chart {chart_file}: there is no folder {folder}; make it, or choose another file with --chart"
        )


def _pairs(paths: Sequence[Path], formats: Sequence[str]) -> list[tuple[str, Sequence[Path]]]:
    if len(formats) == 1:
        return [(formats[0], paths)]
    if len(formats) != len(paths):
        raise ConfigurationError(
            f"{len(paths)} paths and {len(formats)} formats: give one --format for all paths, which "
            "are then one benchmark, or one for each path, in their order"
        )
    return [(name, (path,)) for name, path in zip(formats, paths, strict=True)]


def _remark(measured: Sequence[Measured]) -> None:
    for each in measured:
        for line in remarks(each):
            click.echo(line, err=True)


def _write(path: Path, svg: str) -> None:
    with told_if_unwritable(path, "choose another file with --chart"):
        write_file(path, svg)
