"""`aar cassettes`: list, show and verify recordings, and what `cassette_care` has."""

import sys
from pathlib import Path

import click
from tabulate import tabulate

from pytest_aar.cassettes import cassette_file, catalogue
from pytest_aar.cassettes.asked import Interaction
from pytest_aar.cli.cassette_care import diff, prune, scan_
from pytest_aar.errors import CassetteMissing, ConfigurationError

_FOLDER = click.argument(
    "place", metavar="[PATH]", default="cassettes", type=click.Path(path_type=Path)
)


@click.group(help="Look at recorded traffic.")
def command() -> None:
    """Hold the subcommands."""


command.add_command(diff)
command.add_command(prune)
command.add_command(scan_, "scan")


@command.command(name="list", help="One line per cassette in a folder, and interrupted recordings.")
@_FOLDER
def list_(place: Path) -> None:
    """Print the table; exit 1 when a cassette is damaged."""
    found = [catalogue.summary(path) for path in catalogue.cassettes_in(place)]
    rows = [
        (
            each.path,
            each.agent,
            each.model,
            each.interactions,
            each.bytes // 1000,
            each.recorded_at,
            each.state,
        )
        for each in found
    ]
    headers = ("cassette", "agent", "model", "interactions", "kB", "recorded", "state")
    click.echo(tabulate(rows, headers) if rows else f"{place}: no cassettes")
    for path, count in catalogue.partials_in(place):
        click.echo(
            f"{path}: interrupted recording, {count} interactions; --aar-record=once continues it"
        )
    damaged = sum(each.state == catalogue.DAMAGED for each in found)
    _end([f"{damaged} damaged: `aar cassettes verify {place}` says why"] if damaged else [])


@command.command(help="What a cassette holds; with -n one interaction in full.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("-n", "--number", type=int, help="The interaction to print, counted from 0.")
def show(path: Path, number: int | None) -> None:
    """Print metadata and interactions, or one interaction."""
    if path.is_dir():
        raise ConfigurationError(
            f"{path} is a folder; give the file of one cassette, `aar cassettes list {path}` names them"
        )
    try:
        recording = cassette_file.read(path)
    except FileNotFoundError as error:
        raise CassetteMissing(f"{path}: no such cassette; see `aar cassettes list`.") from error
    if number is not None:
        click.echo(_in_full(path, recording.interactions, number))
        return
    for name, value in catalogue.circumstances(recording):
        click.echo(f"{name}: {value}")
    click.echo(tabulate([_row(*each) for each in enumerate(recording.interactions)], _COLUMNS))


@command.command(
    help="Check every file, body and key; exit 1 with the findings, 2 without any cassette."
)
@_FOLDER
def verify(place: Path) -> None:
    """Print what is wrong, or that nothing is."""
    paths = catalogue.cassettes_in(place)
    problems = [problem for path in paths for problem in catalogue.verify(path)]
    others = sum(map(catalogue.is_of_another_kind, problems))
    if place.is_dir() and others == len(paths):
        raise ConfigurationError(
            f"{place}: no cassettes in it or below ({others} JSON files of another kind); "
            "give the folder of recordings"
        )
    if not problems:
        click.echo(f"{len(paths)} cassettes, all whole")
    _end(problems)


_COLUMNS = ("", "method", "request", "messages", "sent", "status", "got", "seconds", "last message")
_WIDTH = 60


def _row(number: int, interaction: Interaction) -> tuple[object, ...]:
    asked = interaction.asked
    last = asked.messages[-1] if asked.messages else None
    return (
        number,
        asked.method,
        asked.uri[:_WIDTH],
        len(asked.messages) or "",
        asked.length,
        interaction.status,
        interaction.body.length,
        interaction.took_seconds,
        f"{last.role}: {last.gist[:_WIDTH]}" if last else "",
    )


def _in_full(path: Path, interactions: tuple[Interaction, ...], number: int) -> str:
    if not 0 <= number < len(interactions):
        raise ConfigurationError(
            f"{path}: no interaction {number}; valid numbers: 0 to {len(interactions) - 1}"
        )
    each = interactions[number]
    parts = [f"{each.asked.method} {each.asked.uri}", each.asked.head.text()]
    parts += [f"[{part.role}] {part.blob.text()}" for part in each.asked.messages]
    return "\n".join([*parts, f"-> {each.status} {dict(each.headers)}", each.body.text()])


def _end(problems: list[str]) -> None:
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        sys.exit(1)
