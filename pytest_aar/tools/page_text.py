"""HTML -> markdown: one walk over a lexbor tree, made for MediaWiki pages, good enough for others.

Kept: title, number of other language editions, outline of sections, paragraphs, lists, tables
(infoboxes too), links. Dropped: scripts, styles, edit links, reference marks, navigation boxes,
hidden and empty parts, images.
"""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pytest_aar.tools.page_noise import coordinates_above, cut_indicators, cut_noise, languages_told
from pytest_aar.tools.page_stacks import put_in_rows
from pytest_aar.tools.page_walk import Heading, PageWalk

_ROOTS = (".mw-parser-output", "#mw-content-text", "#bodyContent", "main", "article", "body")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A page as blocks of markdown."""

    title: str
    url: str | None
    languages: int | None
    blocks: tuple[str, ...]
    headings: tuple[Heading, ...]

    def head(self) -> str:
        """Title, address, number of other language editions if known, outline of sections."""
        lines = [f"# {self.title}"]
        if self.url:
            lines.append(f"URL: {self.url}")
        if self.languages is not None:
            lines.append(f"Languages: {self.languages} (other language editions of this page)")
        if self.headings:
            lines.append("Sections:")
            lines += [f"{heading.number} {heading.title}" for heading in self.headings]
        return "\n".join(lines)

    def markdown(self) -> str:
        """The whole page under its head."""
        return "\n\n".join((self.head(), *self.blocks))

    def sections_named(self, wanted: str) -> tuple[Heading, ...]:
        """The sections with that number, or else with that title (case and spacing aside)."""
        numbered = tuple(heading for heading in self.headings if heading.number == wanted.strip())
        key = _folded(wanted)
        return numbered or tuple(
            heading for heading in self.headings if _folded(heading.title) == key
        )

    def section(self, heading: Heading) -> str:
        """One section with its subsections, under the page's title."""
        ends = (
            later.block
            for later in self.headings
            if later.block > heading.block and later.level <= heading.level
        )
        return "\n\n".join(
            (f"# {self.title}", *self.blocks[heading.block : next(ends, len(self.blocks))])
        )

    def lead(self) -> str:
        """What stands before the first heading, under the page's title."""
        end = self.headings[0].block if self.headings else len(self.blocks)
        return "\n\n".join((f"# {self.title}", *self.blocks[:end]))


def page_text(
    html: str, *, title: str | None = None, url: str | None = None, languages: int | None = None
) -> PageText:
    """The page as markdown. `html` is a fragment or a whole page, which may tell its own title."""
    tree = LexborHTMLParser(html)
    found_title = title or _title_of(tree) or url or "Untitled page"
    if languages is None:
        languages = languages_told(tree)
    cut_noise(tree)
    put_in_rows(tree)
    walk = PageWalk(url)
    above = coordinates_above(tree)
    if above is not None:
        walk.over(above)
    cut_indicators(tree)
    root = _root_of(tree)
    if root is not None:
        walk.over(root)
    return PageText(
        title=found_title,
        url=url,
        languages=languages,
        blocks=tuple(walk.blocks),
        headings=tuple(walk.headings),
    )


def _root_of(tree: LexborHTMLParser) -> LexborNode | None:
    for selector in _ROOTS:
        found = tree.css(selector)
        if len(found) == 1:
            return found[0]
        if found and selector == ".mw-parser-output":
            return max(found, key=lambda node: len(node.html or ""))
    return tree.body


def _title_of(tree: LexborHTMLParser) -> str | None:
    for selector in ("#firstHeading", "title", "h1"):
        node = tree.css_first(selector)
        text = " ".join(node.text().split()) if node else ""
        if text:
            return text
    return None


def _folded(text: str) -> str:
    return " ".join(text.replace("_", " ").split()).casefold()
