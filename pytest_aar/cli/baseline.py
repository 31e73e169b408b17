"""`aar baseline`: keep what a run came to, and hold another run against it."""

from pathlib import Path

import click

from pytest_aar.guarded import told_if_unwritable, write_file
from pytest_aar.reports.changes import changes
from pytest_aar.results import Baseline, dump, load, load_run


@click.group()
def command() -> None:
    """Keep a run's outcomes as a baseline; compare runs with it."""


@command.command()
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def save(run: Path, file: Path) -> None:
    """Write the outcomes of the run in folder RUN to FILE."""
    baseline = load_run(run)
    _warn(baseline)
    with told_if_unwritable(file, "give another FILE"):
        write_file(file, dump(baseline))
    click.echo(f"{file}: {len(baseline.legs)} legs of run {baseline.run}")


@command.command()
@click.argument("before", type=click.Path(exists=True, path_type=Path))
@click.argument("after", type=click.Path(exists=True, path_type=Path))
def compare(before: Path, after: Path) -> None:
    """Compare AFTER with BEFORE, each the folder of a run or a baseline's file.

    Exit status 1 when they can't be compared, a leg got worse or a race of AFTER is contaminated.
    """
    old, new = load(before), load(after)
    _warn(old, new)
    found = changes(old, new)
    click.echo("\n".join(found.lines))
    if not found.comparable or found.worse or found.contaminated:
        click.get_current_context().exit(1)


def _warn(*baselines: Baseline) -> None:
    for baseline in baselines:
        for fault in baseline.faults:
            click.echo(f"warning: {fault}", err=True)
