"""`aar baseline` and `--aar-baseline`, on runs of the plugin."""

from click.testing import CliRunner

from pytest_aar.cli.baseline import command
from pytest_aar.errors import ConfigurationError


def aar(*arguments: str):
    return CliRunner().invoke(command, arguments)


def test_a_saved_run_is_compared_with_the_next(project) -> None:
    project.run("legs", "--aar-results=one")
    project.run("legs", "--aar-results=two", "--aar-agent-option=digit=4")
    saved = aar("save", "one", "base.json")
    assert saved.exit_code == 0
    assert saved.output.strip() == "base.json: 2 legs of run one"
    assert aar("compare", "base.json", "one").exit_code == 0
    found = aar("compare", "base.json", "two")
    assert found.exit_code == 1
    assert "lost now: 1: linear/easy/001" in found.output
    assert "won now: 1: dag/easy/002" in found.output
    assert "agent_options: {} -> {'digit': '4'}" in found.output


def test_a_file_that_cannot_be_written_is_named(project) -> None:
    project.run("legs", "--aar-results=one")
    error = aar("save", "one", "no-folder/base.json").exception
    assert isinstance(error, ConfigurationError)
    assert str(error) == (
        "can't write no-folder/base.json: No such file or directory; give another FILE"
    )


def test_other_legs_are_not_comparable_and_the_text_says_which(project) -> None:
    project.run("legs", "--aar-results=one")
    project.run("legs/dag", "--aar-results=two", "--aar-timeout=99")
    found = aar("compare", "one", "two")
    assert found.exit_code == 1
    assert "timeout: 600.0 before, 99.0 now" in found.output
    assert "1 legs missing now: linear/easy/001" in found.output


def test_the_summary_shows_the_changes(project) -> None:
    project.run("legs", "--aar-results=one")
    aar("save", "one", "base.json")
    result = project.run("legs", "--aar-baseline=base.json", "--aar-agent-option=digit=4")
    result.stdout.fnmatch_lines(
        ["changes against the baseline", "*FA: 0.500 -> 0.500*", "lost now: 1: linear/easy/001"]
    )


def test_lines_that_were_left_out_are_told(project) -> None:
    project.run("legs", "--aar-results=one")
    with (project.path / "one/results.jsonl").open("a") as stream:
        stream.write('{"schema"')
    saved = aar("save", "one", "base.json")
    assert saved.stderr == "warning: one/results.jsonl:3 was not written whole, left out\n"
    assert saved.stdout == "base.json: 2 legs of run one\n"
    assert "not written whole" in aar("compare", "one", "base.json").stderr
