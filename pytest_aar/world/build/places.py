"""Pages of cities, airports and regions."""

from pytest_aar.world.build.drafts import (
    DASH,
    Draft,
    Row,
    coordinates_row,
    escape,
    link,
    number_row,
    text_row,
)
from pytest_aar.world.build.gathered import Gathered, Region, distance_text
from pytest_aar.world.build.sources import Airport, City
from pytest_aar.world.geodesy import Point, compass, distance_km
from pytest_aar.world.grid import KOPPEN
from pytest_aar.world.records import Block

FEET_PER_METRE = 3.28084
_CLIMATE_NAMES = {"A": "tropical", "B": "dry", "C": "temperate", "D": "continental", "E": "polar"}
MAX_REGION_ROWS = 150


def cell_facts(world: Gathered, location: Point) -> tuple[int | None, str]:
    """Elevation in metres and Koppen class of a point, (None, "") far out at sea."""
    cell = world.sources.raster.land_at(*location)
    if cell is None:
        return None, ""
    return world.sources.raster.elevation[cell], KOPPEN[world.sources.raster.koppen[cell]]


def climate_sentence(name: str, koppen: str) -> str:
    """One sentence on the climate, or nothing where the class is unknown."""
    if not koppen:
        return ""
    return (
        f"The Köppen{DASH}Geiger class of {name} is {koppen}, a {_CLIMATE_NAMES[koppen[0]]} climate "
        f"(1991{DASH}2020)."
    )


def airport_table(near: list[tuple[float, Airport]]) -> list[object]:
    """Airports with their codes and distances."""
    rows = [[link(a.key), a.iata, a.icao, distance_text(d)] for d, a in near]
    return ["table", ["Airport", "IATA", "ICAO", "Distance"], *rows] if rows else []


def city(world: Gathered, place: City) -> Draft:
    """A city's page."""
    country = world.country[place.country]
    region = world.region_of.get(place.key)
    elevation, koppen = cell_facts(world, place.location)
    name = escape(place.name)
    where = link(f"country:{place.country}")
    draft = Draft(
        key=place.key,
        kind="city",
        base=place.name,
        qualifiers=(f"{place.name}, {country.name}",),
        country=place.country,
        location=place.location,
        size=place.population,
        rank=place.population * (3.0 if place.is_capital else 1.0),
        description=f"{'capital' if place.is_capital else 'city'} of {country.name}"
        if place.is_capital
        else f"city in {country.name}",
    )
    draft.infobox = [
        *text_row("Country", where),
        *(text_row("Region", link(region.key)) if region else []),
        *number_row("Population", place.population or None, None),
        *number_row("Elevation", elevation, "m"),
        coordinates_row(place.location),
        *text_row("Time zone", place.timezone, place.timezone),
        *(text_row("Climate", koppen, koppen) if koppen else []),
    ]
    role = "the capital of" if place.is_capital else "a city in"
    in_region = f", in the region of {link(region.key)}" if region else ""
    people = f" It has about {place.population:,} inhabitants." if place.population else ""
    draft.section("", f"'''{name}''' is {role} {where}{in_region}.{people}", level=1)
    draft.section("Geography", *_city_geography(world, place, draft))
    draft.section("Climate", climate_sentence(name, koppen))
    draft.section("Demographics", _rank_sentence(world, place, draft))
    near = world.city_airports[place.key] + world.served_only.get(place.key, [])
    near.sort(key=lambda pair: (pair[0], pair[1].key))
    draft.section("Transport", *_transport(name, near, draft))
    return draft


def _city_geography(world: Gathered, place: City, draft: Draft) -> list[Block]:
    blocks: list[Block] = []
    capital = world.capital_of.get(place.country)
    if capital is not None and capital.key != place.key:
        distance = round(distance_km(capital.location, place.location))
        direction = compass(capital.location, place.location)
        blocks.append(
            f"{escape(place.name)} lies {distance:,} km {direction} of the capital, "
            f"{link(capital.key)}, in a straight line."
        )
        draft.facts.append(
            ("Distance to the capital", f"{distance:,} km", distance, "number", "km", "Geography")
        )
    neighbours = [
        f"{link(other.key)}, {link(f'country:{other.country}')} {DASH} {distance_text(distance)}"
        if other.country != place.country
        else f"{link(other.key)} {DASH} {distance_text(distance)}"
        for distance, other in world.city_neighbours[place.key]
    ]
    if neighbours:
        blocks += ["The nearest cities with a page are:", ["ul", *neighbours]]
    return blocks


def _rank_sentence(world: Gathered, place: City, draft: Draft) -> str:
    cities = sorted(world.cities_of[place.country], key=lambda c: (-c.population, c.key))
    rank = 1 + [c.key for c in cities].index(place.key)
    draft.facts.append(
        ("Rank in the country", f"{rank}", rank, "number", None, "Demographics"),
    )
    return (
        f"By population {escape(place.name)} is number {rank} of the {len(cities)} cities of "
        f"{link(f'country:{place.country}')} that have a page here; "
        f"see {link(f'cities:{place.country}:0')}."
    )


def _transport(name: str, near: list[tuple[float, Airport]], draft: Draft) -> list[Block]:
    if not near:
        return []
    distance, first = near[0]
    draft.facts.append(
        (
            *("Distance to the nearest airport", distance_text(distance)),
            *(round(distance, 0 if distance >= 10 else 1), "number", "km", "Transport"),  # noqa: PLR2004 - near ones with a decimal
        )
    )
    lead = (
        f"The nearest airport to {name} is {link(first.key)}, {distance_text(distance)} away. "
        f"{len(near)} airport{'s' if len(near) != 1 else ''} can be listed:"
    )
    return [lead, airport_table(near)]


def airport(world: Gathered, place: Airport) -> Draft:
    """An airport's page."""
    country = world.country[place.country]
    region = world.region_of.get(place.key)
    distance, near = world.airport_city[place.key]
    name = escape(place.name)
    where = link(f"country:{place.country}")
    draft = Draft(
        key=place.key,
        kind="airport",
        base=place.name,
        qualifiers=(f"{place.name} ({place.iata})",),
        country=place.country,
        location=place.location,
        aliases=(place.iata,),
        description=f"airport in {country.name}",
    )
    draft.infobox = [
        *text_row("IATA", place.iata, place.iata),
        *text_row("ICAO", place.icao, place.icao),
        *(text_row("Serves", escape(place.city), place.city) if place.city else []),
        *text_row("Country", where),
        *(text_row("Region", link(region.key)) if region else []),
        *_elevation_rows(place),
        coordinates_row(place.location),
        *text_row("Time zone", place.timezone, place.timezone),
    ]
    serves = f" serving {escape(place.city)}" if place.city else ""
    draft.section(
        "", f"'''{name}''' (IATA: {place.iata}) is an airport{serves} in {where}.", level=1
    )
    direction = compass(near.location, place.location)
    draft.section(
        "Location",
        f"It lies {distance_text(distance)} {direction} of {link(near.key)}, the nearest city "
        f"with a page.",
        climate_sentence("the site", cell_facts(world, place.location)[1]),
    )
    draft.facts.append(
        (
            *("Distance to the nearest city", distance_text(distance)),
            *(round(distance, 0 if distance >= 10 else 1), "number", "km", "Location"),  # noqa: PLR2004 - near ones with a decimal
        )
    )
    draft.section("Nearby airports", airport_table(world.airport_neighbours[place.key]))
    draft.section("See also", ["ul", link(f"airports:{place.country}:0")])
    return draft


def _elevation_rows(place: Airport) -> list[Row]:
    if place.elevation_ft is None:
        return []
    metres = round(place.elevation_ft / FEET_PER_METRE)
    feet = round(place.elevation_ft)
    return [
        ("Elevation AMSL", f"{feet:,} ft", feet, "number", "ft"),
        ("Elevation AMSL (metric)", f"{metres:,} m", metres, "number", "m"),
    ]


def region(world: Gathered, place: Region) -> Draft:
    """A region's page."""
    country = world.country[place.country]
    name = escape(place.name)
    where = link(f"country:{place.country}")
    located = [city.location for city in place.cities] + [a.location for a in place.airports]
    center = tuple(round(sum(p[i] for p in located) / len(located), 4) for i in (0, 1))
    people = sum(city.population for city in place.cities)
    highest = max(place.airports, key=lambda a: (a.elevation_ft or -9e9, a.key))
    draft = Draft(
        key=place.key,
        kind="region",
        base=place.name,
        qualifiers=(f"{place.name} (region)", f"{place.name}, {country.name} (region)"),
        country=place.country,
        location=(center[0], center[1]),
        size=people,
        rank=people / 4,
        description=f"region of {country.name}",
    )
    draft.infobox = [
        *text_row("Country", where),
        *(text_row("Largest city", link(place.cities[0].key)) if place.cities else []),
        *number_row("Cities with a page", len(place.cities), None),
        *number_row("Airports", len(place.airports), None),
    ]
    if highest.elevation_ft is not None:
        feet = round(highest.elevation_ft)
        draft.infobox.append(("Highest airport", f"{feet:,} ft", feet, "number", "ft"))
    draft.section("", f"'''{name}''' is a region of {where}.", level=1)
    draft.section(
        "Cities",
        ["ul", *(f"{link(c.key)} {DASH} {c.population:,} inhabitants" for c in place.cities)],
    )
    draft.section("Transport", *_region_airports(place, highest))
    draft.section("See also", ["ul", link(f"airports:{place.country}:0")])
    return draft


def _region_airports(place: Region, highest: Airport) -> list[Block]:
    rows = [
        [link(a.key), a.iata, a.icao, f"{round(a.elevation_ft):,} ft" if a.elevation_ft else DASH]
        for a in place.airports[:MAX_REGION_ROWS]
    ]
    lead = (
        f"{len(place.airports)} airports of {escape(place.name)} have a page; "
        f"the highest is {link(highest.key)}."
    )
    return [lead, ["table", ["Airport", "IATA", "ICAO", "Elevation"], *rows]]
