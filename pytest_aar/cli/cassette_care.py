"""`aar cassettes diff`, `prune` and `scan`."""

from pathlib import Path

import click

from pytest_aar.cassettes import pruning, scan
from pytest_aar.cassettes.differences import differences, pairs
from pytest_aar.errors import ConfigurationError, InfrastructureError
from pytest_aar.secrets import Secrets

_PATH = click.Path(path_type=Path)


@click.command(help="How cassettes differ: two files, or two folders; exit 1 when they do.")
@click.argument("one", type=_PATH)
@click.argument("other", type=_PATH)
def diff(one: Path, other: Path) -> None:
    """Print the differences of each pair, and a line about all."""
    differ = single = count = 0
    for before, after in pairs(one, other):
        count += 1
        if before is None or after is None:
            single += 1
            click.echo(f"only in {other if before is None else one}: {before or after}")
            continue
        found = differences(before, after)
        if found:
            differ += 1
            click.echo("\n".join([f"{before} and {after}:", *(f"  {line}" for line in found)]))
    alone = f", {single} in one folder only" if single else ""
    click.echo(f"{count - single} compared: {differ or 'none'} differ{alone}")
    _end(bad=bool(differ or single))


@click.command(
    help="Cassettes that no leg needs: of legs that are gone or have changed. Says which; "
    "deletes them with --yes."
)
@click.argument("place", metavar="[CASSETTES]", default="cassettes", type=_PATH)
@click.option(
    "--legs",
    "roots",
    multiple=True,
    default=("legs",),
    show_default=True,
    type=_PATH,
    help="Folder of legs that need their cassettes; may be repeated.",
)
@click.option("--yes", is_flag=True, help="Delete.")
def prune(place: Path, roots: tuple[Path, ...], *, yes: bool) -> None:
    """Print what is left over, and delete it when told so."""
    if place.is_file():
        raise ConfigurationError(f"{place} is a file; give the folder of all cassettes")
    found = pruning.leftovers(place, _legs(roots, place))
    for leftover in found:
        click.echo(f"{leftover.files[0]}: {leftover.reason}")
    files = sum(len(leftover.files) for leftover in found)
    if not found:
        click.echo(f"{place}: nothing to prune")
    elif yes:
        _remove(found, place)
        click.echo(f"{files} files deleted")
    else:
        click.echo(f"{files} files; nothing was deleted, --yes deletes them")


def _remove(found: list[pruning.Leftover], place: Path) -> None:
    try:
        pruning.remove(found, place)
    except OSError as error:
        raise InfrastructureError(
            f"{error.filename or place}: can't delete it ({error.strerror}); give write permission on "
            "its folder, then prune again"
        ) from error


def _legs(roots: tuple[Path, ...], cassettes: Path) -> dict[str, str]:
    """Ids and hashes of all legs. A broken leg is an error: whether its cassettes are needed is not known."""
    from pytest_aar.leg_file import looks_like_leg, read_leg  # noqa: PLC0415 - prune alone reads legs

    found: dict[str, str] = {}
    for root in roots:
        legs = [
            path
            for path in sorted(root.rglob("*.json"))
            if looks_like_leg(path, root) and not path.is_relative_to(cassettes)
        ]
        if not legs:
            raise ConfigurationError(
                f"{root}: no legs there, and without them every cassette would be left over; give the "
                "folder of the legs with --legs"
            )
        for path in legs:
            leg = read_leg(path, legs_root=root)
            found[leg.leg_id] = leg.sha256
    return found


@click.command(
    help="Look for secrets in cassettes, a run's folder or any files: values of this environment's "
    "secret variables, and whatever is shaped like a key; exit 1 with the findings."
)
@click.argument("place", metavar="[PATH]", default="cassettes", type=_PATH)
def scan_(place: Path) -> None:
    """Print what was found and where, never a value."""
    files, secrets = scan.files_in(place), Secrets.of()
    found = [finding for path in files for finding in scan.findings(path, secrets)]
    for finding in found:
        click.echo(str(finding), err=True)
    if found:
        click.echo(
            "Revoke what is real, then record or race again without it; git keeps what was committed.",
            err=True,
        )
    else:
        click.echo(f"{len(files)} files, no secrets")
    _end(bad=bool(found))


def _end(*, bad: bool) -> None:
    if bad:
        click.get_current_context().exit(1)
