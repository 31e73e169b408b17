"""What the fake services know: the golden values of legs, by what has to be asked for each of them."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_aar.leg import Leg, Roadblock, RouteInfo, Value
from pytest_aar.readings import number_of

from .library import Library, title_in

#: A kind of fact and what it is about, case and spacing folded.
Key = tuple[str, ...]
Point = tuple[float, float]

_COORDINATES = re.compile(r"\A\[Coordinates\].* / (-?\d+(?:\.\d+)?); (-?\d+(?:\.\d+)?)\]")
_COUNTRY = {"population": "population", "area_km2": "area_km2"}
_QUERIES = ("poi_count", "place_rating")
_WEATHER = {
    "temperature": "temperature_2m_max",
    "precipitation": "precipitation_sum",
    "snowfall": "snowfall_sum",
    "sunshine": "sunshine_duration",
}
_QUOTES = {
    "stock_price": ("stock_price", "ticker"),
    "stock_volume": ("stock_volume", "ticker"),
    "crypto_price": ("crypto_price", "symbol"),
    "crypto_volume": ("crypto_volume", "symbol"),
}


@dataclass(kw_only=True)
class AnswerBook:
    """Facts by key; what legs don't tell is made up, the same at every run.

    `contested` are keys to which legs give several values: the book keeps the first. `results` are the
    pages that a search query leads to. `located` are addresses whose place is known. With `invents` there are
    quotes of every trading day and figures of every located country, too. Change `facts` to let the world drift.
    """

    facts: dict[Key, Value] = field(default_factory=dict)
    contested: dict[Key, list[Value]] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    located: dict[str, Point] = field(default_factory=dict)
    invents: bool = False
    _places: dict[Point, str] = field(default_factory=dict)

    @classmethod
    def of(cls, legs: Iterable[Leg]) -> "AnswerBook":
        """The book in which every roadblock and every search of these legs is answered."""
        book = cls()
        for leg in legs:
            for stop in leg.stops:
                if isinstance(stop, Roadblock):
                    for key in _entries(stop):
                        book._enter(key, stop.value)
                elif isinstance(stop, RouteInfo) and stop.search_query and stop.search_result_url:
                    book.results[folded(stop.search_query)] = title_in(stop.search_result_url)
        return book

    @classmethod
    def over(cls, library: Library) -> "AnswerBook":
        """A book for legs that are to be made over these articles: places are where the articles say."""
        found = (
            (title, _COORDINATES.search(each.body)) for title, each in library.articles.items()
        )
        located = {
            folded(title): (round(float(at[1]), 5), round(float(at[2]), 5))
            for title, at in found
            if at
        }
        return cls(located=located, invents=True)

    def fact(self, kind: str, *about: str) -> Value | None:
        """What the book holds under a key, None for nothing."""
        return self.facts.get((kind, *map(folded, about)))

    def place(self, address: str) -> Point:
        """Where an address is: anywhere, but always there and no other address with it."""
        name = folded(address)
        north, east = (chance(f"{name}{axis}") for axis in ("latitude", "longitude"))
        anywhere = (round(-60 + 130 * north, 5), round(-179 + 358 * east, 5))
        point = self.located.get(name, anywhere)
        self._places.setdefault(point, name)
        return point

    def address(self, latitude: float, longitude: float) -> str | None:
        """The address that was placed at a point."""
        return self._places.get((round(latitude, 5), round(longitude, 5)))

    def days(self, kind: str, name: str) -> Mapping[str, float]:
        """Day (ISO) -> number of a quote's facts."""
        wanted = folded(name)
        return {
            key[2]: number
            for key, value in self.facts.items()
            if key[0] == kind and key[1] == wanted and (number := number_of(value)) is not None
        }

    def _enter(self, key: Key, value: Value) -> None:
        known = self.facts.setdefault(key, value)
        if known != value and number_of(known) != number_of(value):
            self.contested.setdefault(key, [known]).append(value)


def folded(text: str) -> str:
    """Without differences of case and white space."""
    return " ".join(text.casefold().split())


def chance(text: str) -> float:
    """A number from 0 to 1 that only this text gives."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


def _entries(stop: Roadblock) -> Iterator[Key]:
    """What has to be asked for a roadblock's value; nothing for a program's."""
    last = stop.chain[-1]
    key = last.output_key or ""
    arguments = last.arguments
    addresses = [
        str(step.arguments["address"]) for step in stop.chain if "address" in step.arguments
    ]
    if key in _COUNTRY:
        yield _key(key, arguments["country"])
    elif key in _QUERIES:
        yield _key(key, arguments["query"])
    elif key in _WEATHER:
        yield _key(_WEATHER[key], *addresses, arguments["start_date"])
    elif key in _QUOTES:
        kind, name = _QUOTES[key]
        yield _key(kind, arguments[name], arguments["date"])
    elif key == "duration":
        yield _key(key, arguments["origin"], arguments["destination"])
    elif key in ("elevation", "distance_km"):
        yield _key(key, *addresses)


def _key(kind: str, *about: Any) -> Key:
    return (kind, *(folded(str(each)) for each in about))


def by_kind(keys: Iterable[Key]) -> dict[str, int]:
    """How many keys there are of each kind."""
    counts: dict[str, int] = defaultdict(int)
    for key in keys:
        counts[key[0]] += 1
    return dict(counts)
