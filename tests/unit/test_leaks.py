"""What a clue text gives away, piece by piece, and honest wording that gives away nothing."""

import pytest

from pytest_aar.leaks import (
    Leak,
    arithmetic_in,
    figures_in,
    leaks_in,
    names_title,
    numbered,
    referred_clues,
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
        ("clue 1 + clue 8", ()),
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
    assert tools_in("with web_search and fetch_webpage") == ("fetch_webpage", "web_search")


@pytest.mark.parametrize("mark", ["1.", "1)", "**1.", "Clue 1:"])
def test_clues_are_told_apart_however_they_are_numbered(mark: str):
    clues = f"A preamble.\n{mark} First\n\n{mark.replace('1', '2')} Second"
    assert [(number, text.strip()) for number, text in numbered(clues)] == [
        (None, "A preamble."),
        (1, "First"),
        (2, "Second"),
    ]


def test_a_leak_before_the_first_clue_has_no_clue():
    assert list(leaks_in("To Lima!\n1. Begin.", ["Lima"], [])) == [
        Leak(kind="title", text="Lima", clue=None)
    ]


def test_a_text_without_numbers_is_one_clue_without_a_number():
    assert list(numbered("Nothing is numbered. 3.5 of it")) == [
        (None, "Nothing is numbered. 3.5 of it")
    ]
    assert list(numbered("1. One\n3.5 m")) == [(None, ""), (1, " One\n3.5 m")]


def test_a_short_name_inside_a_word_is_no_leak():
    assert texts_in("a priority of T10", ["Rio", "rio", "T1"]) == ()


def test_the_clues_that_a_text_refers_to():
    assert referred_clues("Add clues 4, 5 and clue 37 to 12; see Clue 3.") == {3, 4, 5, 37}
