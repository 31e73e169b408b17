"""Tables as rows of text: spans are filled in, so that each row reads alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from selectolax.lexbor import LexborNode

from pytest_aar.tools.page_inline import BREAK, holds
from pytest_aar.tools.page_runs import Runs
from pytest_aar.tools.page_spans import DITTO, Cell, Repeats, Spans

_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_CELLS = frozenset({"td", "th"})
#: Classes of tables that hold data, however they look; and of those that only place things.
_DATA = ("wikitable", "infobox", "sidebar", "clade", "biota", "mbox")
_PLACING = ("multicol", "col-begin")
_Kind = Literal["header", "data", "alone"]
_BLOCKS = "ul,ol,dl,table,h2,h3,h4,pre"


@dataclass(slots=True)
class Tables:
    """Lines of a page's tables."""

    runs: Runs
    repeats: Repeats = field(default_factory=Repeats)

    def lines(self, table: LexborNode) -> list[str]:
        """Lines of markdown: caption, `| a | b |` for each row, a rule after headers at the top."""
        lines: list[str] = []
        rule, is_top = "", True
        for section in _sections(table):
            spans = Spans(self.repeats)
            for row in section:
                made, kind = self._row(row, spans)
                if rule and made and kind != "header":
                    lines.append(rule)
                    rule, is_top = "", False
                lines += made
                if is_top and kind == "header":
                    rule = _line(["---"] * spans.columns)
                is_top = is_top and kind != "data"
        return lines

    def _row(self, row: LexborNode, spans: Spans) -> tuple[list[str], _Kind]:
        """A row's lines, and what they are; "alone" is what stands across the table."""
        if row.tag == "caption":
            caption = self.runs.cell_text(row)
            return ([caption] if caption else []), "alone"
        nodes = list(cells_of(row))
        if len(nodes) == 1 and holds(nodes[0], {"table"}, 5):
            return self._opened(nodes[0]), "alone"
        cells = [_cell(node, self.runs) for node in nodes]
        texts = spans.filled(cells)
        if not nodes or not any(texts) or (DITTO in texts and not any(cell.text for cell in cells)):
            return [], "alone"
        return [_line(texts)], _kind(nodes, texts)

    def _opened(self, cell: LexborNode) -> list[str]:
        """A cell that is alone in its row: the tables inside it go on as rows of the outer one."""
        inner = outer_tables(cell)
        below = [line for table in inner for line in self.lines(table)]
        for table in inner:
            table.replace_with(BREAK)
        text = self.runs.cell_text(cell)
        return [_line([text]), *below] if text else below


def places_only(table: LexborNode) -> bool:
    """Whether a table holds no data but places lists and tables side by side."""
    classes = table.attrs.get("class") or ""
    if any(name in classes for name in _DATA):
        return False
    if table.attrs.get("role") == "presentation" or any(name in classes for name in _PLACING):
        return True
    rows = [list(cells_of(row)) for section in _sections(table) for row in section]
    cells = [cell for row in rows for cell in row]
    if any(cell.tag == "th" for cell in cells):
        return False
    wanted = _BLOCKS if len(rows) == 1 else "table"
    return any(cell.css_first(wanted) is not None for cell in cells)


def all_cells(table: LexborNode) -> Iterator[LexborNode]:
    """A table's captions and cells, not those of tables inside it."""
    for section in _sections(table):
        for row in section:
            if row.tag == "caption":
                yield row
            else:
                yield from cells_of(row)


def _sections(table: LexborNode) -> Iterator[list[LexborNode]]:
    """The table's own captions and rows, by the sections that row spans end with."""
    loose: list[LexborNode] = []
    for child in _children(table):
        if child.tag in {"tr", "caption"}:
            loose.append(child)
        elif child.tag in _SECTIONS:
            yield loose
            loose = []
            yield [row for row in _children(child) if row.tag == "tr"]
    yield loose


def cells_of(row: LexborNode) -> Iterator[LexborNode]:
    """The cells of a row."""
    return (child for child in _children(row) if child.tag in _CELLS)


def outer_tables(node: LexborNode) -> list[LexborNode]:
    """The tables inside a node that stand in no other table there."""
    found: list[LexborNode] = []
    for child in _children(node):
        if child.tag == "table":
            found.append(child)
        elif child.first_child is not None:
            found += outer_tables(child)
    return found


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        following = child.next
        yield child
        child = following


def _cell(node: LexborNode, runs: Runs) -> Cell:
    attributes = node.attributes
    return Cell.read(
        runs.cell_text(node), columns=attributes.get("colspan"), rows=attributes.get("rowspan")
    )


def _kind(nodes: list[LexborNode], texts: list[str]) -> _Kind:
    """Headers are at least two, with nothing but an empty corner beside them."""
    if len(texts) == 1:
        return "alone"
    headers = sum(node.tag == "th" for node in nodes)
    return "header" if headers > 1 and headers >= len(nodes) - (not texts[0]) else "data"


def _line(texts: list[str]) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in texts)} |"
