"""Each rule has a page whose example has findings of that rule alone."""

import copy
import json
import re
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from pytest_aar.clue_numbers import numbered
from pytest_aar.errors import LegError
from pytest_aar.leg_file import parse_leg
from pytest_aar.lint import RULES, lint_leg, lint_set

PAGES = Path(__file__).resolve().parents[2] / "docs" / "lint"
_OWN_KEYS = {"leg", "id", "copies"}


def made(change: dict[str, Any], number: int = 1) -> tuple[str, dict[str, Any]]:
    """The id and the wire form of an example's leg."""
    text = json.dumps(change).replace("{n}", str(number))
    change = json.loads(text)
    wire = json.loads((PAGES / change["leg"]).read_text())
    for path, value in change.items():
        if path.startswith("clue "):
            wire["riddle"] = with_clue(wire["riddle"], int(path.split()[1]), value)
        elif path not in _OWN_KEYS:
            put(wire, path, value)
    return change.get("id", f"{Path(change['leg']).stem}/easy/001"), wire


def with_clue(riddle: str, number: int, clue: str) -> str:
    clues = {n: text.strip() for n, text in numbered(riddle) if n} | {number: clue}
    return "\n\n".join(f"{n}. {text}" for n, text in clues.items())


def put(wire: dict[str, Any], path: str, value: Any) -> None:
    *above, last = [
        int(part[1:-1]) if part[0] == "[" else part for part in re.findall(r"\[\d+\]|\w+", path)
    ]
    place = reduce(lambda held, key: held[key], above, wire)
    assert last in place, f"{path} is no field of the leg"
    place[last] = copy.deepcopy(value)


def example_of(page: str) -> list[dict[str, Any]]:
    (block,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    found = json.loads(block)
    return found if isinstance(found, list) else [found]


def rules_found(example: list[dict[str, Any]]) -> set[str]:
    legs, found = [], set()
    for change in example:
        for number in range(1, change.get("copies", 1) + 1):
            leg_id, wire = made(change, number)
            try:
                legs.append(parse_leg(json.dumps(wire).encode(), leg_id=leg_id, where="example"))
            except LegError:
                found.add("not-a-leg")
    found |= {finding.rule for leg in legs for finding in lint_leg(leg)}
    return found | {finding.rule for _, finding in lint_set(legs)}


def test_there_is_a_page_for_each_rule_and_no_other():
    assert {page.stem for page in PAGES.glob("*.md")} == {"README", *RULES}


@pytest.mark.parametrize("name", ["linear.json", "dag.json"])
def test_the_legs_that_examples_begin_with_have_no_finding(name):
    assert rules_found([{"leg": name}]) == set()


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_the_example_has_findings_of_its_rule_alone(rule):
    page = (PAGES / f"{rule.name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {rule.name}\n\n")
    assert f"{rule.summary} Severity: {rule.severity}." in " ".join(page.split())
    heads = ["What it finds", "Why", "A bad example", "How to repair it"]
    assert re.findall(r"(?m)^## (.*)$", page) == heads
    assert rules_found(example_of(page)) == {rule.name}
