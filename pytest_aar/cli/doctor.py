"""`aar doctor`: what this machine has and lacks for races, and what to do about it."""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from pytest_aar.doctor import PURPOSES, Check, Patient, examine, in_the_way, table
from pytest_aar.option_values import Given, service
from pytest_aar.secrets import Secrets
from pytest_aar.tools import LIVE

_ALWAYS = ("sandbox", "live")


@click.command("doctor")
@click.option(
    "--for",
    "purposes",
    multiple=True,
    type=click.Choice(PURPOSES),
    help="What must work for exit status 0, repeatable; default: sandbox.",
)
@click.option("--legs", type=click.Path(path_type=Path), default=Path("legs"), show_default=True)
@click.option(
    "--cassettes", type=click.Path(path_type=Path), default=Path("cassettes"), show_default=True
)
@click.option(
    "--services", multiple=True, metavar="SERVICE=URL", help="As --aar-services: ask there instead."
)
@click.option("--contact", help="As --aar-contact: told to live services.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def command(
    *,
    purposes: tuple[str, ...],
    legs: Path,
    cassettes: Path,
    services: tuple[str, ...],
    contact: str | None,
    as_json: bool,
) -> None:
    """Say what this machine has and lacks for races, and what to do about it.

    Exit status 0: what was asked for can run; 1: something that it needs is missing or broken.
    """
    given = (Given(text=text, source="--services", folder=Path.cwd()) for text in services)
    patient = Patient(
        legs=legs,
        cassettes=cassettes,
        endpoints=LIVE.with_overrides(dict(map(service, given))),
        contact=contact,
    )
    checks = examine(patient)
    asked = purposes or ("sandbox",)
    verdicts = {each: in_the_way(checks, each) for each in dict.fromkeys((*_ALWAYS, *asked))}
    text = _json(checks, verdicts) if as_json else _table(checks, verdicts)
    click.echo(Secrets.of().redact(text))
    sys.exit(1 if any(verdicts[each] for each in asked) else 0)


def _json(checks: Sequence[Check], verdicts: Mapping[str, Sequence[Check]]) -> str:
    can_run = {purpose: not wrong for purpose, wrong in verdicts.items()}
    return json.dumps({"checks": [asdict(check) for check in checks], "can_run": can_run}, indent=2)


def _table(checks: Sequence[Check], verdicts: Mapping[str, Sequence[Check]]) -> str:
    lines = [table(checks, width=shutil.get_terminal_size().columns), ""]
    for purpose, wrong in verdicts.items():
        named = ", ".join(f"{check.area} {check.name}" for check in wrong)
        lines.append(f"{purpose}: can't run: {named}" if wrong else f"{purpose}: can run")
    return "\n".join(lines)
