"""Cells that span rows and columns: their texts are repeated, within reason."""

from dataclasses import dataclass, field
from typing import Self

#: More columns than any table for readers has: a span beyond it is an attack or a mistake.
MOST_COLUMNS = 100
_MOST_ROWS = 1_000
#: Longer texts are not repeated: beside them stands nothing, below them a ditto mark.
_LONGEST_BESIDE, _LONGEST_BELOW = 60, 200
DITTO = "\u2033"


@dataclass(slots=True)
class Repeats:
    """What a page may still repeat, in characters, before its spans are taken for hostile."""

    left: int = 1_000_000

    def allow(self, text: str) -> bool:
        """Whether one more place may be filled with `text`; counts it."""
        self.left -= len(text) + 3
        return self.left >= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell's text and how many columns and rows it covers, both at least 1."""

    text: str
    columns: int
    rows: int

    @classmethod
    def read(cls, text: str, *, columns: str | None, rows: str | None) -> Self:
        """From what a page says; rows="0" covers all that follow in the section."""
        return cls(
            text=text,
            columns=max(1, _count(columns, MOST_COLUMNS)),
            rows=_count(rows, _MOST_ROWS) or _MOST_ROWS,
        )


@dataclass(slots=True)
class Spans:
    """What the rows so far still cover of those to come: column -> (rows left, text)."""

    repeats: Repeats
    columns: int = 0
    _open: dict[int, tuple[int, str]] = field(default_factory=dict)

    def filled(self, cells: list[Cell]) -> list[str]:
        """One row's texts, cells from above among them.

        A lone cell across the whole row (an infobox's heading) is not repeated.
        """
        if len(cells) == 1 and not self._open and cells[0].rows == 1:
            return [cells[0].text]
        row: list[str] = []
        earlier = max(self._open, default=-1)
        for cell in cells:
            self._take_open(row)
            self._place(cell, row)
        while len(row) <= earlier:
            self._take_open(row)
            if len(row) <= earlier:
                row.append("")
        self.columns = max(self.columns, len(row))
        return row

    def _place(self, cell: Cell, row: list[str]) -> None:
        for number in range(cell.columns):
            text = cell.text if number == 0 else _beside(cell.text)
            if number and (len(row) >= MOST_COLUMNS or not self.repeats.allow(text)):
                break
            self._open.pop(len(row), None)
            if cell.rows > 1 and len(row) < MOST_COLUMNS:
                self._open[len(row)] = (cell.rows - 1, _below(text))
            row.append(text)

    def _take_open(self, row: list[str]) -> None:
        while (above := self._open.pop(len(row), None)) is not None:
            rows, text = above
            is_allowed = self.repeats.allow(text)
            if rows > 1 and is_allowed:
                self._open[len(row)] = (rows - 1, text)
            row.append(text if is_allowed else "")


def _beside(text: str) -> str:
    return text if len(text) <= _LONGEST_BESIDE else ""


def _below(text: str) -> str:
    return text if len(text) <= _LONGEST_BELOW else DITTO


def _count(value: str | None, most: int) -> int:
    """0 only where the page says so; 1 for anything that is no number."""
    if value is None:
        return 1
    text = value.strip()
    return min(int(text[:6]), most) if text.isdecimal() else 1
