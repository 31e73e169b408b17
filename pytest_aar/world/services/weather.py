"""Daily weather in Open-Meteo's shape: archive and forecast. All of it is invented."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import isnan
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_aar.world.climate import (
    Climate,
    Day,
    climate_of,
    daylight_seconds,
    equation_of_time,
    weather_on,
)
from pytest_aar.world.gazetteer import valid_point
from pytest_aar.world.services.answers import SYNTHETIC, Answer, Request, json_answer

if TYPE_CHECKING:
    from pytest_aar.world.store import World

FIRST_DAY = date(1940, 1, 1)
MAX_FORECAST, MAX_PAST = 16, 92
MAX_DAYS = 366 * 30


class BadRequest(Exception):
    """What Open-Meteo answers with HTTP 400 and a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A daily variable: its unit and how to read it from a day."""

    unit: str
    read: Callable[[Day], float | int | None]


def _felt(kind: str) -> Callable[[Day], float]:
    """Apparent temperature: wind chills it, and wet heat adds."""

    def read(day: Day) -> float:
        value: float = getattr(day, kind)
        return round(value - 0.06 * day.wind + (1.0 if day.precipitation else 0.0), 1)

    return read


_SUN = ("sunrise", "sunset")
DAILY: Mapping[str, Variable] = {
    "weather_code": Variable(unit="wmo code", read=lambda day: day.code),
    "temperature_2m_max": Variable(unit="°C", read=lambda day: day.highest),
    "temperature_2m_min": Variable(unit="°C", read=lambda day: day.lowest),
    "temperature_2m_mean": Variable(unit="°C", read=lambda day: day.mean),
    "apparent_temperature_max": Variable(unit="°C", read=_felt("highest")),
    "apparent_temperature_min": Variable(unit="°C", read=_felt("lowest")),
    "apparent_temperature_mean": Variable(unit="°C", read=_felt("mean")),
    "daylight_duration": Variable(unit="s", read=lambda day: day.daylight),
    "sunshine_duration": Variable(unit="s", read=lambda day: day.sunshine),
    "precipitation_sum": Variable(unit="mm", read=lambda day: day.precipitation),
    "rain_sum": Variable(unit="mm", read=lambda day: day.rain),
    "showers_sum": Variable(unit="mm", read=lambda day: 0.0),
    "snowfall_sum": Variable(unit="cm", read=lambda day: day.snow),
    "precipitation_hours": Variable(unit="h", read=lambda day: day.wet_hours),
    "precipitation_probability_max": Variable(
        unit="%", read=lambda day: 80 if day.precipitation else 10
    ),
    "wind_speed_10m_max": Variable(unit="km/h", read=lambda day: day.wind),
    "wind_gusts_10m_max": Variable(unit="km/h", read=lambda day: day.gusts),
    "wind_direction_10m_dominant": Variable(unit="°", read=lambda day: day.wind_from),
    "shortwave_radiation_sum": Variable(
        unit="MJ/m²", read=lambda day: round(0.0002 * day.daylight + 0.00035 * day.sunshine, 2)
    ),
    "et0_fao_evapotranspiration": Variable(
        unit="mm", read=lambda day: round(max(0.0, 0.12 * day.mean + 0.00004 * day.sunshine), 2)
    ),
    "uv_index_max": Variable(unit="", read=lambda day: round(day.sunshine / 5000, 2)),
}
DAILY_NAMES = (*DAILY, *_SUN)

Convert = tuple[str, Callable[[float], float]]
_UNITS: Mapping[tuple[str, str], Mapping[str, Convert]] = {
    ("temperature_unit", "fahrenheit"): {"°C": ("°F", lambda c: round(c * 1.8 + 32, 1))},
    ("precipitation_unit", "inch"): {
        "mm": ("inch", lambda mm: round(mm / 25.4, 3)),
        "cm": ("inch", lambda cm: round(cm / 2.54, 3)),
    },
    ("wind_speed_unit", "mph"): {"km/h": ("mp/h", lambda v: round(v / 1.609344, 1))},
    ("wind_speed_unit", "ms"): {"km/h": ("m/s", lambda v: round(v / 3.6, 2))},
    ("wind_speed_unit", "kn"): {"km/h": ("kn", lambda v: round(v / 1.852, 1))},
}


def weather(world: "World", request: Request) -> Answer:
    """`/v1/archive` and `/v1/forecast`."""
    days = {"/v1/archive": _archive_days, "/v1/forecast": _forecast_days}.get(request.path)
    if days is None:
        return json_answer({"error": True, "reason": "Not Found"}, 404)
    try:
        point = _point(request.query)
        span = days(request.query, date.fromisoformat(world.date))
        names = _names(request.query)
        return json_answer(_reply(world, request.query, point, (names, span)))
    except BadRequest as error:
        return json_answer({"error": True, "reason": str(error)}, 400)


def _number(query: Mapping[str, str], name: str) -> float:
    text = query.get(name)
    if text is None:
        raise BadRequest(f"Required parameter '{name}' is missing. One location is answered.")
    try:
        value = float(text)
    except ValueError:
        raise BadRequest(f"Invalid value: '{text}' for '{name}' is not one number.") from None
    if isnan(value):
        raise BadRequest(f"Invalid value: '{text}' for '{name}' is not a number.")
    return value


def _point(query: Mapping[str, str]) -> tuple[float, float]:
    point = (_number(query, "latitude"), _number(query, "longitude"))
    if not valid_point(point):
        raise BadRequest(
            "Latitude must be in range of -90 to 90° and longitude of -180 to 180°. "
            f"Given: {point[0]}, {point[1]}."
        )
    return point


def _date(query: Mapping[str, str], name: str) -> date:
    text = query.get(name, "")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadRequest(
            f"Invalid date format for '{name}': '{text}'. Make sure to use 'YYYY-MM-DD'"
        ) from None


def _span(query: Mapping[str, str], first: date, last: date) -> list[date]:
    start, end = _date(query, "start_date"), _date(query, "end_date")
    if end < start:
        raise BadRequest("End-date must be larger or equals than start-date")
    for name, day in (("start_date", start), ("end_date", end)):
        if not first <= day <= last:
            raise BadRequest(f"Parameter '{name}' is out of allowed range from {first} to {last}")
    if (end - start).days >= MAX_DAYS:
        raise BadRequest(f"At most {MAX_DAYS} days can be asked for in one request")
    return [start + timedelta(days=n) for n in range((end - start).days + 1)]


def _archive_days(query: Mapping[str, str], today: date) -> list[date]:
    for name in ("start_date", "end_date"):
        if name not in query:
            raise BadRequest("Both 'start_date' and 'end_date' must be set")
    return _span(query, FIRST_DAY, today - timedelta(days=1))


def _forecast_days(query: Mapping[str, str], today: date) -> list[date]:
    if "start_date" in query or "end_date" in query:
        last = today + timedelta(days=MAX_FORECAST - 1)
        return _span(query, today - timedelta(days=MAX_PAST), last)
    ahead, back = _count(query, "forecast_days", 7, MAX_FORECAST), _count(query, "past_days", 0, 92)
    return [today + timedelta(days=n) for n in range(-back, ahead)]


def _count(query: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = query.get(name, str(default))
    if not text.isdecimal() or int(text) > most:
        raise BadRequest(f"{name} is invalid. Allowed range 0 to {most}. Given {text}.")
    return int(text)


def _names(query: Mapping[str, str]) -> list[str]:
    for name in ("hourly", "minutely_15", "current"):
        if query.get(name):
            raise BadRequest(f"The sandbox world has daily weather only, not '{name}'")
    names = [name for name in query.get("daily", "").split(",") if name]
    for name in names:
        if name not in DAILY_NAMES:
            raise BadRequest(
                "Invalid value: Cannot initialize ForecastVariableDaily from invalid String value "
                f"{name}. The sandbox knows {', '.join(DAILY_NAMES)}"
            )
    return names


def _reply(
    world: "World",
    query: Mapping[str, str],
    point: tuple[float, float],
    asked: tuple[list[str], list[date]],
) -> dict[str, Any]:
    names, span = asked
    cell = world.grid.nearest_land(*point) or world.grid.cell(*point)
    climate = climate_of(cell)
    offset, zone = _zone(query.get("timezone", "GMT"), cell.center[1])
    root: dict[str, Any] = {
        "latitude": cell.center[0],
        "longitude": cell.center[1],
        "generationtime_ms": 0.0,
        "utc_offset_seconds": offset,
        "timezone": zone,
        "timezone_abbreviation": zone if zone == "GMT" else f"GMT{offset // 3600:+d}",
        "elevation": float(cell.elevation),
        "sandbox": SYNTHETIC,
    }
    if not names:
        return root
    days = [weather_on(climate, day) for day in span]
    units, series = {"time": "iso8601"}, {"time": [day.isoformat() for day in span]}
    for name in names:
        units[name], series[name] = _series(name, query, (climate, offset), (span, days))
    return root | {"daily_units": units, "daily": series}


def _series(
    name: str,
    query: Mapping[str, str],
    where: tuple[Climate, int],
    when: tuple[list[date], list[Day]],
) -> tuple[str, list[Any]]:
    span, days = when
    if name in _SUN:
        return "iso8601", [_sun(name, *where, day) for day in span]
    variable = DAILY[name]
    values = [variable.read(day) for day in days]
    for (parameter, value), table in _UNITS.items():
        if query.get(parameter) == value and variable.unit in table:
            unit, convert = table[variable.unit]
            return unit, [None if v is None else convert(v) for v in values]
    return variable.unit, values


def _sun(name: str, climate: Climate, offset: int, day: date) -> str:
    """Local time of sunrise or sunset."""
    noon = 720 - 4 * climate.cell.center[1] + offset / 60 - equation_of_time(day)
    half = daylight_seconds(climate.latitude, day) / 120
    minutes = round(noon - half if name == "sunrise" else noon + half)
    at = day + timedelta(days=minutes // 1440)
    return f"{at.isoformat()}T{minutes % 1440 // 60:02d}:{minutes % 60:02d}"


def _zone(wanted: str, longitude: float) -> tuple[int, str]:
    """Offset and name; "auto" is the nautical zone, for the days are the place's own anyway."""
    if wanted == "auto":
        hours = round(longitude / 15)
        return hours * 3600, f"Etc/GMT{-hours:+d}" if hours else "GMT"
    try:
        found = datetime(2026, 1, 1, tzinfo=ZoneInfo(wanted)).utcoffset()
    except (ZoneInfoNotFoundError, ValueError):
        raise BadRequest(f"Invalid timezone: '{wanted}'") from None
    return int(found.total_seconds()) if found else 0, wanted
