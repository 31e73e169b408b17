"""Words as the reader compares them: case-folded stems, with synonyms of what pages state."""

import re
from collections.abc import Mapping
from types import MappingProxyType

_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 3
_STEM = 6

#: Everyday words for the things that summary boxes and texts state, by the stem they stand for.
_SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "popula": ("people", "inhabitants", "residents", "souls", "population", "populous"),
        "elevat": ("high", "height", "altitude", "elevation", "above", "highest"),
        "area": ("large", "surface", "extent", "area", "square"),
        "length": ("long", "length"),
        "larges": ("largest", "most", "biggest"),
        "capita": ("capital", "government", "governed"),
        "nation": ("country", "nation", "countries", "state", "lands"),
        "lingua": ("language", "languages", "tongue", "tongues", "spoken"),
        "year": ("year", "years", "founded", "founding", "established"),
        "distan": ("distance", "far", "away"),
        "rank": ("rank", "place", "position"),
        "nearest": ("nearest", "closest", "nearby"),
        "mean": ("mean", "average"),
        "serves": ("serves", "served", "serving", "meant", "intended"),
        "median": ("median", "half"),
        "life": ("life", "live", "lives", "lifetime"),
        "land": ("land", "neighbours", "neighbors"),
        "expect": ("expectancy", "expect", "expected"),
        "coastl": ("coastline", "coast", "shore", "seashore", "shoreline"),
        "bounda": ("boundaries", "boundary", "borders", "border"),
        "demony": ("demonym", "word"),
        "offici": ("official", "officially", "formal", "affairs"),
    }
)
_STEMS = {word: stem for stem, group in _SYNONYMS.items() for word in group}

_LITTLE = """
the and for its that this with from what which whose where there here are was were has have had you
your how many much does did into onto over under than then them they one clue page listed number
given note find name amsl infobox field article
"""
_STOP = frozenset(_LITTLE.split())


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words; little words and those of less than three letters are left out."""
    words = (word for word in _WORD.findall(text.casefold()) if len(word) >= _SHORTEST)
    return frozenset(stem(word) for word in words if word not in _STOP)


def stem(word: str) -> str:
    """A word's stem: that of its synonyms, or its first six letters."""
    return _STEMS.get(word, word[:_STEM])


def covered(asked: frozenset[str], said: frozenset[str]) -> float:
    """The share of `asked` that is among `said`; 1 if nothing is asked."""
    return len(asked & said) / len(asked) if asked else 1.0
