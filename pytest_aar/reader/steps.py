"""From a clue text to the list of steps that it asks for."""

import re
from collections import defaultdict
from collections.abc import Iterator

from pytest_aar.leg import KINDS, FinishLine

from .cues import PAGE, PRIOR, TWO_CLUES, weights
from .records import Meaning, Reached, ReadStep
from .turns import (
    finish_operation,
    finishes,
    follows_link,
    pointer_of,
    question_of,
    searches,
    starts,
)
from .words import stems

_CLUE = re.compile(r"^[ \t]*(?:\*\*|#+ )?(?:clue )?(\d{1,3})[.):]", re.MULTILINE | re.IGNORECASE)
_REFERENCES = re.compile(
    r"\bclues?\W{1,2}\d{1,3}\b(?:(?:, and |, or |, | and | & | \+ |/)(?:clue )?\d{1,3}\b)*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_OWN_PAGE = re.compile(
    r"(?:whose|described on the|on the|the) (?:own )?(?:page|article)(?: that)?(?: \w+){0,4}? "
    r"(?:in|of|from|at) clue"
)
_PAIR = 2


def read_clues(text: str) -> tuple[ReadStep, ...]:
    """The steps of a clue text, in the order in which they stand."""
    clues = list(_numbered(text))
    last = len(clues) - 1
    return tuple(
        _read(number, clue, last=place == last) for place, (number, clue) in enumerate(clues)
    )


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    marks = list(_CLUE.finditer(text))
    ends = [*(mark.start() for mark in marks), len(text)]
    for mark, end in zip(marks, ends[1:], strict=True):
        yield int(mark[1]), text[mark.end() : end]


def _read(number: int, clue: str, *, last: bool) -> ReadStep:
    text = clue.strip().casefold()
    operands = _operands(text)
    if last and operands and finishes(text):
        return ReadStep(
            number=number,
            kind=KINDS[FinishLine],
            operation=finish_operation(text),
            operands=operands,
            text=text,
        )
    meaning = _meaning(text, operands)
    if meaning == PAGE:
        return _page(number, text, operands)
    return ReadStep(
        number=number,
        kind=meaning.kind,
        tools=meaning.tools,
        operation=meaning.operation,
        operands=operands,
        days=frozenset(_DAY.findall(text)),
        words=stems(text),
        text=text,
    )


def _page(number: int, text: str, operands: tuple[int, ...]) -> ReadStep:
    question = question_of(text)
    reached = _reached(text)
    linked = reached == "link"
    return ReadStep(
        number=number,
        kind=PAGE.kind,
        tools=PAGE.tools,
        words=stems(question),
        reached=reached,
        start=operands[0] if linked and operands else None,
        pointer=pointer_of(text.removesuffix(question) or text) if linked else None,
        text=text,
        question=question,
    )


def _operands(text: str) -> tuple[int, ...]:
    """The numbers of the clues referred to, each once, in order."""
    named = (_NUMBER.findall(found.group()) for found in _REFERENCES.finditer(text))
    return tuple(dict.fromkeys(int(number) for numbers in named for number in numbers))


def _meaning(text: str, operands: tuple[int, ...]) -> Meaning:
    """The meaning with the most weight; how a clue names an earlier page says nothing about it."""
    bare = _OWN_PAGE.sub("of clue", text)
    scores: defaultdict[Meaning, float] = defaultdict(float, {PAGE: PRIOR})
    for meaning, weight in weights(bare):
        scores[meaning] += weight
        if meaning.operation in {"sum", "difference"}:
            scores[meaning] += TWO_CLUES if len(operands) >= _PAIR else -TWO_CLUES
    return max(scores, key=lambda each: scores[each])


def _reached(text: str) -> Reached | None:
    if follows_link(text) and _REFERENCES.search(text):
        return "link"
    if starts(text):
        return "start"
    return "search" if searches(text) else None
