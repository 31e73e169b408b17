"""The `aar` command: exit 0 fine, 1 findings or a tool's error result, 2 usage."""

import importlib
import sys

import click

from pytest_aar.errors import AarError, ConfigurationError

#: Command name -> module of this package that holds it (as `command`); imported only when it is called.
_COMMANDS = {
    "baseline": "baseline",
    "cassettes": "cassettes",
    "compositionality": "compositionality",
    "doctor": "doctor",
    "generate": "generate",
    "install": "install",
    "mcp": "mcp",
    "play": "play",
    "show": "show",
    "stats": "stats",
    "tool": "tool",
    "validity": "validity",
    "world": "world",
}


class _LazyGroup(click.Group):
    """Imports a subcommand's module when it is asked for: `aar tool` must start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None for an unknown name (click then prints the usage error)."""
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"pytest_aar.cli.{_COMMANDS[cmd_name]}")
        command: click.Command = module.command
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-aar", prog_name="aar")
def aar() -> None:
    """Legs of The Amazing Agent Race: look at them, make them, and use their tools by hand."""


def main() -> None:
    """Run `aar`; errors of ours become one line on stderr, exit 2 for usage and 1 for the rest."""
    try:
        aar(prog_name="aar")
    except AarError as error:
        from pytest_aar.secrets import Secrets  # noqa: PLC0415 - only for errors

        click.echo(f"aar: {Secrets.of().censor(str(error))}", err=True)
        sys.exit(2 if isinstance(error, ConfigurationError) else 1)
