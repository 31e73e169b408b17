"""What a clue text must not hold: titles, golden values, tool names, arithmetic with literals."""

import re
from collections.abc import Iterable, Iterator

from pytest_aar.golden.pages import numbers
from pytest_aar.readings import number_of
from pytest_aar.tools import TOOL_NAMES

_SHORTEST_TITLE = 4
_SMALLEST_FIGURE = 10
_NUMBERING = re.compile(r"^\d+\. ", re.MULTILINE)
_REFERENCE = re.compile(r"\bclues? \d+(?:(?:, | and |, and )(?:clue )?\d+)*", re.IGNORECASE)
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_ARITHMETIC = re.compile(r"\d\s*[-+*/%]\s*\d|digital_root\(|\babs\(")
_QUALIFIER = re.compile(r",.*$| \([^)]*\)$")


def names_title(text: str, titles: Iterable[str]) -> bool:
    """Whether a title, whole or without its qualifier (", Peru", " (region)"), stands in a text."""
    return any(
        re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text, re.IGNORECASE)
        for title in titles
        for form in _forms(title)
    )


def _forms(title: str) -> Iterator[str]:
    for form in {title, _QUALIFIER.sub("", title)}:
        if len(form) >= _SHORTEST_TITLE:
            yield form


def leak_in(clues: str, titles: Iterable[str], values: Iterable[object]) -> str | None:
    """The first kind of leak found in a clue text, None if it is clean.

    Figures below ten are not looked for: they are too common in honest wording ("Monday is 1").
    """
    bare = _REFERENCE.sub("", _NUMBERING.sub("", clues))
    without_days = _DAY.sub("", bare)
    values = list(values)
    if names_title(bare, [*titles, *(v for v in values if isinstance(v, str) and v[:1].isalpha())]):
        return "a page title or a golden text"
    if any(isinstance(value, str) and value in bare for value in values):
        return "a golden date or code"
    if any(name in bare for name in TOOL_NAMES):
        return "the name of a tool"
    if _ARITHMETIC.search(without_days):
        return "arithmetic with literals"
    golden = {number_of(v) for v in values} - {None}
    if any(seen >= _SMALLEST_FIGURE and seen in golden for seen in numbers(without_days)):
        return "a golden figure"
    return None
