"""Transforms of texts: their letters."""

from .record import Transform

_SCRABBLE = {
    letter: points
    for points, letters in (
        (1, "aeilnorstu"),
        (2, "dg"),
        (3, "bcmp"),
        (4, "fhvwy"),
        (5, "k"),
        (8, "jx"),
        (10, "qz"),
    )
    for letter in letters
}


def _first_letter(text: str) -> int:
    first = text[0].upper()
    return ord(first) - ord("A") + 1 if first.isalpha() else 0


def _word_fits(text: str) -> bool:
    return text[0].isascii() and text[0].isalpha() and text.isascii()


#: In the order of `TRANSFORMS`.
WORDS = (
    Transform(
        name="vowel_count",
        takes="text",
        function=lambda text: sum(letter in "aeiou" for letter in text.lower()),
        fits=_word_fits,
        body='result = sum(letter in "aeiou" for letter in text.lower())',
    ),
    Transform(
        name="alpha_position_first_letter",
        takes="text",
        function=_first_letter,
        fits=_word_fits,
        body="""\
first = text[0].upper()
result = ord(first) - ord("A") + 1 if first.isalpha() else 0""",
    ),
    Transform(
        name="scrabble_score",
        takes="text",
        function=lambda text: sum(_SCRABBLE.get(letter, 0) for letter in text.lower()),
        fits=_word_fits,
        body=f"""\
points = {_SCRABBLE!r}
result = sum(points.get(letter, 0) for letter in text.lower())""",
    ),
)
