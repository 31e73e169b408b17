"""Names to places and places to names."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
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
        self,
        names: Mapping[str, list[int]],
        summary: Callable[[int], Summary],
        cities: Callable[[], Iterable[Summary]],
        countries: CountryTable,
    ) -> None:
        self._names, self._summary = names, summary
        self._cities, self._countries = cities, countries

    def _called(self, name: str) -> list[Summary]:
        """Places of this name, the likeliest meaning first."""
        found = (self._summary(number) for number in self._names.get(fold(name), ()))
        return _ranked(place for place in found if place.location and place.kind in _KINDS)

    def find(self, address: str) -> list[Match]:
        """Places that an address may mean, the likeliest first; [] when there is none."""
        whole = self._called(address)
        if whole:
            return [Match(place=place, partial=False) for place in whole]
        head, *tail = [part.strip() for part in address.split(",")]
        known = self._called(head)
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
            for place in self._called(part)
            if place.kind == "region"
        }
        understood += bool(regions)
        allowed = set(countries) or regions
        for place in places:
            if not allowed or place.country in allowed:
                yield Match(place=place, partial=understood < len(tail))

    @cached_property
    def _buckets(self) -> dict[tuple[int, int], list[Summary]]:
        buckets: dict[tuple[int, int], list[Summary]] = defaultdict(list)
        for place in self._cities():
            if place.location:
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


def _ranked(places: Iterable[Summary]) -> list[Summary]:
    return sorted(places, key=lambda p: (_KINDS.index(p.kind), -p.size, p.number))


def parse_point(text: str) -> Point | None:
    """A text such as 27.47,89.64 as a point, or None when it isn't one."""
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
    return abs(point[0]) <= 90 and abs(point[1]) <= 180  # noqa: PLR2004 - poles, date line
