"""The reader's vocabulary for detours: how people ask for a transform of a number, a year or a word."""

from pytest_aar.leg import KINDS, Detour

from .records import Cue, Meaning, cue


def _detour(name: str) -> Meaning:
    return Meaning(kind=KINDS[Detour], operation=name)


#: Patterns looked for in the case-folded clue, with the meaning they speak for; entries of one meaning add up.
DETOUR_CUES: tuple[tuple[Meaning, tuple[Cue, ...]], ...] = (
    (
        _detour("next_prime"),
        (
            cue(
                r"next prime|which prime (?:do|comes)|(?:smallest|first|nearest|closest)(?: \w+)? prime",
                4.5,
            ),
        ),
    ),
    (
        _detour("next_prime"),
        (cue(r"\bprime\b.{0,100}(?:follow|after|beyond|above|next|greater than|exceed)", 3.5),),
    ),
    (
        _detour("sum_prime_factors"),
        (
            cue(r"(?:sum|add|total|cumulative).{0,100}prime|prime.{0,100}(?:sum|add|total)", 4.6),
            cue(r"(?:distinct|different|unique) prime", 2.5),
        ),
    ),
    (
        _detour("largest_prime_factor"),
        (cue(r"(?:largest|greatest|biggest|highest|last).{0,40}prime", 5.0),),
    ),
    (
        _detour("largest_prime_factor"),
        (cue(r"prime.{0,120}(?:largest|greatest|biggest|highest)", 4.8),),
    ),
    (
        _detour("num_divisors"),
        (
            cue(r"divisors?\b|divide.{0,40}(?:evenly|remainder)|numbers that divide", 4.5),
            cue(r"how many (?:unique |distinct |whole )?(?:factors|numbers) ", 2.5),
        ),
    ),
    (
        _detour("roman_numeral_letter_count"),
        (cue(r"\broman\b|ancient (?:script|style|symb)", 4.5),),
    ),
    (_detour("binary_1bit_count"), (cue(r"binary|base[ -]two|\bbits?\b", 4.5),)),
    (
        _detour("digit_reversal"),
        (cue(r"revers|backwards?|back to front|(?:flip|mirror).{0,40}digits|right to left", 4.2),),
    ),
    (
        _detour("digital_root"),
        (
            cue(r"digital root", 5.5),
            cue(r"(?:until|till) .{0,30}(?:one|single) (?:digit|figure)", 5.5),
            cue(r"iterat.{0,40}digit|repeated.{0,40}digit", 4.0),
        ),
    ),
    (
        _detour("digit_sum"),
        (
            cue(
                r"digits?\b.{0,100}(?:\bsum|add|total)|(?:\bsum|add|total|tally).{0,100}digits?\b",
                4.2,
            ),
        ),
    ),
    (
        _detour("day_of_week"),
        (cue(r"weekday|days? of the week|new year|what day|mon(?:day)?\b.{0,12}\b1\b", 4.5),),
    ),
    (_detour("leap_years_to_2000"), (cue(r"leap", 5.5),)),
    (_detour("vowel_count"), (cue(r"vowel|a, e, i, o", 5.0),)),
    (
        _detour("alpha_position_first_letter"),
        (cue(r"alphabet", 3.5), cue(r"first letter|\binitial\b|opening letter", 1.6)),
    ),
    (_detour("scrabble_score"), (cue(r"scrabble", 6.0),)),
)
