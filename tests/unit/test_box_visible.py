"""What a sandbox may show of this machine."""

import os
import sys
from pathlib import Path

import pytest

from pytest_aar.agents.command import CommandAgent, make
from pytest_aar.agents.named_programs import programs_in, shown_path
from pytest_aar.box import BoxPlace, check_programs, check_work_folders
from pytest_aar.box.interpreter import interpreter_paths
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


def test_a_work_folder_among_the_answers_is_refused(project: Path) -> None:
    hidden = (project / "legs", project / "cassettes")
    for path in ("legs", "cassettes/tmp"):
        with pytest.raises(ConfigurationError, match=r"lies in .* set TMPDIR to a folder outside"):
            check_work_folders(project / path, hidden)
    check_work_folders(project / "bin", hidden)


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


# The interpreter


def test_git_is_refused_and_what_lies_in_it(project: Path) -> None:
    (project / ".git/objects").mkdir()
    for path in (".git", ".git/objects"):
        with pytest.raises(ConfigurationError, match=r"would see .*\.git"):
            check_programs([project / path], (project / "legs",))


def test_every_repository_around_a_project_is_masked(project: Path) -> None:
    (project.parent / ".git").mkdir()
    place = BoxPlace(workdir=project, programs=(project.parent.parent,), hidden=(project / "legs",))
    assert masks(place)[:2] == (str(project.parent), str(project))


def interpreter_at(place: Path) -> str:
    (place / "bin").mkdir(parents=True)
    (place / "bin/python3.11").write_text("")
    (place / "bin/python3").symlink_to("python3.11")
    return str(place / "bin/python3.11")


@pytest.mark.parametrize("place", ["", ".local", "holds-home/x"])
def test_of_an_interpreter_in_the_home_folder_only_its_parts_are_shown(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home" if place.startswith("holds") else tmp_path
    monkeypatch.setenv("HOME", str(home))
    prefix = tmp_path if place.startswith("holds") else home / place
    program = interpreter_at(prefix)
    found = interpreter_paths((), program)
    assert {Path(program), prefix / "bin/python3"} <= {*found}
    assert any(path.is_relative_to(prefix / "lib") for path in found)
    assert prefix not in found
    assert not any(path in (home, home / "bin", home / "lib") for path in found)


def test_an_interpreter_that_holds_the_legs_is_shown_in_parts(tmp_path: Path) -> None:
    program = interpreter_at(tmp_path / "py")
    assert interpreter_paths((), program) == (tmp_path / "py",)
    assert tmp_path / "py" not in interpreter_paths((tmp_path / "py/legs",), program)


@pytest.mark.parametrize("program", ["/bin/python3.12", "/opt/bin/python3.12"])
def test_a_prefix_of_all_programs_is_not_the_interpreters_own(program: str) -> None:
    assert not {Path("/"), Path("/opt")} & {*interpreter_paths((), program)}


def test_the_systems_interpreter_needs_nothing_more() -> None:
    assert interpreter_paths((), "/usr/bin/python3") == (Path("/usr"),)
