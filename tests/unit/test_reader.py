"""Clues in anybody's words are read back into steps."""

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_aar.leg_file import read_leg
from pytest_aar.reader import ReadStep, align, read_clues

ROOT = Path(__file__).parents[2] / "legs"


def one(clue: str, *, last: bool = False) -> ReadStep:
    steps = read_clues(f"1. {clue}" if last else f"1. {clue}\n2. Begin.")
    return steps[0]


@pytest.mark.parametrize(
    ("clue", "operation"),
    [
        ("What prime follows the count of clue 3?", "next_prime"),
        ("How many whole numbers divide it evenly, the figure of clue 3?", "num_divisors"),
        ("Total the unique primes that make up clue 3.", "sum_prime_factors"),
        ("Which is the biggest among the prime factors of clue 3?", "largest_prime_factor"),
        ("In Roman figures, how long is clue 3?", "roman_numeral_letter_count"),
        ("How many 1-bits has clue 3?", "binary_1bit_count"),
        ("Write clue 3 backwards.", "digit_reversal"),
        ("Find the digital root of clue 3.", "digital_root"),
        ("What do the digits of clue 3 add up to?", "digit_sum"),
        ("On what day of the week did the year of clue 3 begin?", "day_of_week"),
        ("How many leap years lie between clue 3 and 2000?", "leap_years_to_2000"),
        ("How many vowels are in the name of clue 3?", "vowel_count"),
        ("Where in the alphabet is the first letter of clue 3?", "alpha_position_first_letter"),
        ("What is clue 3 worth in Scrabble?", "scrabble_score"),
    ],
)
def test_detours_are_known_in_anybodys_words(clue: str, operation: str):
    step = one(clue)
    assert (step.kind, step.operation, step.operands) == ("detour", operation, (3,))


@pytest.mark.parametrize(
    ("clue", "tools"),
    [
        ("How high above sea level is that town?", {"maps_geocode", "maps_elevation"}),
        ("How many libraries are nearby?", {"maps_search_places"}),
        ("What rating do visitors give it?", {"maps_search_places"}),
        ("What is that nation's population?", {"countries_population"}),
        ("How large an area does the country cover?", {"countries_area"}),
        ("How many kilometres would you drive?", {"maps_geocode", "maps_distance_matrix"}),
        ("How many minutes does the drive take?", {"maps_directions"}),
        ("How much rain fell on 2020-01-01?", {"maps_geocode", "weather_historical"}),
        ("What was the closing price of its stock?", {"stock_historical_price"}),
        ("What was the trading volume of its shares?", {"stock_volume"}),
        ("At what price did the coin close?", {"crypto_historical_price"}),
        ("What volume of the coin was traded?", {"crypto_volume"}),
        ("Convert it from metres to feet.", {"python_execute_code"}),
        ("How many days lie between the two?", {"python_execute_code"}),
        ("Add the results of clue 1 and clue 2.", {"python_execute_code"}),
    ],
)
def test_roadblocks_are_known_in_anybodys_words(clue: str, tools: set[str]):
    step = one(clue)
    assert (step.kind, step.tools) == ("roadblock", tools)


def test_a_pages_way_and_topic_are_read():
    step = one("Follow the link in the summary box of clue 4 and note the population.")
    assert (step.kind, step.reached, step.start) == ("route info", "link", 4)
    assert "popula" in step.words
    assert one("Search for the airport and open its article.").reached == "search"
    assert one("Begin on the page you were given; which name is in its infobox?").reached == "start"


@pytest.mark.parametrize(
    ("clue", "operation"),
    [
        ("Add clues 3, 4 and 12; the last digit is the answer.", "sum"),
        (
            "How far apart are clues 3, 4 and 12? Give the last digit of the difference.",
            "difference",
        ),
        ("Give the digital root of clue 3 + clue 4 + clue 12, one digit.", "digital_root"),
    ],
)
def test_a_finish_line_is_read_with_its_operands(clue: str, operation: str):
    step = one(clue, last=True)
    assert (step.kind, step.operation, step.operands) == ("finish line", operation, (3, 4, 12))
    assert one(clue).kind != "finish line"  # only the last clue can be one


def test_a_text_without_clues_has_no_steps_and_agrees_with_nothing():
    assert read_clues("Just go.") == ()
    leg = read_leg(ROOT / "dag" / "easy" / "001.json", legs_root=ROOT)
    alignment = align(replace(leg, clues=""), ())
    assert (alignment.steps, alignment.tools, alignment.formula) == (0, 0, 0)
