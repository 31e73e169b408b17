"""When the arguments of an agent's call agree with a golden step's: the strict profile's rules."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_aar.argument_names import spelled_out
from pytest_aar.readings import fold, number_of, numbers_agree, point_of, points_agree

from .place_search import searches_agree, words

PLACE_SEARCH = "maps_search_places"

_SHORTEST_PART = 3
_DEGREES = frozenset({"latitude", "longitude"})
_DEGREES_TOLERANCE = 0.02 + 1e-9
#: Left out, these mean what they default to; `select` only chooses what of the result is shown.
_DEFAULTS: Mapping[str, Any] = {"mode": "driving"}
_SHAPES_THE_RESULT_ONLY = frozenset({"select"})


def arguments_agree(
    golden: Mapping[str, Any], given: Mapping[str, Any], *, places_found: Sequence[str] = ()
) -> bool:
    """Whether every golden argument is present and agrees; extra ones are ignored.

    Either side may use any name that the tools accept for an argument. `places_found` are the
    addresses that the agent itself had located where this call searches.
    """
    theirs = spelled_out(given)
    return all(
        _argument_agrees(name, value, theirs, places_found)
        for name, value in spelled_out(golden).items()
    )


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
    return texts_agree(str(golden), as_text(given))


def texts_agree(golden: str, given: str) -> bool:
    """Whether one text contains the other, folded; texts under three characters must be equal."""
    one, other = fold(golden), fold(given)
    if min(len(one), len(other)) < _SHORTEST_PART:
        return one == other
    return one in other or other in one


def as_text(given: object) -> str:
    """What an agent gave as an argument, as text; "" for what Python writes no text of."""
    try:
        return str(given)
    except (ValueError, RecursionError):  # a number of 4,301 digits, lists without end
        return ""


def _argument_agrees(
    name: str, golden: Any, given: Mapping[str, Any], places_found: Sequence[str]
) -> bool:
    if name == "query":
        location = given.get("location")
        texts = [given.get("query"), location if isinstance(location, str) else None, *places_found]
        told = [words(text) for text in texts if isinstance(text, str)]
        # The query alone may say it all; what a location adds must not count against it.
        both = (frozenset().union(*told), *told[:1])
        return any(searches_agree(str(golden), said) for said in both)
    offered = given.get(name, _DEFAULTS.get(name))
    if offered is None:
        return name in _SHAPES_THE_RESULT_ONLY
    if name in _DEGREES:
        here, there = number_of(golden), number_of(offered)
        return here is not None and there is not None and abs(here - there) <= _DEGREES_TOLERANCE
    return values_agree(golden, offered)
