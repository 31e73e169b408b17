"""Clues in a model's words: it rewords those of the grammar, and has to pass the same checks."""

import re
from collections.abc import Iterator
from dataclasses import replace

from pytest_aar.leaks import leaks_in

from .draft import Ask, Draft, DraftStop, Rejected

_ROLE = (
    "You reword the clues of a scavenger hunt. Keep every clue's number and order, one clue for each "
    "number, a blank line between clues. Keep what each clue asks. Keep as they stand its figures, "
    "dates, codes, whatever is in quotes, words such as 'third', and the numbers of the clues that it "
    "refers to. Add no names, no results and no arithmetic. Answer with the clues and nothing else."
)
_NUMBER = re.compile(r"(\d+)\. \S")

#: What a reader can't do without, as it stands: quoted words, numbers and dates, codes.
_KEPT = re.compile(
    r"“(?P<quoted>[^”]+)”|(?P<number>\d+(?:[.,:/-]\d+)*)|\b(?P<code>[A-Z][A-Z\d]+)\b"
)
_ORDINAL = "ordinal"


async def reworded(draft: Draft, ask: Ask) -> Draft:
    """The draft with clues as the model worded them.

    Raises:
        Rejected: there are other clues than before, one of them lacks something that the grammar's
            has as text (quoted words, a number, a date, a code, which link of a section), or they
            give something away.
    """
    text = (await ask(_ROLE, draft.clues)).strip()
    clues = [clue.strip() for clue in text.split("\n\n") if clue.strip()]
    numbers = [found[1] if (found := _NUMBER.match(clue)) else "" for clue in clues]
    if numbers != [str(number) for number in range(1, len(draft.stops) + 1)]:
        raise Rejected("verbalize", "the model's clues are not one for each stop")
    for stop, before, after in zip(draft.stops, draft.clues.split("\n\n"), clues, strict=True):
        if not all(_has(after, word) for word in _kept(stop, before)):
            raise Rejected("verbalize", "a clue of the model's lacks what the grammar's says")
    worded = "\n\n".join(clues)
    if any(True for _ in leaks_in(worded, draft.titles, draft.golden_values)):
        raise Rejected("verbalize", "the model's clues give something away")
    return replace(draft, clues=worded)


def _kept(stop: DraftStop, clue: str) -> Iterator[str]:
    """What of a clue must survive, as text."""
    for found in _KEPT.finditer(clue):
        yield found[found.lastgroup or 0]
    if stop.way and _ORDINAL in stop.way.slots:
        yield stop.way.slots[_ORDINAL]


def _has(clue: str, word: str) -> bool:
    """Whether a text holds a word or number for itself: not the 1 of 12, nor that of 1,200."""
    pattern = rf"(?<![^\W_])(?<!\d[.,]){re.escape(word)}(?![^\W_])(?![.,]\d)"
    return re.search(pattern, clue) is not None
