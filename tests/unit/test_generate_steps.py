"""The generator's decisions beside its steps: digits, counts, levels of one's own."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_aar.errors import ConfigurationError
from pytest_aar.generate.digits import digit_for, may_root
from pytest_aar.generate.draft import Rejected
from pytest_aar.generate.flow import Counts, counts_for, enough
from pytest_aar.generate.level_file import levels_in, ranges_of
from pytest_aar.generate.levels import LEVELS


def test_digits_are_balanced_but_those_of_others_do_not_give_one_away():
    digits = [digit_for("order", number) for number in range(1, 1_001)]
    counts = Counter(digits)
    assert sum((counts[digit] - 100) ** 2 / 100 for digit in range(10)) < 10
    decks = [digits[start : start + 10] for start in range(0, 1_000, 10)]
    assert sum(len(set(deck)) == 10 for deck in decks) < 20
    assert digits != [digit_for("another", number) for number in range(1, 1_001)]


def test_at_most_one_leg_in_three_is_a_digital_root_and_none_of_digit_0():
    roots = [number for number in range(1, 301) if may_root("order", number)]
    assert 80 < len(roots) <= 100
    assert all(digit_for("order", number) for number in roots)
    assert max(Counter((number - 1) // 3 for number in roots).values()) == 1


@pytest.mark.parametrize("variant", ["linear", "dag"])
@pytest.mark.parametrize("name", list(LEVELS))
def test_counts_keep_to_the_levels_ranges_and_leave_a_page_to_each_diamond(variant: str, name: str):
    level, chance = LEVELS[name], random.Random(5)
    for _ in range(50):
        counts = counts_for(level, variant, chance)
        assert level.roadblocks[0] <= counts.roadblocks <= level.roadblocks[1]
        assert level.detours[0] <= counts.detours <= level.detours[1]
        before = counts.pages + counts.roadblocks + counts.detours
        assert level.stops[0] <= before <= level.stops[1]
        assert counts.pages >= max(2, counts.diamonds)
        assert bool(counts.diamonds) == (variant == "dag")


def test_enough_of_all_stops_must_flow_the_finish_line_not_counted_as_flowing():
    counts = Counts(pages=5, roadblocks=2, detours=2, diamonds=0)
    assert counts.stops == 10
    assert enough(6, counts.stops)
    assert not enough(5, counts.stops)


def test_ranges_that_no_leg_fits_are_rejected():
    narrow = replace(LEVELS["easy"], stops=(3, 3), roadblocks=(2, 2))
    with pytest.raises(Rejected, match="plan: no counts within the level's ranges"):
        counts_for(narrow, "linear", random.Random(0))


LEVEL = """
[level.short]
stops = [4, 5]
roadblocks = [1, 1]
detours = [1, 2]
diamonds = [1, 1]
crawl_depth = 2
crawl_pages = 40
extraction = "prose"
"""


def test_levels_of_ones_own_stand_beside_the_four(tmp_path: Path):
    path = tmp_path / "levels.toml"
    path.write_text(LEVEL)
    found = levels_in(path)
    assert set(found) == {*LEVELS, "short"}
    assert found["short"].stops == (4, 5)
    assert found["short"].crawl_pages == 40
    assert ranges_of(found["short"]) == (
        "stops 4-5, roadblocks 1-1, detours 1-2, diamonds 1-1, crawl 2, prose"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("stops = [4, 5]", "", r"\[level\.short\]: stops is missing"),
        ("[4, 5]", "[5, 4]", r"stops is \[5, 4\]; give the lowest and highest number, such as "),
        ("[4, 5]", "5", r"stops is 5; give the lowest and highest"),
        ("= 2\n", "= 0\n", r"crawl_depth is 0; give a whole number from 1 on"),
        ('"prose"', '"verse"', r"extraction is 'verse'; valid: prose, cross_section"),
        ("crawl_pages", "pages", r"unknown pages; valid: stops, roadblocks, detours, diamonds, "),
        ("[level.short]", '[level."../up"]', r"name is letters, digits, - and _ only"),
        ("[level.short]", "[short]", r"no table \[level\.NAME\] there; give one with stops, "),
        ("[level.short]", "[level", r"levels\.toml: .*; give a TOML file"),
        (
            LEVEL,
            "[level]\nshort = 5",
            r"\[level\.short\]: found 5; a level is a table with stops, ",
        ),
    ],
)
def test_a_wrong_level_is_named_with_what_would_be_right(
    tmp_path: Path, old: str, new: str, message: str
):
    path = tmp_path / "levels.toml"
    path.write_text(LEVEL.replace(old, new))
    with pytest.raises(ConfigurationError, match=message):
        levels_in(path)
