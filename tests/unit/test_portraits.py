"""Portraits fit one page among its rivals, and use only words that may be used."""

import random
from dataclasses import replace

import pytest
from atlas_pages import fact, page

from pytest_aar.generate.draft import PageNode
from pytest_aar.generate.portraits import article, portrait, rounded, traits


def drawn(of: PageNode, *rivals: PageNode, unfit: str = "never") -> str | None:
    return portrait(of, rivals, fit=lambda words: unfit not in words, chance=random.Random(1))


def test_one_trait_is_enough_where_it_sets_a_page_apart():
    here = page("A", fact("Population", 318_801))
    assert drawn(here, page("B", fact("Population", 99_000))) == (
        "a city with some 320,000 inhabitants"
    )


def test_a_rival_that_rounds_to_the_same_figure_takes_another_trait():
    here = page("A", fact("Population", 318_801), fact("Elevation", 1_234, unit="m"))
    near = page("B", fact("Population", 321_000), fact("Elevation", 20, unit="m"))
    assert drawn(here, near) == "a city some 1,200 metres above the sea"


def test_traits_are_put_together_when_none_is_enough_alone():
    here = page("A", fact("Population", 50_000), fact("Country", "Peru", "text"))
    assert drawn(
        here,
        page("B", fact("Population", 50_000), fact("Country", "Chile", "text")),
        page("C", fact("Population", 70_000), fact("Country", "Peru", "text")),
    ) == ("a city in Peru with some 50,000 inhabitants")


def test_three_traits_read_as_one_description():
    here = page(
        "A",
        fact("Population", 50_000),
        fact("Country", "Peru", "text"),
        fact("Patron", "Saint Rose", "text"),
    )
    others = [
        replace(here, title=f"B{place}", facts=here.facts[:place] + here.facts[place + 1 :])
        for place in range(3)
    ]
    assert drawn(here, *others) == (
        "a city in Peru with some 50,000 inhabitants and whose page gives “Patron” as Saint Rose"
    )


def test_a_twin_or_a_page_without_facts_has_no_portrait():
    here = page("A", fact("Population", 50_000))
    assert drawn(here, page("B", fact("Population", 50_000))) is None
    assert drawn(page("A")) is None


def test_rivals_are_other_pages_of_the_same_kind():
    here = page("A", fact("Elevation", 50, unit="m"))
    assert drawn(here, here, page("B", fact("Elevation", 50, unit="m"), kind="airport"))


def test_words_that_give_something_away_are_left_out():
    here = page("A", fact("Country", "Peru", "text"), fact("Elevation", 50, unit="m"))
    assert drawn(here, unfit="Peru") == "a city some 50 metres above the sea"


@pytest.mark.parametrize("value", [0, -0.03, 3.9e12])
def test_figures_that_say_little_are_no_traits(value: float):
    assert traits(page("A", fact("Growth", value))) == ()


def test_a_height_in_metres_and_feet_is_one_thing():
    metres = fact("Elevation AMSL (metric)", 200, unit="m")
    feet = fact("Elevation AMSL", 656, unit="ft")
    here = page("A", metres, feet, kind="airport")
    rivals = [page("B", metres, kind="airport"), page("C", feet, kind="airport")]
    assert drawn(here, *rivals) is None
    assert drawn(here, rivals[0]) == "an airport some 660 feet above the sea"


def test_codes_and_names_of_the_page_itself_are_no_traits():
    here = page("A", fact("IATA", "LIM", "text"), fact("ISO code", "PE", "text"))
    assert traits(here) == ()


def test_a_real_pages_first_sentence_is_a_trait():
    lead = "Walmart Inc. (/w/) is an American retail corporation that runs stores, known for low prices."
    here = page("Walmart", lead=lead, kind="company")
    assert drawn(here) == "a company described as “an American retail corporation that runs stores”"


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        ("X is a British actress.", None),
        (
            "X was the first man who walked on 2.5 kilometres of ice.",
            "the first man who walked on 2.5 kilometres of ice",
        ),
        (
            "X is a city that stands on the banks of the great river Lagan, where the sea and the "
            "land begin to meet.",
            "a city that stands on the banks of the great river Lagan",
        ),
        (
            "X is a kind of very old wooden boat with two masts and a sail in front of the tall mast.",
            "a kind of very old wooden boat with two masts and a sail in front",
        ),
    ],
)
def test_a_first_sentence_is_cut_where_it_may_end(lead: str, said: str | None):
    expected = f"a city described as “{said}”" if said else None
    assert drawn(page("Y", lead=lead)) == expected


def test_a_first_sentence_that_repeats_the_name_is_none():
    here = page("Lake Titicaca", lead="Titicaca is the Titicaca of lakes.", kind="lake")
    assert traits(here) == ()


@pytest.mark.parametrize(
    ("number", "near"), [(318_801, 320_000), (19, 19), (4.23, 4.2), (0, 0), (1.0, 1), (96, 96)]
)
def test_figures_are_rounded_to_two_digits(number: float, near: float):
    assert rounded(number) == near


@pytest.mark.parametrize(
    ("noun", "said"),
    [("airport", "an airport"), ("city", "a city"), ("university", "a university")],
)
def test_nouns_take_their_article(noun: str, said: str):
    assert article(noun) == said
