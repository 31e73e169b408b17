"""Open-Meteo, archive and forecast: daily values, days in the place's own time zone."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pytest_aar.tools.arguments import WeatherForecast, WeatherHistorical
from pytest_aar.tools.exchange import reading
from pytest_aar.tools.geocoding import point_text
from pytest_aar.tools.open_meteo import SERVICE, Endpoint, ask_open_meteo
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
#: Values of one call at most: years of the usual six variables, months of as many by the hour.
MOST_VALUES = 12_000
_HOURS = 24
#: Open-Meteo counts a request once for each so many variables and days.
_VARIABLES_A_CALL, _DAYS_A_CALL = 10, 14
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Period:
    """The days of a request: how it names them, and how many they are."""

    asked: Mapping[str, str]
    days: int


async def historical(arguments: WeatherHistorical, services: Services) -> ToolResult:
    """Daily weather between two days, both included; with `select`, `{path: value}` only.

    Raises:
        ToolFailure: bad_arguments for more than `MOST_VALUES`, before anything is asked.
    """
    first, last = map(date.fromisoformat, (arguments.start_date, arguments.end_date))
    period = {"start_date": arguments.start_date, "end_date": arguments.end_date}
    days = (last - first).days + 1
    return await _weather(services, "weather_archive", arguments, _Period(asked=period, days=days))


async def forecast(arguments: WeatherForecast, services: Services) -> ToolResult:
    """The same for the next seven days."""
    period = {"forecast_days": str(FORECAST_DAYS)}
    return await _weather(
        services, "weather_forecast", arguments, _Period(asked=period, days=FORECAST_DAYS)
    )


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
        ToolFailure: bad_arguments; says which path, and what there is. not_found for one value of no days.
    """
    found = {path: _at(weather, path) for path in paths}
    units = {path: unit for path in found if (unit := _odd_unit(weather, path))}
    return {**found, "units": units} if units else found


async def _weather(
    services: Services,
    endpoint: Endpoint,
    arguments: WeatherHistorical | WeatherForecast,
    period: _Period,
) -> ToolResult:
    latitude, longitude = point_text(arguments).split(",")
    place = {"latitude": latitude, "longitude": longitude, "timezone": "auto"}
    variables = _variables(arguments.select or ())
    _check_size(period, variables)
    named = {group: ",".join(names) for group, names in variables.items()}
    reply = await ask_open_meteo(
        services, endpoint, {**place, **period.asked, **named}, weight=_weight(period, variables)
    )
    weather = weather_in(reply)
    return answer(weather if arguments.select is None else selected(weather, arguments.select))


def _check_size(period: _Period, variables: Mapping[str, Sequence[str]]) -> None:
    a_day = len(variables["daily"]) + _HOURS * len(variables.get("hourly", ()))
    if a_day * period.days <= MOST_VALUES:
        return
    raise ToolFailure(
        "bad_arguments",
        f"start_date to end_date: {period.days:,} days with {a_day} values each are {a_day * period.days:,} values; "
        f"one call gives at most {MOST_VALUES:,}: ask for at most {MOST_VALUES // a_day:,} days at once, or for fewer "
        "variables in select (an hourly one has 24 values a day)",
    )


def _weight(period: _Period, variables: Mapping[str, Sequence[str]]) -> int:
    """As how many calls Open-Meteo counts it."""
    asked = sum(map(len, variables.values()))
    return math.ceil(max(1, asked / _VARIABLES_A_CALL) * max(1, period.days / _DAYS_A_CALL))


def _variables(select: Iterable[str]) -> dict[str, list[str]]:
    """The variables to ask for, by group: the usual ones, and what the paths name beyond them."""
    asked: dict[str, list[str]] = {"daily": list(DAILY)}
    for path in select:
        found = _PATH.fullmatch(path)
        if not found or found["group"] not in {"daily", "hourly"} or not found["variable"]:
            continue
        names = asked.setdefault(found["group"], [])
        if found["variable"] not in {*names, "time"}:
            names.append(found["variable"])
    return asked


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
    if found["index"] and _is_nothing(weather, found["group"]):
        raise ToolFailure("not_found", _NOTHING)
    node: Any = weather
    for name in filter(None, (found["group"], found["variable"])):
        if not isinstance(node, dict) or name not in node:
            there = ", ".join(node) if isinstance(node, dict) else "no further fields"
            raise ToolFailure("bad_arguments", f"select: {path!r} names {name!r}; there is {there}")
        node = node[name]
    return node if found["index"] is None else _item(node, int(found["index"]), path)


def _is_nothing(weather: dict[str, Any], group: str) -> bool:
    """Whether there are no days at all, and nothing by the hour where that is asked for."""
    lists = weather.get(group)
    return "note" in weather and isinstance(lists, dict) and not any(lists.values())


def _item(node: Any, index: int, path: str) -> Any:
    if not isinstance(node, list):
        raise ToolFailure("bad_arguments", f"select: {path!r} has an index, but this is no list")
    if index >= len(node):
        raise ToolFailure(
            "bad_arguments", f"select: {path!r} is beyond the end: there are {len(node)} values"
        )
    return node[index]
