"""The table of rules: id, severity, check, what to do. Each has a page `docs/lint/ID.md`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_aar.leg import Leg

from . import clue_rules, fixes, flow_rules, reference_rules, set_rules, shape_rules, value_rules
from .finding import Fault, SetFault, Severity

Check = Callable[[Leg], Iterator[Fault]]
SetCheck = Callable[[Sequence[Leg]], Iterator[SetFault]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: `check` is of one leg, `set_check` of a set, both None for what reading finds.

    `summary` says what it finds, `repair` what to do; `fix` is how `aar lint --fix` does it, None where that
    is not safe.
    """

    name: str
    severity: Severity
    summary: str
    repair: str
    check: Check | None = None
    set_check: SetCheck | None = None
    fix: Callable[[Leg], Leg] | None = None


#: What is found while a file is read: it is no leg, and no other rule can look at it.
NOT_A_LEG = Rule(
    name="not-a-leg",
    severity="error",
    summary="The file breaks the format of a leg.",
    repair="correct the field; docs/legs.md has the format",
)

_RULES = (
    NOT_A_LEG,
    Rule(
        name="answer-in-clues",
        severity="error",
        summary="The finish line's expression stands in the clues with its numbers.",
        repair="name the operands by clue number",
        check=clue_rules.answer_in_clues,
    ),
    Rule(
        name="operands-in-clues",
        severity="error",
        summary="Every number of the finish line's expression stands in the clues.",
        repair="name the operands by clue number",
        check=clue_rules.operands_in_clues,
    ),
    Rule(
        name="value-in-clues",
        severity="warning",
        summary="A stop's value stands in the clues.",
        repair="ask for the value, don't tell it",
        check=clue_rules.value_in_clues,
    ),
    Rule(
        name="title-in-clues",
        severity="warning",
        summary="A page to be found is called by its title in the clues.",
        repair="describe the page",
        check=clue_rules.title_in_clues,
    ),
    Rule(
        name="tool-in-clues",
        severity="warning",
        summary="The clues name a tool.",
        repair="say what is to be found out, not with what",
        check=clue_rules.tool_in_clues,
    ),
    Rule(
        name="arithmetic-in-clues",
        severity="warning",
        summary="The clues hold arithmetic over numbers, or a function of the expression language.",
        repair="say in words what is computed",
        check=clue_rules.arithmetic_in_clues,
    ),
    Rule(
        name="clue-count",
        severity="warning",
        summary="There are not as many numbered clues as stops.",
        repair="write one numbered clue for each stop, the finish line included",
        check=clue_rules.clue_count,
    ),
    Rule(
        name="clue-start",
        severity="note",
        summary="Something stands before the first clue.",
        repair="begin the clues with `1. `",
        check=clue_rules.clue_start,
    ),
    Rule(
        name="clue-numbering",
        severity="warning",
        summary="The clues' numbers do not count from 1.",
        repair="number the clues 1, 2, 3 (`--fix` does it where no clue refers to a number that changes)",
        check=clue_rules.clue_numbering,
        fix=fixes.renumber,
    ),
    Rule(
        name="dangling-reference",
        severity="error",
        summary="A clue refers to one that is not there, or not before it.",
        repair="refer to an earlier clue by its number",
        check=reference_rules.dangling_reference,
    ),
    Rule(
        name="wrong-operands-named",
        severity="error",
        summary="The finish line's clue names other clues than those of the operands.",
        repair="name the clues of the stops that the expression computes with",
        check=reference_rules.wrong_operands_named,
    ),
    Rule(
        name="wrong-digit",
        severity="error",
        summary="The finish line's expression does not give the digit.",
        repair="correct the expression or the digit",
        check=flow_rules.wrong_digit,
    ),
    Rule(
        name="unknown-operand",
        severity="error",
        summary="The finish line computes with a number that is no listed stop's value.",
        repair="compute with values of listed stops only",
        check=flow_rules.unknown_operand,
    ),
    Rule(
        name="unused-operands",
        severity="warning",
        summary="The finish line lists stops that its expression does not use.",
        repair="list the stops that the expression uses, or use them all",
        check=flow_rules.unused_operands,
    ),
    Rule(
        name="other-source",
        severity="error",
        summary="A detour works on something else than its source's value.",
        repair="name the right source stop, or compute the value anew",
        check=flow_rules.other_source,
    ),
    Rule(
        name="silent-rounding",
        severity="note",
        summary="A detour works on the whole part of a fraction, and its clue does not say so.",
        repair="say in the clue that the fraction is dropped",
        check=flow_rules.silent_rounding,
    ),
    Rule(
        name="idle-stops",
        severity="note",
        summary="Less than 60 % of the stops have a value that flows into the digit.",
        repair="make more stops operands, sources of detours, or inputs of later calls",
        check=flow_rules.idle_stops,
    ),
    Rule(
        name="not-a-year",
        severity="error",
        summary="A year is asked for, and the golden value can't be one.",
        repair="extract the year anew, then what is computed from it",
        check=value_rules.not_a_year,
    ),
    Rule(
        name="no-place",
        severity="error",
        summary="What was geocoded is no place: the middle of the United States came back.",
        repair="geocode a place that the map knows by this name",
        check=value_rules.no_place,
    ),
    Rule(
        name="other-country",
        severity="error",
        summary="The figure is that of another country with the name in its own.",
        repair="compute the value anew: the tool matches whole names first",
        check=value_rules.other_country,
    ),
    Rule(
        name="no-value",
        severity="error",
        summary="A roadblock holds a service's reply for a value.",
        repair="compute the value anew, or leave the stop out",
        check=value_rules.no_value,
    ),
    Rule(
        name="no-trading-day",
        severity="note",
        summary="A stock is asked for on a day without trading; the last day before it answers.",
        repair="ask for a day of trading",
        check=value_rules.no_trading_day,
    ),
    Rule(
        name="level-mismatch",
        severity="warning",
        summary="The level that the file declares is not that of its folder.",
        repair="declare the folder's level (`--fix` does), or move the file",
        check=shape_rules.level_mismatch,
        fix=fixes.declare_level,
    ),
    Rule(
        name="variant-mismatch",
        severity="warning",
        summary="The variant that the file declares is not that of its folder or shape.",
        repair="declare the right variant, or move the file",
        check=shape_rules.variant_mismatch,
    ),
    Rule(
        name="no-diamond",
        severity="warning",
        summary="A leg of the DAG variant has no diamond.",
        repair="add a diamond, or move the leg to the linear variant",
        check=shape_rules.no_diamond,
    ),
    Rule(
        name="few-diamonds",
        severity="warning",
        summary="A leg of the DAG variant has fewer diamonds than its level asks for.",
        repair="add diamonds, or lower the level",
        check=shape_rules.few_diamonds,
    ),
    Rule(
        name="linear-route",
        severity="warning",
        summary="A stop of a linear leg does not follow the stop before it.",
        repair="let it depend on the stop before it (`--fix` does)",
        check=shape_rules.linear_route,
        fix=fixes.straighten,
    ),
    Rule(
        name="duplicate-id",
        severity="error",
        summary="Two files have one leg id.",
        repair="rename one of them, or lint the folders one by one",
        set_check=set_rules.duplicate_id,
    ),
    Rule(
        name="similar-pages",
        severity="note",
        summary="Two legs of the set share more than half of their pages.",
        repair="leave one of them out, or replace its pages",
        set_check=set_rules.similar_pages,
    ),
    Rule(
        name="unbalanced-digits",
        severity="note",
        summary="The digits of a set of 50 or more legs are not spread evenly (chi-square, 1 %).",
        repair="make or leave out legs until each digit occurs about as often",
        set_check=set_rules.unbalanced_digits,
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in _RULES})
