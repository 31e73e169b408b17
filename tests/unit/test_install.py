import sys
from importlib.metadata import requires

import pytest
from click.testing import CliRunner

from pytest_aar.cli import aar
from pytest_aar.cli.install import commands, installer, light_set
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
