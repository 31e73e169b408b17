import contextlib
import io

import pytest

from pytest_aar.transforms import TRANSFORMS, apply, whole_number


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("next_prime", 13, 17),
        ("next_prime", 0, 2),
        ("num_divisors", 1_899_981, 24),
        ("num_divisors", 0, 0),
        ("sum_prime_factors", 20, 7),
        ("largest_prime_factor", 201, 67),
        ("largest_prime_factor", 1, 1),
        ("roman_numeral_letter_count", 1994, 7),
        ("binary_1bit_count", 55, 5),
        ("digit_reversal", 2_130_638, 8_360_312),
        ("digital_root", 627, 6),
        ("digital_root", 0, 0),
        ("digit_sum", 7378, 25),
        ("day_of_week", 1966, 6),
        ("leap_years_to_2000", "2020", 6),
        ("leap_years_to_2000", 1940.792, 16),
        ("vowel_count", "Major General", 5),
        ("alpha_position_first_letter", "delhi", 4),
        ("alpha_position_first_letter", "22 Acacia", 0),
        ("scrabble_score", "Quiz", 22),
    ],
)
def test_computes(name, value, expected):
    assert apply(name, value) == expected


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("value", [1967, "Reykjavik"])
def test_the_code_of_a_transform_prints_what_apply_gives(name, value):
    transform = TRANSFORMS[name]
    if not transform.domain(value):
        assert isinstance(value, str) == (transform.takes == "number")
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(transform.code(value), {})
    assert int(printed.getvalue()) == apply(name, value)


def test_there_are_fourteen():
    assert len(TRANSFORMS) == 14


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("digit_sum", 9),
        ("day_of_week", 1582),
        ("leap_years_to_2000", 2101),
        ("roman_numeral_letter_count", 4000),
        ("vowel_count", ""),
        ("vowel_count", "Ærø"),
        ("next_prime", "Paris"),
        ("next_prime", float("nan")),
        ("next_prime", True),
    ],
)
def test_outside_the_domain(name, value):
    assert not TRANSFORMS[name].domain(value)


@pytest.mark.parametrize("value", [12, 12.9, -12.9, "12.9", "-12"])
def test_whole_number_cuts_the_rest_and_the_sign(value):
    assert whole_number(value) == 12


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        ValueError, match=r"unknown transform 'halve'; there are: next_prime, .*scrabble_score"
    ):
        apply("halve", 4)


def test_a_value_that_is_no_number_is_named():
    with pytest.raises(ValueError, match=r"\['a'\] is not a number"):
        apply("digit_sum", ["a"])
