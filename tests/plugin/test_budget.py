"""The budget of a run: it stops within one race a worker, says what it left, and the rest is raced later."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

REPOSITORY = Path(__file__).parents[2]
INI = """[pytest]
filterwarnings = error
aar_agent = react
aar_model = pacer
aar_prices = prices.json
"""
PRICES = {"prices": [{"models": ["pacer*"], "input": 1, "cached_input": 0.1, "output": 10}]}
LIMIT = 0.1
USED_UP = "aar: the run's budget of $0.10 is used up ($0.* spent)"


@pytest.fixture
def legs(project):
    """The project with six of the repository's easy legs, for react and a stand-in that has a price."""
    shutil.rmtree(project.path / "legs")
    for variant in ("linear", "dag"):
        folder = Path("legs") / variant / "easy"
        (project.path / folder).mkdir(parents=True)
        for number in (1, 2, 3):
            leg = folder / f"{number:03}.json"
            shutil.copy(REPOSITORY / leg, project.path / leg)
    (project.path / "prices.json").write_text(json.dumps(PRICES))
    project.pytester.makeini(INI)
    return project


def run(project, *options: str, live: bool = True) -> pytest.RunResult:
    record = ["--aar-record=off"] if live else []
    return project.run("legs", *record, *options, agent=None)


def outcomes(races: list[dict]) -> list[str]:
    return [race["outcome"] for race in races]


def last_lines(races: list[dict]) -> dict[str, dict]:
    return {race["leg"]: race for race in races}


@pytest.mark.usefixtures("wide")
def test_a_used_up_budget_skips_the_rest_and_resume_races_it(legs) -> None:
    result = run(legs, f"--aar-max-cost={LIMIT}", "--aar-results=run", "-rs", "--junitxml=x.xml")
    races = legs.races()
    raced = [race for race in races if race["outcome"] == "answered"]
    skipped = [race for race in races if race["outcome"] == "skipped"]
    assert len(raced) + len(skipped) == 6
    assert len(raced) > 1
    assert len(skipped) > 1
    # Within one race of the limit: without the last one there was money left.
    assert sum(race["cost"] for race in raced) >= LIMIT
    assert sum(race["cost"] for race in raced[:-1]) < LIMIT
    result.assert_outcomes(passed=len(raced), skipped=len(skipped))
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            f"skipped: {len(skipped)} races, not scored: {USED_UP.removeprefix('aar: ')}; "
            "go on with --aar-resume --aar-results run",
            "resources: tokens *, cost $0.1* ($0.0* a race); *",
            f"SKIPPED *{USED_UP}",
        ]
    )
    assert all(race["score"] is None and race["trace"] is None for race in skipped)
    cases = list(ElementTree.parse(legs.path / "x.xml").iter("testcase"))
    told = [
        {p.get("name"): p.get("value") for p in case.iter("property")}
        for case in cases
        if case.find("skipped") is not None
    ]
    assert [properties["aar_outcome"] for properties in told] == ["skipped"] * len(skipped)
    assert sum("aar_cost" in properties for properties in told) == 0

    again = run(legs, "--aar-resume", "--aar-results=run")
    again.assert_outcomes(passed=6)
    again.stdout.fnmatch_lines([f"aar: *, resumes */run ({len(raced)} races are scored)"])
    lines = legs.races()
    assert outcomes(lines).count("answered") == 6
    assert len(lines) == len(races) + len(skipped)
    found = last_lines(lines)
    assert all(found[race["leg"]] == race for race in raced)


def test_the_budget_holds_over_all_workers(legs) -> None:
    result = run(legs, f"--aar-max-cost={LIMIT / 4}", "--aar-results=run", "-n4")
    races = legs.races()
    raced = [race for race in races if race["outcome"] == "answered"]
    assert len(races) == 6
    assert 1 <= len(raced) <= 4 + 1  # what was spent before the limit, and one race a worker
    result.assert_outcomes(passed=len(raced), skipped=6 - len(raced))
    run(legs, "--aar-resume", "--aar-results=run").assert_outcomes(passed=6)
    assert outcomes(legs.races()).count("answered") == 6


@pytest.mark.usefixtures("wide")
def test_tokens_are_a_budget_too_and_the_gate_names_what_was_skipped(legs) -> None:
    result = run(legs, "--aar-max-tokens=1", "--aar-gate=fa >= 0.5", "-o", "aar_prices=")
    result.assert_outcomes(passed=1, skipped=5)
    result.stdout.fnmatch_lines(
        [
            "skipped: 5 races, not scored: the run's budget of 1 tokens is used up (* spent)*",
            "resources: *cost unknown*",
            "aar gate: passed: fa 1.000 >= 0.5 (N = 1); infrastructure errors 0 <= 0; 5 races skipped",
        ]
    )


@pytest.mark.usefixtures("wide")
def test_replays_cost_nothing_and_tell_the_recorded_cost(legs) -> None:
    shutil.rmtree(legs.path / "legs" / "dag")
    run(legs, "--aar-record=all", "--aar-results=recorded", live=False).assert_outcomes(passed=3)
    result = run(legs, "--aar-max-cost=0", "--aar-results=replayed", live=False)
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["resources: *, as recorded, cost $* a race), as recorded; *"])
    costs = [
        {race["leg"]: race["cost"] for race in legs.races(n)} for n in ("recorded", "replayed")
    ]
    assert costs[0] == costs[1]
    assert None not in costs[0].values()

    # In the mode `diverged` only the live races count, and without money they are skipped.
    free = run(legs, "--aar-max-cost=0", "--aar-record=diverged", live=False)
    free.assert_outcomes(passed=3)
    (legs.path / "mine.md").write_text("Race! {clues} {tools}")
    changed = ("--aar-prompt=mine.md", "--aar-record=diverged", "--aar-results=diverged")
    run(legs, "--aar-max-cost=0", *changed, live=False).assert_outcomes(skipped=3)
    run(legs, "--aar-max-cost=9", "--aar-resume", *changed, live=False).assert_outcomes(passed=3)


def test_the_budget_of_each_race(legs) -> None:
    result = run(legs, "--aar-max-race-cost=0.003", "--aar-results=run")
    result.assert_outcomes(failed=6)
    assert outcomes(legs.races()) == ["budget"] * 6
    result.stdout.fnmatch_lines(["*the race's budget of $0.003 is used up ($0.0* spent)*"])
    assert all(race["cost"] >= 0.003 for race in legs.races())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("-o", "aar_prices=", "--aar-max-cost=1"),
            "*--aar-max-cost: no price is known for model 'pacer-*'; give a table with --aar-prices FILE "
            "(*), or limit tokens with --aar-max-tokens",
        ),
        (
            ("-o", "aar_prices=", "--aar-max-race-cost=1"),
            "*--aar-max-race-cost: no price is known*or limit tokens with --aar-max-race-tokens",
        ),
        (("--aar-prices=tox.ini",), "*tox.ini is no table of prices: *; its form: *"),
        (("--aar-prices=gone.json",), "*--aar-prices: no file *gone.json*"),
        (
            ("--aar-max-cost=much",),
            "*--aar-max-cost: 'much' is not valid; valid: US dollars from 0*",
        ),
        (
            ("--aar-max-tokens=0",),
            "*--aar-max-tokens: '0' is not valid; valid: whole numbers from 1*",
        ),
    ],
)
def test_limits_that_can_not_be_kept_are_usage_errors(legs, options, said) -> None:
    result = run(legs, *options, "--aar-results=run")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said.replace("[", "[[]")])
    assert not (legs.path / "run").exists()
