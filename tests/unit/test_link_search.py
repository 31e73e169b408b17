"""Ways by a search: the page is found, and no other page among the results is meant as well."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from atlas_pages import bench, fact, page

from pytest_aar.generate.draft import (
    Draft,
    DraftStop,
    PageGraph,
    PageNode,
    Question,
    Rejected,
    RoutePlan,
    RouteStep,
)
from pytest_aar.generate.link import link
from pytest_aar.tools import ToolResult
from pytest_aar.tools.result import answer


def airport(title: str, **facts: str) -> PageNode:
    texts = (fact(label, text, "text") for label, text in facts.items())
    return page(title, *texts, kind="airport", url=f"https://wiki.aar.test/wiki/{title}")


START = airport("Start", Serves="Nowhere Town")
TARGET = airport("Rodríguez", Serves="Arequipa", IATA="AQP")
TWIN = airport("Twin", Serves="Arequipa")
#: As far as the crawl knows there is none of these.
FAR_TWIN = airport("Far Twin", Serves="AREQUIPA")
FAR_NAMESAKE = replace(
    FAR_TWIN, title="Namesake", url="https://wiki.aar.test/wiki/Namesake", kind="city"
)
ELSEWHERE = airport("Elsewhere", Serves="Arequipa")
OTHERS = [airport(f"Other {number}", Serves=f"Town {number}") for number in range(9)]


def linked(answers: Mapping[str, list[PageNode]], asked: str = "Elevation") -> Any:
    """The way that `link` finds to the target if searches are answered so."""

    async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolResult:
        found = next(
            (pages for word, pages in answers.items() if word in arguments["query"]), [START]
        )
        found = found[: arguments["num_results"]]
        return answer({"results": [{"url": each.url} for each in found], "count": len(found)})

    steps = tuple(
        RouteStep(
            title=each.title,
            kind=each.kind,
            fact=replace(each.facts[0], label=asked),
            by_search=each is TARGET,
        )
        for each in (START, TARGET)
    )
    stops = tuple(
        DraftStop(
            key=each.title,
            kind="page",
            place=each.title,
            target=asked,
            value=1,
            value_type="number",
            question=Question(rule="number"),
        )
        for each in (START, TARGET)
    )
    graph = PageGraph(seed="Start", pages={each.title: each for each in (START, TARGET, TWIN)})
    draft = Draft(graph=graph, plan=RoutePlan(route=steps, threads=()), stops=stops)
    world = (*graph.pages.values(), FAR_TWIN, FAR_NAMESAKE, *OTHERS)
    found = asyncio.run(link(draft, bench(*world, call_tool=call_tool, read=call_tool)))
    return found.stops[1].way


def test_a_search_that_finds_the_page_is_a_way():
    assert linked({"Serves": [TARGET, START]}).query == "airport Serves Arequipa"
    assert linked({"IATA": [TARGET]}).query == "airport IATA AQP"


def test_a_search_that_finds_another_page_of_the_same_description_is_none():
    way = linked({"Serves": [TARGET, TWIN], "IATA": [TARGET, TWIN]})
    assert way.query == "airport IATA AQP"
    with pytest.raises(Rejected, match="link: the search does not find the page alone"):
        linked({"Serves": [TARGET, TWIN]})


@pytest.mark.parametrize("rank", [0, 1, 9])
def test_a_rival_that_the_crawl_has_not_seen_counts_wherever_an_agent_sees_it(rank: int):
    results = [TARGET, *OTHERS[:8]]
    assert linked({"Serves": results, "IATA": []}).query == "airport Serves Arequipa"
    results.insert(rank, FAR_TWIN)
    with pytest.raises(Rejected, match="link: the search does not find the page alone"):
        linked({"Serves": results, "IATA": []})


def test_a_page_of_another_kind_and_what_is_no_article_are_no_rivals():
    way = linked({"Serves": [FAR_NAMESAKE, ELSEWHERE, TARGET], "IATA": []})
    assert way.query == "airport Serves Arequipa"
    assert way.beside == (FAR_NAMESAKE,)


def test_the_page_is_among_the_first_three_results():
    assert linked({"Serves": [*OTHERS[:2], TARGET], "IATA": []}).beside == tuple(OTHERS[:2])
    with pytest.raises(Rejected, match="link: the search does not find the page alone"):
        linked({"Serves": [*OTHERS[:3], TARGET], "IATA": []})


def test_what_is_asked_on_the_page_is_not_searched_for():
    assert linked({"": [TARGET]}, asked="Serves").query == "airport IATA AQP"
    with pytest.raises(Rejected):
        linked({"Serves": [TARGET]}, asked="Serves")
