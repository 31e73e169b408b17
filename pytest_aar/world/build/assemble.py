"""Drafts to numbered records, and records to the members of the data file."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from pytest_aar.world.build import countries, places, themes
from pytest_aar.world.build.drafts import Draft, link
from pytest_aar.world.build.gathered import Gathered
from pytest_aar.world.build.raster import tiles
from pytest_aar.world.build.search_index import build_index
from pytest_aar.world.build.titles import Titled, give_titles
from pytest_aar.world.text import BLOCK_PAGES

#: Pages are numbered in this order of kinds, then by country and title: like stands beside like.
KINDS = (
    *("main", "continent", "subregion", "country", "language", "mountain", "river", "lake"),
    *("list", "region", "city", "airport", "disambiguation"),
)
DATA_DATE = "2026-10-26"
_KEY = re.compile(r"\[\[([^|\]]+)")


def drafts(world: Gathered) -> Iterator[Draft]:
    """Every page of the world, without titles yet."""
    yield from themes.areas(world)
    yield from (countries.country(world, source) for source in world.sources.countries)
    yield from themes.languages(world)
    yield from (themes.mountain(world, feature) for feature in world.mountains)
    yield from (themes.river(world, feature) for feature in world.rivers)
    yield from (themes.lake(world, feature) for feature in world.lakes)
    yield from themes.lists(world)
    yield from (places.region(world, region) for region in world.regions)
    yield from (places.city(world, city) for city in world.sources.cities)
    yield from (places.airport(world, place) for place in world.sources.airports)
    yield _main_page(world)


def _main_page(world: Gathered) -> Draft:
    page = Draft(key="main", kind="main", base="Main Page", rank=1e13, description="main page")
    page.section(
        "",
        "Welcome to the sandbox world of pytest-aar: real geography, and services whose weather, "
        "ratings, prices and driving times are invented. Nothing here changes, nothing is asked "
        "of the network.",
        level=1,
    )
    continents = sorted({s.row["continent"] for s in world.sources.countries} - {None})
    page.section("Continents", ["ul", *(link(f"continent:{name}") for name in continents)])
    largest = sorted(world.sources.cities, key=lambda city: (-city.population, city.key))[:30]
    page.section("Large cities", ["ul", *(link(city.key) for city in largest)])
    codes = [source.alpha2 for source in world.sources.countries]
    page.section("Countries", ["ul", *(link(f"country:{code}") for code in codes)])
    return page


def members(world: Gathered) -> dict[str, list[bytes]]:
    """The members of the data file."""
    titled = give_titles(drafts(world))
    ordered = sorted(
        titled.drafts,
        key=lambda d: (KINDS.index(d.kind), d.country or "", titled.title[d.key]),
    )
    number = {draft.key: at for at, draft in enumerate(ordered)}
    records = [_record(draft, number) for draft in ordered]
    services = [countries.service_record(world, source) for source in world.sources.countries]
    return {
        "index": [_json(_index(ordered, titled, number, world.sources.raster.codes))],
        "pages": [
            b"\n".join(map(_json, records[start : start + BLOCK_PAGES]))
            for start in range(0, len(records), BLOCK_PAGES)
        ],
        "countries": [_json(services)],
        "search": build_index(((d, titled.title[d.key]) for d in ordered), titled.title),
        "grid": tiles(world.sources.raster),
    }


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _index(
    ordered: list[Draft], titled: Titled, number: dict[str, int], codes: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "date": DATA_DATE,
        "titles": [titled.title[draft.key] for draft in ordered],
        "kinds": _runs(draft.kind for draft in ordered),
        "countries": _runs(draft.country for draft in ordered),
        "latitudes": [round(d.location[0] * 1e5) if d.location else None for d in ordered],
        "longitudes": [round(d.location[1] * 1e5) if d.location else None for d in ordered],
        "cell_countries": codes,
        "sizes": [draft.size for draft in ordered],
        "redirects": {name: number[key] for name, key in titled.redirects.items()},
    }


def _runs(values: Iterable[str | None]) -> list[tuple[str | None, int]]:
    return [(value, len(list(group))) for value, group in groupby(values)]


def _record(draft: Draft, number: dict[str, int]) -> list[Any]:
    """Infobox rows, sections, further facts; links by page number."""
    record = [draft.infobox, draft.sections, draft.facts]
    return _numbered(record, number)  # type: ignore[no-any-return]  # a list comes back as a list


def _numbered(value: Any, number: dict[str, int]) -> Any:
    if isinstance(value, str):
        return _KEY.sub(lambda found: f"[[{number[found[1]]}", value) if "[[" in value else value
    if isinstance(value, list | tuple):
        return [_numbered(item, number) for item in value]
    return value
