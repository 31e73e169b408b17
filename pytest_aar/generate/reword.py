"""Clues in a model's words: it rewords those of the grammar, and has to pass the same checks."""

import re
from dataclasses import replace

from pytest_aar.leaks import leaks_in

from .draft import Ask, Draft, Rejected

_ROLE = (
    "You reword the clues of a scavenger hunt. Keep every clue's number and order, one clue for each "
    "number, a blank line between clues. Keep what each clue asks, its figures, dates and codes, and "
    "the numbers of the clues that it refers to. Add no names, no results and no arithmetic. Answer "
    "with the clues and nothing else."
)
_NUMBER = re.compile(r"(\d+)\. \S")


async def reworded(draft: Draft, ask: Ask) -> Draft:
    """The draft with clues as the model worded them.

    Raises:
        Rejected: there are other clues than before, or they give something away.
    """
    text = (await ask(_ROLE, draft.clues)).strip()
    clues = [clue.strip() for clue in text.split("\n\n") if clue.strip()]
    numbers = [found[1] if (found := _NUMBER.match(clue)) else "" for clue in clues]
    if numbers != [str(number) for number in range(1, len(draft.stops) + 1)]:
        raise Rejected("verbalize", "the model's clues are not one for each stop")
    worded = "\n\n".join(clues)
    if any(True for _ in leaks_in(worded, draft.titles, draft.golden_values)):
        raise Rejected("verbalize", "the model's clues give something away")
    return replace(draft, clues=worded)
