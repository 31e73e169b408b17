"""Pages of countries, and the records the countries service answers from."""

import json
import re

from pytest_aar.world.build.country_fields import FIGURES, ORDER, PROSE
from pytest_aar.world.build.drafts import (
    Draft,
    Row,
    coordinates_row,
    escape,
    link,
    number_row,
    quoted_row,
    text_row,
)
from pytest_aar.world.build.factbook import iso_date, quantity
from pytest_aar.world.build.gathered import Gathered
from pytest_aar.world.build.sources import CountrySource
from pytest_aar.world.geodesy import Point
from pytest_aar.world.records import Block
from pytest_aar.world.text import fold, words

MAX_CITY_ROWS = 40
_DEGREES = re.compile(r"(\d+) (\d+) ([NS]), (\d+) (\d+) ([EW])")


def population(country: CountrySource) -> int | None:
    """The Factbook's population; the atlas's (older) only where the Factbook has none."""
    found = quantity(country.profile.text("People and Society", "Population", "total") or "")
    value = found.value if found else country.row["population"]
    return int(value) if value else None


def area(country: CountrySource) -> float | None:
    """The Factbook's total area in km2, else the atlas's."""
    found = quantity(country.profile.text("Geography", "Area", "total") or "")
    if found is not None and found.unit == "km2":
        return found.value
    value = country.row["total_area_km2"]
    return float(value) if value else None


def location(world: Gathered, country: CountrySource) -> Point | None:
    """The Factbook's coordinates (degrees and minutes), else the capital's."""
    text = country.profile.text("Geography", "Geographic coordinates") or ""
    found = _DEGREES.match(text)
    if found is None:
        capital = world.capital_of.get(country.alpha2)
        return capital.location if capital else None
    latitude = (int(found[1]) + int(found[2]) / 60) * (1 if found[3] == "N" else -1)
    longitude = (int(found[4]) + int(found[5]) / 60) * (1 if found[6] == "E" else -1)
    return round(latitude, 4), round(longitude, 4)


def country(world: Gathered, source: CountrySource) -> Draft:
    """A country's page."""
    people = population(source)
    draft = Draft(
        key=f"country:{source.alpha2}",
        kind="country",
        base=source.name,
        country=source.alpha2,
        location=location(world, source),
        size=people or 0,
        rank=1e12,
        aliases=(*source.aliases, f"Republic of {source.name}", f"The {source.name}"),
        description="country",
    )
    draft.infobox = _infobox(world, source)
    draft.section("", _namesakes(world, source), _lead(world, source), level=1)
    for heading in ORDER:
        draft.section(
            heading,
            *_prose(source, heading),
            _figures(source, heading),
            *_extra(world, source, heading),
        )
    draft.section("Cities", *_cities(world, source))
    draft.section("See also", _see_also(world, source))
    return draft


def _infobox(world: Gathered, source: CountrySource) -> list[Row]:
    capital = world.capital_of.get(source.alpha2)
    row, physical = source.row, source.physical
    languages = ", ".join(link(f"language:{code}") for code, _, _ in source.languages[:4])
    holiday = source.profile.text("Government", "National holiday")
    return [
        *text_row("Official name", escape(source.official_name), source.official_name),
        *(text_row("Capital", link(capital.key)) if capital else []),
        *text_row("Languages", languages),
        *text_row("Demonym", escape(source.demonym or ""), source.demonym),
        *number_row("Population", population(source), None),
        *number_row("Area", area(source), "km2"),
        *number_row("Highest elevation", physical.get("highest_point_elevation_m"), "m"),
        *number_row("Lowest elevation", physical.get("lowest_point_elevation_m"), "m"),
        *_independence(source),
        *text_row("National day", escape(holiday or "")),
        *text_row("Currency", f"{row['currency_name']} ({row['currency_code']})")[
            : bool(row["currency_name"])
        ],
        *text_row("Internet domain", row["top_level_domain"], row["top_level_domain"]),
        *text_row("ISO code", source.alpha2, source.alpha2),
        *([coordinates_row(point)] if (point := location(world, source)) else []),
    ]


def independence(source: CountrySource) -> str | None:
    """The date of independence, YYYY-MM-DD, where the Factbook gives a full date."""
    return iso_date(source.profile.text("Government", "Independence") or "")


def _independence(source: CountrySource) -> list[Row]:
    date = independence(source)
    text = source.profile.text("Government", "Independence") or ""
    short = text.split(" (")[0].split(";")[0]
    return [("Independence", escape(short), date, "date", None)] if date else []


def _lead(world: Gathered, source: CountrySource) -> str:
    capital = world.capital_of.get(source.alpha2)
    row = source.row
    place = f" in {link('subregion:' + row['subregion'])}" if row["subregion"] else ""
    continent = f", {link('continent:' + row['continent'])}" if row["continent"] else ""
    official = (
        f", officially {escape(source.official_name)},"
        if source.official_name != source.name
        else ""
    )
    city = f" Its capital is {link(capital.key)}." if capital else ""
    borders = [link(f"country:{code}") for code in source.borders]
    land = f" It borders on {', '.join(borders)}." if borders else " It has no land border."
    return f"'''{escape(source.name)}'''{official} is a country or territory{place}{continent}.{city}{land}"


#: Words that many countries share and nobody confuses them by.
_COMMON_WORDS = {
    *("islands", "island", "saint", "republic", "south", "north", "united", "states", "territory"),
    *(
        "french",
        "british",
        "democratic",
        "territories",
        "virgin",
        "northern",
        "southern",
        "western",
    ),
}


def _namesakes(world: Gathered, source: CountrySource) -> Block:
    """A hatnote with the countries whose names are easily taken for this one's."""
    others = [
        link(f"country:{other.alpha2}")
        for other in world.sources.countries
        if other is not source and _alike(source.name, other.name)
    ]
    return ["hatnote", f"Not to be confused with {', '.join(others)}."] if others else []


def _alike(one: str, other: str) -> bool:
    first, second = fold(one), fold(other)
    shared = {word for word in words(one) if len(word) > 4} & set(words(other))  # noqa: PLR2004 - short words say little
    return bool(shared - _COMMON_WORDS) or first.startswith(second) or second.startswith(first)


def _prose(source: CountrySource, heading: str) -> list[Block]:
    blocks: list[Block] = []
    for section, name in PROSE.get(heading, ()):
        paragraphs = source.profile.paragraphs(section, name)
        if paragraphs and heading not in {"History", "Climate"}:
            paragraphs[0] = f"{name.split(' - ')[0].capitalize()}: {paragraphs[0]}"
        blocks += [escape(text) for text in paragraphs]
    return blocks


def _figures(source: CountrySource, heading: str) -> list[object]:
    rows: list[Row] = []
    for label, section, name, part in FIGURES.get(heading, ()):
        rows += quoted_row(label, source.profile.text(section, name, part))
    return ["facts", *(list(row) for row in rows)] if rows else []


def _extra(world: Gathered, source: CountrySource, heading: str) -> list[Block]:
    code = source.alpha2
    if heading == "Geography":
        return _waters(world, code)
    if heading == "Demographics" and source.languages:
        spoken = ", ".join(link(f"language:{c}") for c, _, _ in source.languages)
        return [f"Languages in use: {spoken}."]
    if heading == "Climate" and source.climate:
        rows = [[klass, name, f"{share:.1f} %"] for klass, name, share in source.climate]
        return [["table", ["Class", "Climate", "Share of the area"], *rows]]
    if heading == "Transport" and world.airports_of.get(code):
        count = len(world.airports_of[code])
        return [
            f"{count} airports with an IATA code have a page: see {link(f'airports:{code}:0')}."
        ]
    return []


def _waters(world: Gathered, code: str) -> list[Block]:
    found = [
        ("Highest mountain", world.mountains),
        ("Major rivers", world.rivers),
        ("Major lakes", world.lakes),
    ]
    blocks: list[Block] = []
    for label, features in found:
        names = [link(feature.key) for feature in features if code in feature.countries]
        if names:
            blocks.append(f"{label}: {', '.join(names)}.")
    return blocks


def _cities(world: Gathered, source: CountrySource) -> list[Block]:
    cities = sorted(world.cities_of.get(source.alpha2, ()), key=lambda c: (-c.population, c.key))
    if not cities:
        return []
    rows = [[link(c.key), f"{c.population:,}"] for c in cities[:MAX_CITY_ROWS]]
    more = f"All {len(cities)} are in {link(f'cities:{source.alpha2}:0')}."
    return [["table", ["City", "Population"], *rows], more]


def _see_also(world: Gathered, source: CountrySource) -> list[object]:
    regions = [link(r.key) for r in world.regions if r.country == source.alpha2]
    lists = [link(f"cities:{source.alpha2}:0")] if world.cities_of.get(source.alpha2) else []
    return ["ul", *lists, *regions]


def service_record(world: Gathered, source: CountrySource) -> dict[str, object]:
    """What the countries service knows, by the field names of `records.Country`."""
    capital = world.capital_of.get(source.alpha2)
    row = source.row
    names = {code: world.country[code].row["alpha3"] for code in source.borders}
    currency = (row["currency_code"], row["currency_name"], row["currency_symbol"])
    return {
        "alpha2": source.alpha2,
        "alpha3": row["alpha3"] or "",
        "name": source.name,
        "official_name": source.official_name,
        "capital": capital.name if capital else None,
        "capital_location": capital.location if capital else None,
        "location": location(world, source),
        "population": population(source),
        "area_km2": area(source),
        "region": row["continent"],
        "subregion": row["subregion"],
        "currencies": [currency] if row["currency_code"] else [],
        "languages": [(code, name) for code, name, _ in source.languages],
        "borders": [names[code] for code in source.borders if names[code]],
        "calling_codes": json.loads(row["calling_codes"]),
        "top_level_domain": row["top_level_domain"],
        "independence": independence(source),
        "aliases": list(source.aliases),
    }
