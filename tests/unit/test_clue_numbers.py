"""Clues' own numbers, and the forms in which one clue refers to others."""

import pytest

from pytest_aar.clue_numbers import (
    MASK,
    numbered,
    other_numbers,
    referred_clues,
    without_references,
)
from pytest_aar.reader import read_clues


@pytest.mark.parametrize("mark", ["1.", "1)", "**1.", "Clue 1:"])
def test_clues_are_told_apart_however_they_are_numbered(mark: str):
    clues = f"A preamble.\n{mark} First\n\n{mark.replace('1', '2')} Second"
    assert [(number, text.strip()) for number, text in numbered(clues)] == [
        (None, "A preamble."),
        (1, "First"),
        (2, "Second"),
    ]


def test_a_text_without_numbers_is_one_clue_without_a_number():
    assert list(numbered("Nothing is numbered. 3.5 of it")) == [
        (None, "Nothing is numbered. 3.5 of it")
    ]
    assert list(numbered("1. One\n3.5 m")) == [(None, ""), (1, " One\n3.5 m")]


REFERENCES = {
    "clue 3": {3},
    "clues 4, 5 and 37": {4, 5, 37},
    "clues 1, 2, and 1234": {1, 2, 1234},
    "clues 1 & 4": {1, 4},
    "clue 1 or 4": {1, 4},
    "clues 1/4": {1, 4},
    "clues 2 plus 5": {2, 5},
    "clues 2 + 5": {2, 5},
    "clues 1-5": {1, 2, 3, 4, 5},
    "clues 2\u20134": {2, 3, 4},
    "clues 1 through 3": {1, 2, 3},
    "clues 1,2 and 3": {1, 2, 3},
    "clue #4": {4},
    "clue no. 5": {5},
    "clue (6)": {6},
    "Step 4": {4},
    "clue four": {4},
    "clues two and three": {2, 3},
    "clue\u20114": {4},
}


@pytest.mark.parametrize(("reference", "clues"), REFERENCES.items())
def test_a_reference_is_read_whole_in_any_form(reference: str, clues: set[int]):
    text = f"Take {reference}; go on."
    assert referred_clues(text) == clues
    assert without_references(text) == f"Take {MASK * len(reference)}; go on."
    assert other_numbers(text) == frozenset()


@pytest.mark.parametrize(
    ("text", "clues", "others"),
    [
        ("clue 37 to 12", {37}, {12}),
        ("clue 3 plus 1914", {3}, {1914}),
        ("clues 5 and 9 with 399", {5, 9}, {399}),
        ("clue 3 and 2019-03-04", {3}, set()),
        ("clue 3, 1,234 m", {3}, set()),
        ("clue 8 - 3.5 of it", {8}, set()),
        ("the result of 5, #4, the sixth, the 7th, eight", set(), {4, 5, 6, 7, 8}),
    ],
)
def test_a_figure_beside_a_reference_is_none(text: str, clues: set[int], others: set[int]):
    assert referred_clues(text) == clues
    assert other_numbers(text) == others


@pytest.mark.parametrize("reference", ["clues 1, 2 and 3", "clues 1 & 2", "clues 1/2"])
def test_what_the_reader_reads_as_operands_are_references(reference: str):
    (step,) = read_clues(f"4. Add the results of {reference}; your answer is the last digit.")
    assert set(step.operands) == referred_clues(reference)
