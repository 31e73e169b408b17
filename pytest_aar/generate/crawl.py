"""Step 1, crawl: the link graph around a seed page, breadth-first to the level's depth."""

from collections import Counter

from .draft import Bench, PageGraph, PageNode, Rejected

#: Most pages of one graph, and most links followed from one page (seeded choice).
MOST_PAGES = 120
_MOST_LINKS = 16
_FEWEST_PAGES, _FEWEST_WITH_NUMBERS = 3, 2
_PREFIX_WORDS = 2


def crawl(seed: str, bench: Bench) -> PageGraph:
    """The graph around `seed`.

    Raises:
        Rejected: too few pages, too few facts, or titles that are all alike.
    """
    pages: dict[str, PageNode] = {}
    frontier = [seed]
    for _ in range(bench.level.crawl_depth + 1):
        frontier = _visit(frontier, pages, bench)
    graph = PageGraph(seed=seed, pages=pages)
    _gate(graph, bench)
    return graph


def _visit(frontier: list[str], pages: dict[str, PageNode], bench: Bench) -> list[str]:
    """Take in the frontier's pages; gives the next frontier."""
    following: dict[str, None] = {}
    for title in frontier:
        if title in pages or len(pages) >= MOST_PAGES:
            continue
        pages[title] = node = bench.atlas.node(title)
        targets = list(dict.fromkeys(link.title for link in node.links))
        chosen = bench.chance.sample(targets, min(_MOST_LINKS, len(targets)))
        following.update(dict.fromkeys(chosen))
    return list(following)


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
