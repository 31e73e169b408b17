"""Portraits: what marks a page out among its siblings, put in words made of the page's own facts.

A trait is a mark that can be compared between pages, and its words. A portrait is made of as few
traits as it takes to fit one page and none of its rivals.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import floor, log10
from types import MappingProxyType

from pytest_aar.readings import number_of

from .conversions import unit_words
from .draft import PageFact, PageNode

_MOST_TRAITS = 3
_DIGITS = 2
#: Figures of eleven digits are no help to a reader.
_TOO_LONG = 10**10
_LONGEST_TEXT = 40
_MOST_WORDS = 16
_FEWEST_WORDS = 5
_NAME = re.compile(r"[^\W\d_][^\d_/()“”]{3,}")
_ASIDE = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_DEFINITION = re.compile(
    r"\b(?:is|was|are|were) ((?:an?|the|one of) (?:[^.;:]|\.\d)+?)"
    r"(?=[;:]|\.(?!\d)|, (?:which|who|and|located|situated|known|founded)|$)"
)
#: A description that is cut does not end on one of these.
_LITTLE = (
    "a an the of in on at and or to by for from with as that which who its their well one most is"
)
_DANGLING = frozenset(_LITTLE.split())
#: Labels whose facts say little of a page, or nearly name it.
_UNFIT = frozenset(
    {
        "iata",
        "icao",
        "iso code",
        "internet domain",
        "coordinates",
        "time zone",
        "rank in the country",
    }
    | {"official name", "native name", "name", "website", "demonym"}
)

#: Words for a trait by its label; {n} is a rounded number with its unit, {text} a name, {year}.
_NUMBERS: Mapping[str, str] = MappingProxyType(
    {
        "population": "with some {n} inhabitants",
        "elevation": "some {n} above the sea",
        "elevation amsl": "some {n} above the sea",
        "elevation amsl (metric)": "some {n} above the sea",
        "highest elevation": "that rises to some {n}",
        "area": "of some {n} in area",
        "length": "some {n} long",
        "distance to the capital": "some {n} away from the capital",
        "distance to the nearest airport": "some {n} away from an airport",
        "distance to the nearest city": "some {n} away from the nearest city",
    }
)
_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "country": "in {text}",
        "region": "in the region {text}",
        "capital": "governed from {text}",
        "serves": "meant for travellers to {text}",
        "largest city": "with {text} as its largest city",
    }
)
_OTHER_NUMBER = "whose page puts “{label}” at about {n}"
_OTHER_TEXT = "whose page gives “{label}” as {text}"
_DATE = "whose page dates “{label}” to {year}"
_LEAD = "described as “{text}”"


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing that can be said of a page; pages with the same mark have it in common."""

    mark: tuple[str, ...]
    words: str


def portrait(
    page: PageNode,
    rivals: Iterable[PageNode],
    *,
    fit: Callable[[str], bool],
    chance: random.Random,
) -> str | None:
    """Words that fit `page` and none of its rivals; None if its facts don't set it apart.

    `fit` says whether words may be used: those that give something away may not.
    """
    same_kind = [rival for rival in rivals if rival.kind == page.kind and rival.title != page.title]
    others = [{trait.mark for trait in traits(rival)} for rival in same_kind]
    usable = [trait for trait in traits(page) if fit(trait.words)]
    chance.shuffle(usable)
    for size in range(1, _MOST_TRAITS + 1):
        for chosen in combinations(usable, size):
            marks = {trait.mark for trait in chosen}
            if not _alike(chosen) and not any(marks <= other for other in others):
                return _said(page.kind, chosen)
    return None


def same_matter(label: str, other: str) -> bool:
    """Whether two labels state the same thing: "Elevation AMSL" and "Elevation AMSL (metric)"."""
    first, second = label.casefold(), other.casefold()
    return first in second or second in first


def traits(page: PageNode) -> tuple[Trait, ...]:
    """Everything that can be said of a page without its name."""
    found = (*_of_facts(page.facts), *_of_lead(page))
    return tuple({trait.mark: trait for trait in found}.values())


def article(noun: str) -> str:
    """A noun with its article: an airport, a university."""
    vowel = noun[:1].lower() in "aeiou" and not re.match(r"(?i)uni|eu|one\b|use", noun)
    return f"{'an' if vowel else 'a'} {noun}"


def rounded(number: float) -> int | float:
    """A number to two significant digits: 318,801 becomes 320,000."""
    if not number:
        return 0
    places = _DIGITS - 1 - floor(log10(abs(number)))
    near = round(number, places)
    return int(near) if near == int(near) else near


def _of_facts(facts: Iterable[PageFact]) -> Iterator[Trait]:
    facts = tuple(facts)
    labels = Counter(fact.label.casefold() for fact in facts)
    for fact in facts:
        label = fact.label.casefold()
        if label in _UNFIT or "code" in label or labels[label] > 1:
            continue
        if fact.value_type == "number":
            yield from _number(fact, label)
        elif fact.value_type == "date":
            year = str(fact.value)[:4]
            yield Trait(("date", label, year), _DATE.format(label=fact.label, year=year))
        elif fact.value_type == "text" and _speaks(fact.text):
            words = _TEXTS.get(label, _OTHER_TEXT)
            yield Trait(("text", label, fact.text), words.format(text=fact.text, label=fact.label))


def _number(fact: PageFact, label: str) -> Iterator[Trait]:
    number = number_of(fact.value)
    if number is None or not 0 < number < _TOO_LONG:
        return
    unit = unit_words(fact.unit)
    near = rounded(float(number))
    said = f"{near:,} {unit}".strip()
    words = _NUMBERS.get(label, _OTHER_NUMBER).format(n=said, label=fact.label)
    yield Trait(("number", label, unit, str(near)), words)


def _speaks(text: str) -> bool:
    return len(text) <= _LONGEST_TEXT and _NAME.fullmatch(text) is not None


def _of_lead(page: PageNode) -> Iterator[Trait]:
    """What the first sentence calls the page's subject, unless it repeats a part of its name."""
    found = _DEFINITION.search(_ASIDE.sub("", page.lead))
    if found is None:
        return
    text = _cut(found[1].replace("]", "").split())
    names = {word for word in re.findall(r"\w{4,}", page.title) if word[0].isupper()}
    if len(text.split()) >= _FEWEST_WORDS and not names & set(re.findall(r"\w+", text)):
        yield Trait(("lead", text), _LEAD.format(text=text))


def _cut(words: list[str]) -> str:
    """A description of no more words than make easy reading, up to a comma if need be."""
    if len(words) <= _MOST_WORDS:
        return " ".join(words)
    kept = words[:_MOST_WORDS]
    while kept[-1].strip(",").casefold() in _DANGLING:
        kept.pop()
    text = " ".join(kept)
    whole, comma, _ = text.rpartition(",")
    return whole if comma and len(whole.split()) >= _FEWEST_WORDS else text.rstrip(",")


def _alike(chosen: tuple[Trait, ...]) -> bool:
    """Whether two of the traits say the same, in two units."""
    return any(
        len(one.mark) == len(other.mark) and same_matter(one.mark[1], other.mark[1])
        for one, other in combinations(chosen, 2)
    )


def _said(kind: str, chosen: tuple[Trait, ...]) -> str:
    """The kind with its traits: where it is comes first, what its page says of it last."""
    words = sorted((trait.words for trait in chosen), key=_place)
    head = f"{article(kind)} {words[0]}"
    if len(words) > 1 and not _place(words[0]):
        head, words = f"{head} {words[1]}", words[1:]
    *between, last = words[1:] or [""]
    return f"{head}{''.join(f', {each}' for each in between)}{f' and {last}' if last else ''}"


def _place(words: str) -> int:
    return 0 if words.startswith("in ") else 2 if words.startswith("whose ") else 1
