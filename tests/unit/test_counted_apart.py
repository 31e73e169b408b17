"""Contaminated and unobserved races in gates, reports, baselines and in what workers tell each other."""

from pathlib import Path

import pytest
from handmade_legs import leg, linear
from race_records import LOST, broken, record, scored

from pytest_aar.errors import AgentCrashed
from pytest_aar.gate import judge, parse
from pytest_aar.race.kept import kept_race
from pytest_aar.race.records import Attempt, Circumstances, Entrant, line_of
from pytest_aar.reports import figures
from pytest_aar.reports.changes import changes
from pytest_aar.reports.junit import properties
from pytest_aar.reports.lost import contaminated_race
from pytest_aar.reports.terminal import Look, flat, summary
from pytest_aar.results import RaceRecord, baseline_of, from_json, to_json
from pytest_aar.trace import Finish, Trace

LINE = "the leg's canary in the output of command 3 (cat)"
RUN = {"run": "r", "subject": {}, "profile": {}}


def contaminated(leg_id: str) -> RaceRecord:
    marked = {"outcome": "contaminated", "ending": "answered", "evidence": (LINE,), "error": None}
    return broken(leg_id, answer=3, detail="", **marked)


def unobserved(leg_id: str, score=None) -> RaceRecord:
    return record(
        leg_id, score, outcome="unobserved", evidence=("curl to a.org in command 1 (curl)",)
    )


RACES = [
    record("linear/easy/1"),
    record("linear/easy/2"),
    contaminated("linear/easy/3"),
    contaminated("linear/easy/4"),
    contaminated("linear/easy/5"),
    unobserved("dag/easy/1"),
    unobserved("dag/easy/2", LOST),
]


def test_no_rule_makes_up_for_a_contaminated_race() -> None:
    verdict = judge(parse(["fa >= 1", "errors <= 100 %"]), RACES)
    assert verdict.line() == "aar gate: FAILED: 3 contaminated races"
    assert not judge(parse(["errors <= 0"]), RACES[2:3]).passed


def test_contaminated_races_are_no_infrastructure_errors() -> None:
    (ruling,) = judge(parse(["errors <= 0"]), RACES).rulings
    assert ruling.passed


def test_rates_and_rules_are_of_clean_and_observed_races() -> None:
    assert figures.rates(RACES).fa.n == 2
    (ruling, _) = judge(parse(["fa[dag] >= 0"]), RACES).rulings
    assert not ruling.passed
    assert "no scored race to judge" in ruling.text


def test_the_summary_shows_both_rates_and_the_evidence() -> None:
    text = "\n".join(flat(summary(RACES, Look(width=120)), Look()))
    assert "contaminated: 2/5 correct, 3 contaminated (2/2 of the clean races)" in text
    assert "unobserved: 2 of 7 races asked the network" in text
    assert "FA 0.50 (1/2), kept out of the rates above" in text
    assert f"contaminated: linear/easy/3: {LINE}" in text
    assert "unobserved: dag/easy/1: curl to a.org in command 1 (curl)" in text
    assert "outcomes: contaminated 3, answered 2, unobserved 2" in text


def test_the_short_summary_has_both_lines_and_an_honest_run_none() -> None:
    quiet = Look(verbosity=-1)
    text = "\n".join(flat(summary(RACES, quiet), quiet))
    assert "3 contaminated" in text
    assert "unobserved: 2" in text
    honest = "\n".join(flat(summary(RACES[:2], Look()), Look()))
    assert "contaminated" not in honest
    assert "unobserved" not in honest


def test_long_lists_of_evidence_are_cut() -> None:
    many = [contaminated(f"linear/easy/{number}") for number in range(12)]
    lines = flat(summary(many, Look()), Look())
    assert "and 2 more" in lines
    assert sum(line.startswith("contaminated: linear/") for line in lines) == 10


def test_sections_are_parted_by_an_empty_line_only_where_much_is_shown() -> None:
    assert "" in flat(summary(RACES, Look()), Look())
    quiet = Look(verbosity=-1)
    assert "" not in flat(summary(RACES, quiet), quiet)


def test_the_failure_names_evidence_and_no_digit() -> None:
    text = contaminated_race(RACES[2], trace="run/traces/x.jsonl")
    assert text.splitlines() == [
        "leg linear/easy/3 contaminated by guess: never correct, whatever its digit; what was seen:",
        f"  {LINE}",
        "  the isolation bwrap shows agents no such file (--aar-isolation, docs/isolation.md)",
        "  trace: run/traces/x.jsonl",
    ]


def test_junit_has_outcome_and_evidence() -> None:
    found = dict(properties(RACES[2]))
    assert (found["aar_outcome"], found["aar_evidence"]) == ("contaminated", LINE)
    assert "aar_fa" not in found
    assert "aar_evidence" not in dict(properties(RACES[0]))


def test_baselines_keep_them_apart_and_comparisons_name_them() -> None:
    before = baseline_of([record("linear/easy/1"), record("dag/easy/1")], RUN)
    after = baseline_of([contaminated("linear/easy/1"), unobserved("dag/easy/1", LOST)], RUN)
    assert {found.figures["fa"] for found in after.legs.values()} == {None}
    assert after.legs["linear/easy/1"].outcomes == ("contaminated",)
    found = changes(before, after)
    assert "contaminated now: 1: linear/easy/1" in found.lines
    assert found.contaminated == ("linear/easy/1",)
    assert (found.worse, found.better) == ((), ())
    assert not changes(after, before).contaminated


@pytest.mark.parametrize("outcome", ["contaminated", "unobserved"])
def test_a_line_reads_back(outcome: str) -> None:
    line = next(race for race in RACES if race.outcome == outcome)
    assert from_json(to_json(line)) == line


ENTRANT = Entrant(agent="guess")


def line(**attempt) -> RaceRecord:
    return line_of(
        leg(linear()), ENTRANT, Attempt(**attempt), attempt.pop("score", None), Circumstances()
    )


def test_contamination_stands_above_crashes_and_web_access() -> None:
    late = Finish(ending="timeout", answer=3, detail="late")
    found = line(finish=late, contaminated=(LINE,), unobserved=("curl to a.org",))
    assert (found.outcome, found.ending, found.answer) == ("contaminated", "timeout", 3)
    assert found.evidence == (LINE,)
    crashed = line(problem=AgentCrashed("gone"), contaminated=(LINE,))
    assert (crashed.outcome, crashed.error, crashed.detail) == (
        "contaminated",
        "AgentCrashed",
        "gone",
    )


def test_an_infrastructure_error_stands_above_web_access() -> None:
    assert line(problem=AgentCrashed("gone"), unobserved=("x",)).outcome == "infrastructure"


def test_what_another_worker_raced_comes_over_whole(tmp_path: Path) -> None:
    late = Finish(ending="timeout", answer=3, detail="late")
    marked = line(finish=late, unobserved=("curl to a.org",))
    told = from_json(to_json(marked))
    race = kept_race(told, leg(linear()), tmp_path / "none.jsonl")
    assert (race.outcome, race.finish, race.trace) == ("unobserved", late, Trace())
    seen = kept_race(
        line(finish=late, contaminated=(LINE,)), leg(linear()), tmp_path / "none.jsonl"
    )
    assert seen.contaminated
    assert (seen.finish, seen.problem, seen.won) == (None, None, False)


def test_a_scored_unobserved_race_is_won_by_its_digit() -> None:
    assert unobserved("dag/easy/1").score == scored()
    assert unobserved("dag/easy/1").main_score is None
    assert record("dag/easy/1").main_score == scored()
