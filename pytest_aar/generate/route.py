"""A seeded walk over the page graph: pages joined by links that can be described, or by a search."""

from collections.abc import Iterator

from .draft import Bench, PageGraph, PageNode, Rejected
from .facts import usable_facts
from .ways import described, is_searchable

_SEARCH_SHARE = 0.2
_CHANGE_SHARE = 0.7
#: Pages tried, those given up included, before a route is.
_MOST_TRIED = 200


def route_over(graph: PageGraph, length: int, bench: Bench) -> list[tuple[PageNode, bool]]:
    """`length` pages from the seed on, each with whether a search leads to it; no page twice.

    Raises:
        Rejected: no such walk is found.
    """
    return _Walk(graph, bench).of(length)


class _Walk:
    """A walk that turns back at dead ends."""

    def __init__(self, graph: PageGraph, bench: Bench) -> None:
        self._graph, self._bench = graph, bench
        self._good = {
            title for title, page in graph.pages.items() if usable_facts(page, bench.level)
        }
        self._given_up: set[str] = set()

    def of(self, length: int) -> list[tuple[PageNode, bool]]:
        """See `route_over`."""
        if self._graph.seed not in self._good:
            raise Rejected("plan", "a seed page without a usable fact")
        route = [(self._graph.pages[self._graph.seed], False)]
        for _ in range(_MOST_TRIED):
            if len(route) == length:
                return route
            following = self._next(route)
            if following is not None:
                route.append(following)
            elif len(route) > 1:
                self._given_up.add(route.pop()[0].title)
        raise Rejected("plan", "dead end")

    def _next(self, route: list[tuple[PageNode, bool]]) -> tuple[PageNode, bool] | None:
        out = {page.title for page, _ in route} | self._given_up
        here = route[-1][0]
        may_search = len(route) > 1
        if not may_search or self._bench.chance.random() >= _SEARCH_SHARE:
            found = self._one_of(self._linked(here, out), other_than=here.kind)
            if found is not None:
                return found, False
        found = self._one_of(self._searchable(out)) if may_search else None
        return None if found is None else (found, True)

    def _searchable(self, out: set[str]) -> Iterator[PageNode]:
        for page in self._graph.pages.values():
            if page.title in self._good and page.title not in out and is_searchable(page):
                yield page

    def _linked(self, here: PageNode, out: set[str]) -> Iterator[PageNode]:
        ways = described(here)
        for title in dict.fromkeys(link.title for link in here.links):
            if title in self._good and title not in out and title in ways:
                yield self._graph.pages[title]

    def _one_of(self, pages: Iterator[PageNode], *, other_than: str = "") -> PageNode | None:
        """A page; kinds first, so that long lists of one kind don't take the whole route."""
        by_kind: dict[str, list[PageNode]] = {}
        for page in pages:
            by_kind.setdefault(page.kind, []).append(page)
        if not by_kind:
            return None
        chance = self._bench.chance
        others = sorted(set(by_kind) - {other_than})
        change = bool(others) and chance.random() < _CHANGE_SHARE
        return chance.choice(by_kind[chance.choice(others if change else sorted(by_kind))])
