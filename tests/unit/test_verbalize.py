"""Clues made from a small draft: ways, portraits, questions, and what is refused."""

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from atlas_pages import bench, fact, page

from pytest_aar.generate.draft import (
    Bench,
    Draft,
    DraftStop,
    PageGraph,
    PageLink,
    PageNode,
    Question,
    Ref,
    Rejected,
    RoutePlan,
    RouteStep,
    Way,
)
from pytest_aar.generate.verbalize import verbalize

AREQUIPA = page("Arequipa", fact("Population", 1_008_290), fact("Founded", 1540))
TACNA = page("Tacna", fact("Population", 286_240), fact("Founded", 1855))
PERU = page(
    "Peru",
    fact("Area", 1_285_216),
    links=tuple(PageLink(title=t, anchor=t, section="Cities") for t in ("Arequipa", "Tacna")),
    kind="country",
)
PAGES = {each.title: each for each in (PERU, AREQUIPA, TACNA)}
WAY = Way(
    kind="link_follow",
    target="Tacna",
    rule="ordinal",
    slots={"section": "Cities", "ordinal": "second"},
)
SEARCHED = {"kind": "city", "label": "Patron saint", "text": "Saint Peter"}


def stop(key: str, kind: Any, value: Any, question: Question, **more: Any) -> DraftStop:
    shared = {"place": "Tacna", "target": key, "value_type": "number", **more}
    return DraftStop(key=key, kind=kind, value=value, question=question, **shared)


def draft(**changed: Any) -> Draft:
    stops = (
        stop("page0", "page", 1_285_216, Question(rule="number"), place="Peru", target="Area"),
        stop("page1", "page", 1855, Question(rule="number"), target="Founded", way=WAY),
        stop(
            "up",
            "roadblock",
            562.0,
            Question(
                rule="geocode_elevation",
                slots={"place": Ref(key="page1", what="page", noun="city")},
            ),
        ),
        stop(
            "root",
            "detour",
            4,
            Question(
                rule="digital_root", slots={"figure": Ref(key="up", what="value", noun="whole")}
            ),
            sources=("up",),
        ),
        stop("finish", "finish", 9, Question(rule="sum"), sources=("page1", "root")),
    )
    route = tuple(
        RouteStep(title=title, kind=PAGES[title].kind, fact=PAGES[title].facts[0])
        for title in ("Peru", "Tacna")
    )
    graph = PageGraph(seed="Peru", pages={"Peru": PERU, "Tacna": TACNA})
    return replace(
        Draft(graph=graph, plan=RoutePlan(route=route, threads=()), stops=stops), **changed
    )


def bench_over(pages: Iterable[PageNode], seed: int) -> Bench:
    return bench(*pages, chance=random.Random(seed))


def clues(seed: int, made: Draft | None = None) -> list[str]:
    return verbalize(made or draft(), bench_over(PAGES.values(), seed)).clues.split("\n\n")


def test_each_stop_has_a_numbered_clue_that_names_operands_by_number():
    for seed in range(20):
        found = clues(seed)
        assert [clue.split(". ")[0] for clue in found] == ["1", "2", "3", "4", "5"]
        assert "the page of clue 1" in found[1]
        assert "second" in found[1]
        assert "clue 2" in found[2]
        assert "clue 3" in found[3]
        assert "clues 2 and 4" in found[4]


def test_the_same_seed_gives_the_same_clues_and_other_seeds_others():
    assert clues(1) == clues(1)
    for place in range(5):
        assert len({clues(seed)[place] for seed in range(30)}) >= 6, place


def test_sentences_begin_with_capitals():
    for seed in range(20):
        for clue in clues(seed):
            sentences = clue.split(". ", 1)[1].replace("? ", ". ").split(". ")
            assert all(not each[:1].islower() for each in sentences), clue


def test_a_page_is_portrayed_by_what_sets_it_apart_but_not_by_the_fact_asked():
    portrayed = [text for text in (clues(seed)[1] for seed in range(40)) if "290,000" in text]
    assert len(portrayed) >= 20
    assert all("a city with some 290,000 inhabitants" in text for text in portrayed)
    assert not any("1,900" in clues(seed)[1] for seed in range(40))


def test_the_fact_asked_for_is_not_told_in_another_unit_either():
    stops = list(draft().stops)
    stops[1] = replace(stops[1], target="Population (2020)")
    assert not any("290,000" in clues(seed, draft(stops=tuple(stops)))[1] for seed in range(20))


def test_a_page_that_no_fact_sets_apart_from_its_siblings_is_not_portrayed():
    twin = replace(AREQUIPA, facts=TACNA.facts)
    shelf = {**PAGES, "Arequipa": twin}
    made = [verbalize(draft(), bench_over(shelf.values(), seed)).clues for seed in range(20)]
    assert not any("inhabitants and" in text or "some 290,000" in text for text in made)


def test_a_page_that_a_search_leads_to_is_portrayed_apart_from_what_else_it_finds():
    def portrayed(*beside: PageNode) -> list[str]:
        way = replace(WAY, kind="search_query", rule="search_fact", slots=SEARCHED, beside=beside)
        stops = list(draft().stops)
        stops[1] = replace(stops[1], way=way)
        return [clues(seed, draft(stops=tuple(stops)))[1] for seed in range(12)]

    found = page("Found", fact("Population", 286_000), fact("Founded", 1700))
    assert any("some 290,000" in text for text in portrayed(AREQUIPA))
    assert not any("some 290,000" in text for text in portrayed(AREQUIPA, found))


def test_where_siblings_are_not_known_only_a_first_sentence_portrays_a_page():
    known = {"Peru": PERU, "Tacna": replace(TACNA, lead="It is the last town before the border.")}
    graph = PageGraph(seed="Peru", pages=known)
    texts = [
        verbalize(draft(graph=graph), bench_over(known.values(), seed)).clues for seed in range(12)
    ]
    assert any("a city described as “the last town before the border”" in text for text in texts)
    assert not any("inhabitants." in text and "some 290,000" in text for text in texts)


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        ("Cities of Peru", "verbalize: the clues hold a page title"),
        ("Founded in 1855", "verbalize: the clues hold a golden value"),
        ("Use maps_geocode", "verbalize: the clues hold the name of a tool"),
        ("At 12 + 5 places", "verbalize: the clues hold arithmetic with literals"),
    ],
)
def test_clues_that_give_something_away_are_refused(section: str, reason: str):
    stops = list(draft().stops)
    stops[1] = replace(stops[1], way=replace(WAY, slots={**WAY.slots, "section": section}))
    with pytest.raises(Rejected) as refused:
        clues(1, draft(stops=tuple(stops)))
    assert str(refused.value) == reason


def test_a_label_is_said_in_other_words_only_where_no_other_label_could_be_meant():
    def asked(node: PageNode) -> str:
        graph = PageGraph(seed="Peru", pages={"Peru": node, "Tacna": TACNA})
        return " ".join(clues(seed, draft(graph=graph))[0] for seed in range(20))

    assert "surface" in asked(PERU)
    assert "“Area”" in asked(PERU)
    assert "surface" not in asked(replace(PERU, facts=(*PERU.facts, fact("Land area", 5))))


@pytest.mark.parametrize(
    ("section", "words"),
    [(None, "box"), ("lead", "open|introduction|first heading|beginning"), ("Trade", "“Trade”")],
)
def test_the_part_of_the_page_is_named(section: str | None, words: str):
    stops = list(draft().stops)
    stops[0] = replace(stops[0], section=section)
    for seed in range(12):
        text = clues(seed, draft(stops=tuple(stops)))[0]
        assert any(word in text for word in words.split("|")), text
