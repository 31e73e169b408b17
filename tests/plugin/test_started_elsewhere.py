"""Legs of another folder than the one that pytest was started in: where results go, and what the legs are called."""

import json

import pytest
from handmade_legs import linear

from pytest_aar import session

GUESS = (
    "--aar-agent=racers:Guess",
    "--aar-world=live",
    "--aar-record=off",
    "-p",
    "no:cacheprovider",
)


@pytest.fixture
def elsewhere(project, monkeypatch):
    """The data, one leg in it, beside the folder that pytest is started in; neither is a project."""
    (project.path / "tox.ini").unlink()
    leg = project.path / "data" / "legs" / "mine" / "linear" / "001.json"
    leg.parent.mkdir(parents=True)
    leg.write_text(json.dumps(linear()))
    started = project.path / "work"
    started.mkdir()
    monkeypatch.chdir(started)
    return project.path / "data"


def raced(pytester, *arguments: str) -> None:
    pytester.runpytest_inprocess(*GUESS, *arguments).assert_outcomes(passed=1)


def ids_in(folder) -> list[str]:
    (results,) = folder.glob(".aar/runs/*/results.jsonl")
    return [json.loads(line)["leg"] for line in results.read_text().splitlines()]


def test_results_stay_where_pytest_was_started(project, elsewhere, monkeypatch) -> None:
    before = sorted(elsewhere.rglob("*"))
    raced(project.pytester, str(elsewhere / "legs"))
    assert sorted(elsewhere.rglob("*")) == before
    assert not (project.path / ".aar").exists()
    assert ids_in(project.path / "work") == ["mine/linear/001"]

    monkeypatch.chdir(elsewhere)
    raced(project.pytester, "legs")
    assert ids_in(elsewhere) == ["mine/linear/001"]


@pytest.mark.parametrize("made_by", ["pytest.ini", "setup.py", "--rootdir", None])
def test_a_project_keeps_its_own_results(pytester, elsewhere, made_by) -> None:
    options = []
    if made_by == "--rootdir":
        options = [f"--rootdir={elsewhere}"]
    elif made_by is not None:
        (elsewhere / made_by).write_text("[pytest]\n" if made_by.endswith("ini") else "")
    config = pytester.parseconfig(*options, str(elsewhere / "legs"))
    folder = elsewhere if made_by else pytester.path / "work"
    assert session.own_folder(config) == folder / ".aar"
    settings = session.settings_of(config)
    assert (settings.legs_root, settings.cassettes) == (folder / "legs", folder / "cassettes")
