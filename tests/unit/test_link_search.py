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


def linked(answers: Mapping[str, list[PageNode]], asked: str = "Elevation") -> Any:
    """The way that `link` finds to the target if searches are answered so."""

    async def call_tool(name: str, arguments: Mapping[str, Any]) -> ToolResult:
        found = next(
            (pages for word, pages in answers.items() if word in arguments["query"]), [START]
        )
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
    found = asyncio.run(link(draft, bench(call_tool=call_tool, read=call_tool)))
    return found.stops[1].way


def test_a_search_that_finds_the_page_is_a_way():
    assert linked({"Serves": [TARGET, START]}).query == "airport Serves Arequipa"
    assert linked({"IATA": [TARGET]}).query == "airport IATA AQP"


def test_a_search_that_finds_another_page_of_the_same_description_is_none():
    way = linked({"Serves": [TARGET, TWIN], "IATA": [TARGET, TWIN]})
    assert way.query == "airport IATA AQP"
    with pytest.raises(Rejected, match="link: the search does not find the page alone"):
        linked({"Serves": [TARGET, TWIN]})


def test_what_is_asked_on_the_page_is_not_searched_for():
    assert linked({"": [TARGET]}, asked="Serves").query == "airport IATA AQP"
    with pytest.raises(Rejected):
        linked({"Serves": [TARGET]}, asked="Serves")
