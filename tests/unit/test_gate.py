import pytest
from race_records import LOST, broken, record

from pytest_aar.errors import ConfigurationError
from pytest_aar.gate import OtherFailures, judge, parse

RACES = [
    record("linear/easy/1"),
    record("linear/easy/2", LOST),
    record("dag/easy/3", LOST),
    record("dag/hard/4", LOST),
]


def passed(*rules: str, races: list = RACES) -> bool:
    return judge(parse(rules), races).passed


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("fa >= 0.25", True),
        ("fa >= 25 %", True),
        ("fa >= 0.26", False),
        ("fa[linear] >= 0.5", True),
        ("fa[dag] >= .1", False),
        ("fa[dag/hard] >= 0", True),
        ("pvr >= 0.4375", True),
        ("rcr[easy]>=0.6", True),
        ("rcr_strict >= 1", True),
        ("errors <= 0", True),
    ],
)
def test_a_rule_holds_or_not(rule: str, verdict: bool) -> None:
    assert passed(rule) is verdict


def test_all_rules_must_hold_and_the_line_names_the_broken_one() -> None:
    verdict = judge(parse(["fa >= 0.2", "pvr[dag] >= 0.4"]), RACES)
    assert not verdict.passed
    assert verdict.line() == "aar gate: FAILED: pvr[dag] 0.250 < 0.4 (N = 2)"


def test_a_passed_line_shows_values_and_the_lost_races() -> None:
    line = judge(parse(["fa >= 0.2"]), RACES).line()
    assert line.startswith(
        "aar gate: passed: fa 0.250 >= 0.2 (N = 4); infrastructure errors 0 <= 0"
    )
    assert "3 lost races" in line


def test_without_a_rule_of_its_own_any_infrastructure_error_is_red() -> None:
    races = [*RACES, broken("dag/easy/5")]
    assert not passed("fa >= 0.2", races=races)
    assert passed("fa >= 0.2", "errors <= 1", races=races)
    assert passed("fa >= 0.2", "errors <= 20 %", races=races)
    assert not passed("fa >= 0.2", "errors <= 19 %", races=races)


def test_infrastructure_errors_are_in_no_denominator() -> None:
    assert passed("fa >= 1", "errors <= 9", races=[record("dag/easy/1"), broken("dag/easy/2")])


def test_a_rule_without_a_scored_race_is_broken() -> None:
    verdict = judge(parse(["fa[extreme] >= 0"]), RACES)
    assert not verdict.passed
    assert "no scored race" in verdict.line()


def test_other_failures_keep_it_red_and_are_named() -> None:
    verdict = judge(parse(["fa >= 0"]), RACES, OtherFailures(collection_errors=1, other_failures=2))
    assert not verdict.passed
    assert "1 collection error" in verdict.line()
    assert "2 failures other than lost races" in verdict.line()


@pytest.mark.parametrize(
    "text",
    ["fa", "fa > 0.3", "fa <= 0.3", "fa >= 1.5", "fa >= 120 %", "errors >= 2", "errors[dag] <= 2",
     "speed >= 1", "errors <= 120 %", "fa >= high", "fa >= 0.3 and pvr >= 0.2"],
)  # fmt: skip
def test_what_is_no_rule_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse([text])
    assert repr(text) in str(caught.value)
    assert "errors <= 2 %" in str(caught.value)
