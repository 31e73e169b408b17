"""The golden walk on a small leg and a fake course: each kind of stop is computed anew."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from walked_leg import PAGES, WIKI, Course, leg, stops

from pytest_aar.golden import Walk, walk
from pytest_aar.golden.chains import ChainBroken, substituted
from pytest_aar.golden.links import linked_pages
from pytest_aar.golden.pages import holds, labelled
from pytest_aar.golden.records import same
from pytest_aar.leg import (
    FinishLine,
    Leg,
    RouteInfo,
)
from pytest_aar.leg.arithmetic import evaluate, operand_literals
from pytest_aar.leg.operands import matched_operands, paired_operands
from pytest_aar.score import canonical_title


def walked(race: Leg, **changes: Any) -> Walk:
    return asyncio.run(walk(race, Course(**changes)))


def found(outcome: Walk) -> list[tuple[int, str, Any, Any]]:
    return [(each.stop, each.kind, each.old, each.new) for each in outcome.mismatches]


def test_an_untouched_leg_walks_clean_with_all_values_and_the_digit():
    course = Course()
    outcome = asyncio.run(walk(leg(), course))
    assert outcome.clean
    assert outcome.digit == 2
    assert outcome.values == {0: 1234, 1: 1672.9, 2: 20, 3: 1692, 4: 10, 5: 18, 6: 59, 7: 2}
    assert outcome.calls == len(course.names) == 7
    assert course.names.count("fetch_webpage") == 2


@pytest.mark.parametrize(
    ("index", "value", "expected"),
    [
        (0, 1235, (0, "route info", 1235, 1234)),
        (1, 1673.9, (1, "roadblock", 1673.9, 1672.9)),
        (2, 19, (2, "roadblock", 19, 20)),
        (3, 1693, (3, "roadblock", 1693, 1692)),
        (4, 11, (4, "detour", 11, 10)),
        (5, 19, (5, "route info", 19, None)),
        (6, 60, (6, "roadblock", 60, 59)),
        (7, 3, (7, "finish line", 3, 2)),
    ],
)
def test_a_changed_golden_value_is_listed_at_its_stop_alone(index: int, value: int, expected: Any):
    changed = replace(stops()[index], value=value)
    assert found(walked(leg(**{f"stop{index}": changed}))) == [expected]


def test_a_changed_digit_is_a_mismatch_of_the_finish_line():
    outcome = walked(leg(digit=7))
    assert found(outcome) == [(7, "finish line", 7, 2)]
    assert str(outcome.mismatches[0]) == (
        "stop 7 (finish line): golden value 7, recomputed value 2 "
        "(passcode 7 is the file's digit, its finish line gives 2)"
    )


def test_a_changed_literal_in_the_expression_names_the_stop_that_gives_another_value():
    finish = stops()[7]
    assert isinstance(finish, FinishLine)
    changed = replace(finish, expression="(1702 + 10) % 10")
    outcome = walked(leg(stop7=changed))
    assert [each.why for each in outcome.mismatches] == [
        "the expression holds 1702, stop 3 gives 1692"
    ]


def test_a_drifted_service_goes_through_to_the_merge_and_the_digit():
    outcome = walked(leg(), count=21)
    assert found(outcome)[:2] == [(2, "roadblock", 20, 21), (3, "roadblock", 1692, 1693)]
    assert found(outcome)[2] == (7, "finish line", 2, 3)
    assert outcome.digit == 3


def test_a_page_that_is_gone_and_a_link_that_is_gone_are_said_so():
    lost = replace(stops()[5], page_url=f"{WIKI}Nowhere")
    assert "can't be fetched" in str(walked(leg(stop5=lost)).mismatches[0])
    first = stops()[0]
    assert isinstance(first, RouteInfo)
    outcome = walked(leg(stop0=replace(first, link_url=f"{WIKI}Elsewhere")))
    assert outcome.mismatches[0].why == f"the page no longer leads to {WIKI}Elsewhere"


def test_a_search_must_still_find_the_next_page():
    first = stops()[0]
    assert isinstance(first, RouteInfo)
    searched = replace(
        first,
        transition="search_query",
        link_url=None,
        search_query="harbour on the lake",
        search_result_url=f"{WIKI}Harbour",
    )
    outcome = walked(leg(stop0=searched))
    assert outcome.mismatches[0].why.startswith("the results for 'harbour on the lake' no longer")


@pytest.mark.parametrize(
    ("value", "value_type", "expected"),
    [
        (1234, "number", True),
        (234, "number", False),
        (7, "number", False),
        ("57", "number", True),
        ("1901-05-03", "date", True),
        ("3 May 1901", "date", True),
        ("May 3, 1901", "date", True),
        ("May 33, 1901", "date", False),
        ("1901-05-04", "date", False),
        ("lake  TOWN", "text", True),
        ("Sea Town", "text", False),
    ],
)
def test_values_are_found_as_what_they_are(value: Any, value_type: str, expected: bool):
    assert holds(PAGES[f"{WIKI}Lake_Town"], value, value_type) is expected


CAT = "https://en.wikipedia.org/wiki/Cat"
ECHAFAUD = "https://fr.wikipedia.org/wiki/Ascenseur_pour_l'échafaud_(soundtrack)"
HEAD = "# Catalan language\nURL: https://en.wikipedia.org/wiki/Cat\n\ntext, of https://en.wikipedia.org/wiki/Cat"


def results(*urls: str) -> str:
    return json.dumps({"results": [{"url": url, "snippet": CAT} for url in urls], "count": 1})


@pytest.mark.parametrize(
    ("text", "url", "leads"),
    [("a [cat](/wiki/Cat)", CAT, True),
     ("a [cat](/wiki/Cat#History), now", CAT, True),
     ("a [cat](https://en.wikipedia.org/wiki/cat)", CAT, True),
     ("a [cat](/wiki/Catalan_language)", CAT, False),
     (HEAD, CAT, False),
     ("[a](http://[broken) [b](/wiki/B_(c_(d)))", "https://en.wikipedia.org/wiki/B_(c_(d))", True),
     ("[b](/wiki/B_%28c)", "https://en.wikipedia.org/wiki/B_(c", True),
     ("[a](/wiki/Ascenseur_pour_l%27%C3%A9chafaud_(soundtrack))", ECHAFAUD, False),
     ("[a](//fr.wikipedia.org/wiki/Ascenseur_pour_l%27%C3%A9chafaud_(soundtrack))", ECHAFAUD, True),
     (results("https://en.wikipedia.org/wiki/Catalan_language"), CAT, False),
     (results("https://en.m.wikipedia.org/wiki/Cat"), CAT, True),
     (results("https://en.wikipedia.org/wiki/Dog", CAT), CAT, True),
     (results("https://fr.wikipedia.org/wiki/Ascenseur_pour_l%27%C3%A9chafaud_(soundtrack)"), ECHAFAUD, True),
     ('{"results": [1, {"url": 2}, {}]}', CAT, False),
     ('{"error": {"kind": "quota", "message": "https://en.wikipedia.org/wiki/Cat"}}', CAT, False),
     ('{"broken", [cat](/wiki/Cat)', CAT, True)],
)  # fmt: skip
def test_a_text_leads_where_its_links_or_its_results_do(text: str, url: str, leads: bool) -> None:
    here = "https://en.wikipedia.org/wiki/Here"
    assert (canonical_title(url) in linked_pages(text, here)) is leads


def test_a_link_to_a_section_and_no_title_that_only_begins_so_is_the_way_on():
    first = stops()[0]
    page = PAGES[f"{WIKI}Lake_Town"].replace("(/wiki/Harbour)", "(/wiki/Harbour#Berths)")
    assert walked(leg(), page=page).clean
    page = page.replace("/wiki/Harbour#", f"{WIKI}Harbours#").replace(
        "\n\n", f"\nURL: {WIKI}Harbour\n\n", 1
    )
    outcome = walked(leg(), page=page)
    assert outcome.mismatches[0].why == f"the page no longer leads to {first.link_url}"


def test_labels_give_typed_values_through_links():
    text = "| Capital | [Lima](/wiki/Lima) |\n| Area | 1,285,216 km2 |\n| Elevation (max) | 9 m |"
    assert labelled(text, "Capital", "text") == "Lima"
    assert labelled(text, "Area", "number") == 1285216
    assert labelled(text, "Elevation", "number") is None


def test_a_label_may_be_that_of_a_row_in_a_group():
    text = (
        "| [Area](/wiki/Area)[3] |\n| \u2022 Total | 15 km2 |\n| \u2022 [Land](/wiki/Land) | 12 km2 |\n"
        "| GDP (PPP) | 2025 |\n| \u2022 Total | 9 |\n| GDP (nominal) |\n| \u2022 Total | 7 |\n| Land | 1 |"
    )
    assert labelled(text, "Area: Land", "number") == 12
    assert labelled(text, "Area: Water", "number") is None
    assert labelled(text, "GDP: Total", "number") is None  # of which of the two?


def test_a_text_ends_before_its_coordinates():
    text = "| Capital | [Lima](/wiki/Lima) [12\u00b02\u2032S 77\u00b01\u2032W](https://geohack.org/x) |"
    assert labelled(text, "Capital", "text") == "Lima"


def test_expressions_give_their_value_and_their_operands():
    assert evaluate("abs(3 - 2007) % 10") == 4
    assert evaluate("digital_root(12 + 40)") == 7
    assert evaluate("(4 + 7) % 10", {0: 8}) == 5
    assert operand_literals("(4 + -7 + 2.5) % 10") == (4, -7, 2.5)
    with pytest.raises(ValueError, match="not arithmetic of literals"):
        evaluate("__import__('os')")
    with pytest.raises(ValueError, match="can't be evaluated"):
        evaluate("4 % 0")


def test_operands_are_matched_by_value_then_by_place():
    assert paired_operands((10, 7), (7, 10)) == {0: 1, 1: 0}
    assert paired_operands((10, 8), (7, 10)) == {0: 1, 1: 0}
    assert paired_operands((10, 8), (7, 10, 3)) == {0: 1}


def test_a_literal_that_stands_twice_is_one_operand_or_two_of_one_value():
    assert matched_operands((8, 8, 7), (8, 7)) == {0: 0, 1: 0, 2: 1}
    assert matched_operands((8, 8, 7), (8, 8, 7)) == {0: 0, 1: 1, 2: 2}
    assert matched_operands((8, 8), (8, 7)) == {0: 0, 1: 0}  # 7 is not used
    assert paired_operands((8, 8), (8, 7)) == {0: 0, 1: 0}


def test_a_literal_may_have_dropped_its_values_sign():
    assert matched_operands((8, -3), (-8, -3)) == {0: 0, 1: 1}
    assert matched_operands((-8,), (8, 5)) == {}


def test_a_merge_takes_new_literals_and_refuses_other_forms():
    code = "result = abs(int(970.7) - int(4.8))\nprint(result)"
    assert substituted(code, [3, -2.5]) == "result = abs(int(3) - int(-2.5))\nprint(result)"
    with pytest.raises(ChainBroken, match="2 literals for 3 branches"):
        substituted(code, [1, 2, 3])


def test_numbers_are_the_same_in_all_their_forms():
    assert same("1,234", 1234.0)
    assert same(" Lake Town", "lake town")
    assert not same("1234", 1235)
    assert not same(None, 0)


def test_every_published_finish_line_evaluates_to_its_digit(shared: Path):
    found = 0
    for path in sorted((shared / "data/aar").glob("*/*/*.json")):
        wire = json.loads(path.read_text())
        expression = wire["stops"][-1]["bridge"]["expression"]
        found += evaluate(expression) == wire["passcode"]
    assert found == 1400
