"""The world itself: pages, places, countries and the grid, each read when asked for."""

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pytest_aar.sandbox_hosts import WIKI_HOST
from pytest_aar.world.archive import CODE_FORMAT, Archive, open_archive
from pytest_aar.world.countries import CountryTable
from pytest_aar.world.finder import Finder
from pytest_aar.world.gazetteer import Gazetteer
from pytest_aar.world.grid import Cell, Grid
from pytest_aar.world.names import name_index
from pytest_aar.world.reading import read_page
from pytest_aar.world.records import Country, Page, Summary
from pytest_aar.world.render import inline, page_html
from pytest_aar.world.text import BLOCK_PAGES

DATA_FILE = Path(__file__).with_name("data") / "world.zip"
#: Host of the encyclopaedia; never a real Wikipedia address.
SEED_HOST = WIKI_HOST
_PAGE_CACHE = 512
_BLOCK_CACHE = 24


class World:
    """The embedded world over one data file. Stateless: the same question, the same answer."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        index: dict[str, Any] = json.loads(archive["index"].block(0))
        self.date: str = index["date"]
        self._titles: list[str] = index["titles"]
        self._kinds: list[str] = _runs(index["kinds"])
        self._countries: list[str | None] = _runs(index["countries"])
        self._latitudes: list[int | None] = index["latitudes"]
        self._longitudes: list[int | None] = index["longitudes"]
        self._sizes: list[int] = index["sizes"]
        self._redirects: dict[str, int] = index["redirects"]
        self._cell_countries: list[str] = index["cell_countries"]
        self.grid = Grid(archive["grid"])
        self._block = lru_cache(maxsize=_BLOCK_CACHE)(self._read_block)
        self._page = lru_cache(maxsize=_PAGE_CACHE)(self._read_page)
        self._html = lru_cache(maxsize=_PAGE_CACHE)(self._make_html)

    @cached_property
    def hash(self) -> str:
        """Names the data and the way they are answered: 16 hex digits."""
        text = f"{CODE_FORMAT}:{self._archive.sha256()}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {title: number for number, title in enumerate(self._titles)}

    @cached_property
    def _name_index(self) -> dict[str, list[int]]:
        return name_index(self._titles, self._kinds, self._redirects)

    @cached_property
    def gazetteer(self) -> Gazetteer:
        """Names to places and places to names."""
        return Gazetteer(
            self._name_index, self.summary, lambda: self.summaries("city"), self.countries
        )

    @cached_property
    def countries(self) -> CountryTable:
        """The countries service's records."""
        return CountryTable(json.loads(self._archive["countries"].block(0)))

    @property
    def redirects(self) -> dict[str, str]:
        """Redirects as name -> title."""
        return {name: self._titles[number] for name, number in self._redirects.items()}

    @cached_property
    def languages(self) -> dict[str, str]:
        """Language names by code."""
        pairs = {pair for country in self.countries for pair in country.languages}
        return dict(sorted(pairs))

    @cached_property
    def finder(self) -> Finder:
        """Full-text search."""
        block = self._archive["search"].block
        return Finder(block, self._titles, self._name_index, self._page)

    def __len__(self) -> int:
        return len(self._titles)

    def pages(self, kind: str | None = None) -> Iterator[str]:
        """All titles, or those of one kind, in page order."""
        if kind is None:
            return iter(self._titles)
        return (title for title, k in zip(self._titles, self._kinds, strict=True) if k == kind)

    def summaries(self, kind: str | None = None) -> Iterator[Summary]:
        """What is known of each page without unpacking it; of one kind when given."""
        for number, found in enumerate(self._kinds):
            if kind is None or found == kind:
                yield self.summary(number)

    def summary(self, number: int) -> Summary:
        """The summary of a page by its number."""
        latitude, longitude = self._latitudes[number], self._longitudes[number]
        located = latitude is not None and longitude is not None
        return Summary(
            number=number,
            title=self._titles[number],
            kind=self._kinds[number],
            country=self._countries[number],
            location=(latitude / 1e5, longitude / 1e5) if located else None,  # type: ignore[operator]  # `located` says neither is None
            size=self._sizes[number],
        )

    def title_of(self, number: int) -> str:
        """The title of a page by its number."""
        return self._titles[number]

    def number_of(self, title: str) -> int | None:
        """The number of the page with exactly this title, or None."""
        return self._numbers.get(title)

    def resolve(self, name: str) -> str | None:
        """The title a name leads to, redirects followed; None where there is no page."""
        name = normal_title(name)
        if name in self._numbers:
            return name
        number = self._redirects.get(name)
        return None if number is None else self._titles[number]

    def page(self, title: str) -> Page:
        """The page a title or a redirect leads to; KeyError where there is none."""
        found = self.resolve(title)
        if found is None:
            raise KeyError(f"the sandbox world has no page {title!r}")
        return self._page(self._numbers[found])

    def html(self, markup: str) -> str:
        """Markup to HTML."""
        return inline(markup, self._titles.__getitem__)

    def country(self, name: str) -> Country | None:
        """The country of a common or official name, an alias or a code, or None."""
        return self.countries.find(name)

    def country_of_cell(self, cell: Cell) -> Summary | None:
        """The page of the country that a grid cell belongs to."""
        if not cell.is_land:
            return None
        code = self._cell_countries[cell.country - 1]
        country = self.countries.by_alpha2.get(code)
        number = self._numbers.get(country.name) if country else None
        return None if number is None else self.summary(number)

    def _read_block(self, number: int) -> list[bytes]:
        return self._archive["pages"].block(number).split(b"\n")

    def _read_page(self, number: int) -> Page:
        raw = json.loads(self._block(number // BLOCK_PAGES)[number % BLOCK_PAGES])
        return read_page(
            raw,
            self.summary(number),
            titles=self._titles.__getitem__,
            render=lambda page: self._html(page.number),
        )

    def _make_html(self, number: int) -> str:
        return page_html(self._page(number), self._titles.__getitem__)


def normal_title(name: str) -> str:
    """A name as MediaWiki normalizes it: blanks for underscores, the first letter upper case."""
    name = " ".join(name.replace("_", " ").split())
    return name[:1].upper() + name[1:]


def _runs(runs: list[tuple[Any, int]]) -> list[Any]:
    return [value for value, count in runs for _ in range(count)]


@lru_cache(maxsize=4)
def load(path: Path = DATA_FILE) -> World:
    """The world, opened once per process.

    Raises:
        InfrastructureError: its data are missing or damaged; says what to do.
    """
    return World(open_archive(path))


__all__ = ["DATA_FILE", "SEED_HOST", "World", "load", "normal_title"]
