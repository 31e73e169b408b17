"""How far a page's clue says what its stop asks, and how the page is come by."""

import re

from pytest_aar.leg import KINDS, RouteInfo

from .records import ReadStep
from .turns import quotes, stands_in
from .words import covered, stems

_TOKEN = re.compile(r"[^\s“”\",;:?!()]+")
_HALF = 0.5


def topic(stop: RouteInfo, before: RouteInfo | None, step: ReadStep | None) -> float:
    """Half for what is asked on a page, half for the way to it from the page stop `before`."""
    if step is None or step.kind != KINDS[RouteInfo]:
        return 0.0
    asked = _HALF * _label(stop, step) + _HALF * stands_in(step.question, stop.section)
    return _HALF * asked + _HALF * _way(before, step)


def tells_page(stop: RouteInfo, before: RouteInfo | None, step: ReadStep | None) -> bool:
    """Whether a clue tells most of the label, the right part of the page, and the whole way."""
    if step is None or step.kind != KINDS[RouteInfo]:
        return False
    asked = _label(stop, step) > _HALF and stands_in(step.question, stop.section)
    return asked and _way(before, step) == 1


def _label(stop: RouteInfo, step: ReadStep) -> float:
    """How far the label that is asked for is named: in quotes as it stands, or in words of its kind."""
    target = stop.target.casefold()
    quoted = quotes(step.question) - {(stop.section or "").casefold()}
    if target in quoted:
        return 1.0
    if quoted and step.question != step.text:
        return 0.0  # another label is asked for
    asked = stems(target)
    return covered(asked, step.words) if asked else float(target in step.question)


def _way(before: RouteInfo | None, step: ReadStep) -> float:
    if before is None:
        return float(step.reached == "start")
    if before.transition == "search_query":
        found = step.reached == "search" and _searched(before.search_query or "", step.text)
        return float(found)
    from_there = step.reached == "link" and step.start == before.index + 1
    return _HALF * from_there + _HALF * (step.pointer is not None)


def _searched(query: str, text: str) -> bool:
    """Whether the names and codes of a search are told; where it has none, half of its words."""
    said = {word.rstrip(".") for word in _TOKEN.findall(text)}
    words = [word.rstrip(".") for word in _TOKEN.findall(query)]
    names = [word for word in words if word != word.lower() or not word.isalpha()]
    if names:
        return all(name.casefold() in said for name in names)
    return sum(word.casefold() in said for word in words) >= _HALF * len(words)
