"""Step 5, link: unique ways from page to page, checked on the fresh page."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from pytest_aar.golden.links import found_pages, linked_pages
from pytest_aar.leaks import names_title
from pytest_aar.score import canonical_title

from .draft import Bench, Draft, PageNode, Rejected, Way
from .ways import ways_by_search, ways_to

#: A search must give its target among so many first results, and no rival among all that agents see.
_FIRST_RESULTS, _ALL_RESULTS = 3, 10
#: Most searches tried for one page.
_MOST_SEARCHES = 3


async def link(draft: Draft, bench: Bench) -> Draft:
    """The draft with a way at every page stop but the first.

    Raises:
        Rejected: no description fits one page only, or the page or the search does not lead there.
    """
    nodes = [draft.graph.pages[step.title] for step in draft.plan.route]
    ways: dict[str, Way] = {}
    for place in range(1, len(nodes)):
        step = draft.plan.route[place]
        if step.by_search:
            way = await _searched(nodes[place], step.fact.label, draft, bench)
        else:
            way = await _linked(nodes[place - 1], nodes[place], draft.titles, bench)
        ways[step.title] = way
    stops = tuple(
        replace(stop, way=ways.get(stop.place)) if stop.kind == "page" else stop
        for stop in draft.stops
    )
    return replace(draft, stops=stops)


async def _linked(here: PageNode, there: PageNode, titles: Sequence[str], bench: Bench) -> Way:
    ways = [way for way in ways_to(here, there.title) if not _leaks(way, titles)]
    if not ways:
        raise Rejected("link", "no description fits one link only")
    page = await bench.read("fetch_webpage", {"url": here.url})
    if canonical_title(there.url) not in linked_pages(page.text, here.url):
        raise Rejected("link", "the link is not on the page")
    roles = [way for way in ways if way.rule == "role"]
    return bench.chance.choice(roles or ways)


async def _searched(there: PageNode, asked: str, draft: Draft, bench: Bench) -> Way:
    fit = (way for way in ways_by_search(there, asked) if not _leaks(way, draft.titles))
    ways = list(islice(fit, _MOST_SEARCHES))
    if not ways:
        raise Rejected("link", "no description fits a search")
    bench.chance.shuffle(ways)
    for way in ways:
        arguments = {"query": way.query, "num_results": _ALL_RESULTS}
        results = await bench.read("web_search", arguments)
        found = found_pages(results.text)
        if canonical_title(there.url) not in found[:_FIRST_RESULTS]:
            continue
        beside = await _articles(found, there, bench)
        if not any(_fits(way, page) for page in beside):
            return replace(way, beside=beside)
    raise Rejected("link", "the search does not find the page alone")


async def _articles(found: Iterable[str], there: PageNode, bench: Bench) -> tuple[PageNode, ...]:
    """The articles among a search's results but the one that it is for; nothing else is a rival."""
    nodes = [await bench.atlas.node(title) for title in dict.fromkeys(found)]
    return tuple(node for node in nodes if node is not None and node.title != there.title)


def _fits(way: Way, page: PageNode) -> bool:
    """Whether another page is what a search is worded for, too."""
    stated = {(fact.label, fact.text.casefold()) for fact in page.facts}
    return page.kind == way.slots["kind"] and any(
        way.slots["label"].startswith(label) and text == way.slots["text"].casefold()
        for label, text in stated
    )


def _leaks(way: Way, titles: Sequence[str]) -> bool:
    return any(names_title(text, titles) for text in way.slots.values())
