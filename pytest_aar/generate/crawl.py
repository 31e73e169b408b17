"""Step 1, crawl: the link graph around a seed page, breadth-first to the level's depth."""

import asyncio
from collections import Counter

from .draft import Bench, PageGraph, PageNode, Rejected

#: Most links followed from one page, and from the seed.
_MOST_LINKS, _MOST_FROM_SEED = 16, 48
#: Most pages asked for at one time.
_AT_A_TIME = 3
_FEWEST_PAGES, _FEWEST_WITH_NUMBERS = 3, 2
_PREFIX_WORDS = 2


async def crawl(seed: str, bench: Bench) -> PageGraph:
    """The graph around `seed`.

    Raises:
        Rejected: too few pages, too few facts, or titles that are all alike.
    """
    pages: dict[str, PageNode] = {}
    frontier = [seed]
    for _ in range(bench.level.crawl_depth + 1):
        frontier = await _visit(frontier, pages, bench)
    if not pages:
        raise Rejected("crawl", "the seed page can't be read")
    graph = PageGraph(seed=next(iter(pages)), pages=pages)
    _gate(graph, bench)
    return graph


async def _visit(frontier: list[str], pages: dict[str, PageNode], bench: Bench) -> list[str]:
    """Take in the frontier's pages, a few at a time; gives the next frontier."""
    following: dict[str, None] = {}
    for start in range(0, len(frontier), _AT_A_TIME):
        wanted = [title for title in frontier[start : start + _AT_A_TIME] if title not in pages]
        wanted = wanted[: bench.level.crawl_pages - len(pages)]
        for node in await asyncio.gather(*map(bench.atlas.node, wanted)):
            if node is not None and node.title not in pages:
                most = _MOST_LINKS if pages else _MOST_FROM_SEED
                pages[node.title] = node
                following.update(dict.fromkeys(_chosen(node, most, bench)))
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
