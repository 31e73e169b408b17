"""What a page is about, in one word that a clue can use: "the city of clue 3"."""

import re
from collections.abc import Mapping
from types import MappingProxyType

#: Rows that only the infobox of a country has, and of an airport.
_COUNTRY_ROWS = frozenset({"Calling code", "ISO 3166 code", "Internet TLD", "Internet domain"})
_AIRPORT_ROWS = frozenset({"IATA", "ICAO"})
_PERSON_ROWS = frozenset({"Born", "Died", "Occupation"})
_FEWEST_COUNTRY_ROWS = 2
#: Without it, what has the rows of a country is a part of the world, or several countries.
_OF_EVERY_COUNTRY = "Currency"
_COORDINATES = re.compile(r"Coordinates|°[NS]")

#: What follows these says where the subject is, or when.
_PLACED = re.compile(r"[,(]|\b(?:in|of|on|at|near|between|from|located|to|by|for|with)\b")

#: What the first sentence calls the subject.
_DEFINITION = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of) ([^.;:]+)")

#: Words for what a page is about -> kind; the first that occurs counts.
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "airport": "airport",
        "mountain": "mountain",
        "volcano": "mountain",
        "river": "river",
        "lake": "lake",
        "island": "island",
        "university": "university",
        "college": "college",
        "museum": "museum",
        "church": "church",
        "county": "county",
        "province": "province",
        "state": "state",
        "city": "city",
        "capital": "city",
        "metropolis": "city",
        "town": "city",
        "village": "city",
        "municipality": "city",
        "company": "company",
        "newspaper": "newspaper",
        "language": "language",
        "club": "club",
        "ocean": "ocean",
    }
)
#: Kinds that must lie somewhere.
_PLACES = frozenset({"airport", "mountain", "river", "lake", "island", "city"})
_ANYTHING = "subject"
_LONGEST = 120


def kind_of(lead: str, labels: frozenset[str], paragraph: str = "") -> str:
    """A kind by the text before the first heading and the infobox's labels; "subject" for any other.

    `paragraph` is the first of sentences: not every page shows a short description.
    """
    has_place = bool(_COORDINATES.search(lead))
    if len(labels & _COUNTRY_ROWS) >= _FEWEST_COUNTRY_ROWS and _OF_EVERY_COUNTRY in labels:
        return "country"
    if labels & _AIRPORT_ROWS and has_place:
        return "airport"
    if labels & _PERSON_ROWS:
        return "person"
    defined = _DEFINITION.search(paragraph)
    found = _named(description(lead)) or _named(defined[1] if defined else "") or _ANYTHING
    return found if has_place or found not in _PLACES else _ANYTHING


def _named(text: str) -> str | None:
    """The kind that a description names before it says where, or when."""
    words = re.findall(r"[a-z]+", _PLACED.split(text.casefold())[0])
    return next((_WORDS[word] for word in words if word in _WORDS), None)


def description(lead: str) -> str:
    """The short description: the first line of plain words above the infobox."""
    for line in lead.split("\n"):
        if line.startswith("|"):
            return ""
        if line and not line.startswith("[") and len(line) < _LONGEST and "](" not in line:
            return line
    return ""
