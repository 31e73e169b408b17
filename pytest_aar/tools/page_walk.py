"""The walk over a page's tree: blocks of markdown, and the headings among them."""

from collections.abc import Callable
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from pytest_aar.tools.page_inline import (
    BREAK,
    BREAKING,
    SILENT,
    formula,
    link_target,
    picture,
    superscript,
    tidy,
)
from pytest_aar.tools.page_tables import table_lines

_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
# fmt: off
_CONTAINERS = frozenset([
    "div", "section", "article", "main", "body", "html", "center", "figure", "figcaption",
    "blockquote", "header", "footer", "details", "summary", "aside", "form", "fieldset", "nav",
    "address", "tbody",
])
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A section's heading: `number` as in a table of contents ("2.1"), `block` its place."""

    title: str
    level: int
    number: str
    block: int


class PageWalk:
    """Collects blocks; the running text is what no block has ended yet."""

    def __init__(self, url: str | None) -> None:
        self.url = url
        self.blocks: list[str] = []
        self.headings: list[Heading] = []
        self._run: list[str] = []
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

    def over(self, root: LexborNode) -> None:
        """Walk a whole page; one nested deeper than any honest page gives its bare text."""
        try:
            self._blocks_of(root)
        except RecursionError:
            self.blocks, self.headings = [], []
            self._run = [root.text(separator=" ")]
        self._flush()

    def _blocks_of(self, node: LexborNode) -> None:
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            handler = self._block_handlers.get(tag)
            if handler is not None:
                self._flush()
                handler(child)
            elif tag in _CONTAINERS:
                self._flush()
                self._blocks_of(child)
                self._flush()
            else:
                self._inline_node(child, tag, self._run)
            child = child.next

    def _flush(self) -> None:
        if self._run:
            text = tidy(self._run, "\n")
            self._run = []
            if text:
                self.blocks.append(text)

    def _text_of(self, node: LexborNode, line_break: str = " ") -> str:
        parts: list[str] = []
        self._inline(node, parts)
        return tidy(parts, line_break)

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
            parts.append(BREAK)
        elif tag == "sup":
            parts.append(superscript(self._text_of(node)))
        elif tag == "math":
            parts.append(formula(node))
        elif tag == "img":
            parts.append(picture(node))
        elif tag not in SILENT:
            edge = BREAK if tag in BREAKING else " " if tag in {"td", "th"} else ""
            parts.append(edge)
            self._inline(node, parts)
            parts.append(edge)

    def _link(self, node: LexborNode, parts: list[str]) -> None:
        text = self._text_of(node)
        target = link_target(node.attributes.get("href") or "", self.url) if text else None
        if target is not None:
            parts.append(f"[{text}]({target})")
        elif text:
            parts.append(text)

    def _paragraph(self, node: LexborNode) -> None:
        self._inline(node, self._run)
        self._flush()

    def _heading(self, node: LexborNode) -> None:
        title = self._text_of(node)
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
        text = tidy(parts, " ")
        if text:
            lines.append(mark + text)
        inner = " " * (len(mark) - len(mark.lstrip())) + "  "
        for sublist in nested:
            self._list_lines(sublist, lines, inner)

    def _table(self, node: LexborNode) -> None:
        lines = table_lines(node, lambda cell: self._text_of(cell, "; "))
        if lines:
            self.blocks.append("\n".join(lines))

    def _preformatted(self, node: LexborNode) -> None:
        text = node.text().strip("\n")
        if text.strip():
            self.blocks.append(f"```\n{text}\n```")
