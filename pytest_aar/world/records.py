"""The records of the world: pages, facts, links, places."""

from collections.abc import Callable
from dataclasses import dataclass, field

#: A block of a section: a paragraph of markup, or a list whose first item names its kind
#: ("ul", "hatnote", "facts", "table"). Markup is plain text with `[[page number|anchor]]` links
#: and `'''bold'''`.
Block = str | list[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact a page states.

    `text` is as the page shows it; `value` is a number (in `unit`), an ISO date, "lat,lon" or a
    text; `value_type` is "number", "date", "coords" or "text". `section` is "infobox", "lead" or a
    heading.
    """

    label: str
    text: str
    value: int | float | str
    value_type: str
    unit: str | None
    section: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of a page: where it leads, its words, and the section it stands in (as in `Fact`)."""

    title: str
    anchor: str
    section: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A headed part of a page; the lead has the empty heading and level 1."""

    heading: str
    level: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InfoboxRow:
    """A row of the infobox: its label and its markup."""

    label: str
    markup: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What is known of a page without unpacking it.

    `country` is the alpha-2 code or None; `location` is (latitude, longitude) or None; `size` is a
    population where there is one, else 0.
    """

    number: int
    title: str
    kind: str
    country: str | None
    location: tuple[float, float] | None
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of the encyclopaedia.

    `links` has one entry per target, at its first place on the page. `sections[0]` is the lead.
    """

    number: int
    title: str
    kind: str
    country: str | None
    location: tuple[float, float] | None
    infobox: tuple[InfoboxRow, ...]
    sections: tuple[Section, ...]
    facts: tuple[Fact, ...]
    links: tuple[Link, ...]
    _render: Callable[["Page"], str] = field(repr=False, compare=False)

    @property
    def html(self) -> str:
        """The parser output of the page (`div.mw-parser-output`), made when asked for."""
        return self._render(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Country:
    """A country as the countries service answers it. Population and area are the Factbook's."""

    alpha2: str
    alpha3: str
    name: str
    official_name: str
    capital: str | None
    capital_location: tuple[float, float] | None
    location: tuple[float, float] | None
    population: int | None
    area_km2: float | None
    region: str | None
    subregion: str | None
    currencies: tuple[tuple[str, str, str], ...]
    languages: tuple[tuple[str, str], ...]
    borders: tuple[str, ...]
    calling_codes: tuple[str, ...]
    top_level_domain: str | None
    independence: str | None
    aliases: tuple[str, ...]
