"""The linter: legs in, findings with place and repair out."""

import json
from datetime import date
from pathlib import Path

import pytest
from handmade_legs import detour, diamond, leg, linear, page

from pytest_aar.clue_numbers import MASK
from pytest_aar.leg_file import looks_like_leg
from pytest_aar.lint import RULES, lint_files, lint_leg, lint_set
from pytest_aar.lint.clue_text import bare, clues_of
from pytest_aar.lint.detour_code import argument_of
from pytest_aar.lint.likeness import (
    digit_counts,
    jaccard,
    mean_overlap,
    overlaps,
    pages_of,
    unevenness,
)
from pytest_aar.lint.trading_days import closed

LEGS = Path(__file__).resolve().parents[2] / "legs"


def rules_of(findings):
    return [finding.rule for finding in findings]


def test_the_legs_of_the_repository_have_no_finding():
    files = [path for path in sorted(LEGS.rglob("*.json")) if looks_like_leg(path)]
    assert len(files) >= 24
    assert [str(finding) for finding in lint_files(files, root=LEGS).findings] == []


def test_a_finding_says_what_was_found_where_and_what_to_do():
    wire = linear() | {"passcode": 4}
    (finding,) = lint_leg(leg(wire), [RULES["wrong-digit"]])
    assert (finding.stop, finding.field, finding.severity) == (5, "bridge.expression", "error")
    assert finding.message == "'(1936 + 7) % 10' gives 3, the digit is 4"
    assert str(finding) == (
        "handmade: wrong-digit: stop 5, field bridge.expression: '(1936 + 7) % 10' gives 3, the digit is 4; "
        "correct the expression or the digit"
    )


def test_findings_in_files_have_the_line_of_their_field(tmp_path):
    folder = tmp_path / "dag" / "hard"
    folder.mkdir(parents=True)
    file = folder / "001.json"
    file.write_text(json.dumps(diamond(), indent=2))
    found = lint_files([file], [RULES["level-mismatch"], RULES["few-diamonds"]])
    lines = file.read_text().splitlines()
    assert rules_of(found.findings) == ["level-mismatch", "few-diamonds"]
    assert all('"level": "easy"' in lines[finding.line - 1] for finding in found.findings)
    assert {finding.leg_id for finding in found.findings} == {"dag/hard/001"}


def test_a_file_that_is_no_leg_is_a_finding_at_its_field(tmp_path):
    broken, torn = tmp_path / "broken.json", tmp_path / "torn.json"
    wire = linear()
    wire["stops"][3]["reason_source_stop"] = 9
    broken.write_text(json.dumps(wire, indent=1))
    torn.write_text('{"trail_id": "x", "stops": [')
    found = lint_files([broken, torn], [RULES["not-a-leg"]]).findings
    assert rules_of(found) == ["not-a-leg", "not-a-leg"]
    assert (found[0].stop, found[0].field) == (3, "reason_source_stop")
    assert '"reason_source_stop": 9' in broken.read_text().splitlines()[found[0].line - 1]
    assert "should be an earlier stop (0 to 2), found 9" in found[0].message
    assert found[1].line == 1
    assert "not JSON" in found[1].message


def test_clues_are_told_apart_by_the_number_at_their_beginning():
    text = "A preamble.\n\n1. Go to 3. Then on.\n**2.** Add\n3.5 more.\nClue 3: End.\n4) Really."
    assert clues_of(text) == (
        (1, "Go to 3. Then on."),
        (2, "** Add\n3.5 more."),
        (3, "End."),
        (4, "Really."),
    )
    assert clues_of("Nothing is numbered here.") == ()


def test_numbering_and_references_are_no_numbers_of_the_text():
    text = "1. Add the results of clues 4, 5 and clue 37 to 12."
    masked = [MASK * len("clues 4, 5"), "and", MASK * len("clue 37")]
    assert bare(text).split() == ["Add", "the", "results", "of", *masked, "to", "12."]


@pytest.mark.parametrize(
    ("code", "argument"),
    [
        ("n = 224\nresult = max(n + 1, 2)\nprint(result)", 224),
        ("result = sum(int(d) for d in str(abs(int(-110.5))))\nprint(result)", -110.5),
        ("def f(n):\n    return n if n > 7 else f(8)\nresult = f(15)\nprint(result)", 15),
        ("from datetime import date\nresult = date(abs(int(1966)), 1, 1).isoweekday()", 1966),
        ("print(n)", None),
        (None, None),
    ],
)
def test_the_number_that_a_detours_code_works_on(code, argument):
    wire = linear()
    wire["stops"][3]["reason_code"] = code
    assert argument_of(leg(wire).detours[0]) == argument


@pytest.mark.parametrize(
    ("code", "argument"),
    [
        ("text = 'Rio \"Sul\"'\nprint(len(text))", 'Rio "Sul"'),
        ("result = sum(1 for c in \"O'Hara\".lower() if c in 'aeiou')", "O'Hara"),
        ("first = \"Oslo\"[0].upper()\nresult = ord(first) - ord('A') + 1", "Oslo"),
        ("text = 'torn", None),
    ],
)
def test_the_text_that_a_detours_code_works_on(code, argument):
    wire = linear()
    wire["stops"][3] = detour(3, "vowel_count", 1, 4, reason_code=code)
    assert argument_of(leg(wire).detours[0]) == argument


@pytest.mark.parametrize(
    ("day", "why"),
    [
        ("2024-03-29", "Good Friday"),
        ("2025-04-18", "Good Friday"),
        ("2022-06-20", "Juneteenth, kept on Monday"),
        ("2021-12-24", "Christmas, kept on Friday"),
        ("2023-01-02", "New Year's Day, kept on Monday"),
        ("1998-01-19", "the third Monday of January, since 1998"),
        ("1964-01-01", "New Year's Day"),
        ("2024-11-28", "Thanksgiving"),
        ("2024-06-15", "a Saturday"),
    ],
)
def test_days_without_trading_in_new_york(day, why):
    assert closed(date.fromisoformat(day), sandbox=False), why


@pytest.mark.parametrize(
    "day", ["2024-04-01", "2019-06-19", "1997-01-20", "2021-12-31", "2024-03-28"]
)
def test_days_of_trading_in_new_york(day):
    assert not closed(date.fromisoformat(day), sandbox=False)


def test_the_sandbox_has_its_own_days_of_trading():
    assert closed(date(2019, 6, 19), sandbox=True)
    assert not closed(date(2024, 3, 29), sandbox=True)


def test_how_alike_legs_are():
    one, other = leg(linear()), leg(diamond(), "other")
    assert pages_of(one) == {"Seed town", "River Alna"}
    assert jaccard(pages_of(one), pages_of(other)) == 1 / 4
    assert jaccard(frozenset(), frozenset()) == 0
    pages = [pages_of(one), frozenset({"Elsewhere"}), pages_of(other)]
    assert list(overlaps(pages)) == [(0, 2, 1 / 4)]
    assert mean_overlap(pages) == pytest.approx(1 / 12)
    assert mean_overlap(pages[:1]) is None


def test_how_evenly_digits_are_spread():
    counts = digit_counts([leg(linear())] * 3 + [leg(diamond())])
    assert (counts[3], counts[4], counts[0]) == (3, 1, 0)
    assert unevenness(counts) == pytest.approx((2.6**2 + 0.6**2 + 8 * 0.4**2) / 0.4)
    assert unevenness(digit_counts([])) is None


def test_rules_of_sets_name_the_leg_where_they_are_told():
    same = [leg(linear(), "a"), leg(linear(), "b"), leg(linear(), "a")]
    found = [(place, finding.rule, finding.message) for place, finding in lint_set(same)]
    assert found == [
        (2, "duplicate-id", "another file has the leg id 'a', too"),
        (1, "similar-pages", "shares 100% of its pages with a"),
        (2, "similar-pages", "shares 100% of its pages with a"),
    ]


def test_digits_of_small_sets_may_be_uneven():
    rules = [RULES["unbalanced-digits"]]
    assert lint_set([leg(linear())] * 49, rules) == ()
    ((place, finding),) = lint_set([leg(linear())] * 50, rules)
    assert place == 0
    assert finding.message.startswith(
        "chi-square 450.0 > 21.7 over the digits (0: 0, 1: 0, 2: 0, 3: 50"
    )


def test_a_clues_number_in_a_reference_is_no_value_of_a_stop():
    for reference in ("12 & 13", "12 or 13", "12-14", "12/13", "12 plus 13"):
        wire = linear() | {"riddle": f"1. Add clues {reference}."}
        wire["stops"][4]["extracted_value"] = 13
        assert lint_leg(leg(wire), [RULES["value-in-clues"]]) == (), reference


@pytest.mark.parametrize(
    ("clue", "told"),
    [
        ("Double clue 2.", []),
        ("Double clue 9.", ["clue 3 refers to clue 9, which is not there"]),
        ("Double clue 3.", ["clue 3 refers to clue 3, which does not come before it"]),
        (
            "Add clues 1-4.",
            [f"clue 3 refers to clue {n}, which does not come before it" for n in (3, 4)],
        ),
    ],
)
def test_a_clue_refers_to_earlier_ones(clue, told):
    wire = linear() | {"riddle": f"1. One.\n\n2. Two.\n\n3. {clue}\n\n4. Four."}
    found = lint_leg(leg(wire), [RULES["dangling-reference"]])
    assert [finding.message for finding in found] == told


@pytest.mark.parametrize(
    ("last", "named"),
    [
        ("Add clues 1 and 5.", None),
        ("Add clues 1, 4 and 5.", None),  # stop 3 is listed, too
        ("Add all that you have found.", None),
        ("Add clues 1 and 4.", "clues 1, 4"),
        ("Add clues 1 & 5, and clue 2.", "clues 1, 2, 5"),
        ("Double clue 5.", "clue 5"),
    ],
)
def test_the_last_clue_names_the_operands(last, named):
    wire = linear() | {"riddle": "\n\n".join(f"{n}. Go." for n in range(1, 6)) + f"\n\n6. {last}"}
    found = lint_leg(leg(wire), [RULES["wrong-operands-named"]])
    told = (
        [] if named is None else [f"clue 6 names {named}, the finish line computes with clues 1, 5"]
    )
    assert [finding.message for finding in found] == told


def test_clues_that_are_not_numbered_by_stops_name_no_operands():
    wire = linear() | {"riddle": "1. Go.\n\n2. Add clues 1 and 1."}
    assert lint_leg(leg(wire), [RULES["wrong-operands-named"]]) == ()


def test_a_number_that_repeats_an_operand_is_known_and_stands_for_no_other():
    wire = linear()
    wire["stops"][5]["bridge"]["expression"] = "(1936 + 7 + 7) % 10"
    rules = [RULES["unknown-operand"], RULES["unused-operands"]]
    (finding,) = lint_leg(leg(wire), rules)
    assert finding.rule == "unused-operands"
    assert finding.message.endswith("(unused: [3])")


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("(1 + 2) % 10", ["3 stops are listed, '(1 + 2) % 10' has 2 numbers (unused: [0, 3, 4])"]),
        ("(1 + 2 + 3) % 10", []),  # each may be a listed stop's, changed
        ("one and two", []),  # another rule's
    ],
)
def test_stops_are_listed_beside_numbers_of_which_none_is_known(expression, told):
    wire = linear()
    wire["stops"][5]["bridge"] |= {"expression": expression, "referenced_stops": [0, 3, 4]}
    found = lint_leg(leg(wire), [RULES["unused-operands"]])
    assert [finding.message for finding in found] == told


def test_arithmetic_is_quoted_as_it_stands_in_the_clues():
    wire = linear() | {"riddle": "1. Take digital_root(clue 2 + clues 4 & 5)."}
    (finding,) = lint_leg(leg(wire), [RULES["arithmetic-in-clues"]])
    assert finding.message == "the clues hold arithmetic: 'digital_root(clue 2 + clues 4 & 5)'"


def test_a_year_is_no_amount():
    asked = {
        "the year it was founded": ["not-a-year"],
        "the number of races in the year 1876": [],
        "the number of issues per year": [],
    }
    for target, expected in asked.items():
        wire = linear()
        wire["stops"][0] = page(0, "Seed town", 16, extraction_target=target)
        assert rules_of(lint_leg(leg(wire), [RULES["not-a-year"]])) == expected, target


def test_a_linear_leg_with_a_diamond_has_the_wrong_variant_and_not_a_crooked_route():
    wire = diamond() | {"metadata": {"variant": "linear"}}
    rules = [RULES["variant-mismatch"], RULES["linear-route"]]
    found = lint_leg(leg(wire), rules)
    assert [finding.message for finding in found] == ["a linear leg with diamonds at the stops [4]"]


def test_an_expression_that_is_none_is_told_as_such():
    wire = linear()
    wire["stops"][5]["bridge"]["expression"] = "1936 plus 7"
    found = lint_leg(leg(wire), [RULES["wrong-digit"], RULES["operands-in-clues"]])
    assert rules_of(found) == ["wrong-digit"]
    assert "1936 plus 7" in found[0].message


def test_the_finish_lines_value_is_its_digit():
    wire = linear()
    wire["stops"][5]["extracted_value"] = 4
    (finding,) = lint_leg(leg(wire), [RULES["wrong-digit"]])
    assert (finding.field, finding.message) == ("extracted_value", "the value is 4, the digit is 3")


def test_days_that_are_none_are_passed_over():
    wire = linear()
    wire["stops"][4]["bridge"]["tool_chain"][0] |= {
        "tool_name": "stock_volume",
        "arguments": {"ticker": "AHB", "date": "soon"},
    }
    assert lint_leg(leg(wire), [RULES["no-trading-day"]]) == ()
