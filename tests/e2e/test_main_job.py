"""The main job over the committed legs, as a user runs it: a process of its own, in the repository's folder."""

import importlib.util

import pytest
from main_job import REQUIRE, cut_off, missing, race, results_of, traces_of

__all__ = ["cut_off"]  # a fixture
#: CI runs the README's command over all legs, and `test_committed_legs` walks each.
SMOKE = ("-m", "aar_smoke")


@pytest.fixture
def mini_swe() -> None:
    # Looked for, not imported: its first import reads settings of the user's own.
    if importlib.util.find_spec("minisweagent") is None:
        missing("mini-swe-agent is not installed: aar install mini-swe")


@pytest.mark.parametrize(
    ("value", "outcome"), [("1", pytest.fail.Exception), (None, pytest.skip.Exception)]
)
def test_what_is_missing_skips_here_and_fails_where_it_is_demanded(
    monkeypatch: pytest.MonkeyPatch, value: str | None, outcome: type[BaseException]
) -> None:
    monkeypatch.delenv(REQUIRE, raising=False)
    if value:
        monkeypatch.setenv(REQUIRE, value)
    with pytest.raises(outcome, match="no unshare here"):
        missing("no unshare here")


def test_offline_the_main_job_gives_the_same_twice_and_ends_green(
    mini_swe, cut_off, tmp_path
) -> None:
    runs = [tmp_path / "first", tmp_path / "second"]
    # The second time half of the legs, by other workers: a leg's race is the same whoever else races.
    for folder, options in zip(runs, (("-n", "8"), ("-n", "2", "--aar-variant=dag")), strict=True):
        done = race(folder, "--aar-agent=mini-swe", *SMOKE, *options, before=cut_off)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
        assert done.stdout.rstrip().splitlines()[-1].startswith("aar gate: passed: fa 0.")
        assert "scripted stand-in, not a model" in done.stdout
    first, second = (results_of(folder) for folder in runs)
    assert [line for line in first if line["variant"] == "dag"] == second
    assert sum(line["score"]["fa"] for line in first) == 10
    assert len(first) == 16
    assert {line["outcome"] for line in first} == {"answered"}
    assert all(line["replay"]["misses"] == 0 and not line["stale"] for line in first)
    traces, again = (traces_of(folder) for folder in runs)
    assert {name: events for name, events in traces.items() if name.startswith("dag/")} == again
    # The stand-in's plan is the truth that the scores must find.
    assert {line["score"]["error_class"] for line in first} == {
        "correct", "navigation", "tool use", "computation",
    }  # fmt: skip
    assert [line["score"]["error_class"] for line in first] == [
        line["plan"]["error_class"] for line in first
    ]


def test_golden_wins_serial_and_parallel(tmp_path) -> None:
    for folder, workers in ((tmp_path / "serial", "0"), (tmp_path / "parallel", "2")):
        done = race(folder, "--aar-agent=golden", *SMOKE, "-q", "-n", workers)
        assert done.returncode == 0, done.stdout[-4000:]
        scores = [line["score"] for line in results_of(folder)]
        assert len(scores) == 16
        assert {(score["fa"], score["pvr"], score["rcr"]) for score in scores} == {(1, 1.0, 1.0)}
    assert results_of(tmp_path / "serial") == results_of(tmp_path / "parallel")
    assert traces_of(tmp_path / "serial") == traces_of(tmp_path / "parallel")


@pytest.mark.parametrize(
    ("agent", "legs", "repeats"),
    [("react", "aar_smoke", 6), ("mini-swe", "aar_smoke and aar_linear and aar_easy", 3)],
)
def test_live_races_are_judged_as_the_stand_in_planned_them(
    request, tmp_path, agent, legs, repeats
) -> None:
    if agent == "mini-swe":
        request.getfixturevalue("mini_swe")
    done = race(
        tmp_path / "run", f"--aar-agent={agent}", "-m", legs, f"--aar-repeat={repeats}",
        "--aar-record=off", "-q", "-n", "2",
        "--aar-pacer=navigation=0.6,tools=0.6,arithmetic=0.6,seed=11", "--aar-gate=errors <= 0",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    races = results_of(tmp_path / "run")
    assert len(races) == repeats * (16 if legs == "aar_smoke" else 2)
    assert [race["score"]["error_class"] for race in races] == [
        race["plan"]["error_class"] for race in races
    ]
    faulty = [race for race in races if race["plan"]["faults"]]
    assert faulty
    agreed = [r for r in faulty if r["score"]["first_divergence"] == r["plan"]["faults"][0]["stop"]]
    assert len(agreed) >= 0.99 * len(faulty)
