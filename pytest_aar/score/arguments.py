"""When the arguments of an agent's call agree with a golden step's: the strict profile's rules."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any

from pytest_aar.readings import fold, number_of, numbers_agree, point_of, points_agree

PLACE_SEARCH = "maps_search_places"

_SHORTEST_PART = 3
_DEGREES = frozenset({"latitude", "longitude"})
_DEGREES_TOLERANCE = 0.02 + 1e-9
#: Left out, these mean what they default to; `select` only chooses what of the result is shown.
_DEFAULTS: Mapping[str, Any] = {"mode": "driving"}
_SHAPES_THE_RESULT_ONLY = frozenset({"select"})
#: Other names of an argument in published material.
_ALSO_CALLED = {"start_date": "date", "end_date": "date"}

_WORD = re.compile(r"[^\W_]+")
_NEAR = re.compile(r"\s+near\s+", re.IGNORECASE)
_NOISE = frozenset(
    {
        "a",
        "all",
        "an",
        "and",
        "any",
        "around",
        "at",
        "by",
        "close",
        "find",
        "for",
        "from",
        "in",
        "is",
    }
    | {"list", "local", "located", "me", "near", "nearby", "of", "on", "places", "search", "show"}
    | {"is", "the", "to", "within"}
)


def arguments_agree(
    golden: Mapping[str, Any], given: Mapping[str, Any], *, places_found: Sequence[str] = ()
) -> bool:
    """Whether every golden argument is present and agrees; extra ones are ignored.

    `places_found` are the addresses that the agent itself had located where this call searches.
    """
    return all(_argument_agrees(name, value, given, places_found) for name, value in golden.items())


def values_agree(golden: object, given: object) -> bool:
    """Whether one argument agrees: texts by containment, numbers by 1 %, places by 0.02 degrees."""
    here, there = point_of(golden), point_of(given)
    if here is not None and there is not None:
        return points_agree(here, there)
    if isinstance(golden, list):
        offered = given if isinstance(given, list) else [given]
        return all(any(values_agree(item, other) for other in offered) for item in golden)
    if isinstance(golden, Mapping):
        return isinstance(given, Mapping) and arguments_agree(golden, given)
    if isinstance(golden, bool) or golden is None:
        return golden is given
    if isinstance(golden, int | float):
        number = number_of(given)
        return number is not None and numbers_agree(golden, number)
    return texts_agree(str(golden), str(given))


def texts_agree(golden: str, given: str) -> bool:
    """Whether one text contains the other, folded; texts under three characters must be equal."""
    one, other = fold(golden), fold(given)
    if min(len(one), len(other)) < _SHORTEST_PART:
        return one == other
    return one in other or other in one


def searches_agree(golden: str, given: AbstractSet[str]) -> bool:
    """Whether the words of an agent's place search have the golden query's kind and place.

    "museums near Oslo" asks for the kind "museums" at the place "Oslo"; without "near" all words
    are the place. The kind's words must all be there; of the two places, one must hold all words of
    the other.
    """
    kind, place = _kind_and_place(golden)
    if not kind <= given:
        return False
    rest = frozenset(given) - kind
    return place <= given or (bool(rest) and rest <= place)


@lru_cache(maxsize=1024)  # every search is compared with every golden one
def words(text: str) -> frozenset[str]:
    """The telling words of a text, folded, plurals as singulars."""
    return frozenset(map(_singular, _WORD.findall(text.casefold()))) - _NOISE


def _argument_agrees(
    name: str, golden: Any, given: Mapping[str, Any], places_found: Sequence[str]
) -> bool:
    if name == "query":
        location = given.get("location")
        texts = [given.get("query"), location if isinstance(location, str) else None, *places_found]
        told = frozenset().union(*(words(text) for text in texts if isinstance(text, str)))
        return searches_agree(str(golden), told)
    offered = given.get(name, given.get(_ALSO_CALLED.get(name, name), _DEFAULTS.get(name)))
    if offered is None:
        return name in _SHAPES_THE_RESULT_ONLY
    if name in _DEGREES:
        here, there = number_of(golden), number_of(offered)
        return here is not None and there is not None and abs(here - there) <= _DEGREES_TOLERANCE
    return values_agree(golden, offered)


def _kind_and_place(query: str) -> tuple[frozenset[str], frozenset[str]]:
    parts = _NEAR.split(query, maxsplit=1)
    return (words(parts[0]), words(parts[1])) if len(parts) > 1 else (frozenset(), words(query))


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
