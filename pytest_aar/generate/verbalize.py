"""Step 8, verbalize: one numbered clue per stop, checked for leaks, and read back."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from pytest_aar.leaks import LeakKind, leaks_in
from pytest_aar.leg import Leg
from pytest_aar.reader import align, read_clues

from .draft import Bench, Draft, DraftStop, PageNode, Rejected
from .grammar import Grammar
from .portraits import portrait, same_matter

#: The least agreement between the stops and what an independent reader makes of the clues.
LEAST_ALIGNMENT = 0.7

#: Share of the pages that are portrayed, if their facts set them apart.
_PORTRAIT_SHARE = 0.75

#: Reject reasons: what leaked, by kind.
_KINDS: Mapping[LeakKind, str] = MappingProxyType(
    {
        "title": "a page title",
        "value": "a golden value",
        "tool": "the name of a tool",
        "arithmetic": "arithmetic with literals",
    }
)


def verbalize(draft: Draft, bench: Bench) -> Draft:
    """The draft with its clue text.

    Raises:
        Rejected: the text holds a title, a golden value, the name of a tool or arithmetic.
    """
    numbers = {stop.key: number for number, stop in enumerate(draft.stops, start=1)}
    clues = _Clues(draft, bench, Grammar(numbers, bench.chance))
    text = "\n\n".join(f"{numbers[stop.key]}. {clues.of(stop)}" for stop in draft.stops)
    leak = next(clues.leaks(text), None)
    if leak:
        raise Rejected("verbalize", f"the clues hold {leak}")
    return replace(draft, clues=text)


def round_trip(leg: Leg) -> None:
    """Have the clues read back into steps, as somebody would who has nothing but the clues.

    Raises:
        Rejected: the steps read don't agree well enough with the leg's stops.
    """
    if align(leg, read_clues(leg.clues)).mean < LEAST_ALIGNMENT:
        raise Rejected("verbalize", "the clues are not understood")


class _Clues:
    """Makes the clues of one draft in route order."""

    def __init__(self, draft: Draft, bench: Bench, grammar: Grammar) -> None:
        self._draft, self._bench, self._grammar = draft, bench, grammar
        self._before: str | None = None

    def of(self, stop: DraftStop) -> str:
        """One stop's clue; a page's refers to the page stop that came before it."""
        if stop.kind == "finish":
            return self._grammar.finish(stop)
        if stop.kind != "page":
            return self._grammar.task(stop)
        node = self._draft.graph.pages[stop.place]
        text = self._grammar.page(stop, self._before, node, self._portrait(stop, node))
        self._before = stop.key
        return text

    def leaks(self, text: str) -> Iterator[str]:
        """What a text gives away, in words."""
        for leak in leaks_in(text, self._draft.titles, self._draft.golden_values):
            yield _KINDS[leak.kind]

    def _portrait(self, stop: DraftStop, node: PageNode) -> str | None:
        """What sets the page apart from its siblings and from all others seen on the way."""
        if stop.way is None or self._bench.chance.random() >= _PORTRAIT_SHARE:
            return None
        siblings = self._siblings(stop)
        stated = tuple(fact for fact in node.facts if not same_matter(fact.label, stop.target))
        if siblings is None:  # only its first sentence is likely to be nobody else's
            node = replace(node, facts=())
            siblings = []
        else:
            node = replace(node, facts=stated)
        return portrait(
            node,
            [*self._draft.graph.pages.values(), *siblings],
            fit=lambda words: next(self.leaks(words), None) is None,
            chance=self._bench.chance,
        )

    def _siblings(self, stop: DraftStop) -> list[PageNode] | None:
        """The pages linked or found beside a stop's page; None where one of them is not known."""
        if stop.way and stop.way.kind == "search_query":
            return list(stop.way.beside)
        graph = self._draft.graph
        before = next(each for each in self._draft.stops if each.key == self._before)
        links = graph.pages[before.place].links
        sections = {link.section for link in links if link.title == stop.place}
        beside = dict.fromkeys(link.title for link in links if link.section in sections)
        siblings = [self._bench.page(graph, title) for title in beside]
        known = [node for node in siblings if node is not None]
        return known if len(known) == len(siblings) else None
