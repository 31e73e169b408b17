"""Stored page records (JSON) to `Page` records."""

from collections.abc import Callable, Iterator
from typing import Any

from pytest_aar.world.records import (
    Block,
    Fact,
    InfoboxRow,
    Link,
    Page,
    Section,
    Summary,
)
from pytest_aar.world.render import Titles, links_in, plain, strings


def read_page(
    raw: list[Any], summary: Summary, *, titles: Titles, render: Callable[[Page], str]
) -> Page:
    """Make a page of its stored record: [infobox rows, sections, further facts]."""
    rows, sections, further = raw
    infobox = tuple(InfoboxRow(label=row[0], markup=row[1]) for row in rows)
    parts = tuple(
        Section(heading=heading, level=level, blocks=tuple(blocks))
        for level, heading, blocks in sections
    )
    return Page(
        number=summary.number,
        title=summary.title,
        kind=summary.kind,
        country=summary.country,
        location=summary.location,
        infobox=infobox,
        sections=parts,
        facts=tuple(_facts(rows, parts, further, titles)),
        links=_links(infobox, parts, titles),
        _render=render,
    )


def _fact(row: list[Any], section: str, titles: Titles) -> Fact:
    label, markup, value, value_type, unit = row
    return Fact(
        label=label,
        text=plain(markup, titles),
        value=value,
        value_type=value_type,
        unit=unit,
        section=section,
    )


def _facts(
    rows: list[Any], sections: tuple[Section, ...], further: list[Any], titles: Titles
) -> Iterator[Fact]:
    yield from (_fact(row, "infobox", titles) for row in rows if row[2] is not None)
    for section in sections:
        for block in section.blocks:
            yield from (_fact(row, section.heading, titles) for row in _fact_rows(block))
    yield from (_fact(row[:5], row[5], titles) for row in further)


def _fact_rows(block: Block) -> Iterator[list[Any]]:
    if isinstance(block, list) and block[0] == "facts":
        for row in block[1:]:
            if isinstance(row, list) and row[2] is not None:
                yield row


def _links(
    infobox: tuple[InfoboxRow, ...], sections: tuple[Section, ...], titles: Titles
) -> tuple[Link, ...]:
    """One link per target, at its first place."""
    found: dict[str, Link] = {}
    for section, markup in _places(infobox, sections):
        if "[[" in markup:
            for title, anchor in links_in(markup, titles):
                if title not in found:
                    found[title] = Link(title=title, anchor=anchor, section=section)
    return tuple(found.values())


def _places(
    infobox: tuple[InfoboxRow, ...], sections: tuple[Section, ...]
) -> Iterator[tuple[str, str]]:
    yield from (("infobox", row.markup) for row in infobox)
    for section in sections:
        for block in section.blocks:
            yield from ((section.heading or "lead", markup) for markup in strings(block))
