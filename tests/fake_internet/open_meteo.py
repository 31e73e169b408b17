"""Open-Meteo's archive and forecast: daily values only."""

from datetime import date, timedelta
from typing import Any

from .answer_book import AnswerBook, chance
from .exchange import Asked, Reply, as_json

#: Variable -> unit, and the range of made-up values.
_VARIABLES = {
    "temperature_2m_max": ("°C", 10.0, 30.0),
    "temperature_2m_min": ("°C", -5.0, 10.0),
    "temperature_2m_mean": ("°C", 5.0, 20.0),
    "precipitation_sum": ("mm", 0.0, 20.0),
    "snowfall_sum": ("cm", 0.0, 5.0),
    "sunshine_duration": ("s", 0.0, 40_000.0),
}
_TODAY = date(2026, 11, 30)


def answer(book: AnswerBook, asked: Asked) -> Reply:
    """One reply for a place and a range of days."""
    query = asked.query
    names = [name for name in query.get("daily", "").split(",") if name]
    unknown = [name for name in names if name not in _VARIABLES]
    if unknown:
        reason = f"Invalid value: Cannot initialize ForecastVariableDaily from invalid String value {unknown[0]}"
        return as_json({"error": True, "reason": reason}, 400)
    days = (
        _days(query["start_date"], query["end_date"]) if "start_date" in query else _coming(query)
    )
    point = (float(query["latitude"]), float(query["longitude"]))
    address = book.address(*point) or str(point)
    daily: dict[str, list[Any]] = {"time": days}
    for name in names:
        daily[name] = [_value(book, name, address, day) for day in days]
    units = {"time": "iso8601"} | {name: _VARIABLES[name][0] for name in names}
    place = {"latitude": round(point[0], 1), "longitude": round(point[1], 1), "elevation": 38.0}
    zone = {"utc_offset_seconds": 0, "timezone": "Etc/GMT", "timezone_abbreviation": "GMT"}
    return as_json(
        {**place, "generationtime_ms": 0.04, **zone, "daily_units": units, "daily": daily}
    )


def _value(book: AnswerBook, name: str, address: str, day: str) -> Any:
    known = book.fact(name, address, day)
    _, low, high = _VARIABLES[name]
    return (
        known
        if known is not None
        else round(low + (high - low) * chance(f"{name}{address}{day}"), 2)
    )


def _days(first: str, last: str) -> list[str]:
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    return [(start + timedelta(days=n)).isoformat() for n in range((end - start).days + 1)]


def _coming(query: Any) -> list[str]:
    count = int(query.get("forecast_days", "7"))
    return [(_TODAY + timedelta(days=n)).isoformat() for n in range(count)]
