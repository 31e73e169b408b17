"""The clue text as the rules look at it."""

from functools import lru_cache

from pytest_aar.clue_numbers import numbered, without_references


@lru_cache(maxsize=2)  # the rules of one leg all ask for the same text
def clues_of(text: str) -> tuple[tuple[int, str], ...]:
    """The numbered clues, in the text's order: number, and what follows it."""
    return tuple((number, clue.strip()) for number, clue in numbered(text) if number is not None)


def unnumbered(text: str) -> str:
    """The text without its clues' numbers."""
    return "\n".join(clue for _, clue in numbered(text))


@lru_cache(maxsize=2)  # same
def bare(text: str) -> str:
    """The text without its clues' numbers, references to clues by number masked."""
    return without_references(unnumbered(text))
