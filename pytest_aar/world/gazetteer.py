"""Names to places and places to names."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, cos, floor, radians

from pytest_aar.world.countries import CountryTable
from pytest_aar.world.geodesy import Point, distance_km
from pytest_aar.world.records import Summary
from pytest_aar.world.text import fold

#: Kinds that have a place, the likeliest meaning of a name first.
_KINDS = ("country", "city", "region", "mountain", "airport")
_COORDINATES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A place that a name may mean; `partial` when a part of the address was not understood."""

    place: Summary
    partial: bool


class Gazetteer:
    """Looks places up by address and by point."""

    def __init__(
        self, summaries: Iterable[Summary], redirects: Mapping[str, int], countries: CountryTable
    ) -> None:
        self._countries = countries
        self._places = {s.number: s for s in summaries if s.location and s.kind in _KINDS}
        self._redirects = redirects

    @cached_property
    def _names(self) -> dict[str, list[Summary]]:
        names: dict[str, list[Summary]] = defaultdict(list)
        for place in self._places.values():
            for name in dict.fromkeys((fold(place.title), fold(base_name(place)))):
                names[name].append(place)
        for alias, number in self._redirects.items():
            if number in self._places:
                known = names[fold(alias)]
                if self._places[number] not in known:
                    known.append(self._places[number])
        return names

    def find(self, address: str) -> list[Match]:
        """Places that an address may mean, the likeliest first; [] when there is none."""
        whole = self._names.get(fold(address), ())
        if whole:
            return [Match(place=place, partial=False) for place in _ranked(whole)]
        head, *tail = [part.strip() for part in address.split(",")]
        known = self._names.get(fold(head), ())
        if not known or not tail:
            return []
        return list(self._within(known, tail))

    def _within(self, places: Iterable[Summary], tail: list[str]) -> Iterator[Match]:
        countries = [found.alpha2 for part in tail if (found := self._countries.find(part))]
        understood = len(countries)
        # "Portland, Oregon": a part that names a region says at least its country.
        regions = {
            place.country
            for part in tail
            if self._countries.find(part) is None
            for place in self._names.get(fold(part), ())
            if place.kind == "region"
        }
        understood += bool(regions)
        allowed = set(countries) or regions
        for place in _ranked(places):
            if not allowed or place.country in allowed:
                yield Match(place=place, partial=understood < len(tail))

    @cached_property
    def _buckets(self) -> dict[tuple[int, int], list[Summary]]:
        buckets: dict[tuple[int, int], list[Summary]] = defaultdict(list)
        for place in self._places.values():
            if place.kind == "city" and place.location:
                buckets[floor(place.location[0]), floor(place.location[1])].append(place)
        return buckets

    def nearest_city(self, point: Point, *, within_km: float = 100.0) -> Summary | None:
        """The city nearest to a point, or None when none is that near."""
        tall = ceil(within_km / 110.0)
        wide = min(180, ceil(tall / cos(radians(min(85.0, abs(point[0]) + tall)))))
        near = (
            (distance_km(point, place.location), place.number, place)
            for row in range(floor(point[0]) - tall, floor(point[0]) + tall + 1)
            for column in range(floor(point[1]) - wide, floor(point[1]) + wide + 1)
            for place in self._buckets.get((row, (column + 180) % 360 - 180), ())
            if place.location
        )
        best = min(near, default=None)
        return best[2] if best and best[0] <= within_km else None


def base_name(place: Summary) -> str:
    """The name without what tells namesakes apart: "Paris, United States" -> "Paris"."""
    if place.kind == "city":
        return place.title.split(", ")[0]
    return place.title.split(" (")[0]


def _ranked(places: Iterable[Summary]) -> list[Summary]:
    return sorted(places, key=lambda p: (_KINDS.index(p.kind), -p.size, p.number))


def parse_point(text: str) -> Point | None:
    """ "27.47,89.64" as a point, or None when it isn't one."""
    parts = text.split(",")
    if len(parts) != _COORDINATES:
        return None
    try:
        latitude, longitude = float(parts[0]), float(parts[1])
    except ValueError:
        return None
    return (latitude, longitude) if valid_point((latitude, longitude)) else None


def valid_point(point: Point) -> bool:
    """Whether a point lies on the Earth (and is no NaN)."""
    return abs(point[0]) <= 90 and abs(point[1]) <= 180  # noqa: PLR2004  # poles, date line
