"""A page while it is being written: links lead to keys ("city:2988507"), titles come later."""

from dataclasses import dataclass, field

from pytest_aar.world.build.factbook import only_date, quantity
from pytest_aar.world.geodesy import Point
from pytest_aar.world.records import Block

#: A fact row: label, markup, value (None: no fact), value type, unit.
Row = tuple[str, str, int | float | str | None, str, str | None]


#: The dash between a name and its figure.
DASH = "\u2013"


@dataclass(slots=True, kw_only=True)
class Draft:
    """A page being written.

    `base` is the wished title; `qualifiers` are the longer ones tried when others wish the same.
    `rank` decides who may keep the bare name; `aliases` become redirects where they are free.
    """

    key: str
    kind: str
    base: str
    qualifiers: tuple[str, ...] = ()
    country: str | None = None
    location: Point | None = None
    size: int = 0
    rank: float = 0.0
    aliases: tuple[str, ...] = ()
    description: str = ""
    infobox: list[Row] = field(default_factory=list)
    sections: list[tuple[int, str, list[Block]]] = field(default_factory=list)
    facts: list[tuple[str, str, int | float | str, str, str | None, str]] = field(
        default_factory=list
    )

    def section(self, heading: str, *blocks: Block, level: int = 2) -> None:
        """Add a section unless all its blocks are empty."""
        kept = [block for block in blocks if block and len(block) > (isinstance(block, list))]
        if kept:
            self.sections.append((level, heading, kept))


def link(key: str, anchor: str = "") -> str:
    """Markup of a link to a page by its key; without an anchor the title is shown."""
    return f"[[{key}|{anchor}]]" if anchor else f"[[{key}]]"


def escape(text: str) -> str:
    """Text of others inside markup: brackets and quotes that would mean something are parted."""
    return text.replace("[[", "[ [").replace("]]", "] ]").replace("'''", "''")


def number_row(label: str, value: float | None, unit: str | None, *, shown: str = "") -> list[Row]:
    """A row with a number, [] when there is none."""
    if value is None:
        return []
    plain: int | float = int(value) if float(value).is_integer() else round(float(value), 4)
    text = shown or f"{plain:,}" + (f" {unit}" if unit else "")
    return [(label, text, plain, "number", unit)]


def text_row(label: str, markup: str | None, value: str | None = None) -> list[Row]:
    """A row with a text; `value` makes it a fact of type text."""
    return [(label, markup, value, "text", None)] if markup else []


def quoted_row(label: str, text: str | None) -> list[Row]:
    """A row with a Factbook text: a fact where it holds a date or begins with a number."""
    if not text:
        return []
    date = only_date(text)
    if date is not None:
        return [(label, escape(text), date, "date", None)]
    found = quantity(text)
    if found is None:
        return [(label, escape(text), None, "text", None)]
    return [(label, escape(text), found.value, "number", found.unit)]


def coordinates_row(location: Point) -> Row:
    """The row "Coordinates", decimal degrees."""
    latitude, longitude = location
    text = (
        f"{abs(latitude):.4f}°{'N' if latitude >= 0 else 'S'} "
        f"{abs(longitude):.4f}°{'E' if longitude >= 0 else 'W'}"
    )
    return ("Coordinates", text, f"{latitude},{longitude}", "coords", None)
