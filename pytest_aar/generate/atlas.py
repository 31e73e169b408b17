"""The sandbox world's pages as the generator sees them: facts and links taken from the markup."""

import re
from collections.abc import Iterator
from functools import cache

from pytest_aar.article_paths import article_url
from pytest_aar.sandbox_hosts import WIKI_PAGES
from pytest_aar.world import World
from pytest_aar.world.records import Block, Page

from .draft import PageFact, PageLink, PageNode

#: Kinds of pages that a race may start on; lists and continents make poor starts.
SEED_KINDS = ("city", "country", "airport", "region", "mountain", "lake", "river")

_LINK = re.compile(r"\[\[(\d+)\|([^\]]+)\]\]|\[\[(\d+)\]\]")


class WorldAtlas:
    """An `Atlas` over the sandbox world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._nodes: dict[str, PageNode] = {}

    def seeds(self, kind: str) -> tuple[str, ...]:
        """Titles of the pages of one kind, sorted."""
        return tuple(sorted(self._world.pages(kind)))

    async def node(self, title: str) -> PageNode | None:
        """One page with its facts and links."""
        return self.peek(title)

    def peek(self, title: str) -> PageNode | None:
        """The same, made once."""
        if self._world.resolve(title) is None:
            return None
        if title not in self._nodes:
            self._nodes[title] = self._made(self._world.page(title))
        return self._nodes[title]

    def _made(self, page: Page) -> PageNode:
        links = tuple(self._links(page))
        return PageNode(
            title=page.title,
            url=article_url(WIKI_PAGES, page.title),
            kind=page.kind,
            country=page.country,
            location=page.location,
            facts=(*_stated(page), *_named(links)),
            links=links,
        )

    def _links(self, page: Page) -> Iterator[PageLink]:
        for row in page.infobox:
            found = list(self._anchors(row.markup))
            whole = len(found) == 1 and bool(_LINK.fullmatch(row.markup.strip()))
            for title, anchor in found:
                label = row.label if whole else None
                yield PageLink(title=title, anchor=anchor, section="infobox", label=label)
        for section in page.sections:
            markup = "\n".join(_texts(section.blocks))
            for title, anchor in self._anchors(markup):
                yield PageLink(title=title, anchor=anchor, section=section.heading or "lead")

    def _anchors(self, markup: str) -> Iterator[tuple[str, str]]:
        """(title, anchor) of every link in a piece of markup."""
        for found in _LINK.finditer(markup):
            title = self._world.title_of(int(found[1] or found[3]))
            if self._world.resolve(title) == title:
                yield title, found[2] or title


@cache
def world_atlas(world: World) -> WorldAtlas:
    """The atlas of a world, with the pages read so far: one for each process."""
    return WorldAtlas(world)


def _texts(blocks: tuple[Block, ...] | list[object]) -> Iterator[str]:
    """Every piece of markup in blocks, however nested, in reading order."""
    for block in blocks:
        if isinstance(block, str):
            yield block
        elif isinstance(block, list | tuple):
            yield from _texts(list(block))


def _stated(page: Page) -> Iterator[PageFact]:
    for fact in page.facts:
        yield PageFact(
            label=fact.label,
            text=fact.text,
            value=fact.value,
            value_type=fact.value_type,
            unit=fact.unit,
            section=fact.section,
        )


def _named(links: tuple[PageLink, ...]) -> Iterator[PageFact]:
    """Infobox rows that hold one link and nothing else: text facts that name another page."""
    for link in links:
        if link.label:
            yield PageFact(
                label=link.label,
                text=link.anchor,
                value=link.anchor,
                value_type="text",
                unit=None,
                section=link.section,
            )
