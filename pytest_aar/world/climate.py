"""Invented daily weather over the real climate: Koppen class, latitude and elevation of a cell.

Random access: a day's weather depends on the cell and the date alone, never on the day before.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from math import acos, cos, pi, radians, sin, tan

from pytest_aar.world.grid import Cell
from pytest_aar.world.seeded import between, exponential, smooth, unit

#: Yearly mean temperature at sea level by latitude, in degrees C.
_LATITUDES = (0, 10, 20, 30, 40, 50, 60, 70, 80, 90)
_MEANS = (26.8, 27.2, 25.8, 20.8, 14.2, 9.3, 3.0, -7.0, -17.0, -28.0)
#: Degrees C per kilometre of height, in the tropics and elsewhere.
_LAPSE_TROPICS, _LAPSE = 4.9, 5.6
_TROPICS, _HOT = 15.0, 25.0
#: Between these longitudes the cold climates without a dry season are colder and drier.
_SIBERIA = (85.0, 150.0)
_SNOW_BELOW = 1.0
#: Centimetres of snow per millimetre of water, as Open-Meteo counts.
SNOW_PER_MM = 0.7
_WET = 0.1
_WARMEST_DAY = 203
_DAY_SECONDS = 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A climate class.

    `shift` of the yearly mean (C), `swing` of the seasons (C), yearly `rain` (mm), share of `wet`
    days, `season` of the rain (-1 winter .. 1 summer), daily `range` (C).
    """

    shift: float
    swing: float
    rain: float
    wet: float
    season: float
    range: float


def _kind(*numbers: float) -> Kind:
    shift, swing, rain, wet, season, day_range = numbers
    return Kind(shift=shift, swing=swing, rain=rain, wet=wet, season=season, range=day_range)


KINDS: Mapping[str, Kind] = {
    "Af": _kind(0.3, 1.0, 2350, 0.55, 0.1, 8),
    "Am": _kind(0.0, 1.8, 2200, 0.45, 0.65, 8),
    "Aw": _kind(0.0, 2.6, 1250, 0.32, 0.85, 10),
    "BWh": _kind(3.2, 9.0, 38, 0.02, 0.0, 14),
    "BWk": _kind(-1.0, 13.0, 130, 0.07, 0.2, 14),
    "BSh": _kind(2.5, 6.5, 420, 0.13, 0.5, 13),
    "BSk": _kind(0.9, 11.5, 370, 0.16, 0.2, 13),
    "Csa": _kind(1.5, 8.0, 600, 0.21, -0.75, 10),
    "Csb": _kind(0.8, 6.5, 850, 0.32, -0.65, 9),
    "Csc": _kind(2.0, 5.5, 800, 0.35, -0.5, 8),
    "Cwa": _kind(0.0, 6.5, 1250, 0.28, 0.85, 10),
    "Cwb": _kind(0.0, 3.0, 950, 0.30, 0.75, 11),
    "Cwc": _kind(0.0, 3.0, 800, 0.30, 0.75, 11),
    "Cfa": _kind(-0.3, 10.0, 1200, 0.32, 0.15, 9),
    "Cfb": _kind(1.9, 6.5, 740, 0.42, 0.0, 7.5),
    "Cfc": _kind(5.0, 5.5, 850, 0.50, -0.1, 6),
    "Dsa": _kind(-2.0, 13.0, 480, 0.20, -0.6, 12),
    "Dsb": _kind(-2.0, 12.5, 520, 0.22, -0.6, 12),
    "Dsc": _kind(-2.0, 13.0, 450, 0.25, -0.4, 11),
    "Dsd": _kind(-8.0, 22.0, 300, 0.22, -0.3, 11),
    "Dwa": _kind(-2.5, 14.5, 700, 0.22, 0.85, 10),
    "Dwb": _kind(-3.5, 17.0, 550, 0.24, 0.8, 11),
    "Dwc": _kind(-4.5, 19.0, 430, 0.26, 0.75, 12),
    "Dwd": _kind(-9.5, 27.0, 280, 0.22, 0.6, 11),
    "Dfa": _kind(-2.0, 13.5, 850, 0.33, 0.2, 10),
    "Dfb": _kind(1.0, 13.0, 680, 0.38, 0.2, 9),
    "Dfc": _kind(-2.5, 15.5, 520, 0.40, 0.3, 9),
    "Dfd": _kind(-9.5, 27.0, 260, 0.30, 0.4, 9),
    "ET": _kind(0.5, 8.0, 450, 0.35, 0.2, 7),
    "EF": _kind(-4.0, 12.0, 250, 0.30, 0.0, 6),
    "": _kind(0.5, 4.0, 900, 0.35, 0.0, 4),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A day's weather: C, mm of water, cm of snow, seconds, km/h, degrees."""

    mean: float
    highest: float
    lowest: float
    rain: float
    snow: float
    precipitation: float
    wet_hours: float
    daylight: float
    sunshine: float
    wind: float
    gusts: float
    wind_from: int
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Climate:
    """The long-term means of a cell."""

    cell: Cell
    kind: Kind
    mean: float
    swing: float

    @property
    def latitude(self) -> float:
        """Latitude of the cell's centre."""
        return self.cell.center[0]


@lru_cache(maxsize=1024)
def climate_of(cell: Cell) -> Climate:
    """Climate of a cell."""
    kind = KINDS[cell.koppen]
    if cell.koppen.startswith("Df") and _SIBERIA[0] < cell.center[1] < _SIBERIA[1]:
        kind = replace(kind, shift=kind.shift - 5.5, swing=kind.swing + 7, rain=kind.rain * 0.6)
    latitude = abs(cell.center[0])
    at = min(len(_LATITUDES) - 2, bisect_right(_LATITUDES, latitude) - 1)
    share = (latitude - _LATITUDES[at]) / 10
    level = _MEANS[at] + (_MEANS[at + 1] - _MEANS[at]) * share
    lapse = _LAPSE_TROPICS if latitude < _HOT else _LAPSE
    mean = level + kind.shift - lapse * max(0, cell.elevation) / 1000
    swing = kind.swing * min(1.0, 0.25 + latitude / 20) if latitude < _TROPICS else kind.swing
    return Climate(cell=cell, kind=kind, mean=mean, swing=swing)


def _season(climate: Climate, day: date) -> float:
    """1 at the height of summer, -1 in the depth of winter."""
    angle = 2 * pi * (day.timetuple().tm_yday - _WARMEST_DAY) / 365.25
    return cos(angle) if climate.latitude >= 0 else -cos(angle)


def weather_on(climate: Climate, day: date) -> Day:
    """The weather of a cell's day."""
    key = (climate.cell.row, climate.cell.column)
    number = day.toordinal()
    season = _season(climate, day)
    water = _water(climate.kind, season, (*key, number))
    wet = water > 0
    spread = 1.5 + climate.swing * 0.22
    mean = climate.mean + climate.swing * season + spread * smooth(number / 4.0, "warm", *key)
    half = climate.kind.range * between(0.7, 1.2, "range", *key, number) * (0.35 if wet else 0.5)
    snowy = wet and mean < _SNOW_BELOW
    daylight = daylight_seconds(climate.latitude, day)
    wind = between(5.0, 30.0, "wind", *key, number) * (1.25 if wet else 1.0)
    return Day(
        mean=round(mean, 1),
        highest=round(mean + half, 1),
        lowest=round(mean - half, 1),
        rain=0.0 if snowy else water,
        snow=round(water * SNOW_PER_MM, 2) if snowy else 0.0,
        precipitation=water,
        wet_hours=float(min(24, 1 + int(water**0.7))) if wet else 0.0,
        daylight=round(daylight, 2),
        sunshine=round(daylight * _clear(climate.kind, water, (*key, number)), 2),
        wind=round(wind, 1),
        gusts=round(wind * between(1.6, 2.3, "gust", *key, number), 1),
        wind_from=int(360 * unit("from", *key, number)),
        code=_code(water, snowy=snowy),
    )


def _water(kind: Kind, season: float, key: tuple[int, ...]) -> float:
    chance = kind.wet * (1 + kind.season * season)
    if unit("wet", *key) >= chance:
        return 0.0
    return round(_WET + exponential(kind.rain / (365.25 * kind.wet) - _WET, "water", *key), 1)


def _clear(kind: Kind, water: float, key: tuple[int, ...]) -> float:
    """Share of the daylight with sun."""
    if water > 0:
        return between(0.02, 0.5, "sun", *key) / (1 + water / 25)
    return between(0.72 - 0.6 * kind.wet, 0.96, "sun", *key)


_RAIN_CODES = ((0.0, 3), (1.0, 51), (5.0, 61), (15.0, 63), (40.0, 65))
_SNOW_CODES = ((1.0, 71), (5.0, 73), (1e9, 75))


def _code(water: float, *, snowy: bool) -> int:
    """The WMO weather code."""
    codes = _SNOW_CODES if snowy else _RAIN_CODES
    return next((code for most, code in codes if water <= most), codes[-1][1])


def daylight_seconds(latitude: float, day: date) -> float:
    """Length of the day from the sun's declination, without refraction."""
    angle = 2 * pi * (day.timetuple().tm_yday + 10) / 365.25
    tilt = -radians(23.44) * cos(angle)
    ratio = -tan(radians(max(-89.9, min(89.9, latitude)))) * tan(tilt)
    return _DAY_SECONDS * acos(max(-1.0, min(1.0, ratio))) / pi


def equation_of_time(day: date) -> float:
    """How many minutes the sun is ahead of the clock."""
    angle = 2 * pi * (day.timetuple().tm_yday - 81) / 364
    return 9.87 * sin(2 * angle) - 7.53 * cos(angle) - 1.5 * sin(angle)
