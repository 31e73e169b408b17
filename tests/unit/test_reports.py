from dataclasses import replace
from typing import Any

import pytest
from handmade_legs import leg, linear
from race_records import LOST, broken, record, scored

from pytest_aar.reports import figures
from pytest_aar.reports.junit import properties, with_properties
from pytest_aar.reports.lost import clue_of, lost_race
from pytest_aar.reports.table import table
from pytest_aar.reports.terminal import Look, flat, summary
from pytest_aar.reports.wikipedia_note import wikipedia_note
from pytest_aar.settings import Settings

RACES = [
    record("dag/easy/3", LOST, stops=12, templates=("poi_count",), race_seconds=2.0),
    record("linear/easy/1", race_seconds=5.0, input_tokens=70, output_tokens=30),
    record("linear/easy/2", LOST, outcome="no-answer", answer=None),
    broken("linear/hard/4"),
]


def text(races=RACES, **look) -> str:
    return "\n".join(line for section in summary(races, Look(**look)) for line in section.lines)


def test_each_cell_and_all_have_rate_count_and_interval() -> None:
    lines = text(width=120).splitlines()
    cells = {line[:11].strip(): line for line in lines if line.startswith(("linear", "dag", "all"))}
    assert list(cells) == ["linear easy", "linear hard", "dag easy", "all"]
    assert "  2  0.50 [0.09, 0.91]" in cells["linear easy"]
    assert "  0  " in cells["linear hard"]
    assert "  3  0.33 [0.06, 0.79]" in cells["all"]


def test_the_summary_says_what_the_figures_need_said() -> None:
    found = text(width=120)
    assert "FA by guessing: 0.10" in found
    assert "correct 1 (33%), navigation 2 (67%), tool use 0 (0%), computation 0 (0%)" in found
    assert "infrastructure errors 1 (not scored)" in found
    assert "outcomes: answered 2, no-answer 1, infrastructure 1" in found
    assert "FA given PVR >= 0.8: 1.00 (N = 1, few)" in found
    assert "slowest: linear/easy/1 5.00 s, dag/easy/3 2.00 s" in found
    assert "tokens 100 (100 a race)" in found
    assert "cost unknown" in found
    assert "poi_count" in found
    assert "9-14" in found
    assert "replay:" not in found


@pytest.mark.parametrize("verbosity", [0, -1])
def test_every_line_keeps_to_the_width_and_what_goes_on_is_indented(verbosity: int) -> None:
    races = [
        *(
            record(f"dag/easy/{number}", **REPLAYED, **TOKENS, validity="stable")
            for number in (1, 2)
        ),
        record(
            "dag/hard/3", LOST, validity="drifting", waited_seconds={"wikipedia (200/min)": 9.0}
        ),
        broken(
            "dag/hard/4", error="ServiceRefused", detail=f"access denied by maps {'word ' * 40}"
        ),
    ]
    look = Look(width=80, verbosity=verbosity)
    lines = flat(summary(races, look), look)
    assert max(map(len, lines)) <= 80
    begin = next(index for index, line in enumerate(lines) if line.startswith("services: 1 race"))
    assert lines[begin + 1].startswith("  word word")
    assert " ".join(" ".join(lines).split()).count("word") == 40


def test_an_address_is_not_broken() -> None:
    url = f"https://x.test/{'a-long-path/' * 10}"
    races = [broken("dag/hard/4", error="ServiceRefused", detail=f"denied, see {url}")]
    assert any(url in line for line in flat(summary(races, Look()), Look()))


def test_without_a_scored_race_there_are_no_tables_and_legs_that_never_raced_are_not_slow() -> None:
    keys = ("GOOGLE_API_KEY",)
    races = [
        broken(f"dag/easy/{number}", error="ServiceRefused", missing_keys=keys, templates=("poi",))
        for number in (1, 2)
    ]
    found = text(races)
    assert "no race was scored" in found
    assert "services: 2 races not run" in found
    for left_out in ("FA by guessing", "by template", "by pit stops", "recovery", "slowest"):
        assert left_out not in found
    assert "slowest: dag/easy/1" in text([replace(races[0], tool_calls=1)])
    assert "dag/easy/2" not in text([record("dag/easy/1"), races[1]])


def test_each_missing_key_and_each_refusal_is_one_line_with_its_sum() -> None:
    refused = {"error": "ServiceRefused"}
    denied = "access denied by maps ({} needs it); then go on with --aar-resume"
    races = [
        broken("dag/easy/1", **refused, missing_keys=("GOOGLE_API_KEY",), detail="one"),
        broken("dag/easy/2", **refused, missing_keys=("GOOGLE_API_KEY", "SERPER_API_KEY")),
        broken("dag/easy/3", **refused, detail=denied.format("maps_geocode")),
        broken("dag/easy/4", **refused, detail=f"{denied.format('maps_elevation')} (not raced)"),
    ]
    lines = [line for line in text(races).splitlines() if line.startswith("services")]
    assert lines == [
        "services: 2 races not run, not scored: no GOOGLE_API_KEY: get one at "
        "https://console.cloud.google.com/google/maps-apis and set it in the environment, "
        "then go on with --aar-resume",
        "services: 1 race not run, not scored: no SERPER_API_KEY: get one at https://serper.dev "
        "(2,500 searches free) and set it in the environment; TAVILY_API_KEY, BRAVE_API_KEY, "
        "SEARXNG_URL do as well, then go on with --aar-resume",
        "services: 2 races not run, not scored: access denied by maps; then go on with --aar-resume",
    ]


@pytest.mark.parametrize("verbosity", [0, -1])
def test_legs_that_want_a_pinned_wiki_are_counted_where_none_was(verbosity: int) -> None:
    races = [record(f"dag/easy/{number}", validity="stable-if-pinned") for number in (1, 2)]

    def said(unpinned: bool) -> str:
        look = Look(verbosity=verbosity)
        found = summary(races, look, unpinned=unpinned)
        return "\n".join(line for section in found for line in section.lines)

    wanted = "(stable-if-pinned 2); stable-if-pinned without --aar-wiki-at: the pages of 2 may have changed"
    assert wanted in said(unpinned=True)
    assert "validity:" not in said(unpinned=False)


@pytest.mark.parametrize(
    ("settings", "is_told"),
    [
        ({"only": ("valid",)}, True),
        ({"only": ("stable-if-pinned",)}, True),
        ({"only": ("stable",)}, False),
        ({}, False),
        ({"only": ("valid",), "wiki_at": "generated"}, False),
        ({"only": ("valid",), "record": "none"}, False),
        ({"only": ("valid",), "world": "sandbox"}, False),
        ({"only": ("valid",), "services": {"wikipedia": "kiwix+http://x.test"}}, False),
    ],
)
def test_the_header_says_that_valid_legs_want_a_pinned_wiki(
    settings: dict[str, Any], is_told: bool
) -> None:
    given = Settings(**{"world": "live", "record": "once", "contact": "me@x.test"} | settings)
    told = wikipedia_note(given)
    assert ("right only with --aar-wiki-at=generated" in told) is is_told


def test_each_outage_is_one_line_with_its_sum() -> None:
    why = "wikipedia at 127.0.0.1:9 did not answer (ConnectError: refused): is it running?"
    races = [
        broken(
            f"dag/easy/{number}",
            error="ServiceUnavailable",
            detail=f"{why}; the leg needs {tool}: race it again with --aar-resume",
        )
        for number, tool in enumerate(("fetch_webpage", "wikipedia_summary"))
    ]
    lines = [line for line in text(races).splitlines() if line.startswith("services")]
    assert lines == [
        f"services: 2 races broken off, not scored: {why}; race again with --aar-resume"
    ]


def test_a_wiki_that_failed_is_told_with_the_races_that_it_may_have_cost_visits() -> None:
    why = "Wikipedia answered HTTP 403: who are you"
    lost, known = scored(pages_unresolved=2), scored()
    races = [
        record("linear/easy/1", lost, wiki_failure=why),
        record("linear/easy/2", lost, wiki_failure="another"),
        record("linear/easy/3", known, wiki_failure=why),
        record("linear/easy/4", lost),
    ]
    said = "golden pages: in 2 races it is not known where all of them lead (pages_unresolved), and PVR"
    assert f"{said} may be too low: {why}" in text(races, width=300)
    assert "golden pages" not in text(races[2:])


def test_a_stand_in_is_named_and_never_passes_for_a_model() -> None:
    scripted, real = (
        record("dag/easy/1", model="pacer-12ab34cd"),
        record("dag/easy/1", model="gpt-9"),
    )
    assert "model pacer-12ab34cd (scripted stand-in, not a model)" in text([scripted])
    assert "stand-in" not in text([real])
    assert dict(properties(scripted))["aar_model_note"] == "scripted stand-in, not a model"
    assert "aar_model_note" not in dict(properties(real))


@pytest.mark.parametrize("model", ["pacer-large", "pacer2", "pacer-12ab34cd-chat", "my/pacer"])
def test_a_model_of_such_a_name_is_one(model: str) -> None:
    assert "stand-in" not in text([record("dag/easy/1", model=model)])


def test_the_model_is_named_though_the_first_race_asked_none() -> None:
    races = [record("dag/easy/1"), record("dag/easy/2", model="pacer-12ab34cd")]
    assert "agent guess, model pacer-12ab34cd (scripted" in text(races)


REPLAYED = {"replay": {"hits": 4, "misses": 0, "unplayed": 0}, "recorded_seconds": 40.0}
TOKENS = {"input_tokens": 70, "output_tokens": 30, "race_seconds": 0.5}


def test_resources_of_a_replay_are_the_recorded_ones_and_its_own_time_apart() -> None:
    found = text([record(f"dag/easy/{number}", **REPLAYED, **TOKENS) for number in (1, 2)])
    assert "tokens 200 (100 a race), as recorded, cost unknown; " in found
    assert "model time 80.0 s, as recorded; " in found
    assert "replay took 1.0 s in all, 0.50 s a race" in found


def test_of_some_replayed_races_the_label_says_how_many() -> None:
    found = text([record("dag/easy/1", **REPLAYED, **TOKENS), record("dag/easy/2", **TOKENS)])
    assert "tokens 200 (100 a race), as recorded in 1 of 2 races, " in found
    assert "model time 40.0 s, as recorded in 1 of 2 races; " in found
    assert "; 1.0 s in all" in found


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ((0.25, 1.0), "cost $1.25 ($0.62 a race); model calls"),
        ((0.25, None), "cost $0.25 ($0.25 a race) in 1 of 2 races, else unknown; model calls"),
        ((0.0, 0.0), "cost $0.00 ($0.00 a race); model calls"),
        ((None, None), "cost unknown; model calls"),
    ],
)
def test_the_cost_is_of_the_races_whose_price_is_known(
    costs: tuple[float | None, ...], said: str
) -> None:
    races = [record(f"dag/easy/{number}", cost=cost) for number, cost in enumerate(costs)]
    assert said in text(races)


def test_races_that_the_budget_did_not_reach_are_named_and_in_no_figure() -> None:
    reached = record("dag/easy/1", cost=0.5, race_seconds=2.0)
    detail = "the run's budget of $0.50 is used up ($0.50 spent)"
    left = replace(record("dag/easy/2"), outcome="skipped", score=None, detail=detail)
    found = text([reached, left])
    assert f"skipped: 1 race, not scored: {detail}; go on with --aar-resume" in found
    assert "cost $0.50 ($0.50 a race);" in found
    assert "2.0 s in all, 2.00 s a race" in found
    assert "slowest: dag/easy/1 2.00 s" in found
    assert "infrastructure errors" not in found
    assert "N = 1" in text([reached, left], verbosity=-1)
    assert f"skipped: 1 race, not scored: {detail}" in text([reached, left], verbosity=-1)
    assert "resources" not in text([left])


@pytest.mark.parametrize("verbosity", [0, -1])
def test_recorded_calls_that_a_finished_race_left_are_a_warning_with_its_leg(verbosity) -> None:
    some = {"replay": {"hits": 2, "misses": 0, "unplayed": 3}}
    races = [
        record("dag/easy/1", **some, repeat=2),
        record("dag/easy/2", **REPLAYED),
        broken("dag/easy/3", **some),
    ]
    found = text(races, verbosity=verbosity)
    assert "warning: recorded model calls were left unplayed in dag/easy/1 r2 (3); --aar" in found
    assert "warning" not in text([races[1]], verbosity=verbosity)


def test_replay_and_stale_recordings_are_counted() -> None:
    races = [
        record(
            "dag/easy/1", replay={"hits": 4, "misses": 1, "unplayed": 0}, stale=("world: a, now b",)
        ),
        record(
            "dag/easy/2", replay={"hits": 2, "misses": 0, "unplayed": 3}, stale=("world: a, now b",)
        ),
    ]
    found = text(races)
    assert "replay: hits 6, misses 1, unplayed 3" in found
    assert "stale recordings: world: a, now b (2 races)" in found


def test_a_version_that_no_race_was_tested_with_is_a_warning_with_the_range() -> None:
    races = [
        record("dag/easy/1", agent=agent, agent_version=version)
        for agent, version in (("codex", "0.171.0"), ("codex", "0.999.0"), ("react", "0.999.0"))
    ]
    (line,) = [line for line in text(races).splitlines() if line.startswith("warning")]
    assert line.startswith(
        "warning: codex 0.999.0 is not a version that pytest-aar was tested with (0.1"
    )
    assert "`aar install codex` installs 0.171.0" in line


def test_quiet_is_two_lines_and_no_race_is_none() -> None:
    assert len(text(verbosity=-1).splitlines()) == 2
    assert summary([], Look()) == []


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_tables_keep_to_the_width(width: int) -> None:
    rows = [["linear easy", "1", "0.50 [0.09, 0.91]", "0.50 [0.09, 0.91]"]] * 2
    assert max(map(len, table(["", "N", "FA [95 %]", "PVR [95 %]"], rows, width=width))) <= width


def test_levels_come_in_the_papers_order_and_custom_ones_last() -> None:
    races = [
        record(f"{cell}/1") for cell in ("dag/extreme", "dag/easy", "linear/odd", "linear/hard")
    ]
    assert [cell[:2] for cell in figures.cells(races)] == [
        ("linear", "hard"),
        ("linear", "odd"),
        ("dag", "easy"),
        ("dag", "extreme"),
    ]


def test_a_lost_race_shows_verdict_divergence_clue_and_trace_but_no_digit() -> None:
    wire = linear()
    wire["riddle"] = "\n".join(f"{number}. Clue {number} words." for number in range(1, 7))
    race = record("linear/easy/1", LOST, answer=7)
    found = lost_race(leg(wire), race, trace="run/traces/x.jsonl")
    assert found.splitlines() == [
        "leg handmade lost by guess: answer 7 is wrong",
        "  navigation error, PVR 0.25, RCR 0.50, outcome answered",
        "  first divergence: stop 1 (route info)",
        "  its clue: Clue 2 words.",
        "  trace: run/traces/x.jsonl",
    ]
    told = record("linear/easy/1", LOST, answer=None, golden=3)
    assert "no valid answer, the digit is 3" in lost_race(leg(wire), told, trace="")


def test_every_line_of_an_agents_detail_is_indented() -> None:
    race = record("linear/easy/1", LOST, answer=None, detail="2 differ:\nstop 0: a\nstop 1: b")
    found = lost_race(leg(linear()), race, trace="").splitlines()
    assert found[1:4] == ["  2 differ:", "  stop 0: a", "  stop 1: b"]


def test_a_clue_is_left_out_where_the_numbers_do_not_fit() -> None:
    assert clue_of(leg(linear()), 1) == ""


def test_properties_say_which_agent_raced_where() -> None:
    found = dict(properties(record("dag/easy/1", agent_version="2.4.5", isolation="bwrap")))
    assert (found["aar_agent_version"], found["aar_isolation"]) == ("2.4.5", "bwrap")
    unknown = dict(properties(record("dag/easy/1")))
    assert {"aar_agent_version", "aar_isolation"}.isdisjoint(unknown)


def test_properties_leave_out_what_is_unknown_and_replace_what_was_there() -> None:
    found = properties(record("dag/easy/1", scored(rcr=None), model_calls=2))
    names = dict(found)
    assert names["aar_fa"] == 1
    assert "aar_rcr" not in names
    assert "aar_golden" not in names
    assert "aar_tokens" not in names
    kept = with_properties([("mine", 1), ("aar_fa", 0)], found)
    assert kept[0] == ("mine", 1)
    assert [value for name, value in kept if name == "aar_fa"] == [1]
    assert all(isinstance(value, str | int | float | bool) for _, value in kept)
