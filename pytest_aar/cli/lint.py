"""`aar lint`: static checks of legs, by rules."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from pytest_aar.errors import ConfigurationError, LegError
from pytest_aar.guarded import told_if_unwritable, write_file
from pytest_aar.leg_file import read_leg, write_leg
from pytest_aar.lint import RULES, Rule, fixed, lint_files
from pytest_aar.lint.formats import FORMATS

from .stats import leg_files

#: Where ids of legs begin, as in a run of pytest without the ini value `aar_legs`.
_LEGS = Path("legs")


@click.command("lint")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--select", multiple=True, metavar="RULE,...", help="Only these rules.")
@click.option("--ignore", multiple=True, metavar="RULE,...", help="All rules but these.")
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True
)
@click.option("--fix", is_flag=True, help="Repair what is safe to repair, then report the rest.")
def command(
    paths: tuple[Path, ...],
    *,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    form: str,
    fix: bool,
) -> None:
    """Check the legs in PATHS (files or folders); the exit status is 1 when there are findings."""
    rules = chosen(select, ignore)
    files = leg_files(paths, legs_root=_LEGS)
    if fix:
        _repair(files, rules)
    found = lint_files(files, rules, root=_LEGS)
    report = FORMATS[form](found)
    if report:
        click.echo(report)
    sys.exit(1 if found.findings else 0)


def chosen(select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """The rules selected (all without a selection) and not ignored; names may be joined by commas.

    Raises ConfigurationError for a name that is no rule's, and where no rule is left.
    """
    wanted, unwanted = _names("--select", select), _names("--ignore", ignore)
    left = tuple(
        rule
        for name, rule in RULES.items()
        if (not wanted or name in wanted) and name not in unwanted
    )
    if not left:
        raise ConfigurationError(
            "--select and --ignore leave no rule, so nothing would be checked: leave one of them out"
        )
    return left


def _names(option: str, values: Iterable[str]) -> frozenset[str]:
    names = frozenset(name.strip() for value in values for name in value.split(",") if name.strip())
    unknown = sorted(names - RULES.keys())
    if unknown:
        raise ConfigurationError(
            f"{option}: there is no rule {', '.join(map(repr, unknown))}; rules: {', '.join(RULES)}"
        )
    return names


def _repair(files: Iterable[Path], rules: Sequence[Rule]) -> None:
    """Write the legs that a safe repair changes, and say so on standard error."""
    for file in files:
        try:
            leg = read_leg(file, legs_root=_LEGS)
        except LegError:
            continue  # the linter reports it
        better, done = fixed(leg, rules)
        if done:
            write_repaired(file, write_leg(better))
            click.echo(f"{file}: repaired {', '.join(done)}", err=True)


def write_repaired(file: Path, data: bytes) -> None:
    """Write a leg's file; raises ConfigurationError when it can't be written."""
    with told_if_unwritable(file, "make it writable, or leave --fix out"):
        write_file(file, data)
