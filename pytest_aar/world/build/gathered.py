"""The inputs joined: who is near whom, who lies in which region, who flows past."""

from collections import defaultdict
from dataclasses import dataclass

from pytest_aar.world.build.nature import Feature, lakes, mountains, rivers
from pytest_aar.world.build.near import Buckets
from pytest_aar.world.build.sources import Airport, City, CountrySource, Sources
from pytest_aar.world.geodesy import distance_km
from pytest_aar.world.text import fold

AIRPORT_RADIUS_KM = 100.0
#: A city belongs to the region of an airport that names it and lies this near.
REGION_RADIUS_KM = 60.0
RIVER_RADIUS_KM = 20.0
MAX_NEAR = 15
MIN_REGION_AIRPORTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A first-level region, known by the airports that say they lie in it."""

    key: str
    name: str
    country: str
    airports: tuple[Airport, ...]
    cities: tuple[City, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Joined inputs; every mapping is complete and in a fixed order."""

    sources: Sources
    country: dict[str, CountrySource]
    cities_of: dict[str, list[City]]
    airports_of: dict[str, list[Airport]]
    city_airports: dict[str, list[tuple[float, Airport]]]
    city_neighbours: dict[str, list[tuple[float, City]]]
    airport_city: dict[str, tuple[float, City]]
    airport_neighbours: dict[str, list[tuple[float, Airport]]]
    served_only: dict[str, list[tuple[float, Airport]]]
    regions: tuple[Region, ...]
    region_of: dict[str, Region]
    capital_of: dict[str, City]
    mountains: tuple[Feature, ...]
    rivers: tuple[Feature, ...]
    lakes: tuple[Feature, ...]
    river_cities: dict[str, list[City]]


def gather(sources: Sources) -> Gathered:
    """Join everything."""
    cities, airports = sources.cities, sources.airports
    near_cities, near_airports = Buckets(cities), Buckets(airports)
    cities_of, airports_of = defaultdict(list), defaultdict(list)
    for city in cities:
        cities_of[city.country].append(city)
    for airport in airports:
        airports_of[airport.country].append(airport)
    city_airports = {
        city.key: near_airports.within(city.location, AIRPORT_RADIUS_KM)[:MAX_NEAR]
        for city in cities
    }
    airport_city = {airport.key: near_cities.nearest(airport.location) for airport in airports}
    regions = _regions(sources, near_cities)
    waters = tuple(rivers(sources.countries))
    return Gathered(
        sources=sources,
        country={country.alpha2: country for country in sources.countries},
        cities_of=cities_of,
        airports_of=airports_of,
        city_airports=city_airports,
        city_neighbours={c.key: near_cities.within(c.location, 400.0)[:6] for c in cities},
        airport_city=airport_city,
        airport_neighbours={a.key: near_airports.within(a.location, 300.0)[:3] for a in airports},
        served_only=_served_only(airports, airport_city, city_airports),
        regions=regions,
        region_of=_region_of(regions),
        capital_of={city.country: city for city in reversed(cities) if city.is_capital},
        mountains=tuple(mountains(sources.countries)),
        rivers=waters,
        lakes=tuple(lakes(sources.countries)),
        river_cities=_river_cities(sources, waters, near_cities),
    )


def _served_only(
    airports: tuple[Airport, ...],
    airport_city: dict[str, tuple[float, City]],
    city_airports: dict[str, list[tuple[float, Airport]]],
) -> dict[str, list[tuple[float, Airport]]]:
    """Airports that no city lists yet, by their nearest city: nobody else would link to them."""
    listed = {airport.key for near in city_airports.values() for _, airport in near}
    rest: dict[str, list[tuple[float, Airport]]] = defaultdict(list)
    for airport in airports:
        if airport.key not in listed:
            distance, city = airport_city[airport.key]
            rest[city.key].append((distance, airport))
    return rest


def _regions(sources: Sources, near_cities: Buckets[City]) -> tuple[Region, ...]:
    groups: dict[tuple[str, str], list[Airport]] = defaultdict(list)
    for airport in sources.airports:
        if airport.region:
            groups[airport.country, airport.region].append(airport)
    return tuple(
        Region(
            key=f"region:{country}/{name}",
            name=name,
            country=country,
            airports=tuple(airports),
            cities=_cities_in(airports, near_cities),
        )
        for (country, name), airports in sorted(groups.items())
        if len(airports) >= MIN_REGION_AIRPORTS
    )


def _cities_in(airports: list[Airport], near_cities: Buckets[City]) -> tuple[City, ...]:
    """Cities that an airport of the region names as its own."""
    found: dict[str, City] = {}
    for airport in airports:
        for _, city in near_cities.within(airport.location, REGION_RADIUS_KM):
            if city.country == airport.country and fold(city.name) == fold(airport.city):
                found[city.key] = city
    return tuple(sorted(found.values(), key=lambda city: (-city.population, city.key)))


def _region_of(regions: tuple[Region, ...]) -> dict[str, Region]:
    """Region of each airport and of each city that only one region claims."""
    owners: dict[str, list[Region]] = defaultdict(list)
    for region in regions:
        keys = [airport.key for airport in region.airports] + [city.key for city in region.cities]
        for key in keys:
            owners[key].append(region)
    return {key: claims[0] for key, claims in owners.items() if len(claims) == 1}


def _river_cities(
    sources: Sources, waters: tuple[Feature, ...], near_cities: Buckets[City]
) -> dict[str, list[City]]:
    """Cities beside the lines that carry the river's name in one of its countries."""
    lines: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for country, name, points in sources.raster.rivers:
        lines[country, fold(name)] += points[::2]
    found = {}
    for river in waters:
        names = {fold(name) for name in (river.name, *river.aliases)}
        points = [p for c in river.countries for name in sorted(names) for p in lines[c, name]]
        near: dict[str, City] = {}
        for point in points:
            for _, city in near_cities.within(point, RIVER_RADIUS_KM):
                near[city.key] = city
        found[river.key] = sorted(near.values(), key=lambda c: (-c.population, c.key))[:12]
    return found


def distance_text(distance: float) -> str:
    """A distance as shown: 63 km; below ten with one decimal."""
    return f"{distance:.0f} km" if distance >= 10 else f"{distance:.1f} km"  # noqa: PLR2004 - near ones with a decimal


__all__ = ["Gathered", "Region", "distance_km", "distance_text", "gather"]
