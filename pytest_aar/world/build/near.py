"""Which places are near each other: buckets of one degree, so that the build takes seconds."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import ceil, cos, floor, radians
from typing import Generic, Protocol, TypeVar

from pytest_aar.world.geodesy import Point, distance_km


class Located(Protocol):
    """Anything with a key and a place."""

    @property
    def key(self) -> str:
        """A unique key."""
        ...

    @property
    def location(self) -> Point:
        """Latitude and longitude."""
        ...


T = TypeVar("T", bound=Located)


class Buckets(Generic[T]):
    """A spatial index."""

    def __init__(self, items: Iterable[T]) -> None:
        self._buckets: dict[tuple[int, int], list[T]] = defaultdict(list)
        for item in items:
            self._buckets[floor(item.location[0]), floor(item.location[1])].append(item)

    def within(self, center: Point, radius_km: float) -> list[tuple[float, T]]:
        """Items within the radius, nearest first (ties by key), without the centre itself."""
        found = [
            (distance, item)
            for item in self._candidates(center, radius_km)
            if 0 < (distance := distance_km(center, item.location)) <= radius_km
        ]
        return sorted(found, key=lambda pair: (pair[0], pair[1].key))

    def nearest(self, center: Point) -> tuple[float, T]:
        """The nearest item, however far."""
        radius = 50.0
        while not (found := self.within(center, radius)):
            radius *= 2
        return found[0]

    def _candidates(self, center: Point, radius_km: float) -> Iterator[T]:
        latitude, longitude = center
        tall = ceil(radius_km / 110.0)
        widest = min(89.0, abs(latitude) + tall)
        wide = min(180, ceil(radius_km / (110.0 * cos(radians(widest)))))
        for row in range(floor(latitude) - tall, floor(latitude) + tall + 1):
            for column in range(floor(longitude) - wide, floor(longitude) + wide + 1):
                yield from self._buckets.get((row, (column + 180) % 360 - 180), ())
