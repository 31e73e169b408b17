"""The tables of docs/ that come from the code. `python tests/doc_tables.py` writes them anew.

A table stands in a page between `<!-- table: NAME -->` and the next empty line. Tables in `WHOLE` are
generated, as is `arguments-TOOL` for each tool, in the pages of docs/services; of those in `FIRST_COLUMN`
only the names in the first column are: people write the meanings.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from pathlib import Path

from pytest_aar.leg.templates import TEMPLATES
from pytest_aar.lint import RULES
from pytest_aar.manners import policies
from pytest_aar.reports.junit import properties
from pytest_aar.results import INFRASTRUCTURE, RaceRecord
from pytest_aar.results.records import CONTAMINATED, SKIPPED, UNOBSERVED
from pytest_aar.score import Score
from pytest_aar.settings import RECORD_MODES
from pytest_aar.tools import TOOLS, Tool, schema
from pytest_aar.tools.result import ERROR_KINDS
from pytest_aar.trace import ENDINGS, ModelCall, ToolCall
from pytest_aar.transforms import TRANSFORMS

_WORDS = {"string": "text", "number": "number", "integer": "whole number", "boolean": "boolean"}
DOCS = Path(__file__).resolve().parents[1] / "docs"
_TABLE = re.compile(r"(?<=<!-- table: )([\w-]+) -->\n(.*?)(?=\n\n|\n\Z)", re.DOTALL)


def templates() -> str:
    """Wire chain -> Table 6 name -> Table 7 label."""
    rows = [
        (_chain(template.chain), f"`{template.name}`", template.label or "")
        for template in TEMPLATES
    ]
    return _markdown(("chain of calls (output key)", "template (Table 6)", "label (Table 7)"), rows)


def tools() -> str:
    """The 19 tools as agents see them; optional arguments carry a question mark."""
    rows = [
        (f"`{tool.name}`", tool.category, _arguments(schema(tool)), tool.description)
        for tool in TOOLS
    ]
    return _markdown(("tool", "category", "arguments", "description"), rows)


def arguments(tool: Tool) -> str:
    """The arguments of one tool: type with bounds, default, meaning."""
    described = schema(tool)
    needed = described.get("required", ())
    rows = [
        (f"`{name}`", _type(given), _given(given, needed=name in needed), _meaning(given))
        for name, given in described["properties"].items()
    ]
    return _markdown(("argument", "type", "default", "meaning"), rows)


def lint_rules() -> str:
    """The linter's rules with links to their pages."""
    rows = [
        (
            f"[{rule.name}]({rule.name}.md)",
            rule.severity,
            rule.summary,
            "yes" if rule.fix else "",
        )
        for rule in RULES.values()
    ]
    return _markdown(("rule", "severity", "what it finds", "`--fix`"), rows)


WHOLE: dict[str, Callable[[], str]] = {
    "templates": templates,
    "tools": tools,
    "limits": policies.table,
    "lint-rules": lint_rules,
}
#: Tables of the pages on services; each may stand in one page.
ARGUMENTS: dict[str, Callable[[], str]] = {
    f"arguments-{tool.name}": partial(arguments, tool) for tool in TOOLS
}


def _names(record: type) -> list[str]:
    return [item.name for item in fields(record)]


def _junit() -> list[str]:
    score = Score(**dict.fromkeys(_names(Score), 1))
    race = dict.fromkeys(_names(RaceRecord), 1) | {
        "score": score,
        "model": "pacer",
        "evidence": ("seen",),
    }
    return [name for name, _ in properties(RaceRecord(**race))]


FIRST_COLUMN: dict[str, Callable[[], list[str]]] = {
    "race": lambda: ["schema", *(name for name in _names(RaceRecord) if name != "schema")],
    "score": lambda: _names(Score),
    "tool-event": lambda: ["event", *_names(ToolCall)],
    "model-event": lambda: ["event", *_names(ModelCall)],
    "junit": _junit,
    "transforms": lambda: list(TRANSFORMS),
    "error-kinds": lambda: list(ERROR_KINDS),
    "record-modes": lambda: list(RECORD_MODES),
    "outcomes": lambda: [*ENDINGS, INFRASTRUCTURE, CONTAMINATED, UNOBSERVED, SKIPPED],
}


def found_in(page: Path) -> dict[str, str]:
    """The tables of a page, by name."""
    return dict(_TABLE.findall(page.read_text(encoding="utf-8")))


def first_column(table: str) -> list[str]:
    """What stands in back quotes at the beginning of each row."""
    return [row[1] for line in table.splitlines() if (row := re.match(r"\| `([^`]+)` \|", line))]


def _chain(chain: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"`{tool}` ({key})" for tool, key in chain)


def _arguments(described: dict) -> str:
    needed = described.get("required", ())
    return ", ".join(
        f"`{name}`" if name in needed else f"`{name}?`{_default(given)}"
        for name, given in described["properties"].items()
    )


def _type(given: dict) -> str:
    """The JSON type in words: "number, -90 to 90", "list of text, at most 50"."""
    given = next((kind for kind in given.get("anyOf", ()) if kind["type"] != "null"), given)
    if "enum" in given:
        return "one of " + ", ".join(f"`{choice}`" for choice in given["enum"])
    if given["type"] == "array":
        low, high = given.get("minItems"), given.get("maxItems")
        return f"list of {_type(given['items'])}{_bounds(low, high)}"
    if given["type"] == "object":
        return f"`{{{', '.join(given['properties'])}}}`"
    low = given.get("minimum", given.get("exclusiveMinimum"))
    return _WORDS[given["type"]] + _bounds(low, given.get("maximum"))


def _bounds(low: float | None, high: float | None) -> str:
    if high is None:
        return "" if low is None else f", from {low}"
    return f", {low} to {high}" if low is not None else f", at most {high}"


def _given(given: dict, *, needed: bool) -> str:
    return "required" if needed else json.dumps(given.get("default"))


def _meaning(given: dict) -> str:
    return str(given.get("description", "")).replace("|", "\\|")


def _default(given: dict) -> str:
    default = given.get("default")
    return "" if default is None else f" ({json.dumps(default)})"


def _markdown(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _write() -> None:
    generated = WHOLE | ARGUMENTS
    for page in DOCS.rglob("*.md"):
        old = page.read_text(encoding="utf-8")
        new = _TABLE.sub(
            lambda table: f"{table[1]} -->\n{generated.get(table[1], lambda: table[2])()}",
            old,
        )
        if new != old:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    _write()
