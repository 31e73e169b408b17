"""The gate: rules over all races of a run that decide its exit status in place of single lost races."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from pytest_aar.errors import ConfigurationError
from pytest_aar.levels import LEVELS, VARIANTS
from pytest_aar.results import CONTAMINATED, INFRASTRUCTURE, SKIPPED, RaceRecord

GRAMMAR = (
    "a rule is `METRIC >= NUMBER` with fa, pvr, rcr or rcr_strict, of all races or of a variant, a level or both "
    "(`pvr[dag] >= 0.4`, `fa[dag/easy] >= 50 %`), or `errors <= NUMBER` as a count or in per cent of all races "
    "(`errors <= 2 %`)"
)
#: Metrics of rules, as the score names them. Plain RCR is the paper's.
RATES = ("fa", "pvr", "rcr", "rcr_strict")
_RULE = re.compile(
    r"(?P<metric>[a-z_]+)\s*(?:\[(?P<cell>[^\]]+)\])?\s*(?P<sign>>=|<=)\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<percent>%)?"
)
_ROUNDING = 1e-9  # a mean of rates may miss a limit that it reaches by the last bit
_HUNDRED = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `limit` is a rate (0-1), or for `errors` a count unless `relative`."""

    text: str
    metric: str
    cell: tuple[str, ...]
    limit: float
    relative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a rule came to: `text` shows the value beside the limit."""

    rule: Rule
    passed: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherFailures:
    """What keeps a run red whatever the rules say."""

    collection_errors: int = 0
    other_failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The gate's word: `reasons` say what else keeps the run red; `skipped` races were not even started."""

    rulings: tuple[Ruling, ...]
    reasons: tuple[str, ...]
    lost: int
    skipped: int = 0

    @property
    def passed(self) -> bool:
        """Whether the run is green."""
        return not self.reasons and all(ruling.passed for ruling in self.rulings)

    def line(self) -> str:
        """One line for people: the verdict, then what decided it."""
        skipped = f"; {_counted(self.skipped, 'race')} skipped" if self.skipped else ""
        if self.passed:
            rules = "; ".join(ruling.text for ruling in self.rulings)
            lost = f" (within them: {_counted(self.lost, 'lost race')})" if self.lost else ""
            return f"aar gate: passed: {rules}{lost}{skipped}"
        broken = [ruling.text for ruling in self.rulings if not ruling.passed]
        return f"aar gate: FAILED: {'; '.join([*broken, *self.reasons])}{skipped}"


def parse(texts: Iterable[str]) -> tuple[Rule, ...]:
    """Rules of their texts. Raises ConfigurationError with the grammar."""
    return tuple(_parse_one(text.strip()) for text in texts)


def _parse_one(text: str) -> Rule:
    match = _RULE.fullmatch(text)
    if match is None:
        raise ConfigurationError(f"--aar-gate: can't read the rule {text!r}; {GRAMMAR}")
    metric, cell, number = match["metric"], match["cell"], float(match["number"])
    if metric != "errors" and metric not in RATES:
        raise ConfigurationError(f"--aar-gate: unknown metric {metric!r} in {text!r}; {GRAMMAR}")
    errors = metric == "errors"
    limit = number / _HUNDRED if match["percent"] else number
    rate_too_high = limit > 1 and (not errors or bool(match["percent"]))
    if (match["sign"] == "<=") != errors or (errors and cell) or rate_too_high:
        raise ConfigurationError(f"--aar-gate: {text!r} is no rule that can be met; {GRAMMAR}")
    return Rule(
        text=text,
        metric=metric,
        cell=tuple(part.strip() for part in cell.split("/")) if cell else (),
        limit=limit,
        relative=bool(match["percent"]),
    )


def unknown_cells(rules: Iterable[Rule], levels: Iterable[str]) -> str:
    """What is wrong with the rules' variants and levels, valid ones named; "" when nothing is.

    `levels` are those of the legs at hand: a level of one's own is known only by them.
    """
    own = sorted(set(levels) - set(LEVELS))
    valid = (*VARIANTS, *LEVELS, *own)
    for rule in rules:
        for part in rule.cell:
            if part not in valid:
                return (
                    f"--aar-gate: {rule.text!r}: no leg is of variant or level {part!r}; "
                    f"valid: {', '.join(valid)}"
                )
    return ""


def judge(
    rules: Sequence[Rule], races: Sequence[RaceRecord], other: OtherFailures | None = None
) -> Verdict:
    """The verdict on the races that were run; those that the run's budget did not reach only stand in its line."""
    other = other or OtherFailures()
    skipped = sum(race.outcome == SKIPPED for race in races)
    races = [race for race in races if race.outcome != SKIPPED]
    rulings = [
        _errors(rule, races) if rule.metric == "errors" else _rate(rule, races) for rule in rules
    ]
    if not any(rule.metric == "errors" for rule in rules):
        # Without a limit of their own infrastructure errors are never fine: the figures are of a part only.
        rulings.append(_errors(_NO_ERRORS, races))
    return Verdict(
        rulings=tuple(rulings),
        reasons=(*_contaminated(races), *_reasons(other)),
        lost=sum(race.score is not None and not race.score.fa for race in races),
        skipped=skipped,
    )


_NO_ERRORS = Rule(text="errors <= 0", metric="errors", cell=(), limit=0.0)


def _rate(rule: Rule, races: Sequence[RaceRecord]) -> Ruling:
    where = f"[{'/'.join(rule.cell)}]" if rule.cell else ""
    values = [
        value
        for race in races
        if all(part in (race.variant, race.level) for part in rule.cell)
        if (value := getattr(race.main_score, rule.metric, None)) is not None
    ]
    if not values:
        return Ruling(
            rule=rule,
            passed=False,
            text=f"{rule.metric}{where}: no scored race to judge `{rule.text}` by",
        )
    mean = fsum(values) / len(values)
    passed = mean >= rule.limit - _ROUNDING
    sign = ">=" if passed else "<"
    return Ruling(
        rule=rule,
        passed=passed,
        text=f"{rule.metric}{where} {mean:.3f} {sign} {rule.limit:g} (N = {len(values)})",
    )


def _errors(rule: Rule, races: Sequence[RaceRecord]) -> Ruling:
    count = sum(race.outcome == INFRASTRUCTURE for race in races)
    value = count / len(races) if rule.relative and races else float(count)
    passed = value <= rule.limit + _ROUNDING
    shown: Callable[[float], str] = "{:.1%}".format if rule.relative else "{:g}".format
    sign = "<=" if passed else ">"
    return Ruling(
        rule=rule,
        passed=passed,
        text=f"infrastructure errors {shown(value)} {sign} {shown(rule.limit)}",
    )


def _contaminated(races: Sequence[RaceRecord]) -> Iterable[str]:
    """No rule makes up for an answer that was seen."""
    count = sum(race.outcome == CONTAMINATED for race in races)
    if count:
        yield _counted(count, "contaminated race")


def _reasons(other: OtherFailures) -> Iterable[str]:
    if other.collection_errors:
        yield _counted(other.collection_errors, "collection error")
    if other.other_failures:
        yield f"{_counted(other.other_failures, 'failure')} other than lost races"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
