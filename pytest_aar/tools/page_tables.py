"""Tables as rows of text: spans are filled in, so that each row reads alone."""

from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborNode

#: More columns than any table for readers has: a span beyond it is an attack or a mistake.
_MOST_COLUMNS = 100
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})

CellText = Callable[[LexborNode], str]


def table_lines(table: LexborNode, text_of: CellText) -> list[str]:
    """Lines of markdown: caption, `| a | b |` for each row, a rule after a row of headers."""
    lines: list[str] = []
    carried: dict[int, tuple[int, str]] = {}
    for row in _rows(table):
        if row.tag == "caption":
            caption = text_of(row)
            lines += [caption] if caption else []
            continue
        cells = list(_cells(row))
        texts = _filled(cells, carried, text_of)
        if any(texts):
            lines.append(_line(texts))
            if len(cells) > 1 and all(cell.tag == "th" for cell in cells):
                lines.append(_line(["---"] * len(texts)))
    return lines


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    """The table's own rows and caption, not those of tables inside it."""
    child = table.first_child
    while child is not None:
        if child.tag in {"tr", "caption"}:
            yield child
        elif child.tag in _SECTIONS:
            yield from _rows(child)
        child = child.next


def _cells(row: LexborNode) -> Iterator[LexborNode]:
    child = row.first_child
    while child is not None:
        if child.tag in {"td", "th"}:
            yield child
        child = child.next


def _filled(
    cells: list[LexborNode], carried: dict[int, tuple[int, str]], text_of: CellText
) -> list[str]:
    """One row's texts; `carried` is what earlier rows still cover: column -> (rows left, text).

    A lone cell across the whole row (an infobox's heading) is not repeated.
    """
    if len(cells) == 1 and not carried and _span(cells[0], "rowspan") == 1:
        return [text_of(cells[0])]
    row: list[str] = []
    for cell in cells:
        _take_carried(row, carried)
        room = _MOST_COLUMNS - len(row)
        if room <= 0:
            break
        text, rows = text_of(cell), _span(cell, "rowspan")
        for _ in range(min(_span(cell, "colspan"), room)):
            if rows > 1:
                carried[len(row)] = (rows - 1, text)
            row.append(text)
    _take_carried(row, carried)
    return row


def _take_carried(row: list[str], carried: dict[int, tuple[int, str]]) -> None:
    while (above := carried.pop(len(row), None)) is not None:
        rows, text = above
        if rows > 1:
            carried[len(row)] = (rows - 1, text)
        row.append(text)


def _span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name)
    if not value or not value.isdecimal():
        return 1
    return min(max(int(value[:6]), 1), _MOST_COLUMNS if name == "colspan" else 1_000)


def _line(texts: list[str]) -> str:
    return f"| {' | '.join(text.replace('|', '/') for text in texts)} |"
