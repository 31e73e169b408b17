"""The generator's pure parts: descriptors, recipes, wordings, leak checks, flow."""

import random
import string
from typing import Any

import atlas_pages
import pytest
from atlas_pages import fact

from pytest_aar.generate import detour_phrases, phrases, task_phrases
from pytest_aar.generate.augment import flowing
from pytest_aar.generate.draft import DraftStop, PageFact, PageLink, PageNode, Question, Ref, Way
from pytest_aar.generate.facts import usable_facts
from pytest_aar.generate.grammar import Grammar
from pytest_aar.generate.levels import LEVELS
from pytest_aar.generate.templates import (
    COUNTRY_TEMPLATES,
    DIAMONDS,
    PAIR_TEMPLATES,
    PLACE_TEMPLATES,
    QUOTATIONS,
)
from pytest_aar.generate.ways import is_searchable, ways_by_search, ways_to
from pytest_aar.transforms import TRANSFORMS


def link(title: str, section: str, label: str | None = None) -> PageLink:
    return PageLink(title=title, anchor=title, section=section, label=label)


def page(title: str, *links: PageLink, facts: tuple[PageFact, ...] = ()) -> PageNode:
    return atlas_pages.page(title, *facts, kind="airport", links=links)


def stop(key: str, kind: Any, question: Question, sources: tuple[str, ...] = ()) -> DraftStop:
    return DraftStop(
        key=key,
        kind=kind,
        place="",
        target="",
        value=1,
        value_type="number",
        question=question,
        sources=sources,
    )


def rules(ways: tuple[Way, ...]) -> dict[str, dict[str, str]]:
    return {way.rule: dict(way.slots) for way in ways}


def test_a_lone_infobox_link_is_described_by_its_row():
    here = page("A", link("Peru", "infobox", "Country"), link("Lima", "infobox"))
    assert rules(ways_to(here, "Peru")) == {"role": {"label": "Country"}}
    assert ways_to(here, "Lima") == ()


def test_links_of_a_section_are_described_by_place_and_by_ends_when_these_fit_only_one():
    here = page("A", *(link(name, "Cities") for name in ("Lima", "Tacna", "Loma", "Cusco")))
    assert rules(ways_to(here, "Tacna")) == {
        "ordinal": {"section": "Cities", "ordinal": "second"},
        "letters": {"section": "Cities", "first": "T", "last": "a"},
    }
    assert set(rules(ways_to(here, "Lima"))) == {"ordinal"}  # Loma has the same ends


def test_links_are_counted_as_far_as_none_stands_twice():
    names = ("Lima", "Tacna", "Lima", "Puno")
    here = page("A", *(link(name, "Cities") for name in names))
    placed = {name: rules(ways_to(here, name)).get("ordinal", {}).get("ordinal") for name in names}
    assert placed == {"Lima": "first", "Tacna": "second", "Puno": None}


def test_links_of_the_lead_are_never_described():
    assert ways_to(page("A", link("Lima", "lead")), "Lima") == ()


def test_a_search_is_for_a_code_or_else_for_a_name_that_few_pages_share():
    airport = page(
        "Jorge Chávez",
        facts=(
            fact("Country", "Peru", "text"),
            fact("Elevation", 113, "number"),
            fact("Serves", "Lima", "text"),
            fact("IATA", "LIM", "text"),
            fact("Named after", "Jorge Chávez", "text", section="History"),
        ),
    )
    found = [(way.rule, way.query) for way in ways_by_search(airport)]
    assert found == [
        ("search", "airport IATA LIM"),
        ("search_fact", "airport Serves Lima"),
    ]
    assert is_searchable(airport)
    assert [way.rule for way in ways_by_search(airport, asked="Serves")] == ["search"]
    assert not is_searchable(page("Jorge Chávez", facts=airport.facts[:3]))


def test_usable_facts_are_single_and_readable_and_of_the_levels_kind():
    facts = (
        fact("Elevation", 1234, "number", "1,234 m"),
        fact("Rank", 3, "number"),
        fact("Population", 50, "number"),
        fact("population", 60, "number"),
        fact("GDP", 1.2e12, "number", "$1.2 trillion"),
        fact("Independence", "1821-07-28", "date", "28 July 1821"),
        fact("IATA", "LIM", "text"),
        fact("Time zone", "America/Lima", "text"),
        fact("Serves", "Lima", "text"),
        fact("Size", 500, "number", section="lead"),
        fact("Coastline", 900, "number", section="Geography"),
    )
    everywhere = ["Elevation", "Independence", "Serves", "Size", "Coastline"]
    for level, labels in (("easy", everywhere[:-1]), ("medium", everywhere)):
        found = usable_facts(page("A", facts=facts), LEVELS[level])
        assert [each.label for each in found] == labels


def test_a_date_may_be_written_twice_and_not_beside_another():
    written = {"Opened": "28 July 1821 (1821-07-28)", "Closed": "28 July 1821 or 29 July 1821"}
    dates = tuple(fact(label, "1821-07-28", "date", text) for label, text in written.items())
    found = usable_facts(page("A", facts=dates), LEVELS["easy"])
    assert [each.label for each in found] == ["Opened"]


@pytest.mark.parametrize(
    "table",
    [
        phrases.WAYS,
        phrases.PORTRAITS,
        phrases.WHERE,
        phrases.FACTS,
        phrases.PLAIN_FACTS,
        phrases.REFERENCES,
        task_phrases.TASKS,
        detour_phrases.DETOURS,
        detour_phrases.FINISH,
    ],
)
def test_every_rule_has_six_wordings_with_the_same_slots(table: Any):
    for rule, variants in table.items():
        assert len(set(variants)) >= 6, rule
        slots = {
            frozenset(
                name.removeprefix("a_") for _, name, _, _ in string.Formatter().parse(text) if name
            )
            for text in variants
        }
        assert len(slots) == 1, (rule, slots)


def test_every_template_and_transform_has_wordings():
    templates = {*PLACE_TEMPLATES, *COUNTRY_TEMPLATES, *PAIR_TEMPLATES, *QUOTATIONS}
    templates |= {name for pair in DIAMONDS.values() for name in pair}
    templates |= {"date_computation", "math_conversion", "merge_add", "merge_difference"}
    assert templates == set(task_phrases.TASKS)
    assert set(TRANSFORMS) == set(detour_phrases.DETOURS)
    assert len(templates - {"merge_add", "merge_difference"}) == 17


def test_clues_name_operands_by_number():
    grammar = Grammar({"page0": 1, "rb": 2, "finish": 5}, random.Random(0))
    place = Ref(key="page0", what="page", noun="city")
    text = grammar.task(
        stop("rb", "roadblock", Question(rule="geocode_elevation", slots={"place": place}))
    )
    assert "city" in text
    assert "clue 1" in text
    assert "metres" in text
    finish = grammar.finish(stop("finish", "finish", Question(rule="sum"), ("rb", "page0")))
    assert "clues 1 and 2" in finish


@pytest.mark.parametrize("noun", ["", "name", "whole", "city", "bare"])
def test_references_read_well_at_the_end_of_a_sentence(noun: str):
    grammar = Grammar({"a": 4}, random.Random(1))
    question = Question(rule="digit_sum", slots={"figure": Ref(key="a", what="value", noun=noun)})
    for _ in range(12):
        text = grammar.task(stop("d", "detour", question))
        assert "4" in text
        assert ",." not in text
        assert "name you named" not in text


def test_wordings_of_a_rule_come_round_before_one_is_used_again():
    grammar = Grammar({"a": 1}, random.Random(3))
    question = Question(rule="digit_sum", slots={"figure": "it"})
    texts = [grammar.task(stop("d", "detour", question)) for _ in range(6)]
    assert len(set(texts)) == 6


def test_values_flow_through_sources():
    question = Question(rule="")
    stops = [
        stop("page", "page", question),
        stop("left", "roadblock", question, ("page",)),
        stop("right", "roadblock", question),
        stop("merge", "merge", question, ("left", "right")),
        stop("loose", "detour", question, ("right",)),
    ]
    assert flowing(stops, ["merge"]) == {"page", "left", "right", "merge"}


def test_levels_have_the_ranges_of_the_paper():
    assert {
        name: (level.stops, level.roadblocks, level.detours, level.diamonds)
        for name, level in LEVELS.items()
    } == {
        "easy": ((3, 6), (1, 2), (1, 2), (1, 1)),
        "medium": ((7, 12), (2, 4), (2, 3), (1, 2)),
        "hard": ((13, 16), (4, 5), (3, 4), (2, 3)),
        "extreme": ((17, 21), (5, 7), (4, 6), (3, 5)),
    }


def test_wordings_fit_first_links_and_countries_that_are_made_of_states():
    assert not any("before the {ordinal}" in text for text in phrases.WAYS["ordinal"])
    assert not any("state" in text for text in phrases.THINGS["country"])
