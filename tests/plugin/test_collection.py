"""Which files become which items."""

import pytest
from handmade_legs import linear


def collected(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


def test_ids_name_file_agent_and_repeat(project) -> None:
    result = project.run("legs", "--collect-only", "-q", "--aar-repeat=2", "--aar-model=m/1")
    assert collected(result) == [
        "legs/dag/easy/002.json::002[racers.Guess-m.1]",
        "legs/dag/easy/002.json::002[racers.Guess-m.1-r2]",
        "legs/linear/easy/001.json::001[racers.Guess-m.1]",
        "legs/linear/easy/001.json::001[racers.Guess-m.1-r2]",
    ]


def test_an_id_from_the_list_selects_its_item(project) -> None:
    result = project.run(
        "legs/dag/easy/002.json::002[racers.Guess-r2]", "--collect-only", "-q", "--aar-repeat=2"
    )
    assert collected(result) == ["legs/dag/easy/002.json::002[racers.Guess-r2]"]


def test_other_peoples_json_is_left_alone(project) -> None:
    project.path.joinpath("data.json").write_text('{"stop": 1}')
    project.path.joinpath("gradient.json").write_text('{"stops": [1]}')
    project.path.joinpath("broken.json").write_text("{")
    project.path.joinpath(".hidden.json").write_text('{"stops": [], "trail_id": "x"}')
    result = project.run("--collect-only", "-q")
    assert len(collected(result)) == 2
    assert result.ret == 0


def test_without_an_agent_only_named_legs_are_collected(project) -> None:
    assert collected(project.run("--collect-only", "-q", agent=None)) == []
    assert len(collected(project.run("legs/dag", "--collect-only", "-q", agent=None))) == 1
    named = project.run("legs/linear/easy/001.json", "--collect-only", "-q", agent=None)
    assert collected(named) == ["legs/linear/easy/001.json::001[none]"]


def test_without_an_agent_a_leg_is_an_error_that_lists_the_agents(project) -> None:
    result = project.run("legs/dag", agent=None)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no agent chosen: --aar-agent=NAME*golden*mini-swe*react*"])


def test_marks_and_folders_select(project) -> None:
    args = ("legs", "--collect-only", "-q", "--strict-markers", "-W", "error")
    assert len(collected(project.run(*args, "-m", "aar_dag"))) == 1
    assert len(collected(project.run(*args, "-k", "linear and easy"))) == 1
    assert len(collected(project.run(*args, "-m", "aar_template_diamond_merge"))) == 1
    assert len(collected(project.run(*args, "-m", "aar and not aar_hard"))) == 2


def test_level_variant_and_sample_deselect(project) -> None:
    args = ("legs", "--collect-only", "-q")
    assert collected(project.run(*args, "--aar-variant=dag")) == [
        "legs/dag/easy/002.json::002[racers.Guess]"
    ]
    assert collected(project.run(*args, "--aar-level=hard")) == []
    result = project.run(*args, "--aar-sample=1", "--aar-seed=7")
    assert len(collected(result)) == 1
    result.stdout.fnmatch_lines(["1/2 tests collected (1 deselected)*"])


def test_a_broken_leg_is_a_collection_error_without_a_traceback(project) -> None:
    wire = linear()
    wire["stops"][2]["extracted_value"] = None
    del wire["stops"][2]["bridge"]["tool_chain"][0]["tool_name"]
    project.write_leg("linear/easy/003", wire)
    result = project.run("legs")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    text = result.stdout.str()
    assert "legs/linear/easy/003.json, stop 2, field" in text
    assert "Traceback" not in text
    assert "collect.py" not in text


def test_two_files_with_one_id_are_a_usage_error(project) -> None:
    for folder in ("a", "b"):
        path = project.path / folder / "one.json"
        path.parent.mkdir()
        path.write_text((project.path / "legs/dag/easy/002.json").read_text())
    result = project.run("a", "b")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = "*two files have the leg id 'one': *a/one.json and *b/one.json*"
    result.stderr.fnmatch_lines([said])
    workers = project.run_subprocess("a", "b", "-n", "2")
    assert workers.ret == pytest.ExitCode.TESTS_FAILED
    workers.stdout.fnmatch_lines([said])
