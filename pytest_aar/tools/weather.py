"""Open-Meteo, archive and forecast: daily values, days in the place's own time zone."""

import re
from collections.abc import Iterable
from typing import Any

from pytest_aar.tools.arguments import Point, WeatherForecast, WeatherHistorical
from pytest_aar.tools.exchange import reading
from pytest_aar.tools.geocoding import point_text
from pytest_aar.tools.open_meteo import SERVICE, ask_open_meteo
from pytest_aar.tools.result import ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services

#: Asked for in every call, so that equal calls with other selections are one request.
DAILY = (
    "temperature_2m_max",
    "temperature_2m_min",
    "temperature_2m_mean",
    "precipitation_sum",
    "snowfall_sum",
    "sunshine_duration",
)
FORECAST_DAYS = 7
#: Units that results promise, by what a variable's name speaks of.
_PROMISED = {
    "temperature": "°C",
    "precipitation_sum": "mm",
    "rain": "mm",
    "snowfall": "cm",
    "sunshine_duration": "s",
}
#: The "unit" of a variable that the place has no values of.
_NO_UNIT = "undefined"
_NOTHING = "Open-Meteo has no days for this place and period: all lists are empty"
_KEPT = (
    "latitude",
    "longitude",
    "timezone",
    "daily_units",
    "daily",
    "hourly_units",
    "hourly",
)
_PATH = re.compile(r"(?P<group>[a-z]\w*)(?:\.(?P<variable>\w+))?(?:\[(?P<index>\d{1,6})\])?")


async def historical(arguments: WeatherHistorical, services: Services) -> ToolResult:
    """Daily weather between two days, both included; with `select`, `{path: value}` only."""
    period = {"start_date": arguments.start_date, "end_date": arguments.end_date}
    url = f"{services.endpoints.weather_archive}/v1/archive"
    return await _weather(services, url, arguments, period, arguments.select)


async def forecast(arguments: WeatherForecast, services: Services) -> ToolResult:
    """The same for the next seven days."""
    url = f"{services.endpoints.weather_forecast}/v1/forecast"
    period = {"forecast_days": str(FORECAST_DAYS)}
    return await _weather(services, url, arguments, period, arguments.select)


def weather_in(body: Any) -> dict[str, Any]:
    """`{latitude, longitude, timezone, daily_units, daily}`; the place is the grid cell's.

    Values may be None. `note` says so when there is no day at all.
    """
    with reading(SERVICE):
        daily = body["daily"] if "daily" in body or "hourly" not in body else {}
        if not all(isinstance(values, list) for values in daily.values()):
            raise TypeError("daily holds something else than lists")
        lengths = {len(values) for values in daily.values()}
        if len(lengths) > 1:
            raise ValueError(f"daily lists of different lengths: {sorted(lengths)}")
        found = {key: body[key] for key in _KEPT if key in body}
    is_empty = "daily" in body and not any(lengths)
    return {**found, "note": _NOTHING} if is_empty else found


def selected(weather: dict[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The value at each path, such as `daily.precipitation_sum[0]`.

    Values in other units than results promise come with `units`, path -> unit.

    Raises:
        ToolFailure: bad_arguments; says which path, and what there is.
    """
    found = {path: _at(weather, path) for path in paths}
    units = {path: unit for path in found if (unit := _odd_unit(weather, path))}
    return {**found, "units": units} if units else found


async def _weather(
    services: Services,
    url: str,
    point: Point,
    period: dict[str, str],
    select: list[str] | None,
) -> ToolResult:
    latitude, longitude = point_text(point).split(",")
    place = {"latitude": latitude, "longitude": longitude, "timezone": "auto"}
    variables = _variables(select or ())
    reply = await ask_open_meteo(services, url, {**place, **period, **variables})
    weather = weather_in(reply)
    return answer(weather if select is None else selected(weather, select))


def _variables(select: Iterable[str]) -> dict[str, str]:
    """The variables to ask for: the usual ones, and what the paths name beyond them."""
    asked: dict[str, list[str]] = {"daily": list(DAILY)}
    for path in select:
        found = _PATH.fullmatch(path)
        if not found or found["group"] not in {"daily", "hourly"} or not found["variable"]:
            continue
        names = asked.setdefault(found["group"], [])
        if found["variable"] not in {*names, "time"}:
            names.append(found["variable"])
    return {group: ",".join(names) for group, names in asked.items()}


def _odd_unit(weather: dict[str, Any], path: str) -> str | None:
    """The unit of the values at a path, None if it is the promised one or none is promised."""
    found = _PATH.fullmatch(path)
    if found is None or not found["variable"]:
        return None
    units = weather.get(f"{found['group']}_units")
    given = units.get(found["variable"]) if isinstance(units, dict) else None
    promised = (unit for word, unit in _PROMISED.items() if word in found["variable"])
    return None if given in (None, _NO_UNIT, next(promised, given)) else str(given)


def _at(weather: dict[str, Any], path: str) -> Any:
    found = _PATH.fullmatch(path)
    if found is None:
        raise ToolFailure(
            "bad_arguments",
            f"select: {path!r} is no path; expected a form such as daily.precipitation_sum[0]",
        )
    node: Any = weather
    for name in filter(None, (found["group"], found["variable"])):
        if not isinstance(node, dict) or name not in node:
            there = ", ".join(node) if isinstance(node, dict) else "no further fields"
            raise ToolFailure("bad_arguments", f"select: {path!r} names {name!r}; there is {there}")
        node = node[name]
    return node if found["index"] is None else _item(node, int(found["index"]), path)


def _item(node: Any, index: int, path: str) -> Any:
    if not isinstance(node, list):
        raise ToolFailure("bad_arguments", f"select: {path!r} has an index, but this is no list")
    if index >= len(node):
        raise ToolFailure(
            "bad_arguments", f"select: {path!r} is beyond the end: there are {len(node)} values"
        )
    return node[index]
