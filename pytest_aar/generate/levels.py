"""The four levels: ranges of stops before diamonds (the paper's Table 4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pytest_aar.levels import DIAMONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Inclusive ranges; each diamond adds 3 stops to them.

    `stops` counts page, roadblock and detour stops, without finish line and diamonds.
    `crawl_depth` is the number of link hops around the seed, `crawl_pages` the most pages of that
    graph; `extraction` is the wire's word: "prose" for facts of infobox and lead, "cross_section" for
    those of any section, too.
    """

    name: str
    stops: tuple[int, int]
    roadblocks: tuple[int, int]
    detours: tuple[int, int]
    diamonds: tuple[int, int]
    crawl_depth: int
    extraction: str
    crawl_pages: int = 120


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        level.name: level
        for level in (
            Level(
                name="easy",
                stops=(3, 6),
                roadblocks=(1, 2),
                detours=(1, 2),
                diamonds=DIAMONDS["easy"],
                crawl_depth=1,
                extraction="prose",
            ),
            Level(
                name="medium",
                stops=(7, 12),
                roadblocks=(2, 4),
                detours=(2, 3),
                diamonds=DIAMONDS["medium"],
                crawl_depth=2,
                extraction="cross_section",
            ),
            Level(
                name="hard",
                stops=(13, 16),
                roadblocks=(4, 5),
                detours=(3, 4),
                diamonds=DIAMONDS["hard"],
                crawl_depth=3,
                extraction="cross_section",
            ),
            Level(
                name="extreme",
                stops=(17, 21),
                roadblocks=(5, 7),
                detours=(4, 6),
                diamonds=DIAMONDS["extreme"],
                crawl_depth=3,
                extraction="cross_section",
            ),
        )
    }
)
