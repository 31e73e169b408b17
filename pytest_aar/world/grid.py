"""The land grid: 5 arc-minute cells with elevation, climate class, country and land component.

Cells are kept in tiles of 10 x 10 degrees. A tile holds four planes: elevation as differences along
each row (high bytes, then low bytes; 0x8000 = sea), then one byte per cell of each other plane.
Only a lookup's tile is unpacked, and only its row is summed.
"""

from dataclasses import dataclass
from functools import lru_cache

from pytest_aar.world.archive import Member

CELLS_PER_DEGREE = 12
TILE = 120
TILE_COLUMNS = 36
CELLS = TILE * TILE
SEA = 0x8000
#: Land component shared by all islands too small for a number of their own.
SMALL_ISLAND = 255

#: Koppen-Geiger classes by their number in the grid (Beck et al.); 0 is the sea.
KOPPEN = (
    *("", "Af", "Am", "Aw", "BWh", "BWk", "BSh", "BSk", "Csa", "Csb", "Csc", "Cwa", "Cwb", "Cwc"),
    *("Cfa", "Cfb", "Cfc", "Dsa", "Dsb", "Dsc", "Dsd", "Dwa", "Dwb", "Dwc", "Dwd"),
    *("Dfa", "Dfb", "Dfc", "Dfd", "ET", "EF"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: row from the south, column from 180 W. At sea: elevation 0, class "", country 0."""

    row: int
    column: int
    elevation: int
    koppen: str
    country: int
    component: int

    @property
    def is_land(self) -> bool:
        """Whether the cell is land."""
        return self.country > 0

    @property
    def center(self) -> tuple[float, float]:
        """Latitude and longitude of the cell's centre."""
        return (
            round((self.row + 0.5) / CELLS_PER_DEGREE - 90, 6),
            round((self.column + 0.5) / CELLS_PER_DEGREE - 180, 6),
        )


def cell_index(latitude: float, longitude: float) -> tuple[int, int]:
    """Row and column of the cell that holds this point."""
    row = min(180 * CELLS_PER_DEGREE - 1, max(0, int((latitude + 90) * CELLS_PER_DEGREE)))
    return row, int((longitude + 180) * CELLS_PER_DEGREE) % (360 * CELLS_PER_DEGREE)


class Grid:
    """Lookups in the grid, by point."""

    def __init__(self, tiles: Member) -> None:
        self._tiles = tiles
        self._tile = lru_cache(maxsize=64)(self._unpack)
        self._cell = lru_cache(maxsize=4096)(self._look_up)

    def _unpack(self, number: int) -> bytes:
        return self._tiles.block(number)

    def cell(self, latitude: float, longitude: float) -> Cell:
        """The cell at a point."""
        return self._cell(*cell_index(latitude, longitude))

    def cell_at(self, row: int, column: int) -> Cell:
        """The cell at a row from the south pole and a column from 180 W."""
        return self._cell(row, column % (360 * CELLS_PER_DEGREE))

    def _look_up(self, row: int, column: int) -> Cell:
        tile = self._tile(row // TILE * TILE_COLUMNS + column // TILE)
        if not tile:
            return Cell(row=row, column=column, elevation=0, koppen="", country=0, component=0)
        begin = row % TILE * TILE
        at = begin + column % TILE
        return Cell(
            row=row,
            column=column,
            elevation=_elevation(tile, begin, at),
            koppen=KOPPEN[tile[2 * CELLS + at]],
            country=tile[3 * CELLS + at],
            component=tile[4 * CELLS + at],
        )

    def nearest_land(self, latitude: float, longitude: float, *, reach: int = 3) -> Cell | None:
        """The cell at a point if it is land, else the nearest land cell within `reach` cells."""
        row, column = cell_index(latitude, longitude)
        here = self._cell(row, column)
        if here.is_land:
            return here
        span = range(-reach, reach + 1)
        offsets = sorted((dy * dy + dx * dx, dy, dx) for dy in span for dx in span)
        last = 180 * CELLS_PER_DEGREE - 1
        near = (self.cell_at(min(last, max(0, row + dy)), column + dx) for _, dy, dx in offsets)
        return next((cell for cell in near if cell.is_land), None)


def _elevation(tile: bytes, begin: int, at: int) -> int:
    """Sum the row's differences up to the cell; the sea breaks no sum."""
    if tile[at] << 8 | tile[CELLS + at] == SEA:
        return 0
    total = 0
    for high, low in zip(tile[begin : at + 1], tile[CELLS + begin : CELLS + at + 1], strict=True):
        step = high << 8 | low
        if step != SEA:
            total += step
    total &= 0xFFFF
    return total - 0x10000 if total & 0x8000 else total
