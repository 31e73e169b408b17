"""Facts on a page's text: found again by label where the target is one, else searched for by value.

Numbers are compared as numbers with word boundaries and thousands separators ("3" is not in "1932",
1234 is in "1,234"); dates in their usual written forms; text case-folded. In an infobox, rows with
bullets belong to the group whose head stands above them.
"""

import re
from datetime import date

from pytest_aar.leg import Value
from pytest_aar.readings import number_of

from .records import same

_NUMBER = re.compile(r"(?<![\w.,])[-\u2212]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d]|,\d{3})")
_LINK = re.compile(r"\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_NAMES = "|".join(_MONTHS)
_WORDED = re.compile(
    rf"(?P<day>\d{{1,2}}) (?P<month>{_NAMES}) (?P<year>\d{{4}})"
    rf"|\b(?P<us_month>{_NAMES}) (?P<us_day>\d{{1,2}}), (?P<us_year>\d{{4}})"
)
#: Coordinates that stand behind a name.
_LOCATED = re.compile(r"([^\d°]+?)\s+\d[\d.]*°.*")
#: A group's head, then its rows, each behind a bullet; a row's label is "Area: Land" then.
_GROUP = r"^\| *{group}(?![\w:])[^|\n]*\|(?:[^|\n]*\|)?[ \t]*\n(?P<rows>(?:\| *\u2022[^\n]*\n?)+)"
_IN_GROUP = ": "
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


def plain(text: str) -> str:
    """Markdown with links reduced to their anchor text and marks of emphasis dropped."""
    return _LINK.sub(r"\1", text).replace("**", "").replace("\u00a0", " ")


def holds(text: str, value: Value, value_type: str) -> bool:
    """Whether `value` stands anywhere in the page's text."""
    bare = plain(text)
    number = number_of(value)
    if number is not None:
        return any(same(number, seen) for seen in numbers(bare))
    if not isinstance(value, str):
        return False
    if value_type == "date" and (day := as_date(value)) is not None:
        return day in dates(bare)
    return " ".join(value.split()).casefold() in " ".join(bare.split()).casefold()


def labelled(text: str, label: str, value_type: str) -> Value | None:
    """The value beside `label` in a table row or a "Label: value" line, None without one."""
    return labelled_in(plain(text), label, value_type)


def labelled_in(bare: str, label: str, value_type: str) -> Value | None:
    """The same in a text that `plain` gave."""
    pattern = rf"^[ \t|*\-]*{re.escape(label)}\s*(?:\||:)\s*(?P<rest>[^|\n]+)"
    found = re.search(pattern, bare, re.IGNORECASE | re.MULTILINE) or _grouped(bare, label)
    return typed(found["rest"].strip(), value_type) if found else None


def _grouped(bare: str, label: str) -> re.Match[str] | None:
    """The row of a group, by a label such as "Area: Land"; None where two groups have that name."""
    group, colon, row = label.partition(_IN_GROUP)
    if not colon:
        return None
    heads = re.compile(_GROUP.format(group=re.escape(group)), re.IGNORECASE | re.MULTILINE)
    found = list(heads.finditer(bare))
    if len(found) != 1:
        return None
    pattern = rf"^\| *\u2022\s*{re.escape(row)} *\| *(?P<rest>[^|\n]+)"
    return re.search(pattern, found[0]["rows"], re.IGNORECASE | re.MULTILINE)


def typed(text: str, value_type: str) -> Value | None:
    """The first value of a type in a cell's text: a number, an ISO date, or the text before coordinates."""
    if value_type == "number":
        seen = numbers(text)
        return seen[0] if seen else None
    if value_type == "date":
        days = dates(text)
        return days[0].isoformat() if days else None
    located = _LOCATED.fullmatch(text)
    return (located[1] if located else text) or None


def numbers(text: str) -> list[int | float]:
    """Every number of a text; a minus sign counts only where no digit or word precedes it."""
    found = (number_of(match.group().replace("\u2212", "-")) for match in _NUMBER.finditer(text))
    return [number for number in found if number is not None]


def dates(text: str) -> list[date]:
    """Every date of a text, those written as 2001-12-31 before those with the month's name."""
    iso = (as_date(match.group()) for match in _ISO.finditer(text))
    worded = (as_date(match.group()) for match in _WORDED.finditer(text))
    return [day for day in (*iso, *worded) if day is not None]


def as_date(text: str) -> date | None:
    """2001-12-31, 31 December 2001 or December 31, 2001 as a date, None for anything else."""
    worded = _WORDED.fullmatch(text.strip())
    try:
        if worded:
            day, month, year = (part for part in worded.groups() if part is not None)
            if not day.isdigit():
                day, month = month, day
            return date(int(year), _MONTHS.index(month) + 1, int(day))
        return date.fromisoformat(text.strip())
    except ValueError:
        return None
