"""Pages of mountains, rivers, lakes, languages, subregions, continents, and the lists."""

from collections import defaultdict
from collections.abc import Callable, Iterator

from pytest_aar.world.build.countries import area, population
from pytest_aar.world.build.drafts import (
    DASH,
    Draft,
    coordinates_row,
    escape,
    link,
    number_row,
    text_row,
)
from pytest_aar.world.build.gathered import Gathered
from pytest_aar.world.build.nature import Feature, river_title
from pytest_aar.world.build.sources import Airport, City
from pytest_aar.world.text import fold

LIST_ROWS = 200


def _countries(feature: Feature) -> str:
    return ", ".join(link(f"country:{code}") for code in feature.countries)


def mountain(world: Gathered, feature: Feature) -> Draft:
    """A mountain's page; its place is the highest cell of its first country, so approximate."""
    location = world.sources.raster.summits.get(feature.countries[0])
    countries = [world.country[code] for code in feature.countries]
    draft = Draft(
        key=feature.key,
        kind="mountain",
        base=feature.name,
        qualifiers=(f"{feature.name} (mountain)",),
        country=feature.countries[0],
        location=location,
        rank=1e5,
        description=f"highest point of {' and '.join(c.name for c in countries)}",
    )
    draft.infobox = [
        *number_row("Elevation", feature.measure, "m"),
        *text_row("Country", _countries(feature)),
        *([coordinates_row(location)] if location else []),
    ]
    draft.section(
        "",
        f"'''{escape(feature.name)}''' is the highest point of {_countries(feature)}, "
        f"{feature.measure:,.0f} m above sea level.",
        level=1,
    )
    if location:
        draft.section(
            "Location",
            "The coordinates are those of the highest cell of the elevation grid, some kilometres "
            "from the true summit at most; the grid's elevation there is lower than the summit's.",
        )
    neighbours = [c for source in countries for c in source.borders]
    others = [m for m in world.mountains if set(m.countries) & set(neighbours)]
    draft.section(
        "Nearby high points",
        ["ul", *(f"{link(m.key)} {DASH} {m.measure:,.0f} m" for m in others if m != feature)],
    )
    return draft


def river(world: Gathered, feature: Feature) -> Draft:
    """A river's page."""
    name = river_title(feature.name)
    draft = Draft(
        key=feature.key,
        kind="river",
        base=name,
        qualifiers=(f"{name} ({world.country[feature.countries[0]].name})",),
        country=feature.countries[0],
        rank=1e6,
        aliases=(feature.name, *feature.aliases, *(f"{a} River" for a in feature.aliases)),
        description="river",
    )
    draft.infobox = [
        *number_row("Length", feature.measure, "km"),
        *text_row("Countries", _countries(feature)),
        *text_row("Other names", escape(", ".join(feature.aliases))),
    ]
    length = f", {feature.measure:,.0f} km long" if feature.measure else ""
    draft.section(
        "", f"The '''{escape(name)}''' is a river of {_countries(feature)}{length}.", level=1
    )
    cities = world.river_cities[feature.key]
    draft.section("Cities on the river", ["ul", *(link(c.key) for c in cities)])
    draft.section("Rivers of the same countries", _siblings(world.rivers, feature))
    return draft


def _siblings(features: tuple[Feature, ...], feature: Feature) -> list[object]:
    mine = set(feature.countries)
    return ["ul", *(link(f.key) for f in features if f != feature and mine & set(f.countries))]


def lake(world: Gathered, feature: Feature) -> Draft:
    """A lake's page."""
    country = world.country[feature.countries[0]]
    draft = Draft(
        key=feature.key,
        kind="lake",
        base=feature.name,
        qualifiers=(f"{feature.name} (lake)", f"{feature.name}, {country.name}"),
        country=feature.countries[0],
        rank=1e6,
        description="lake",
    )
    draft.infobox = [
        *number_row("Area", feature.measure, "km2"),
        *text_row("Countries", _countries(feature)),
    ]
    extent = f" of {feature.measure:,.0f} km2" if feature.measure else ""
    draft.section(
        "", f"'''{escape(feature.name)}''' is a lake{extent} in {_countries(feature)}.", level=1
    )
    draft.section("Lakes of the same countries", _siblings(world.lakes, feature))
    return draft


def languages(world: Gathered) -> Iterator[Draft]:
    """A page for each language."""
    speakers: dict[str, list[str]] = defaultdict(list)
    names: dict[str, tuple[str, str]] = {}
    for source in world.sources.countries:
        for code, name, script in source.languages:
            names.setdefault(code, (name, script))
            if source.alpha2 not in speakers[code]:
                speakers[code].append(source.alpha2)
    for code, (name, script) in sorted(names.items()):
        yield _language(code, (name, script), speakers[code])


def _language(code: str, names: tuple[str, str], countries: list[str]) -> Draft:
    name, script = names
    title = name if name.endswith("language") else f"{name} language"
    draft = Draft(
        key=f"language:{code}",
        kind="language",
        base=title,
        qualifiers=(f"{title} ({code})",),
        rank=1e4,
        aliases=(name,),
        description="language",
    )
    draft.infobox = [
        *text_row("ISO 639 code", code, code),
        *text_row("Script", script, script),
        *number_row("Countries", len(countries), None),
    ]
    where = ", ".join(link(f"country:{c}") for c in countries[:3])
    rest = f" and {len(countries) - 3} more" if len(countries) > 3 else ""  # noqa: PLR2004 - three are named
    draft.section("", f"'''{escape(title)}''' (code {code}) is in use in {where}{rest}.", level=1)
    draft.section("Where it is used", ["ul", *(link(f"country:{c}") for c in countries)])
    return draft


def areas(world: Gathered) -> Iterator[Draft]:
    """Pages of subregions and continents."""
    members: dict[str, list[str]] = defaultdict(list)
    parents: dict[str, list[str]] = defaultdict(list)
    for source in world.sources.countries:
        continent, subregion = source.row["continent"], source.row["subregion"]
        if continent and subregion:
            members[subregion].append(source.alpha2)
            if subregion not in parents[continent]:
                parents[continent].append(subregion)
    for continent, subregions in sorted(parents.items()):
        yield _area(world, "continent", continent, [c for s in subregions for c in members[s]])(
            ["ul", *(link(f"subregion:{s}") for s in subregions)], "Subregions"
        )
        for subregion in subregions:
            siblings = [s for s in subregions if s != subregion]
            yield _area(world, "subregion", subregion, members[subregion])(
                ["ul", link(f"continent:{continent}"), *(link(f"subregion:{s}") for s in siblings)],
                "See also",
            )


def _area(
    world: Gathered, kind: str, name: str, codes: list[str]
) -> Callable[[list[object], str], Draft]:
    def complete(related: list[object], heading: str) -> Draft:
        sources = [world.country[code] for code in codes]
        people = sum(population(source) or 0 for source in sources)
        draft = Draft(
            key=f"{kind}:{name}",
            kind=kind,
            base=name,
            qualifiers=(f"{name} ({kind})",),
            size=people,
            rank=1e11,
            description=kind,
        )
        draft.infobox = [
            *number_row("Countries and territories", len(codes), None),
            *number_row("Population", people, None),
            *number_row("Area", round(sum(area(source) or 0 for source in sources)), "km2"),
        ]
        draft.section(
            "", f"'''{name}''' is a {kind} with {len(codes)} countries and territories.", level=1
        )
        rows = [
            [link(f"country:{s.alpha2}"), f"{population(s) or 0:,}", f"{area(s) or 0:,.0f}"]
            for s in sources
        ]
        draft.section("Countries", ["table", ["Country", "Population", "Area (km2)"], *rows])
        draft.section(heading, related)
        return draft

    return complete


def lists(world: Gathered) -> Iterator[Draft]:
    """The pages List of airports in X and List of cities in X, in parts of 200 rows."""
    for source in world.sources.countries:
        code = source.alpha2
        airports = sorted(world.airports_of.get(code, ()), key=lambda a: (fold(a.name), a.iata))
        yield from _parts(code, source.name, "airports", [_airport_row(a) for a in airports])
        cities = sorted(world.cities_of.get(code, ()), key=lambda c: (fold(c.name), c.key))
        yield from _parts(code, source.name, "cities", [_city_row(c) for c in cities])


def _airport_row(airport: Airport) -> list[str]:
    return [link(airport.key), airport.iata, airport.icao, escape(airport.city)]


def _city_row(city: City) -> list[str]:
    return [link(city.key), f"{city.population:,}"]


_HEADS = {"airports": ["Airport", "IATA", "ICAO", "Serves"], "cities": ["City", "Population"]}


def _parts(code: str, country: str, what: str, rows: list[list[str]]) -> Iterator[Draft]:
    count = -(-len(rows) // LIST_ROWS)
    for part in range(count):
        title = f"List of {what} in {country}" + (f" (part {part + 1})" if part else "")
        draft = Draft(
            key=f"{what}:{code}:{part}",
            kind="list",
            base=title,
            country=code,
            description=f"list of {what}",
        )
        mine = rows[part * LIST_ROWS : (part + 1) * LIST_ROWS]
        draft.infobox = number_row("Entries in all", len(rows), None)
        draft.section(
            "", f"This is a list of {what} in {link(f'country:{code}')} that have a page.", level=1
        )
        draft.section(what.capitalize(), ["table", _HEADS[what], *mine])
        others = [link(f"{what}:{code}:{p}") for p in range(count) if p != part]
        draft.section("Other parts", ["ul", *others])
        yield draft
