"""`aar doctor`: what this machine has and lacks for races, and what to do about it."""

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from pytest_aar.doctor import (
    LIVE,
    PURPOSES,
    SANDBOX,
    Check,
    Patient,
    Probes,
    concerning,
    examine,
    in_the_way,
    table,
)
from pytest_aar.ini_file import contact_in_ini, folder_in_ini, services_in_ini
from pytest_aar.option_values import Given, service
from pytest_aar.secrets import Secrets
from pytest_aar.tools import LIVE as LIVE_SERVICES

_COLOURS = {"ok": "green", "set": "cyan", "missing": "yellow", "slow": "yellow", "broken": "red"}


def command_over(examine: Callable[[Patient, Probes], list[Check]]) -> click.Command:
    """The command over something that examines."""

    @click.command("doctor")
    @click.option(
        "--for",
        "purposes",
        multiple=True,
        type=click.Choice(PURPOSES),
        help="What must work for exit status 0, repeatable: only that is shown. Default: all is, sandbox must work.",
    )
    @click.option(
        "--legs",
        type=click.Path(path_type=Path),
        help="Folder of legs. Default: aar_legs of pytest's ini file, else legs.",
    )
    @click.option(
        "--cassettes",
        type=click.Path(path_type=Path),
        help="Folder of recordings. Default: aar_cassettes of pytest's ini file, else cassettes.",
    )
    @click.option(
        "--services",
        multiple=True,
        metavar="SERVICE=URL",
        help="As --aar-services: ask there instead. Default: aar_services of pytest's ini file.",
    )
    @click.option(
        "--contact",
        help="As --aar-contact: told to live services. Default: aar_contact of pytest's ini file.",
    )
    @click.option(
        "--seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=Probes().seconds,
        show_default=True,
        help="When to stop looking: what has not answered by then is slow, and not judged.",
    )
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object, not a table.")
    def command(
        *,
        purposes: tuple[str, ...],
        seconds: float,
        as_json: bool,
        **where: Any,
    ) -> None:
        """Say what this machine has and lacks for races, and what to do about it.

        Looked at are keys, services, agents, box, versions and folders. Exit status 0: what was asked for can run;
        1: something that it needs is missing or broken, or too slow to be judged.
        """
        patient = replace(_patient(**where), asks_services=not purposes or LIVE in purposes)
        found = examine(patient, Probes(seconds=seconds))
        checks = concerning(found, purposes) if purposes else found
        shown = dict.fromkeys(purposes or (SANDBOX, LIVE))
        verdicts = {each: in_the_way(checks, each) for each in shown}
        text = _json(checks, verdicts) if as_json else _table(checks, verdicts)
        click.echo(Secrets.of().redact(text), color=_wants_colours())
        sys.exit(1 if any(verdicts[each] for each in purposes or (SANDBOX,)) else 0)

    return command


command = command_over(examine)


def _patient(
    *,
    legs: Path | None,
    cassettes: Path | None,
    services: tuple[str, ...],
    contact: str | None,
) -> Patient:
    """What is looked at, by options and else by pytest's ini file."""
    here = Path.cwd()
    source = "--services" if services else "aar_services"
    texts = services or services_in_ini(here)
    given = (Given(text=text, source=source, folder=here) for text in texts)
    return Patient(
        legs=legs or folder_in_ini(here, "aar_legs") or Path("legs"),
        cassettes=cassettes or folder_in_ini(here, "aar_cassettes") or Path("cassettes"),
        endpoints=LIVE_SERVICES.with_overrides(dict(map(service, given))),
        contact=contact or contact_in_ini(here),
    )


def _wants_colours() -> bool | None:
    """None: on a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def _json(checks: Sequence[Check], verdicts: Mapping[str, Sequence[Check]]) -> str:
    can_run = {purpose: not wrong for purpose, wrong in verdicts.items()}
    return json.dumps({"checks": [asdict(check) for check in checks], "can_run": can_run}, indent=2)


def _table(checks: Sequence[Check], verdicts: Mapping[str, Sequence[Check]]) -> str:
    width = shutil.get_terminal_size().columns
    lines = [table(checks, width=width, paint=_painted), ""]
    for purpose, wrong in verdicts.items():
        named = ", ".join(f"{check.area} {check.name}" for check in wrong)
        is_known = any(check.state != "slow" for check in wrong)
        no = f"can't run: {named}" if is_known else f"not judged, too slow: {named}"
        told = f"{purpose}: {no if wrong else 'can run'}"
        lines += textwrap.wrap(told, max(width, 20), subsequent_indent="  ")
    return "\n".join(lines)


def _painted(state: str, text: str) -> str:
    return click.style(text, fg=_COLOURS[state]) if state in _COLOURS else text
