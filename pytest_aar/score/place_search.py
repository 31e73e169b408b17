"""When an agent's place search asks for what a golden query asks: the same kind at the same place."""

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_NEAR = re.compile(r"\s+near\s+", re.IGNORECASE)
_AT = re.compile(r"\s+(?:in|at|around|nearby|within|close\s+to)\s+", re.IGNORECASE)
_NOISE = frozenset({
    "a", "all", "an", "and", "any", "around", "at", "by", "close", "find", "for", "from", "in",
    "is", "list", "local", "located", "me", "near", "nearby", "of", "on", "places", "search",
    "show", "the", "to", "within",
})  # fmt: skip
#: Kinds of place that people search for, as plurals: in a query they are never the place's name.
_KINDS = frozenset({
    "airports", "banks", "bars", "beaches", "cafes", "castles", "cathedrals", "cemeteries",
    "churches", "cinemas", "galleries", "gyms", "hospitals", "hotels", "libraries", "monuments",
    "mosques", "museums", "parks", "pharmacies", "restaurants", "schools", "shops", "stadiums",
    "supermarkets", "synagogues", "temples", "theaters", "theatres", "universities", "zoos",
})  # fmt: skip
#: Words that many names of places share: alone they name none.
_SHARED = frozenset({
    "airport", "avenue", "bay", "bridge", "building", "castle", "cathedral", "center", "centre",
    "church", "city", "college", "county", "country", "district", "east", "field", "forest",
    "hall", "harbour", "hospital", "hotel", "house", "island", "isle", "lake", "library",
    "mount", "mountain", "museum", "new", "north", "old", "palace", "park", "peak", "port",
    "province", "railway", "region", "republic", "river", "road", "saint", "school", "sea",
    "south", "square", "stadium", "state", "station", "street", "temple", "theatre", "tower",
    "town", "township", "university", "upper", "valley", "village", "west",
})  # fmt: skip


def searches_agree(golden: str, given: AbstractSet[str]) -> bool:
    """Whether the words of an agent's place search have the golden query's kind and place.

    "museums near Oslo" and "museums in Oslo" ask for the kind "museums" at the place "Oslo"; a query
    without such a word is a place, save kinds in the plural ("Oslo museums"). The kind's words must all
    be there. Of the two places, one must hold all words of the other; and if the agent's has fewer, it
    must have at least half of the words that tell the place from others: not those of the region after
    a comma, nor words like "castle".
    """
    kind, place, telling = _parts(golden)
    if not kind <= given:
        return False
    rest = frozenset(given) - kind
    return place <= given or (rest <= place and 2 * len(rest & telling) >= len(telling))


@lru_cache(maxsize=1024)  # every search is compared with every golden one
def words(text: str) -> frozenset[str]:
    """The telling words of a text, folded, plurals as singulars."""
    return frozenset(map(_singular, _WORD.findall(text.casefold()))) - _NOISE


@lru_cache(maxsize=1024)
def _parts(query: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The words of a query's kind, of its place, and those that tell that place from others."""
    kind, place = _kind_and_place(query)
    head = words(place.partition(",")[0]) or words(place)
    rest = words(place) - kind
    return kind, rest, ((head - _SHARED) or head) & rest or rest


def _kind_and_place(query: str) -> tuple[frozenset[str], str]:
    for between in (_NEAR, _AT):
        parts = between.split(query, maxsplit=1)
        if len(parts) > 1:
            return words(parts[0]), parts[1]
    kinds = _KINDS.intersection(_WORD.findall(query.casefold()))
    return words(" ".join(sorted(kinds))), query


def _singular(word: str) -> str:
    for ending, instead in (
        ("ies", "y"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("sses", "ss"),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return word.removesuffix(ending) + instead
    return word
