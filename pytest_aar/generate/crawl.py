"""Step 1, crawl: the link graph around a seed page, breadth-first to the level's depth."""

import asyncio
from collections import Counter

from .draft import Bench, PageGraph, PageNode, Rejected

#: Most links followed from one page, and from the seed.
_MOST_LINKS, _MOST_FROM_SEED = 16, 48
#: Most pages asked for at one time.
_AT_A_TIME = 3
#: Other links tried where links lead to no page, for each that a page or a graph may take.
_OTHERS = 8
_FEWEST_PAGES, _FEWEST_WITH_NUMBERS = 3, 2
_PREFIX_WORDS = 2


async def crawl(seed: str, bench: Bench) -> PageGraph:
    """The graph around `seed`; links that lead to no page give their places to others beside them.

    Raises:
        Rejected: too few pages, too few facts, or titles that are all alike.
    """
    crawling = _Crawling(bench)
    hop = await crawling.taken([seed])
    if not hop:
        raise Rejected("crawl", "the seed page can't be read")
    for _ in range(bench.level.crawl_depth):
        hop = await crawling.beyond(hop)
    graph = PageGraph(seed=next(iter(crawling.pages)), pages=crawling.pages)
    _gate(graph, bench)
    return graph


class _Crawling:
    """What was found so far: pages by title, with the links of each that are to be followed."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.pages: dict[str, PageNode] = {}
        self._following: dict[str, list[str]] = {}
        self._missing: set[str] = set()

    async def beyond(self, hop: list[PageNode]) -> list[PageNode]:
        """The pages that those of a hop link and that were not known before."""
        found: list[PageNode] = []
        for node in hop:
            wanted = self._following[node.title]
            found += await self.taken(wanted)
            most, lost = len(wanted), self._missing.intersection(wanted)
            if lost:
                others = self._others(node)[: _OTHERS * most]
                found += await self.taken(others, len(lost))
        return found

    async def taken(self, titles: list[str], most: int | None = None) -> list[PageNode]:
        """The new pages of these titles, `most` of them if given; asked for a few at a time."""
        found: list[PageNode] = []
        for start in range(0, len(titles), _AT_A_TIME):
            if most is not None and len(found) >= most:
                break
            wanted = [title for title in titles[start : start + _AT_A_TIME] if self._is_new(title)]
            wanted = wanted[: self._bench.level.crawl_pages - len(self.pages)]
            nodes = await asyncio.gather(*map(self._bench.atlas.node, wanted))
            for title, node in zip(wanted, nodes, strict=True):
                if node is None:
                    self._missing.add(title)
                elif node.title not in self.pages:
                    self._take(node)
                    found.append(node)
        return found

    def _is_new(self, title: str) -> bool:
        return title not in self.pages and title not in self._missing

    def _take(self, node: PageNode) -> None:
        most = _MOST_LINKS if self.pages else _MOST_FROM_SEED
        self.pages[node.title] = node
        self._following[node.title] = _chosen(node, most, self._bench)

    def _others(self, node: PageNode) -> list[str]:
        """The links of a page that were not chosen, in a seeded order; none after too many lost ones."""
        if len(self._missing) > _OTHERS * self._bench.level.crawl_pages:
            return []
        chosen = set(self._following[node.title])
        linked = dict.fromkeys(link.title for link in node.links)
        left = [title for title in linked if title not in chosen and self._is_new(title)]
        return self._bench.chance.sample(left, len(left))


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
