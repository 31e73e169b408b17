"""Descriptors of the next page: each fits exactly one of the links that stand beside it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from .draft import PageFact, PageLink, PageNode, Way

#: Facts that name one page in the whole encyclopaedia: what a search can be asked for.
CODE_LABELS = ("IATA", "ICAO", "ISO code", "ISO 3166 code", "Internet domain", "Internet TLD")

#: Labels whose facts many pages share: a search for them finds another page.
_SHARED = frozenset(
    {"country", "countries", "region", "capital", "time zone", "climate", "language", "languages"}
    | {"type", "genre", "nationality", "currency", "location", "status", "official name", "name"}
)
_SEARCHABLE = re.compile(r"[^\W\d_][^\d_/()“”]{3,40}")

_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
_FEWEST_SIBLINGS = 2
_FEWEST_WAYS = 2
#: Pages whose ways on are kept.
_KEPT = 16_384
_LEAD = "lead"
_INFOBOX = "infobox"


def ways_to(page: PageNode, target: str) -> tuple[Way, ...]:
    """Every way from `page` to the article `target` by a link that can be described uniquely."""
    return tuple(way for way in _ways(page) if way.target == target)


@lru_cache(_KEPT)
def described(page: PageNode) -> frozenset[str]:
    """The titles of all articles that a described link of `page` leads to."""
    return frozenset(way.target for way in _ways(page))


@lru_cache(_KEPT)
def is_searchable(target: PageNode) -> bool:
    """Whether a search may lead to a page: a single way by a search may turn out unfit."""
    return len(ways_by_search(target)) >= _FEWEST_WAYS


def ways_by_search(target: PageNode, asked: str = "") -> tuple[Way, ...]:
    """Ways to a page by a search for what its summary box names, codes that only it has first.

    `asked` is the label of the fact that the page is visited for: it is not told beforehand.
    """
    codes, names = [], []
    for fact in target.facts:
        if fact.label == asked or fact.section != _INFOBOX:
            continue
        if fact.label in CODE_LABELS:
            label = fact.label if " " in fact.label else f"{fact.label} code"
            codes.append(_search(target, fact, "search", label))
        elif fact.value_type == "text" and _tells(fact):
            names.append(_search(target, fact, "search_fact", fact.label))
    return (*codes, *names)


def _tells(fact: PageFact) -> bool:
    """Whether a fact names something, and few pages share it."""
    return fact.label.casefold() not in _SHARED and _SEARCHABLE.fullmatch(fact.text) is not None


def _search(target: PageNode, fact: PageFact, rule: str, label: str) -> Way:
    return Way(
        kind="search_query",
        target=target.title,
        rule=rule,
        slots={"kind": target.kind, "label": label, "text": fact.text},
        query=f"{target.kind} {fact.label} {fact.text}",
    )


def _ways(page: PageNode) -> Iterator[Way]:
    """Every way on from a page, in page order."""
    labels = Counter(link.label for link in page.links if link.section == _INFOBOX)
    sections: dict[str, _Siblings] = {}
    for link in page.links:
        if link.section == _INFOBOX:
            if link.label and labels[link.label] == 1:
                yield _way(link, "role", {"label": link.label})
        elif link.section != _LEAD:
            if link.section not in sections:
                beside = [other for other in page.links if other.section == link.section]
                sections[link.section] = _Siblings(beside)
            yield from sections[link.section].ways(link)


class _Siblings:
    """The links of one section, counted once."""

    def __init__(self, links: Sequence[PageLink]) -> None:
        self._many = len(links) >= _FEWEST_SIBLINGS
        first = [link.title for link in links[: len(_ORDINALS)]]
        until = next((i for i, title in enumerate(first) if title in first[:i]), len(first))
        self._ordinals = dict(zip(first[:until], _ORDINALS, strict=False))
        self._ending: dict[tuple[str, str] | None, set[str]] = {}
        for link in links:
            self._ending.setdefault(_ends(link.anchor), set()).add(link.title)

    def ways(self, link: PageLink) -> Iterator[Way]:
        """By its place, and by the letters that it alone begins and ends with."""
        if self._many and link.title in self._ordinals:
            slots = {"section": link.section, "ordinal": self._ordinals[link.title]}
            yield _way(link, "ordinal", slots)
        ends = _ends(link.anchor)
        if ends and len(self._ending[ends]) == 1:
            slots = {"section": link.section, "first": ends[0], "last": ends[1]}
            yield _way(link, "letters", slots)


def _ends(anchor: str) -> tuple[str, str] | None:
    first, last = anchor[:1], anchor[-1:]
    fits = first.isascii() and first.isalpha() and last.isascii() and last.isalpha()
    return (first.upper(), last.lower()) if fits else None


def _way(link: PageLink, rule: str, slots: dict[str, str]) -> Way:
    return Way(kind="link_follow", target=link.title, rule=rule, slots=slots, anchor=link.anchor)
