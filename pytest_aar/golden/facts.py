"""Facts extracted anew from a page's text by rule: infobox field, number of languages, outline.

A rule either knows what a stop asks for and finds it, or gives None: the fact is then unverifiable.
"""

import re
from collections.abc import Callable
from datetime import date

from pytest_aar.leg import RouteInfo, Value, asks_for_a_year
from pytest_aar.readings import fold, number_of

from .pages import dates, labelled, numbers, plain
from .records import same

Rule = Callable[[str, RouteInfo], Value | None]

_FIELD = re.compile(r"infobox \(field: '(?P<label>.+)'\)\s*$", re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*\)")
_REFERENCE_MARK = re.compile(r"\s*\[\[[^\]]*\]\]\([^)]*\)")
_YEAR = re.compile(r"(?<![\d.,])(\d{3,4})(?![\d,]|\.\d)")
_LANGUAGES_ASKED = re.compile(
    r"\blanguages?\b.*\b(?:article|page|title|editions|interlanguage|available)\b", re.IGNORECASE
)
_LANGUAGES = re.compile(r"^Languages: (\d+)", re.MULTILINE)
_CONTENTS = re.compile(r"\bcontents\b", re.IGNORECASE)
_TOP = re.compile(r"\bnumber of (?P<top>top-level |main )?sections\b", re.IGNORECASE)
_BELOW = re.compile(
    r"\bnumber of (?:sub|second-level )sections (?:listed |shown )?under '(?P<title>.+?)'", re.I
)
_SECTIONS = re.compile(r"^Sections:\n(?P<rows>(?:\d[\d.]* .*\n?)*)", re.MULTILINE)


def labelled_fact(text: str, stop: RouteInfo) -> Value | None:
    """What stands beside the stop's target, where that is a label of the page."""
    return labelled(text, stop.target, stop.value_type)


def extracted(text: str, stop: RouteInfo) -> Value | None:
    """The stop's fact by the first rule that knows what it asks for, None when none does."""
    found = (rule(text, stop) for rule in _RULES)
    return next((value for value in found if value is not None), None)


def _infobox_field(text: str, stop: RouteInfo) -> Value | None:
    """The field named at the end of the target: its year, number, date, or text."""
    asked = _FIELD.search(stop.target)
    label = _label(asked["label"]) if asked else ""
    cell = labelled(text, label, "text") if label else None
    if not isinstance(cell, str):
        return None
    if stop.value_type == "number":
        return _number(cell, stop)
    if stop.value_type == "date":
        return _date(cell, stop)
    if stop.value_type == "text" and isinstance(stop.value, str):
        return stop.value if fold(plain(stop.value)) in fold(cell) else cell
    return None


def _label(text: str) -> str:
    """A field's name as the page has it: without reference marks, links and the bullet before it."""
    return plain(_LINK.sub(r"\1", _REFERENCE_MARK.sub("", text))).strip("\u2022 \t")


def _number(cell: str, stop: RouteInfo) -> Value | None:
    """The golden number where the cell still holds it, else the cell's first; a year where one is asked."""
    if asks_for_a_year(stop.target):
        years = [int(year) for year in _YEAR.findall(cell)]
        return stop.value if stop.value in years else next(iter(years), None)
    seen = numbers(cell)
    return next((each for each in seen if same(stop.value, each)), next(iter(seen), None))


def _date(cell: str, stop: RouteInfo) -> Value | None:
    days = dates(cell)
    if isinstance(stop.value, str) and fold(stop.value) in fold(cell):
        return stop.value
    return days[0].isoformat() if days and _is_iso(stop.value) else None


def _is_iso(value: Value) -> bool:
    try:
        return date.fromisoformat(str(value)) is not None
    except ValueError:
        return False


def _languages(text: str, stop: RouteInfo) -> Value | None:
    """The number of language editions that the page's head gives."""
    asked = _LANGUAGES_ASKED.search(stop.target) and number_of(stop.value) is not None
    found = _LANGUAGES.search(text) if asked else None
    return int(found[1]) if found else None


def _outline(text: str, stop: RouteInfo) -> Value | None:
    """How many sections the outline has at its top, or below the section that the target quotes."""
    listed = _SECTIONS.search(text)
    if listed is None or not _CONTENTS.search(f"{stop.target} {stop.section or ''}"):
        return None
    rows = [row.split(" ", 1) for row in str(listed["rows"]).splitlines()]
    if sections := _TOP.search(stop.target):
        top = sum("." not in number for number, _ in rows)
        if sections["top"]:
            return top
        # All sections, or those at the top: only the golden value tells which was meant.
        return next((count for count in (top, len(rows)) if count == stop.value), None)
    below = _BELOW.search(stop.target)
    above = next((n for n, title in rows if below and fold(title) == fold(below["title"])), None)
    if above is None:
        return None
    return sum(number.rpartition(".")[0] == above for number, _ in rows)


_RULES: tuple[Rule, ...] = (labelled_fact, _infobox_field, _languages, _outline)
