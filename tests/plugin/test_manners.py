"""How the plugin behaves in sessions that are not about it."""

import subprocess
import sys

import pytest


def test_switched_off_it_leaves_no_trace(project) -> None:
    project.pytester.makepyfile("def test_other(): pass")
    project.pytester.makeini("[pytest]\n")
    result = project.run_subprocess("-p", "no:aar", "-v", agent=None)
    result.assert_outcomes(passed=1)
    assert "aar:" not in result.stdout.str()


def test_it_says_nothing_and_writes_nothing_where_no_leg_is_raced(project) -> None:
    project.pytester.makeini("[pytest]\n")
    project.pytester.makepyfile("def test_other(): pass")
    result = project.run("-W", "error", "--strict-markers", "--strict-config", agent=None)
    result.assert_outcomes(passed=1)
    text = result.stdout.str()
    assert "aar:" not in text
    assert "Amazing" not in text
    assert not (project.path / ".aar").exists()


def test_the_default_folder_of_results_keeps_itself_out_of_git(project) -> None:
    ignore = project.path / ".aar" / ".gitignore"
    project.run("legs/linear", "--aar-results=own")
    assert not ignore.exists()
    assert not (project.path / "own" / ".gitignore").exists()
    project.run("legs/linear")
    assert ignore.read_text() == "*\n"
    ignore.write_text("runs\n")
    project.run("legs/linear")
    assert ignore.read_text() == "runs\n"


def test_it_works_without_autoload(project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    result = project.run_subprocess("-p", "pytest_aar.plugin", "legs/linear", "--aar-results=run")
    result.assert_outcomes(passed=1)
    assert len(project.races()) == 1


def test_races_without_any_option_are_kept_too(project) -> None:
    project.pytester.makeini("[pytest]\n")
    project.pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def aar_agent():
            from pytest_aar.agents import make_agent
            return make_agent("racers:Guess", {})
        """
    )
    result = project.run_subprocess("legs/linear", "-n", "1", agent=None)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*The Amazing Agent Race*", "results: *.aar/runs/*"])
    (run,) = (project.path / ".aar" / "runs").iterdir()
    assert (run / "results.jsonl").is_file()
    assert (run / "traces/linear/easy/001.jsonl").is_file()


def test_no_summary_and_quiet_are_respected(project) -> None:
    silent = project.run("legs", "--no-summary").stdout.str()
    assert "The Amazing Agent Race" not in silent
    quiet = project.run("legs", "-q")
    lines = quiet.outlines
    start = next(i for i, line in enumerate(lines) if "The Amazing Agent Race" in line)
    assert lines[start + 1].startswith("FA 0.50")
    assert lines[start + 3].startswith("results: ")


def test_help_and_markers_list_what_there_is(project) -> None:
    text = project.run("--help", agent=None).stdout.str()
    assert "--aar-agent=NAME" in text
    assert "aar_gate (linelist)" in text
    markers = project.run("--markers", agent=None).stdout.str()
    assert "@pytest.mark.aar_legs(*paths)" in markers
    assert "@pytest.mark.aar_template_poi_count" in markers


def test_the_import_of_the_plugin_is_cheap() -> None:
    code = "import sys; import pytest_aar.plugin; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in out.stdout.split() if name.startswith("pytest_aar")}
    assert ours == {
        "pytest_aar",
        "pytest_aar.errors",
        "pytest_aar.fixtures",
        "pytest_aar.levels",
        "pytest_aar.option_values",
        "pytest_aar.options",
        "pytest_aar.plugin",
        "pytest_aar.settings",
    }
