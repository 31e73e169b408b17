"""What a clue text gives away, piece by piece, and honest wording that gives away nothing."""

import pytest

from pytest_aar.leaks import (
    Leak,
    arithmetic_in,
    figures_in,
    leaks_in,
    names_title,
    texts_in,
    titles_in,
    tools_in,
)

VALUES = (1234, 7, "1821-07-28", "Cusco", "T1")


@pytest.mark.parametrize(
    ("clue", "leak"),
    [
        ("Open the page of lima at once.", ("title", "Lima")),
        ("Use maps_geocode here.", ("tool", "maps_geocode")),
        ("Compute (12 + 5) % 10.", ("arithmetic", "(12 + 5) % 10")),
        ("It is 1,234 m high.", ("value", "1234")),
        ("It was so on 1821-07-28 already.", ("value", "1821-07-28")),
        ("They call it cusco.", ("value", "Cusco")),
        ("Take terminal T1.", ("value", "T1")),
    ],
)
def test_a_leak_is_found_with_its_kind_its_words_and_its_clue(clue: str, leak: tuple[str, str]):
    kind, text = leak
    found = list(leaks_in(f"1. Begin here.\n\n2. {clue}", ["Lima, Peru", "Rio"], VALUES))
    assert [(each.kind, each.text, each.clue) for each in found] == [(kind, text, 2)]


@pytest.mark.parametrize(
    "clue",
    [
        "Add the results of clues 1, 2 and 1234.",
        "The limaçon is a curve, and so is Rio's.",
        "It was so on 2019-03-04 already.",
        "Count the days between clue 3 and 2019-03-04.",
        "Add clues 7 & 1234, 7 or 1234, and clue #1234.",
        "Monday is 1, Sunday 7.",
        "It lies 51,234 m deep, on line 12345.",
    ],
)
def test_honest_wording_leaks_nothing(clue: str):
    assert list(leaks_in(f"1234. {clue}", ["Lima, Peru", "Rio"], VALUES)) == []


def test_titles_are_found_with_and_without_their_qualifier():
    assert titles_in("on to Springfield now", ["Springfield, Ohio"]) == ("Springfield",)
    assert titles_in("the Paris (region) page", ["Paris (region)"]) == ("Paris (region)", "Paris")
    assert not names_title("in springfields", ["Springfield, Ohio"])
    assert not names_title("Rio", ["Rio"])  # too short to be told from a word


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("digital_root(20 + 240 + 6) it is", ("digital_root(20 + 240 + 6)",)),
        ("abs(30 - 10) % 10", ("abs(30 - 10)",)),
        ("(33 + 21) % 10, then 5 \u00d7 3", ("(33 + 21) % 10", "5 \u00d7 3")),
        ("1,200 + 34", ("1,200 + 34",)),
        (
            "1914 + 4 years, 12 - 5, 90 / 15, 4\u22126",
            ("1914 + 4", "12 - 5", "90 / 15", "4\u22126"),
        ),
        ("abs(clue 2 - clue 3) % 10", ("abs(clue 2 - clue 3)",)),
        ("digital_root(19 + clues 6 & 7)", ("digital_root(19 + clues 6 & 7)",)),
        ("clue 1 + clue 8", ()),
        ("in 1914-1918, 1914 - 1918, 2012/13, at 24/7", ()),
        ("on 12/05/2020, and 3 - 5 December", ()),
        ("one digit (0-9)", ()),
        ("on 2021-04-25", ()),
        ("clues 3 and 4", ()),
    ],
)
def test_arithmetic_is_found_as_it_stands(text: str, found: tuple[str, ...]):
    assert arithmetic_in(text) == found


def test_numbers_are_compared_as_numbers():
    assert figures_in("some 1,234 of 1932", [1234, 32, "1932"]) == ("1234", "1932")
    assert figures_in("3 of them", [3]) == ()


def test_names_dates_and_codes_are_found_as_texts():
    assert texts_in("in Peru since 1821-07-28", ["peru", "1821-07-28", 5]) == ("peru", "1821-07-28")
    assert tools_in("with web_search and Fetch_Webpage") == ("web_search", "Fetch_Webpage")


def test_a_leak_before_the_first_clue_has_no_clue():
    assert list(leaks_in("To Lima!\n1. Begin.", ["Lima"], [])) == [
        Leak(kind="title", text="Lima", clue=None)
    ]


def test_a_short_name_inside_a_word_is_no_leak():
    assert texts_in("a priority of T10", ["Rio", "rio", "T1"]) == ()
