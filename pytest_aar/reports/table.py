"""Plain text tables that fit a terminal."""

from collections.abc import Sequence

GAP = 2
_SHORTEST = 8


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, width: int) -> list[str]:
    """Aligned lines, the first column to the left, the others to the right.

    Where they don't fit, columns are dropped from the right, never the first two; what is still too wide
    is cut in its first column.
    """
    columns = list(zip(head, *rows, strict=True))
    while len(columns) > 2 and _width(columns) > width:  # noqa: PLR2004 - a name and one figure must stay
        columns.pop()
    excess = _width(columns) - width
    if excess > 0:
        columns[0] = tuple(
            _cut(cell, max(_SHORTEST, _widest(columns[0]) - excess)) for cell in columns[0]
        )
    widths = [_widest(column) for column in columns]
    return [_line(row, widths) for row in zip(*columns, strict=True)]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.ljust(widths[0]) if index == 0 else cell.rjust(widths[index])
        for index, cell in enumerate(row)
    )
    return (" " * GAP).join([first, *others]).rstrip()


def _width(columns: Sequence[Sequence[str]]) -> int:
    return sum(_widest(column) for column in columns) + GAP * (len(columns) - 1)


def _widest(column: Sequence[str]) -> int:
    return max(len(cell) for cell in column)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
