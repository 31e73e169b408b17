"""Legs between collection and race: their items' names, and the sample that is drawn."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_aar.leg_refs import LegRef, drawn, label, leg_item_of
from pytest_aar.settings import Settings


def refs(**counts: int) -> list[LegRef]:
    """So many legs of each `variant_level`."""
    return [
        LegRef(
            leg_id=f"{cell}/{number:03}",
            path=Path(f"{cell}/{number:03}.json"),
            sha256="",
            variant=cell.partition("_")[0],
            level=cell.partition("_")[2],
        )
        for cell, count in counts.items()
        for number in range(count)
    ]


def cells(legs: list[LegRef]) -> Counter[str]:
    return Counter(f"{leg.variant}_{leg.level}" for leg in legs)


def test_a_sample_takes_of_each_variant_and_level_its_share() -> None:
    legs = refs(linear_easy=40, linear_hard=20, dag_easy=20)
    found = drawn(legs, Settings(sample=20, seed=3))
    assert cells(found) == {"linear_easy": 10, "linear_hard": 5, "dag_easy": 5}


def test_a_sample_depends_on_its_seed_and_not_on_the_order_of_collection() -> None:
    legs = refs(linear_easy=30, dag_hard=30)
    found = drawn(legs, Settings(sample=10, seed=3))
    assert drawn(legs[::-1], Settings(sample=10, seed=3)) == found
    assert drawn(legs, Settings(sample=10, seed=4)) != found
    assert drawn(legs, Settings(sample=6, seed=3)) == found[:6]


def test_repeats_of_a_leg_are_drawn_as_one() -> None:
    legs = refs(linear_easy=3)
    assert len(drawn([*legs, *legs], Settings(sample=6))) == len(legs)


def test_a_sample_is_drawn_from_what_was_asked_for() -> None:
    legs = refs(linear_easy=3, linear_hard=3, dag_hard=3)
    found = drawn(legs, Settings(variants=("linear",), levels=("hard",), sample=9))
    assert cells(found) == {"linear_hard": 3}


@pytest.mark.parametrize(
    ("given", "repeat", "text"),
    [
        ({}, 1, "none"),
        ({"agent": "golden", "model": "m"}, 1, "golden"),
        ({"agent": "mini-swe", "model": "a/b:c[d]"}, 1, "mini-swe-a.b.c.d."),
        ({"agent": "racers:Guess"}, 3, "racers.Guess-r3"),
    ],
)
def test_the_name_of_an_item_can_be_an_argument_and_leads_back(
    given: dict[str, Any], repeat: int, text: str
) -> None:
    settings = Settings(**given, repeat=3)
    assert label(settings, repeat) == text
    assert leg_item_of(f"legs/a/001.json::001[{text}]", settings) == ("legs/a/001.json", repeat)


@pytest.mark.parametrize(
    "nodeid", ["tests/test_a.py::test_a[golden]", "legs/001.json::001[other]", "legs/001.json"]
)
def test_other_items_are_no_legs(nodeid: str) -> None:
    assert leg_item_of(nodeid, Settings(agent="golden")) is None
