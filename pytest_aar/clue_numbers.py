"""The numbers of a clue text: its clues' own, and those by which one clue refers to others."""

import re
from collections.abc import Iterator

#: The number at the beginning of a clue: `3. ...`; in published legs `**3.** ...`, `3) ...`, `Clue 3: ...`.
CLUE = re.compile(r"^\s*(?:\*\*)?(?:clue )?(\d+)[.):](?=[\s*])", re.MULTILINE | re.IGNORECASE)
#: What `without_references` puts in place of each character: no word, number, operator or white space.
MASK = "\N{BULLET}"

_CARDINALS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    "seventeen|eighteen|nineteen|twenty"
)
_ORDINALS = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|"
    "fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth"
)
_WORDS = {
    word: number
    for words in (_CARDINALS, _ORDINALS)
    for number, word in enumerate(re.findall(r"\w+", words), 1)
}

# No number that goes on: a fraction, thousands, a day.
_ENDS = r"(?!\d|[.,]\d|-\d\d-\d\d)"
_NUMBER = rf"(?:\d+{_ENDS}|(?:{_CARDINALS})\b)"
_MARK = r"(?:# ?|(?:no\.|nos\.|numbers?) )?"
_ONE = rf"{_MARK}(?:\({_NUMBER}\)|{_NUMBER})"
_DASH = "[-\u2010\u2011\u2012\u2013\u2014]"
_TO = rf"(?:{_DASH}| to | through | thru )"
_GAP = rf"(?:\s|:\s|{_DASH})"
_AND = r"(?:,? and |,? or |,? and/or | ?& ?|/)"
# After one clue a number may be a figure of its own ("clue 3 plus 1914"), after "clues" it is in their list.
_ONE_CLUE = rf"{_ONE}(?:{_DASH}{_ONE}|{_AND}\d{{1,2}}{_ENDS})*"
_TIGHT_LIST = r"\d{1,2}(?:,\d{1,2})+(?!\d)"
_SIGN = r"(?: plus | minus | times | ?[+] ?| [-\u2212] )"
_CLUES = rf"(?:{_TIGHT_LIST}|{_ONE})(?:{_TO}{_ONE}|(?:{_AND}|, ){_ONE}|{_SIGN}\d{{1,2}}{_ENDS})*"
_REFERENCE = re.compile(rf"\b(?:clue|step)(?:{_GAP}{_ONE_CLUE}|s{_GAP}{_CLUES})", re.IGNORECASE)
_RANGE = re.compile(rf"(?P<first>{_NUMBER}){_TO}(?P<last>{_NUMBER})", re.IGNORECASE)
_ANY = re.compile(rf"\d+|\b(?:{_CARDINALS})\b", re.IGNORECASE)
# Figures that can't be a clue's number: days, thousands, fractions.
_FIGURE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,3}(?:,\d{3})+(?!\d)|\d+\.\d+")
_NAMED = re.compile(rf"\d+|\b(?:{_CARDINALS}|{_ORDINALS})\b", re.IGNORECASE)


def numbered(clues: str) -> Iterator[tuple[int | None, str]]:
    """The clues with their numbers; what stands before the first one has the number None."""
    marks = list(CLUE.finditer(clues))
    yield None, clues[: marks[0].start() if marks else None]
    for mark, following in zip(marks, [*marks, None][1:], strict=True):
        yield int(mark[1]), clues[mark.end() : following.start() if following else None]


def without_references(text: str) -> str:
    """The text with each reference to clues masked: all else stands where it stood."""
    return _REFERENCE.sub(lambda found: MASK * len(found.group()), text)


def referred_clues(text: str) -> frozenset[int]:
    """The numbers of the clues that a text refers to, those within ranges included."""
    return frozenset(
        number for found in _REFERENCE.finditer(text) for number in _listed(found.group())
    )


def other_numbers(text: str) -> frozenset[int]:
    """Whole numbers in figures or words ("4", "four", "fourth") outside of references to clues."""
    rest = _FIGURE.sub("", without_references(text))
    return frozenset(_number(found) for found in _NAMED.findall(rest))


def _listed(reference: str) -> Iterator[int]:
    yield from (_number(found) for found in _ANY.findall(reference))
    for found in _RANGE.finditer(reference):
        yield from range(_number(found["first"]), _number(found["last"]))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _WORDS[text.casefold()]
