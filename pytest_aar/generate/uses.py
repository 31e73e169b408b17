"""What a page and a fact on it can feed: roadblocks about the fact or the page."""

from collections.abc import Iterator

from .draft import Atlas, PageFact, PageNode
from .templates import CONVERSIONS, COUNTRY_TEMPLATES, PAIR_TEMPLATES, PLACE_TEMPLATES, QUOTATIONS

#: Kinds of pages whose title geocodes to one point that is worth asking about.
PLACE_KINDS = frozenset({"city", "airport", "mountain", "lake"})
COUNTRY_KIND = "country"

Use = tuple[str, bool]


def uses(page: PageNode, fact: PageFact, atlas: Atlas) -> tuple[Use, ...]:
    """(template, by_value) for everything that `page` with `fact` can feed.

    `by_value`: the fact's value goes into the roadblock; else it is about the page.
    """
    return tuple(
        dict.fromkeys((*_of_fact(page, fact, atlas), *_of_subject(page.kind, by_value=False)))
    )


def named_page(page: PageNode, fact: PageFact, atlas: Atlas) -> PageNode | None:
    """The page that a text fact names, if `page` links it under these very words."""
    if fact.value_type != "text":
        return None
    words = fact.text.casefold()
    for link in page.links:
        if words in {link.anchor.casefold(), link.title.casefold()}:
            return atlas.node(link.title)
    return None


def _of_fact(page: PageNode, fact: PageFact, atlas: Atlas) -> Iterator[Use]:
    if fact.value_type == "date":
        yield "date_computation", True
    elif fact.value_type == "number":
        if any(conversion.start == unit_words(fact.unit) for conversion in CONVERSIONS):
            yield "math_conversion", True
    elif (named := named_page(page, fact, atlas)) is not None:
        yield from _of_subject(named.kind, by_value=True)
        if named.kind in PLACE_KINDS and page.kind in PLACE_KINDS:
            yield from ((name, True) for name in PAIR_TEMPLATES)


def _of_subject(kind: str, *, by_value: bool) -> Iterator[Use]:
    if kind in PLACE_KINDS:
        yield from ((name, by_value) for name in PLACE_TEMPLATES)
    elif kind == COUNTRY_KIND:
        yield from ((name, by_value) for name in COUNTRY_TEMPLATES)
    if not by_value:
        yield from ((name, False) for name in QUOTATIONS)


def unit_words(unit: str | None) -> str:
    """A unit in words as clues name it; "" without a unit."""
    return _UNIT_WORDS.get(unit or "", unit or "")


_UNIT_WORDS = {
    "m": "metres",
    "ft": "feet",
    "km": "kilometres",
    "km2": "square kilometres",
    "km²": "square kilometres",
    "min": "minutes",
    "%": "per cent",
    "°C": "degrees Celsius",
}
