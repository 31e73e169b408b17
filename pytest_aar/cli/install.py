"""`aar install`: put an agent's tested version beside pytest-aar."""

import importlib.util
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import requires
from pathlib import Path

import click

from pytest_aar.agents.from_npm import FROM_NPM
from pytest_aar.agents.mini_swe import PACKAGE, TESTED_VERSION
from pytest_aar.agents.npm_program import NpmProgram
from pytest_aar.errors import AgentNotInstalled, ConfigurationError

_AGENTS = sorted([*FROM_NPM, "mini-swe"])


def light_set(requirements: Sequence[str]) -> list[str]:
    """The requirements of the extra `mini-swe`, from the package's own metadata."""
    marked = [text.partition(";") for text in requirements]
    return [
        name.strip()
        for name, _, marker in marked
        if marker.replace('"', "'").strip() == "extra == 'mini-swe'"
    ]


def installer(*, has_pip: bool, uv: str | None) -> list[str]:
    """The running interpreter's pip, or uv for it when it has none (environments made by uv)."""
    if has_pip:
        return [sys.executable, "-m", "pip", "install"]
    if uv is not None:
        return [uv, "pip", "install", "--python", sys.executable]
    raise ConfigurationError(
        f"{sys.executable} has no pip and there is no uv on PATH: run `python -m ensurepip` first"
    )


def commands(
    install: Sequence[str], requirements: Sequence[str], version: str | None = None
) -> list[list[str]]:
    """Two commands: the agent without its dependencies (litellm alone is 700 MB), then what it needs."""
    return [
        [*install, "--no-deps", f"{PACKAGE}=={version or TESTED_VERSION}"],
        [*install, *light_set(requirements)],
    ]


def npm_command(program: NpmProgram, npm: str, version: str | None = None) -> list[str]:
    """One command, into a folder of pytest-aar's own.

    Without scripts: all that those of the wrapper packages do is to put a link to the native binary in the
    wrapper's place, and races start the native binary itself.
    """
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund")
    wanted = f"{program.package}@{version or program.tested}"
    return [npm, "install", "--prefix", str(program.folder), *quiet, wanted]


def found_npm(program: NpmProgram, npm: str | None) -> str:
    """The path of npm; raises ConfigurationError with the ways to go on without it."""
    if npm is not None:
        return npm
    raise ConfigurationError(
        f"there is no npm on PATH, which {program.package} is installed by: install Node.js 18 or newer (your "
        f"system's package nodejs or npm, or https://nodejs.org) and call this again; or get {program.command!r} "
        "in another way and put it on PATH, or give --aar-agent-option program=PATH"
    )


@click.command("install")
@click.argument("agent", type=click.Choice(_AGENTS))
@click.option("--dry-run", is_flag=True, help="Print the commands, run nothing.")
@click.option("--version", help="Another version than the tested one.", metavar="VERSION")
def command(agent: str, *, dry_run: bool, version: str | None) -> None:
    """Install the tested version of AGENT: prints the commands and runs them."""
    for line in _commands_for(agent, version):
        click.echo(shlex.join(line))
        if not dry_run:
            _run(agent, line)
    if agent in FROM_NPM and not dry_run:
        click.echo(f"{agent}: {_installed(FROM_NPM[agent]())}")


def _commands_for(agent: str, version: str | None) -> list[list[str]]:
    if agent in FROM_NPM:
        program = FROM_NPM[agent]()
        return [npm_command(program, found_npm(program, shutil.which("npm")), version)]
    has_pip = importlib.util.find_spec("pip") is not None
    install = installer(has_pip=has_pip, uv=shutil.which("uv"))
    return commands(install, requires("pytest-aar") or (), version)


def _run(agent: str, line: Sequence[str]) -> None:
    if subprocess.run(line, check=False).returncode != 0:
        raise AgentNotInstalled(f"{agent}: the command above failed; its own message says why")


def _installed(program: NpmProgram) -> Path:
    found = program.installed()
    if found is None:
        raise AgentNotInstalled(
            f"npm has put no binary for this machine into {program.folder}; looked for {', '.join(program.natives)}"
        )
    return found
