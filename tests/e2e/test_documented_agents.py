"""The three agents of the docs race the repository's legs, each as its page says."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
LEGS = ("linear/easy/001", "dag/easy/001")
LIVE = ("--aar-model=pacer", "--aar-record=off", "--aar-results=run")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with two of the repository's legs and the examples."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES))
    pytester.makeini("[pytest]\n")
    shutil.copytree(EXAMPLES, pytester.path / "examples")
    for leg in LEGS:
        copy = pytester.path / "legs" / f"{leg}.json"
        copy.parent.mkdir(parents=True)
        shutil.copy(ROOT / "legs" / f"{leg}.json", copy)
    return pytester


def races(project: pytest.Pytester) -> dict[str, dict]:
    lines = (project.path / "run/results.jsonl").read_text().splitlines()
    return {race["leg"]: race for race in map(json.loads, lines)}


def command(line: str) -> tuple[str, str, str]:
    return ("--aar-agent=command", "--aar-agent-option", f"command={line}")


def test_each_example_is_short():
    files = [*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.sh")]
    assert {file.name for file in files} == {"async_agent.py", "openai_agent.py", "shell_agent.sh"}
    assert max(len(file.read_text().splitlines()) for file in files) <= 20


def test_the_async_class_wins_with_a_pacer_without_faults(project: pytest.Pytester):
    result = project.runpytest_subprocess("legs", *LIVE, "--aar-agent=async_agent:Racer")
    result.assert_outcomes(passed=len(LEGS))
    assert {leg: race["score"]["fa"] for leg, race in races(project).items()} == dict.fromkeys(
        LEGS, 1
    )


@pytest.mark.skipif(find_spec("openai") is None, reason="needs the package openai: group test")
def test_the_openai_script_wins_with_a_pacer_without_faults(project: pytest.Pytester):
    agent = command("{python} {start}/examples/openai_agent.py")
    # One leg: the program and each of its tool calls start an interpreter.
    result = project.runpytest_subprocess("legs/dag", *LIVE, *agent)
    result.assert_outcomes(passed=1)
    (race,) = races(project).values()
    assert (race["score"]["fa"], race["score"]["rcr_strict"]) == (1, 1)
    assert race["model_calls"] > race["tool_calls"] > 0


def test_the_shell_program_answers_without_a_model(project: pytest.Pytester):
    agent = command("sh ./examples/shell_agent.sh")
    project.runpytest_subprocess("legs", *LIVE, *agent)
    found = races(project)
    assert [found[leg]["outcome"] for leg in LEGS] == ["answered", "answered"]
    assert [(race["tool_calls"], race["model_calls"]) for race in found.values()] == [(1, 0)] * 2
    assert all(race["answer"] in range(10) for race in found.values())
