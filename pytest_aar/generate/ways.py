"""Descriptors of the next page: each fits exactly one of the links that stand beside it."""

import re
from collections.abc import Iterator

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
_LEAD = "lead"
_INFOBOX = "infobox"


def ways_to(page: PageNode, target: str) -> tuple[Way, ...]:
    """Every way from `page` to the article `target` by a link that can be described uniquely."""
    return tuple(_ways(page, target))


def way_by_search(target: PageNode) -> Way | None:
    """The surest way to a page by a search; None if there is only one, that may turn out unfit."""
    ways = ways_by_search(target)
    return ways[0] if len(ways) >= _FEWEST_WAYS else None


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


def _ways(page: PageNode, target: str) -> Iterator[Way]:
    for link in page.links:
        if link.title != target or link.section == _LEAD:
            continue
        if link.section == _INFOBOX:
            yield from _role(page, link)
        else:
            yield from _among_siblings(page, link)


def _role(page: PageNode, link: PageLink) -> Iterator[Way]:
    labels = [other.label for other in page.links if other.section == _INFOBOX]
    if link.label and labels.count(link.label) == 1:
        yield _way(link, "role", {"label": link.label})


def _among_siblings(page: PageNode, link: PageLink) -> Iterator[Way]:
    siblings = [other for other in page.links if other.section == link.section]
    titles = [other.title for other in siblings]
    place = titles.index(link.title)
    no_repeats = len(set(titles[: place + 1])) == place + 1
    if len(siblings) >= _FEWEST_SIBLINGS and place < len(_ORDINALS) and no_repeats:
        yield _way(link, "ordinal", {"section": link.section, "ordinal": _ORDINALS[place]})
    ends = _ends(link.anchor)
    if ends and {other.title for other in siblings if _ends(other.anchor) == ends} == {link.title}:
        slots = {"section": link.section, "first": ends[0], "last": ends[1]}
        yield _way(link, "letters", slots)


def _ends(anchor: str) -> tuple[str, str] | None:
    first, last = anchor[:1], anchor[-1:]
    fits = first.isascii() and first.isalpha() and last.isascii() and last.isalpha()
    return (first.upper(), last.lower()) if fits else None


def _way(link: PageLink, rule: str, slots: dict[str, str]) -> Way:
    return Way(kind="link_follow", target=link.title, rule=rule, slots=slots, anchor=link.anchor)
