"""Step 5, link: unique ways from page to page, checked on the fresh page."""

from dataclasses import replace
from urllib.parse import unquote, urlsplit

from pytest_aar.leaks import names_title

from .draft import Bench, Draft, PageNode, Rejected, Way
from .ways import way_by_search, ways_to

#: A search must give its target among so many first results.
_FIRST_RESULTS = 3


async def link(draft: Draft, bench: Bench) -> Draft:
    """The draft with a way at every page stop but the first.

    Raises:
        Rejected: no description fits one page only, or the page or the search does not lead there.
    """
    nodes = [draft.graph.pages[step.title] for step in draft.plan.route]
    titles = [node.title for node in nodes]
    ways: dict[str, Way] = {}
    for place in range(1, len(nodes)):
        step = draft.plan.route[place]
        if step.by_search:
            way = await _searched(nodes[place], titles, bench)
        else:
            way = await _linked(nodes[place - 1], nodes[place], titles, bench)
        ways[step.title] = way
    stops = tuple(
        replace(stop, way=ways.get(stop.place)) if stop.kind == "page" else stop
        for stop in draft.stops
    )
    return replace(draft, stops=stops)


async def _linked(here: PageNode, there: PageNode, titles: list[str], bench: Bench) -> Way:
    ways = [way for way in ways_to(here, there.title) if not _leaks(way, titles)]
    if not ways:
        raise Rejected("link", "no description fits one link only")
    page = await bench.read("fetch_webpage", {"url": here.url})
    if not _leads(page.text, there.url):
        raise Rejected("link", "the link is not on the page")
    roles = [way for way in ways if way.rule == "role"]
    return bench.chance.choice(roles or ways)


async def _searched(there: PageNode, titles: list[str], bench: Bench) -> Way:
    way = way_by_search(there)
    if way is None or _leaks(way, titles):
        raise Rejected("link", "no description fits a search")
    arguments = {"query": way.query, "num_results": _FIRST_RESULTS}
    results = await bench.read("web_search", arguments)
    if not _leads(results.text, there.url):
        raise Rejected("link", "the search does not find the page")
    return way


def _leaks(way: Way, titles: list[str]) -> bool:
    return any(names_title(text, titles) for text in way.slots.values())


def _leads(text: str, url: str) -> bool:
    """Whether a link to `url`, absolute or relative, stands in the text."""
    path = urlsplit(url).path
    return f"{path})" in text or f'{url}"' in text or f'{unquote(url)}"' in text
