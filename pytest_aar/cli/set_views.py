"""Views of a set of legs for `aar stats`: means as in the paper's Table 2, ranges as in Table 4, diversity."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_aar.generate.levels import LEVELS, Level
from pytest_aar.leg import Leg, diamonds
from pytest_aar.levels import VARIANTS
from pytest_aar.lint.likeness import (
    MOST_ALIKE,
    digit_counts,
    mean_overlap,
    overlaps,
    pages_of,
    unevenness,
)

#: Stops that a diamond adds: two branches and the merge.
_OF_DIAMOND = 3
_RANGES = ("stops", "roadblocks", "detours", "diamonds")

Range = tuple[int, int]


def means(cells: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Table 2: means per leg of each cell, behind the cells of a variant the mean over all of them."""
    rows: list[dict[str, Any]] = []
    for variant in VARIANTS:
        own = [cell for cell in cells if cell["variant"] == variant]
        if own:
            everything = {name: sum(cell[name] for cell in own) for name in ("legs", *names)}
            own.append({"variant": variant, "level": "all"} | everything)
        rows.extend(_mean(cell, names) for cell in own)
    return rows


def ranges(legs: Sequence[Leg]) -> list[dict[str, Any]]:
    """Table 4: fewest and most of each level's legs, the level's own, and how many legs are outside.

    Stops, roadblocks and detours are counted before diamonds are added, without the finish line.
    """
    cells = [
        (
            variant,
            level,
            [_sizes(leg) for leg in legs if (leg.variant, leg.level) == (variant, name)],
        )
        for variant in VARIANTS
        for name, level in LEVELS.items()
    ]
    return [_range_row(variant, level, sizes) for variant, level, sizes in cells if sizes]


def diversity(legs: Sequence[Leg]) -> dict[str, Any]:
    """How different a set's legs are: shared pages of each two legs, and the spread of the digits."""
    pages = [pages_of(leg) for leg in legs]
    digits = digit_counts(legs)
    return {
        "pages": len(frozenset().union(*pages)),
        "mean_jaccard": mean_overlap(pages),
        "pairs_above_half": sum(overlap > MOST_ALIKE for _, _, overlap in overlaps(pages)),
        "digits": list(digits.values()),
        "digits_chi_square": unevenness(digits),
    }


def _mean(cell: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    figures = {name: cell[name] / cell["legs"] for name in names}
    return {"variant": cell["variant"], "level": cell["level"], "legs": cell["legs"]} | figures


def _sizes(leg: Leg) -> dict[str, int]:
    found = len(diamonds(leg))
    return {
        "stops": len(leg.stops) - 1 - _OF_DIAMOND * found,
        "roadblocks": len(leg.roadblocks) - _OF_DIAMOND * found,
        "detours": len(leg.detours),
        "diamonds": found,
    }


def _range_row(variant: str, level: Level, sizes: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    row: dict[str, Any] = {"variant": variant, "level": level.name, "legs": len(sizes)}
    for name in _RANGES:
        low, high = _wanted(variant, level, name)
        found = [size[name] for size in sizes]
        row[name] = {
            "found": [min(found), max(found)],
            "level": [low, high],
            "outside": sum(not low <= count <= high for count in found),
        }
    return row


def _wanted(variant: str, level: Level, name: str) -> Range:
    if name == "diamonds" and variant == "linear":
        return 0, 0
    given: Range = getattr(level, name)
    return given
