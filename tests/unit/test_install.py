import os
import shlex
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_aar.agents import claude_code, codex
from pytest_aar.cli import aar
from pytest_aar.cli.install import commands, found_npm, installer, light_set, npm_command
from pytest_aar.errors import ConfigurationError


def test_the_agent_comes_without_dependencies_and_then_the_light_set() -> None:
    first, second = commands(["pip", "install"], requires("pytest-aar") or ())
    assert first == ["pip", "install", "--no-deps", "mini-swe-agent==2.4.6"]
    assert any(name.startswith("jinja2") for name in second)
    assert not any("litellm" in name or "datasets" in name for name in second)


def test_only_the_extras_own_requirements_are_in_the_light_set() -> None:
    given = [
        "httpx>=1",
        "jinja2>=3; extra == 'mini-swe'",
        'mcp>=1 ; extra == "mcp"',
        'yaml; extra == "mini-swe"',
    ]
    assert light_set(given) == ["jinja2>=3", "yaml"]


def test_pip_of_the_running_interpreter_or_uv() -> None:
    assert installer(has_pip=True, uv="/bin/uv")[:3] == [sys.executable, "-m", "pip"]
    assert installer(has_pip=False, uv="/bin/uv") == [
        "/bin/uv",
        "pip",
        "install",
        "--python",
        sys.executable,
    ]
    with pytest.raises(ConfigurationError, match="no pip and there is no uv"):
        installer(has_pip=False, uv=None)


def test_dry_run_prints_the_commands() -> None:
    result = CliRunner().invoke(aar, ["install", "mini-swe", "--dry-run"])
    assert result.exit_code == 0, result.output
    assert "--no-deps mini-swe-agent==2.4.6" in result.output


def test_an_unknown_agent_names_the_valid_ones() -> None:
    result = CliRunner().invoke(aar, ["install", "codexx"])
    assert result.exit_code == 2
    assert "mini-swe" in result.output


# Programs from npm

#: Stands for npm: says what it was asked, and makes what npm would make of the package with the binary.
_NPM = """#!/bin/sh
echo "npm got: $*"
test "$3" = "$PREFIX" || exit 9
mkdir -p "$PREFIX/node_modules/$(dirname "$NATIVE")"
printf '\\177ELF' > "$PREFIX/node_modules/$NATIVE"
chmod +x "$PREFIX/node_modules/$NATIVE"
"""


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = codex.npm_program()
    monkeypatch.setattr("sys.prefix", str(tmp_path / "venv"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("PREFIX", str(program.folder))
    monkeypatch.setenv("NATIVE", program.natives[0])
    path = tmp_path / "bin" / "npm"
    path.parent.mkdir()
    path.write_text(_NPM)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (codex.npm_program(), "@openai/codex@0.171.0"),
        (claude_code.npm_program(), "@anthropic-ai/claude-code@2.1.197"),
    ],
)
def test_npm_is_asked_for_the_tested_version_in_a_folder_of_its_own(program, wanted) -> None:
    line = npm_command(program, "/bin/npm")
    assert line[:4] == ["/bin/npm", "install", "--prefix", str(program.folder)]
    assert line[-1] == wanted
    assert "--ignore-scripts" in line
    assert npm_command(program, "npm", "9.9.9")[-1] == f"{program.package}@9.9.9"


def test_without_npm_it_is_said_what_to_do() -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"no npm on PATH.*install Node\.js 18.*call this again; or.*program=PATH",
    ):
        found_npm(codex.npm_program(), None)


def test_install_runs_npm_and_says_where_the_binary_is(npm: Path, capfd) -> None:
    result = CliRunner().invoke(aar, ["install", "codex"])
    assert result.exit_code == 0, result.output
    folder = str(codex.npm_program().folder)
    command, where = result.output.splitlines()
    assert shlex.split(command)[:4] == [str(npm), "install", "--prefix", folder]
    assert where == f"codex: {folder}/node_modules/{os.environ['NATIVE']}"
    assert "npm got: install" in capfd.readouterr().out
    assert codex.npm_program().find(None).read_bytes() == b"\177ELF"


def test_a_dry_run_of_npm_installs_nothing(npm: Path) -> None:
    result = CliRunner().invoke(aar, ["install", "codex", "--dry-run", "--version", "0.170.0"])
    assert result.exit_code == 0, result.output
    assert result.output.endswith("@openai/codex@0.170.0\n")
    assert not codex.npm_program().folder.exists()


def test_a_failed_npm_is_an_error(npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFIX", "elsewhere")
    result = CliRunner().invoke(aar, ["install", "codex"])
    assert result.exit_code == 1
    assert "the command above failed" in str(result.exception)


def test_what_npm_left_out_is_an_error(npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NATIVE", "@openai/codex-other/bin/codex")
    result = CliRunner().invoke(aar, ["install", "codex"])
    assert result.exit_code == 1
    assert "npm has put no binary for this machine into" in str(result.exception)
