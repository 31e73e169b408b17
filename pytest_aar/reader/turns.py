"""Turns of phrase that tell one thing of a clue: that it ends the race, how its page is come by."""

import re

_FINISH = re.compile(
    r"digit|modulo|modulus|\bmod\b|remainder|% ?10|divi\w+ by ten|finish|final (?:answer|value|result)"
)
_ROOT = re.compile(r"digital root|until .{0,30}(?:one|single) (?:digit|figure)")
_GAP = re.compile(r"differ|subtract|\bgap\b|\babs\b|apart|minus|deduct|take away")
_START = re.compile(
    r"starting (?:page|address|point)|start(?:s|ing)? (?:where|on|at|from)|you (?:were|are|have been)"
    r" (?:given|handed)|\bbegin (?:on|at|here|there|your)|begin\.|already (?:stand|open)"
    r"|\bgiven page|first stop|set off"
)
_SEARCH = re.compile(r"\bsearch|look (?:up|it up)|seek|query|hunt for|track down")
_LINK = re.compile(r"\blink(?:s|ed|ing)?\b|follow|page of clue|hyperlink|leads?\b")


def finishes(text: str) -> bool:
    """Whether a last clue asks for the one digit that ends a race."""
    return _FINISH.search(text) is not None


def finish_operation(text: str) -> str:
    """How a finish line's operands are put together: sum, difference or digital_root."""
    if _ROOT.search(text):
        return "digital_root"
    return "difference" if _GAP.search(text) else "sum"


def starts(text: str) -> bool:
    """Whether a page clue speaks of the page that a race begins on."""
    return _START.search(text) is not None


def searches(text: str) -> bool:
    """Whether a page is to be found by a search."""
    return _SEARCH.search(text) is not None


def follows_link(text: str) -> bool:
    """Whether a page is come by along a link."""
    return _LINK.search(text) is not None
