"""`aar install`: put an agent's tested version beside pytest-aar."""

import importlib.util
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import requires

import click

from pytest_aar.agents.mini_swe import PACKAGE, TESTED_VERSION
from pytest_aar.errors import AgentNotInstalled, ConfigurationError


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


def commands(install: Sequence[str], requirements: Sequence[str]) -> list[list[str]]:
    """Two commands: the agent without its dependencies (litellm alone is 700 MB), then what it needs."""
    return [
        [*install, "--no-deps", f"{PACKAGE}=={TESTED_VERSION}"],
        [*install, *light_set(requirements)],
    ]


@click.command("install")
@click.argument("agent", type=click.Choice(["mini-swe"]))
@click.option("--dry-run", is_flag=True, help="Print the commands, run nothing.")
def command(agent: str, *, dry_run: bool) -> None:
    """Install the tested version of AGENT: prints the commands and runs them."""
    has_pip = importlib.util.find_spec("pip") is not None
    install = installer(has_pip=has_pip, uv=shutil.which("uv"))
    for line in commands(install, requires("pytest-aar") or ()):
        click.echo(shlex.join(line))
        if not dry_run and subprocess.run(line, check=False).returncode != 0:
            raise AgentNotInstalled(f"{agent}: the command above failed; its own message says why")
