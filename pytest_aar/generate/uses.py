"""What a page and a fact on it can feed: roadblocks about the fact or the page."""

from collections.abc import Callable, Iterator, Sequence

from .conversions import CONVERSIONS, unit_words
from .draft import PageFact, PageNode
from .templates import COUNTRY_TEMPLATES, PAIR_TEMPLATES, PLACE_TEMPLATES, QUOTATIONS

#: Kinds of pages whose title geocodes to one point that is worth asking about.
PLACE_KINDS = frozenset({"city", "airport", "mountain"})
COUNTRY_KIND = "country"

#: Nearer to the equator nearly every day is without snow.
_SNOW_LATITUDE = 40

Use = tuple[str, bool]
#: Gives a page by its title, None where it can't be had.
Peek = Callable[[str], PageNode | None]


def uses(
    page: PageNode, fact: PageFact, peek: Peek, *, partner: PageNode | None = None
) -> tuple[Use, ...]:
    """(template, by_value) for everything that `page` with `fact` can feed.

    `by_value`: the fact's value goes into the roadblock; else it is about the page. `partner` is an
    earlier page that a journey may begin at.
    """
    found = [*_of_fact(page, fact, peek), *_of_subject(page, by_value=False)]
    named = named_page(page, fact, peek)
    if named is not None and named.kind in PLACE_KINDS and (partner or page.kind in PLACE_KINDS):
        found += [(name, True) for name in PAIR_TEMPLATES]
    if partner is not None and page.kind in PLACE_KINDS:
        found += [(name, False) for name in PAIR_TEMPLATES]
    return tuple(dict.fromkeys(found))


def partner_of(route: Sequence[PageNode], place: int) -> PageNode | None:
    """The last place before `route[place]` in the same country: a drive may lead from there."""
    here = route[place]
    for page in reversed(route[:place]):
        if page.kind in PLACE_KINDS and page.country is not None and page.country == here.country:
            return page
    return None


def named_page(page: PageNode, fact: PageFact, peek: Peek) -> PageNode | None:
    """The page that a text fact names, if `page` links it under these very words."""
    if fact.value_type != "text":
        return None
    words = fact.text.casefold()
    for link in page.links:
        if words in {link.anchor.casefold(), link.title.casefold()}:
            return peek(link.title)
    return None


def diamond_carrier(
    page: PageNode, fact: PageFact | None = None, peek: Peek = lambda _: None
) -> PageNode | None:
    """The place or country that a diamond can be about: what `fact` names, without one the page's."""
    found = page if fact is None else named_page(page, fact, peek)
    return found if found and found.kind in {*PLACE_KINDS, COUNTRY_KIND} else None


def _of_fact(page: PageNode, fact: PageFact, peek: Peek) -> Iterator[Use]:
    if fact.value_type == "date":
        yield "date_computation", True
    elif fact.value_type == "number":
        if any(conversion.start == unit_words(fact.unit) for conversion in CONVERSIONS):
            yield "math_conversion", True
    elif (named := named_page(page, fact, peek)) is not None:
        yield from _of_subject(named, by_value=True)


def _of_subject(page: PageNode, *, by_value: bool) -> Iterator[Use]:
    if page.kind in PLACE_KINDS:
        snows = page.location is not None and abs(page.location[0]) >= _SNOW_LATITUDE
        names = [name for name in PLACE_TEMPLATES if snows or name != "weather_snowfall"]
        yield from ((name, by_value) for name in names)
    elif page.kind == COUNTRY_KIND:
        yield from ((name, by_value) for name in COUNTRY_TEMPLATES)
    if not by_value:
        yield from ((name, False) for name in QUOTATIONS)
