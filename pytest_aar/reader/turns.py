"""Turns of phrase that tell one thing of a clue: that it ends the race, how its page is come by."""

import re

from .records import Pointer

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
_LINK = re.compile(r"\blink(?:s|ed|ing)?\b|follow|page of clue|hyperlink|leads?\b|page behind")
_PAGE_OF_CLUE = re.compile(r"\bclue \d")
_ON = re.compile(
    r"open (?:it|its|the|their)\b|go (?:there|to its|on to)|take it\b|comes next|next stop|leads? on\b"
)
_SENTENCE = re.compile(r"(?<=[.?!]) (?=\S)")
_BOX = re.compile(r"\bbox\b|infobox")
_OPENING = re.compile(
    r"opening (?:text|lines|paragraph|sentence)|introduction|before the first|opens the page"
    r"|beginning of the text|\blead\b"
)
_ASKS = re.compile(
    rf"\?|{_BOX.pattern}|{_OPENING.pattern}|\b(?:sub)?sections?\b|\bheading|\bheaded\b"
)
_QUOTED = re.compile(r"[“\"]([^”\"]{1,80})[”\"]")
_PLACE = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|last"
    r"|\d{1,2}(?:st|nd|rd|th))\b"
)
_ENDS = re.compile(r"\w(?:…|\.{3})\w")
_LETTERS = 2


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


def question_of(text: str) -> str:
    """The part of a page's clue that asks: what follows the way and a portrait; all if nothing does.

    A portrait neither asks nor says anything of a part of the page; a question does.
    """
    sentences = _SENTENCE.split(text.strip())
    ways = [place for place, sentence in enumerate(sentences) if _tells_way(sentence)]
    asked = sentences[ways[-1] + 1 :] if ways else sentences
    named = next((place for place, sentence in enumerate(asked) if _ASKS.search(sentence)), 0)
    return " ".join(asked[named:]) or text


def pointer_of(text: str) -> Pointer | None:
    """By what a clue singles out one link: nothing does it without a heading or a row in quotes."""
    quoted = _QUOTED.findall(text)
    if sum(len(each) == 1 for each in quoted) >= _LETTERS:
        return "letters" if len(quoted) > _LETTERS else None
    if any(_ENDS.fullmatch(each) for each in quoted):
        return "letters"
    if quoted and _PLACE.search(_QUOTED.sub("", text)):
        return "place"
    return "row" if quoted and _BOX.search(text) else None


def stands_in(text: str, section: str | None) -> bool:
    """Whether a question speaks of the summary box (None), the opening ("lead") or a section."""
    if section is None:
        return _BOX.search(text) is not None
    if section == "lead":
        return _OPENING.search(text) is not None
    return section.casefold() in text


def quotes(text: str) -> frozenset[str]:
    """What stands in quotes in a text."""
    return frozenset(_QUOTED.findall(text))


def _tells_way(sentence: str) -> bool:
    patterns = (_START, _SEARCH, _LINK, _PAGE_OF_CLUE, _ON)
    return any(pattern.search(sentence) for pattern in patterns)
