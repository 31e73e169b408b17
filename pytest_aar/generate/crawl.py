"""Step 1, crawl: the link graph around a seed page, breadth-first to the level's depth."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from .draft import Bench, PageGraph, PageNode, Rejected

#: Most links followed from one page, and from the seed.
_MOST_LINKS, _MOST_FROM_SEED = 16, 48
#: Most pages asked for at one time.
_AT_A_TIME = 3
#: Other links tried where most lead to no page, for each page of the graph.
_OTHERS = 8
_FEWEST_PAGES, _FEWEST_WITH_NUMBERS = 3, 2
_PREFIX_WORDS = 2


@dataclass(slots=True)
class _Crawled:
    """What was found so far: `missing` pages could not be read, `left` are links not followed yet."""

    pages: dict[str, PageNode] = field(default_factory=dict)
    left: dict[str, None] = field(default_factory=dict)
    missing: int = 0


async def crawl(seed: str, bench: Bench) -> PageGraph:
    """The graph around `seed`; where most links lead to no page, others take their places.

    Raises:
        Rejected: too few pages, too few facts, or titles that are all alike.
    """
    crawled, frontier = _Crawled(), [seed]
    for hop in range(bench.level.crawl_depth + 1):
        is_last = hop == bench.level.crawl_depth
        frontier = await _visit(frontier, crawled, bench, follows=not is_last)
    if crawled.missing > len(crawled.pages) > 0:
        others = bench.chance.sample(
            list(crawled.left), min(len(crawled.left), _OTHERS * bench.level.crawl_pages)
        )
        await _visit(others, crawled, bench, follows=False)
    if not crawled.pages:
        raise Rejected("crawl", "the seed page can't be read")
    graph = PageGraph(seed=next(iter(crawled.pages)), pages=crawled.pages)
    _gate(graph, bench)
    return graph


async def _visit(
    frontier: list[str], crawled: _Crawled, bench: Bench, *, follows: bool
) -> list[str]:
    """Take in the frontier's pages, a few at a time; gives the next frontier."""
    following: dict[str, None] = {}
    pages = crawled.pages
    for start in range(0, len(frontier), _AT_A_TIME):
        wanted = [title for title in frontier[start : start + _AT_A_TIME] if title not in pages]
        wanted = wanted[: bench.level.crawl_pages - len(pages)]
        for node in await asyncio.gather(*map(bench.atlas.node, wanted)):
            if node is None:
                crawled.missing += 1
            elif node.title not in pages:
                most = _MOST_LINKS if pages else _MOST_FROM_SEED
                pages[node.title] = node
                chosen = _chosen(node, most, bench)
                following.update(dict.fromkeys(chosen))
                if follows:
                    crawled.left.update(dict.fromkeys(link.title for link in node.links))
    return list(following)


def _chosen(node: PageNode, most: int, bench: Bench) -> list[str]:
    """The links to follow: first those that an infobox row is all about, they can be asked for."""
    roles = dict.fromkeys(link.title for link in node.links if link.label)
    others = [t for t in dict.fromkeys(link.title for link in node.links) if t not in roles]
    share = bench.chance.sample(others, min(most, len(others)))
    return [*roles, *share][:most]


def _gate(graph: PageGraph, bench: Bench) -> None:
    needed = max(_FEWEST_PAGES, bench.level.stops[0] // 2)
    with_facts = [page for page in graph.pages.values() if page.facts]
    if len(with_facts) < needed:
        raise Rejected("crawl", "too few pages with an infobox")
    numbers = [p for p in with_facts if any(f.value_type == "number" for f in p.facts)]
    if len(numbers) < _FEWEST_WITH_NUMBERS:
        raise Rejected("crawl", "too few pages with numbers")
    prefixes = Counter(tuple(title.split()[:_PREFIX_WORDS]) for title in graph.pages)
    if prefixes.most_common(1)[0][1] * 2 > len(graph.pages):
        raise Rejected("crawl", "narrow cluster of titles")
