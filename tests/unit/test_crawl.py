"""The crawl: depth, bounds, and links that lead nowhere."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest
from atlas_pages import bench, fact, page

from pytest_aar.generate.crawl import crawl
from pytest_aar.generate.draft import (
    PageGraph,
    PageLink,
    PageNode,
    Rejected,
)
from pytest_aar.generate.levels import LEVELS, Level


class Shelf:
    """Pages by title with the titles that they link; others are not there."""

    def __init__(self, links: Mapping[str, list[str]]) -> None:
        self._links = links
        self.asked: list[str] = []

    async def node(self, title: str) -> PageNode | None:
        self.asked.append(title)
        if title not in self._links:
            return None
        links = tuple(PageLink(title=t, anchor=t, section="Names") for t in self._links[title])
        return page(title, fact("Size", 812), links=links)

    def peek(self, title: str) -> PageNode | None:
        raise AssertionError(title)


def crawled(shelf: Shelf, level: Level) -> PageGraph:
    return asyncio.run(crawl("Seed", bench(level=level, atlas=shelf)))


def test_pages_are_taken_up_to_the_levels_depth():
    chain = {"Seed": ["A", "B", "C"], "A": ["D"], "B": ["D"], "C": [], "D": ["E"], "E": []}
    easy = crawled(Shelf(chain), LEVELS["easy"])
    assert set(easy.pages) == {"Seed", *"ABC"}
    assert set(crawled(Shelf(chain), LEVELS["hard"]).pages) == {"Seed", *"ABCDE"}


def test_no_more_pages_are_asked_for_than_the_level_takes():
    names = [f"{n} town" for n in range(100)]
    shelf = Shelf({"Seed": names, **{name: [] for name in names}})
    graph = crawled(shelf, replace(LEVELS["easy"], crawl_pages=20))
    assert len(graph.pages) == 20
    assert len(shelf.asked) == 20


def test_other_links_take_the_places_of_those_that_lead_nowhere():
    there = [f"{n} town" for n in range(12)]
    nowhere = [f"{n} nowhere" for n in range(300)]
    graph = crawled(Shelf({"Seed": nowhere + there, **{n: [] for n in there}}), LEVELS["easy"])
    assert set(graph.pages) == {"Seed", *there}


def test_lost_links_give_their_places_to_no_more_than_they_were():
    there, nowhere = [f"{n} town" for n in range(60)], [f"{n} nowhere" for n in range(60)]
    graph = crawled(Shelf({"Seed": nowhere + there, **{n: [] for n in there}}), LEVELS["easy"])
    assert 1 + 48 <= len(graph.pages) <= 1 + 48 + 2  # three are asked for at a time


def test_pages_that_took_a_lost_links_place_are_followed_too():
    nowhere = [f"{n} nowhere" for n in range(300)]
    tree = {"Seed": [*nowhere, "A"], "A": [*nowhere, "B"], "B": [*nowhere, "C"], "C": []}
    assert set(crawled(Shelf(tree), LEVELS["medium"]).pages) == {"Seed", "A", "B"}


def test_a_wiki_of_lost_links_is_asked_for_a_bounded_number_of_pages():
    many = {f"{n} town": [f"{n} nowhere {each}" for each in range(500)] for n in range(60)}
    shelf = Shelf({"Seed": list(many), **many})
    crawled(shelf, replace(LEVELS["medium"], crawl_pages=20))
    assert len(shelf.asked) == len(set(shelf.asked)) < 20 * 9 + 16 * 9


def test_a_seed_that_is_not_there_and_one_without_links_are_rejected():
    with pytest.raises(Rejected, match="crawl: the seed page can't be read"):
        crawled(Shelf({}), LEVELS["easy"])
    with pytest.raises(Rejected, match="crawl: too few pages with an infobox"):
        crawled(Shelf({"Seed": []}), LEVELS["easy"])
