"""What a sandbox may show of this machine."""

import os
import sys
from pathlib import Path

import pytest

from pytest_aar.agents.command import CommandAgent, make
from pytest_aar.agents.named_programs import programs_in, shown_path
from pytest_aar.box import BoxPlace, check_programs
from pytest_aar.box.visible import masks, shown, system
from pytest_aar.errors import ConfigurationError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("legs/linear", "cassettes", ".git", "bin"):
        (tmp_path / "project" / name).mkdir(parents=True)
    for name in ("my_agent.py", "bin/tool", "legs/linear/1.json"):
        (tmp_path / "project" / name).write_text("x")
    return tmp_path / "project"


@pytest.mark.parametrize(
    "path", ["", "legs", "legs/linear", "legs/linear/1.json", "cassettes", ".."]
)
def test_programs_that_would_show_answers_are_refused(path: str, project: Path) -> None:
    hidden = (project / "legs", project / "cassettes")
    with pytest.raises(ConfigurationError) as refused:
        check_programs([project / path], hidden)
    assert str(project / path) in str(refused.value)
    assert "bind=PATH,PATH" in str(refused.value)
    assert "--aar-isolation=none" in str(refused.value)


@pytest.mark.parametrize("path", ["/", "~", "~/.."])
def test_the_home_folder_and_what_holds_it_are_refused(path: str, project: Path) -> None:
    folder = Path(os.path.expanduser(path))
    with pytest.raises(ConfigurationError, match="your own files"):
        check_programs([folder], (project / "legs",))


def test_a_link_to_the_legs_is_refused(project: Path) -> None:
    (project / "bin/shortcut").symlink_to(project / "legs")
    with pytest.raises(ConfigurationError, match="shortcut"):
        check_programs([project / "bin/shortcut"], (project / "legs",))


def test_single_files_of_the_project_are_fine(project: Path) -> None:
    check_programs([project / "my_agent.py", project / "bin"], (project / "legs",))


def test_the_interpreter_is_shown_and_programs_with_what_they_link_to(project: Path) -> None:
    (project / "link").symlink_to(project / "bin/tool")
    place = BoxPlace(workdir=project, programs=(project / "link", Path("/usr/bin/env")))
    found = shown(place)
    assert str(project / "link") in found
    assert str(project / "bin/tool") in found
    assert not any(path.startswith("/usr/") for path in found)
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(sys._base_executable)))  # type: ignore[attr-defined]
    assert prefix == "/usr" or prefix in found


def test_this_package_and_the_project_are_masked_where_they_would_be_seen(project: Path) -> None:
    packages = project / "bin/lib/python3.11/site-packages/pytest_aar"
    packages.mkdir(parents=True)
    place = BoxPlace(workdir=project, programs=(project / "bin",), hidden=(project / "legs",))
    assert masks(place) == (str(packages),)
    whole = BoxPlace(workdir=project, programs=(project.parent,), hidden=(project / "legs",))
    assert masks(whole) == (str(project),)  # its history, too


def test_system_folders_hold_no_keys() -> None:
    found = system()
    assert "/usr" in found.bound
    assert not {"/etc", "/etc/ssl", "/etc/ssl/private", "/run", "/var", "/home", "/root"} & {
        *found.bound
    }
    assert all(Path(path).exists() for path in found.bound)


# What a command line needs


def test_a_line_names_its_program_and_its_files(project: Path) -> None:
    tool, agent = project / "bin/tool", project / "my_agent.py"
    tool.chmod(0o755)
    assert programs_in(f"{tool} --config={agent} {{x}} && no-such-thing '/no/such'", project) == (
        tool,
        agent,
    )
    assert programs_in("echo 'unbalanced", project) == (Path("/usr/bin/echo"),)


def test_a_program_of_this_environment_needs_all_of_it(project: Path) -> None:
    assert programs_in(f"{sys.executable} x.py", project) == (Path(sys.prefix),)


def test_the_agent_command_names_what_it_needs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    agent = make({"command": "{python} ./my_agent.py", "bind": f"{project}/bin,/usr/share"})
    assert agent.boxed
    wanted = (Path(sys.prefix), project / "my_agent.py", project / "bin", Path("/usr/share"))
    assert agent.programs() == wanted
    whole = CommandAgent(command="cd {start} && ./my_agent.py", start=project)
    with pytest.raises(ConfigurationError, match="would see"):
        check_programs(whole.programs(), (project / "legs",))


def test_what_is_bound_must_be_there() -> None:
    with pytest.raises(ConfigurationError, match="what is not there: /no/such; give files"):
        make({"command": "x", "bind": "/usr,/no/such"})


def test_the_search_path_keeps_what_is_shown() -> None:
    given = "/home/me/bin:/usr/games:/opt/x/bin:/opt/y:/usr/games:/opt/z"
    found = shown_path(given, (Path("/opt/x"), Path("/opt/z/tool")))
    assert found == "/usr/games:/opt/x/bin:/opt/z"
