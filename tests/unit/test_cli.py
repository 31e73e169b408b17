"""`aar` itself: its help lists the commands without loading them."""

import subprocess
import sys

import click
from click.testing import CliRunner

from pytest_aar.cli import aar


def test_the_help_lists_each_command_as_its_own_help_begins() -> None:
    listed = " ".join(
        CliRunner()
        .invoke(aar, ["--help"], terminal_width=300, max_content_width=300)
        .output.split()
    )
    context = click.Context(aar)
    for name in aar.list_commands(context):
        command = aar.get_command(context, name)
        assert command is not None
        assert f" {name} {command.get_short_help_str(limit=1000)}" in listed


def test_the_help_loads_neither_commands_nor_what_they_need() -> None:
    """They take ten times as long to load as click."""
    code = (
        "import sys; from pytest_aar.cli import aar; aar(['--help'], standalone_mode=False);"
        "print('loaded', *[m for m in sys.modules if m.startswith(('pytest_aar.', 'httpx', 'pydantic'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *help_text, loaded = done.stdout.splitlines()
    assert "Commands:" in help_text
    assert set(loaded.split()) == {"loaded", "pytest_aar.cli", "pytest_aar.errors"}
