"""What a clue text must not hold: titles, golden values, tool names, arithmetic with literals.

Pure functions over text, shared by the generator's gate and the linter. Each returns the pieces
found, as they stand in the text; `leaks_in` gathers them with the number of their clue.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pytest_aar.clue_numbers import MASK, numbered, without_references
from pytest_aar.golden.pages import numbers
from pytest_aar.readings import number_of
from pytest_aar.tools import TOOL_NAMES

LeakKind = Literal["title", "value", "tool", "arithmetic"]

_SHORTEST_TITLE = 4
_SMALLEST_FIGURE = 10
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_LITERAL = r"\(*\d+(?:,\d{3})*(?:\.\d+)?\)*"
_ARITHMETIC = re.compile(
    rf"(?:digital_root|abs)\([^()]*\)|\(*(?<![\w.]){_LITERAL}(?:\s*[-+*/%\u00d7\u2212]\s*{_LITERAL})+"
)
# What a hyphen or a slash alone joins may be a range, a score, a date; see `_is_computed`.
_JOINED = re.compile(r"\(*[\d,.]+\)*(?:\s*[-/]\s*\(*[\d,.]+\)*)+")
_DIFFERENCE = re.compile(r"\(*([\d,.]+)\)* ([-/]) \(*([\d,.]+)\)*")
_TOOL = re.compile(
    "|".join(map(re.escape, sorted(TOOL_NAMES, key=len, reverse=True))), re.IGNORECASE
)
_QUALIFIER = re.compile(r",.*$| \([^)]*\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """One piece of a clue that gives something away; `clue` is None before the first number."""

    kind: LeakKind
    text: str
    clue: int | None


def leaks_in(clues: str, titles: Iterable[str], values: Iterable[object]) -> Iterator[Leak]:
    """Every leak of a clue text, clue by clue.

    References to clues and their numbering are no figures. Figures below ten are not looked for:
    they are too common in honest wording ("Monday is 1").
    """
    titles, values = tuple(titles), tuple(values)
    for number, text in numbered(clues):
        bare = without_references(text)
        found: dict[LeakKind, tuple[str, ...]] = {
            "title": titles_in(bare, titles),
            "tool": tools_in(bare),
            "arithmetic": arithmetic_in(text),
            "value": (*texts_in(bare, values), *figures_in(bare, values)),
        }
        for kind, pieces in found.items():
            yield from (Leak(kind=kind, text=piece, clue=number) for piece in pieces)


def titles_in(text: str, titles: Iterable[str]) -> tuple[str, ...]:
    """The titles that stand in a text, whole or without their qualifier (", Peru", " (region)").

    Case is ignored; titles of fewer than four letters are not looked for.
    """
    forms = dict.fromkeys(form for title in titles for form in title_forms(title))
    return tuple(form for form in forms if _stands(form, text))


def names_title(text: str, titles: Iterable[str]) -> bool:
    """Whether any of the titles stands in a text."""
    return bool(titles_in(text, titles))


def title_forms(title: str) -> Iterator[str]:
    """The forms under which a title is looked for: whole, and without its qualifier."""
    for form in dict.fromkeys((title, _QUALIFIER.sub("", title))):
        if len(form) >= _SHORTEST_TITLE:
            yield form


def tools_in(text: str) -> tuple[str, ...]:
    """The names of tools that stand in a text, as they are written there; case is ignored."""
    return tuple(dict.fromkeys(_TOOL.findall(text)))


def arithmetic_in(text: str) -> tuple[str, ...]:
    """Expressions with literal operands, as they stand: "(12 + 5) % 10", "digital_root(clue 1 + clue 2)".

    References to clues, days, spans ("1914-1918", "3 - 5 December"), "24/7" and the like are none.
    """
    masked = _DAY.sub(lambda day: MASK * len(day.group()), without_references(text))
    found = (each for each in _ARITHMETIC.finditer(masked) if _is_computed(each.group().strip()))
    return tuple(text[each.start() : each.end()].strip() for each in found)


def texts_in(text: str, values: Iterable[object]) -> tuple[str, ...]:
    """Golden names, dates and codes that stand in a text; names as titles are looked for."""
    texts = [value for value in values if isinstance(value, str)]
    names = titles_in(text, (value for value in texts if value[:1].isalpha()))
    return (*names, *(v for v in texts if v in text and v not in names and _is_apart(v, text)))


def figures_in(text: str, values: Iterable[object]) -> tuple[str, ...]:
    """Golden numbers from ten up that stand in a text as numbers, thousands separators or not."""
    golden = {number_of(value) for value in values} - {None}
    seen = numbers(_DAY.sub("", text))
    return tuple(str(one) for one in seen if one >= _SMALLEST_FIGURE and one in golden)


def _is_computed(expression: str) -> bool:
    """Whether an expression can't be read as a span or a date: it falls ("30 - 10"), or divides ("30 / 10")."""
    if not _JOINED.fullmatch(expression):
        return True
    sides = _DIFFERENCE.fullmatch(expression)
    if sides is None:
        return False
    left, right = (float(side.replace(",", "")) for side in sides.group(1, 3))
    return sides[2] == "/" or left > right


def _stands(form: str, text: str) -> bool:
    # The plain test first: most titles are not there, and compiling a pattern costs more than looking.
    return form.casefold() in text.casefold() and _is_apart(form, text, re.IGNORECASE)


def _is_apart(form: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> bool:
    """Whether a form stands in a text as words of its own."""
    return re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text, flags) is not None
