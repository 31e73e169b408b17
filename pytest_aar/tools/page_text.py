"""HTML -> markdown: one walk over a lexbor tree, made for MediaWiki pages and good enough for others.

Kept: title, number of other language editions, outline of sections, paragraphs, lists, tables (infoboxes too),
links. Dropped: scripts, styles, edit links, reference marks, navigation boxes, hidden and empty parts, images.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pytest_aar.tools.page_tables import table_lines

_DROPPED = (
    "script,style,template,noscript,svg,head link,.mw-editsection,sup.reference,.navbox,.navbox-styles,"
    ".mw-cite-backlink,.toc,#toc,.noprint,.mw-jump-link,.ambox,"
    '[style*="display:none"],[style*="display: none"]'
)
_ROOTS = (".mw-parser-output", "#mw-content-text", "main", "article", "body")
_SPACE = re.compile(r"[^\S\x00]+")
_BREAK = "\x00"
_SUPERSCRIPTS = str.maketrans("0123456789+-\u2212n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CONTAINERS = frozenset(
    "div section article main body html center figure figcaption blockquote header footer details summary"
    " aside form fieldset nav address tbody".split()
)
#: Tags that end a word when they stand in running text, such as lists inside a table's cell.
_BREAKING = frozenset(
    "p div li dd dt tr ul ol dl table h1 h2 h3 h4 h5 h6 section blockquote caption".split()
)
_SILENT = frozenset(
    ["-comment", "head", "title", "meta", "link", "button", "input", "select", "option", "iframe"]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A section's heading: `number` as in a table of contents ("2.1"), `block` its place in the page."""

    title: str
    level: int
    number: str
    block: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A page as blocks of markdown."""

    title: str
    url: str | None
    languages: int | None
    blocks: tuple[str, ...]
    headings: tuple[Heading, ...]

    def head(self) -> str:
        """Title, address, number of other language editions where known, and the outline of sections."""
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
    """The page as markdown. `html` may be a fragment or a whole page; the title is found where not given."""
    tree = LexborHTMLParser(html)
    found_title = title or _title_of(tree) or url or "Untitled page"
    if languages is None:
        languages = len(tree.css("li.interlanguage-link")) or None
    for node in tree.css(_DROPPED):
        node.decompose(recursive=True)
    walker = _Walker(url)
    root = _root_of(tree)
    if root is not None:
        try:
            walker.blocks_of(root)
        except RecursionError:  # nested deeper than any honest page: its bare text will do
            walker = _Walker(url)
            walker.run.append(root.text(separator=" "))
        walker.flush()
    return PageText(
        title=found_title,
        url=url,
        languages=languages,
        blocks=tuple(walker.blocks),
        headings=tuple(walker.headings),
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


class _Walker:
    """Collects blocks; `run` is the running text not yet ended by a block."""

    def __init__(self, url: str | None) -> None:
        self.url = url
        self.blocks: list[str] = []
        self.headings: list[Heading] = []
        self.run: list[str] = []
        self._levels: list[int] = []
        self._counters: list[int] = []
        self._block_handlers: dict[str, Callable[[LexborNode], None]] = {
            "p": self._paragraph,
            "ul": self._list,
            "ol": self._list,
            "dl": self._list,
            "table": self._table,
            "pre": self._preformatted,
            **dict.fromkeys(_HEADINGS, self._heading),
        }

    def blocks_of(self, node: LexborNode) -> None:
        """Walk a container: blocks where there are some, running text gathered into paragraphs."""
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            handler = self._block_handlers.get(tag)
            if handler is not None:
                self.flush()
                handler(child)
            elif tag in _CONTAINERS:
                self.flush()
                self.blocks_of(child)
                self.flush()
            else:
                self._inline_node(child, tag, self.run)
            child = child.next

    def flush(self) -> None:
        """End the running text: it becomes a paragraph unless empty."""
        if self.run:
            text = _tidy(self.run, "\n")
            self.run = []
            if text:
                self.blocks.append(text)

    def text_of(self, node: LexborNode, line_break: str = " ") -> str:
        """Everything in `node` as one running text."""
        parts: list[str] = []
        self._inline(node, parts)
        return _tidy(parts, line_break)

    def _inline(self, node: LexborNode, parts: list[str]) -> None:
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag == "-text":
                parts.append(child.text_content or "")
            else:
                self._inline_node(child, tag, parts)
            child = child.next

    def _inline_node(self, node: LexborNode, tag: str, parts: list[str]) -> None:
        if tag == "-text":
            parts.append(node.text_content or "")
        elif tag == "a":
            self._link(node, parts)
        elif tag == "br":
            parts.append(_BREAK)
        elif tag == "sup":
            parts.append(_superscript(self.text_of(node)))
        elif tag == "math":
            parts.append(_formula(node))
        elif tag == "img":
            parts.append(_picture(node))
        elif tag not in _SILENT:
            edge = _BREAK if tag in _BREAKING else " " if tag in {"td", "th"} else ""
            parts.append(edge)
            self._inline(node, parts)
            parts.append(edge)

    def _link(self, node: LexborNode, parts: list[str]) -> None:
        text = self.text_of(node)
        target = _target(node.attributes.get("href") or "", self.url) if text else None
        if target is not None:
            parts.append(f"[{text}]({target})")
        elif text:
            parts.append(text)

    def _paragraph(self, node: LexborNode) -> None:
        self._inline(node, self.run)
        self.flush()

    def _heading(self, node: LexborNode) -> None:
        title = self.text_of(node)
        if not title:
            return
        level = _HEADINGS[node.tag or "h2"]
        plain = " ".join(node.text().split())
        self.headings.append(
            Heading(title=plain, level=level, number=self._number(level), block=len(self.blocks))
        )
        self.blocks.append(f"{'#' * level} {title}")

    def _number(self, level: int) -> str:
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
        self._levels.append(level)
        depth = len(self._levels)
        self._counters = [*self._counters[:depth], *[0] * (depth - len(self._counters))]
        self._counters[-1] += 1
        return ".".join(map(str, self._counters))

    def _list(self, node: LexborNode) -> None:
        lines: list[str] = []
        self._list_lines(node, lines, "")
        if lines:
            self.blocks.append("\n".join(lines))

    def _list_lines(self, node: LexborNode, lines: list[str], indent: str) -> None:
        ordered, number = node.tag == "ol", 0
        child = node.first_child
        while child is not None:
            if child.tag in {"li", "dt", "dd"}:
                number += 1
                self._item(child, lines, f"{indent}{f'{number}.' if ordered else '-'} ")
            elif child.tag in {"ul", "ol", "dl", "div"}:
                self._list_lines(child, lines, indent)
            child = child.next

    def _item(self, node: LexborNode, lines: list[str], mark: str) -> None:
        parts: list[str] = []
        nested: list[LexborNode] = []
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag in {"ul", "ol", "dl"}:
                nested.append(child)
            else:
                self._inline_node(child, tag, parts)
            child = child.next
        text = _tidy(parts, " ")
        if text:
            lines.append(mark + text)
        inner = " " * (len(mark) - len(mark.lstrip())) + "  "
        for sublist in nested:
            self._list_lines(sublist, lines, inner)

    def _table(self, node: LexborNode) -> None:
        lines = table_lines(node, lambda cell: self.text_of(cell, "; "))
        if lines:
            self.blocks.append("\n".join(lines))

    def _preformatted(self, node: LexborNode) -> None:
        text = node.text().strip("\n")
        if text.strip():
            self.blocks.append(f"```\n{text}\n```")


def _tidy(parts: list[str], line_break: str) -> str:
    """One text with white space folded; breaks become `line_break`, none at the ends, never two in a row."""
    text = _SPACE.sub(" ", "".join(parts)).replace("\ufeff", "")
    if _BREAK not in text:
        return text.strip()
    pieces = (piece.strip() for piece in text.split(_BREAK))
    return line_break.join(piece for piece in pieces if piece)


def _superscript(text: str) -> str:
    """10<sup>6</sup> must not read as 106."""
    raised = text.translate(_SUPERSCRIPTS)
    is_plain = all(character in "0123456789+-\u2212n" for character in text)
    return raised if is_plain else f"^{text}"


def _formula(node: LexborNode) -> str:
    source = node.attributes.get("alttext")
    if not source:
        annotation = node.css_first("annotation")
        source = annotation.text() if annotation else node.text()
    return f"${' '.join(source.split())}$"


def _picture(node: LexborNode) -> str:
    """Nothing, save for the pictures that stand for formulas."""
    attributes = node.attributes
    if "mwe-math" not in (attributes.get("class") or ""):
        return ""
    return f"${' '.join((attributes.get('alt') or '').split())}$"


def _target(href: str, url: str | None) -> str | None:
    """Where a link leads: /wiki/... as it is, others absolute; None for marks, missing pages and scripts."""
    if href.startswith("/wiki/"):
        return href.partition("#")[0]
    if href.startswith("./"):  # Parsoid's way of writing a page of the same wiki
        return f"/wiki/{href[2:].partition('#')[0]}"
    if not href or href.startswith("#") or "redlink=1" in href:
        return None
    if href.startswith("//"):
        return f"https:{href}"
    absolute = urljoin(url, href) if url else href
    return absolute if absolute.startswith(("http://", "https://")) else None
