"""The walk over a page's tree: blocks of markdown, and the headings among them."""

from collections.abc import Callable
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from pytest_aar.tools.page_inline import BREAK, SILENT, holds, tidy
from pytest_aar.tools.page_lists import LISTS, ListLines
from pytest_aar.tools.page_runs import Runs
from pytest_aar.tools.page_tables import Tables, all_cells, places_only

_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
# fmt: off
_CONTAINERS = frozenset([
    "div", "section", "article", "main", "body", "html", "center", "figure", "figcaption",
    "header", "footer", "details", "summary", "aside", "form", "fieldset", "nav", "address",
    "tbody",
])
#: Inline tags that hold no blocks, whatever the page says.
_PLAIN = frozenset(["-text", "a", "br", "sup", "sub", "img", "math", *SILENT])
# fmt: on
#: Quotations inside quotations inside ... that are still marked as such.
_MOST_QUOTES = 5
_BLOCKS = frozenset(["p", "table", "pre", "blockquote", *LISTS, *_HEADINGS])


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
        self.blocks: list[str] = []
        self.headings: list[Heading] = []
        self._runs = Runs(url)
        self._tables = Tables(self._runs)
        self._lists = ListLines(self._runs, self._tables.lines)
        self._run: list[str] = []
        self._quotes = 0
        self._levels: list[int] = []
        self._counters: list[int] = []
        self._block_handlers: dict[str, Callable[[LexborNode], None]] = {
            "p": self._paragraph,
            "table": self._table,
            "pre": self._preformatted,
            "blockquote": self._quotation,
            **dict.fromkeys(LISTS, self._list),
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
            elif tag in _CONTAINERS or (tag not in _PLAIN and holds(child, _BLOCKS)):
                self._flush()
                self._blocks_of(child)
                self._flush()
            else:
                self._runs.add(child, tag, self._run)
            child = child.next

    def _flush(self) -> None:
        if self._run:
            text = tidy(self._run, "\n")
            self._run = []
            if text:
                self.blocks.append(text)

    def _paragraph(self, node: LexborNode) -> None:
        self._runs.inside(node, self._run)
        self._flush()

    def _heading(self, node: LexborNode) -> None:
        title = self._runs.text_of(node)
        if not title:
            return
        level = _HEADINGS[node.tag or "h2"]
        plain = " ".join(node.text().replace(BREAK, " ").split())
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
        self._lines(self._lists.of(node))

    def _table(self, node: LexborNode) -> None:
        if not places_only(node):
            self._lines(self._tables.lines(node))
            return
        for cell in all_cells(node):
            self._blocks_of(cell)
            self._flush()

    def _lines(self, lines: list[str]) -> None:
        if lines:
            self.blocks.append("\n".join(lines))

    def _quotation(self, node: LexborNode) -> None:
        first = len(self.blocks)
        self._quotes += 1
        self._blocks_of(node)
        self._flush()
        self._quotes -= 1
        if self._quotes < _MOST_QUOTES:
            quoted = ("> " + block.replace("\n", "\n> ") for block in self.blocks[first:])
            self.blocks[first:] = quoted

    def _preformatted(self, node: LexborNode) -> None:
        text = node.text().replace(BREAK, "\n").strip("\n")
        if text.strip():
            self.blocks.append(f"```\n{text}\n```")
