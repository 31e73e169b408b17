"""The `aar` command: exit 0 fine, 1 findings or a tool's error result, 2 usage, 3 a service that fails."""

import importlib
import re
import sys
from typing import Any

import click

from pytest_aar.errors import (
    AarError,
    ConfigurationError,
    ModelUnavailable,
    ServiceRefused,
    ServiceUnavailable,
)

#: Command name -> what it does, as its own help begins. The module of that name in this package holds it (as
#: `command`), and is imported only when it is called.
_COMMANDS = {
    "baseline": "Keep a run's outcomes as a baseline; compare runs with it.",
    "cassettes": "Look at recorded traffic.",
    "compositionality": "Measure the benchmarks in PATHS (files or folders): mean steps, % linear, % DAG.",
    "doctor": "Say what this machine has and lacks for races, and what to do about it.",
    "generate": "Make legs: crawl, plan, build, validate, link, augment, execute, verbalize.",
    "install": "Install the tested version of AGENT: prints the commands and runs them.",
    "lint": "Check the legs in PATHS (files or folders); the exit status is 1 when there are findings.",
    "mcp": "Serve the 19 tools to an MCP client over standard input and output.",
    "play": "Race the leg in the file LEG yourself: read the clues, call the tools, answer with one digit.",
    "refresh": "Compute the golden values of the legs in PATHS (files or folders) anew, and say what has drifted.",
    "show": "Show the leg in the file LEG; several views are printed one after another.",
    "stats": "Count legs, stops and tool calls per variant and level in PATHS (files or folders).",
    "tool": 'Call the tool NAME with ARGUMENTS, a JSON object ("-": read it from standard input).',
    "validity": "Say which legs in PATHS (files or folders) are stable, stable-if-pinned, drifting or faulty.",
    "world": "The embedded sandbox world: an encyclopaedia and its services.",
}


class _LazyGroup(click.Group):
    """Imports a subcommand's module when it is called, not for the help that lists them all."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None for an unknown name (click then prints the usage error)."""
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"pytest_aar.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what goes wrong below is told with the options that this command has."""
        try:
            return super().invoke(ctx)
        except AarError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            own = {name for each in command.params for name in each.opts} if command else set()
            error.args = (_with_own_options(str(error), own),)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names with what they do."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))


def _with_own_options(text: str, own: set[str]) -> str:
    """A message in which options of pytest's have the names of a command's own, where it has them."""
    return re.sub(
        r"--aar(-[a-z][a-z-]*[a-z])",
        lambda found: f"-{found[1]}" if f"-{found[1]}" in own else found[0],
        text,
    )


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-aar", prog_name="aar")
def aar() -> None:
    """Legs of The Amazing Agent Race: look at them, make them, and use their tools by hand."""


def main() -> None:
    """Run `aar`; errors of ours become one line on stderr, and an exit status."""
    try:
        aar(prog_name="aar")
    except AarError as error:
        from pytest_aar.secrets import Secrets  # noqa: PLC0415 - only for errors

        click.echo(f"aar: {Secrets.of().censor(str(error))}", err=True)
        sys.exit(_status(error))


def _status(error: AarError) -> int:
    """2 for usage, 3 for what is nobody's finding, 1 for the rest: a file that is no leg."""
    if isinstance(error, ModelUnavailable | ServiceRefused | ServiceUnavailable):
        return 3
    return 2 if isinstance(error, ConfigurationError) else 1
