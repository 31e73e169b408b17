"""One world grid out of the per-country grids of pyworldatlas-mapdata-standard."""

from __future__ import annotations  # array[int] is a type only from Python 3.12 on

import json
import sqlite3
import zlib
from array import array
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.world.grid import CELLS_PER_DEGREE, SEA, SMALL_ISLAND, TILE, TILE_COLUMNS

WIDTH, HEIGHT = 360 * CELLS_PER_DEGREE, 180 * CELLS_PER_DEGREE
NO_DATA = -32768
#: South of 60 S heights are rounded to 10 m: nobody lives there and it saves a tenth of the file.
_ANTARCTIC_ROW = 30 * CELLS_PER_DEGREE
#: Land components with a number of their own; smaller islands share one.
LARGE_COMPONENTS = 254


River = tuple[str, str, list[tuple[float, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Raster:
    """The merged planes, row 0 in the south; `codes[i]` is the country of cells with value i + 1."""

    elevation: array[int]
    koppen: bytearray
    country: bytearray
    component: bytearray
    codes: tuple[str, ...]
    rivers: tuple[River, ...]
    summits: dict[str, tuple[float, float]]

    def at(self, latitude: float, longitude: float) -> int:
        """Index of a point's cell in every plane."""
        row = min(HEIGHT - 1, max(0, int((latitude + 90) * CELLS_PER_DEGREE)))
        return row * WIDTH + int((longitude + 180) * CELLS_PER_DEGREE) % WIDTH

    def land_at(self, latitude: float, longitude: float) -> int | None:
        """Index of the point's cell, or of a land cell within three cells of it."""
        here = self.at(latitude, longitude)
        if self.country[here]:
            return here
        span = range(-3, 4)
        for _, dy, dx in sorted((y * y + x * x, y, x) for y in span for x in span):
            row, column = divmod(here, WIDTH)
            there = min(HEIGHT - 1, max(0, row + dy)) * WIDTH + (column + dx) % WIDTH
            if self.country[there]:
                return there
        return None


def read_raster(database: Path) -> Raster:
    """Merge all countries; where two claim a border cell, the later code in the alphabet keeps it."""
    elevation = array("h", [NO_DATA]) * (WIDTH * HEIGHT)
    koppen, country = bytearray(WIDTH * HEIGHT), bytearray(WIDTH * HEIGHT)
    codes: list[str] = []
    rivers: list[River] = []
    summits: dict[str, tuple[float, float]] = {}
    query = "select alpha2, payload from country_map order by alpha2"
    with sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True) as connection:
        for alpha2, payload in connection.execute(query):
            grid = json.loads(zlib.decompress(payload))
            codes.append(alpha2)
            peak = _merge(grid, len(codes), (elevation, koppen, country))
            if peak is not None:
                row, column = divmod(peak, WIDTH)
                summits[alpha2] = (
                    round((row + 0.5) / CELLS_PER_DEGREE - 90, 4),
                    round((column + 0.5) / CELLS_PER_DEGREE - 180, 4),
                )
            rivers += [
                (alpha2, river["name"], [(y, x) for x, y in river["points"]])
                for river in grid["rivers"]
            ]
    return Raster(
        elevation=elevation,
        koppen=koppen,
        country=country,
        component=_components(country),
        codes=tuple(codes),
        rivers=tuple(rivers),
        summits=summits,
    )


def _merge(
    grid: dict[str, object], number: int, planes: tuple[array[int], bytearray, bytearray]
) -> int | None:
    """Copy one country's land cells; returns the index of its highest one."""
    elevation, koppen, country = planes
    heights = array("h", bytes.fromhex(str(grid["elevation"])))
    classes = bytes.fromhex(str(grid["climate"]))
    columns = int(str(grid["columns"]))
    west = round((float(str(grid["west"])) + 180) * CELLS_PER_DEGREE)
    south = round((float(str(grid["south"])) + 90) * CELLS_PER_DEGREE)
    best: tuple[int, int] | None = None
    for at, exact in enumerate(heights):
        if exact == NO_DATA:
            continue
        row, column = divmod(at, columns)
        height = round(exact, -1) if south + row < _ANTARCTIC_ROW else exact
        there = (south + row) * WIDTH + (west + column) % WIDTH
        elevation[there], koppen[there], country[there] = height, classes[at], number
        if best is None or height > best[0]:
            best = (height, there)
    return best[1] if best else None


def _components(country: bytearray) -> bytearray:
    """Number the connected land masses (eight neighbours), the largest first."""
    label = array("i", [0]) * len(country)
    sizes: Counter[int] = Counter()
    for start, owner in enumerate(country):
        if owner and not label[start]:
            number = len(sizes) + 1
            sizes[number] = _flood(country, label, start, number)
    largest = sorted(sizes, key=lambda number: (-sizes[number], number))[:LARGE_COMPONENTS]
    rank = {number: at for at, number in enumerate(largest, 1)}
    return bytearray(rank.get(number, SMALL_ISLAND) if number else 0 for number in label)


def _flood(country: bytearray, label: array[int], start: int, number: int) -> int:
    label[start] = number
    queue = deque([start])
    size = 0
    while queue:
        row, column = divmod(queue.popleft(), WIDTH)
        size += 1
        for there in _neighbours(row, column):
            if country[there] and not label[there]:
                label[there] = number
                queue.append(there)
    return size


def _neighbours(row: int, column: int) -> tuple[int, ...]:
    west, east = (column - 1) % WIDTH, (column + 1) % WIDTH
    rows = [r * WIDTH for r in (row - 1, row, row + 1) if 0 <= r < HEIGHT]
    return tuple(base + c for base in rows for c in (west, column, east))


def tiles(raster: Raster) -> list[bytes]:
    """The blocks that `world.grid` reads; an all-sea tile is empty."""
    return [
        _tile(raster, row, column)
        for row in range(0, HEIGHT, TILE)
        for column in range(0, TILE * TILE_COLUMNS, TILE)
    ]


def _tile(raster: Raster, row: int, column: int) -> bytes:
    spans = [slice(r * WIDTH + column, r * WIDTH + column + TILE) for r in range(row, row + TILE)]
    if not any(any(raster.country[span]) for span in spans):
        return b""
    high, low = bytearray(), bytearray()
    for span in spans:
        last = 0
        for height in raster.elevation[span]:
            step = SEA if height == NO_DATA else (height - last) & 0xFFFF
            last = last if height == NO_DATA else height
            high.append(step >> 8)
            low.append(step & 0xFF)
    planes = (raster.koppen, raster.country, raster.component)
    return bytes(high + low) + b"".join(bytes(p[span]) for p in planes for span in spans)
