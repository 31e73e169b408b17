"""The 19 tools, in one literal tuple."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pytest_aar.tools import (
    arguments,
    countries,
    crypto,
    geocoding,
    places,
    python_code,
    routes,
    search,
    stocks,
    weather,
    web,
)
from pytest_aar.tools.result import ToolResult
from pytest_aar.tools.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as agents know it: `run` gets the checked arguments."""

    name: str
    category: str
    description: str
    arguments: type[arguments.Arguments]
    run: Callable[[Any, Services], Awaitable[ToolResult]]


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="fetch_webpage",
        category="fetch & search",
        description="Fetch a web page as markdown; its head: title, number of languages, sections.",
        arguments=arguments.FetchWebpage,
        run=web.fetch_webpage,
    ),
    Tool(
        name="web_search",
        category="fetch & search",
        description="Search the web: title, url and snippet of each result.",
        arguments=arguments.WebSearch,
        run=search.web_search,
    ),
    Tool(
        name="maps_geocode",
        category="maps",
        description="Coordinates of an address or a named place.",
        arguments=arguments.Geocode,
        run=geocoding.geocode,
    ),
    Tool(
        name="maps_reverse_geocode",
        category="maps",
        description="Address of a point given by its coordinates.",
        arguments=arguments.ReverseGeocode,
        run=geocoding.reverse_geocode,
    ),
    Tool(
        name="maps_elevation",
        category="maps",
        description="Elevation above sea level, in metres, of one or more points.",
        arguments=arguments.Elevation,
        run=geocoding.elevation,
    ),
    Tool(
        name="maps_distance_matrix",
        category="maps",
        description="Distance (km) and travel time (minutes) for each origin and destination.",
        arguments=arguments.DistanceMatrix,
        run=routes.distance_matrix,
    ),
    Tool(
        name="maps_directions",
        category="maps",
        description="Distance (km) and travel time (minutes) of the best route between two places.",
        arguments=arguments.Directions,
        run=routes.directions,
    ),
    Tool(
        name="maps_search_places",
        category="maps",
        description="Search places by text: at most 20, with rating; `count` is their number.",
        arguments=arguments.SearchPlaces,
        run=places.search_places,
    ),
    Tool(
        name="maps_place_details",
        category="maps",
        description="Name, address, location and rating of a place given by its id.",
        arguments=arguments.PlaceDetails,
        run=places.place_details,
    ),
    Tool(
        name="weather_historical",
        category="weather",
        description="Daily weather of the past at a point: mm, cm of snow, sunny seconds, Celsius.",
        arguments=arguments.WeatherHistorical,
        run=weather.historical,
    ),
    Tool(
        name="weather_forecast",
        category="weather",
        description="Daily weather of the next seven days at a point.",
        arguments=arguments.WeatherForecast,
        run=weather.forecast,
    ),
    Tool(
        name="python_execute_code",
        category="code",
        description="Run Python 3 (standard library); returns stdout, stderr and exit code.",
        arguments=arguments.PythonExecuteCode,
        run=python_code.execute,
    ),
    Tool(
        name="python_generate_code",
        category="code",
        description="Have a model write Python code for a task; the code is not run.",
        arguments=arguments.PythonGenerateCode,
        run=python_code.generate,
    ),
    Tool(
        name="countries_population",
        category="countries",
        description="Number of inhabitants of a country.",
        arguments=arguments.Country,
        run=countries.population,
    ),
    Tool(
        name="countries_area",
        category="countries",
        description="Area of a country in square kilometres.",
        arguments=arguments.Country,
        run=countries.area,
    ),
    Tool(
        name="stock_historical_price",
        category="stocks",
        description="Adjusted closing price of a stock on a day, or the last trading day before.",
        arguments=arguments.Stock,
        run=stocks.price,
    ),
    Tool(
        name="stock_volume",
        category="stocks",
        description="Shares traded on a day, or the last trading day before it.",
        arguments=arguments.Stock,
        run=stocks.volume,
    ),
    Tool(
        name="crypto_historical_price",
        category="crypto",
        description="Closing price of a crypto pair on a day (UTC).",
        arguments=arguments.Crypto,
        run=crypto.price,
    ),
    Tool(
        name="crypto_volume",
        category="crypto",
        description="Volume traded of a crypto pair, in its base currency, on a day (UTC).",
        arguments=arguments.Crypto,
        run=crypto.volume,
    ),
)

TOOL_NAMES: tuple[str, ...] = tuple(tool.name for tool in TOOLS)

#: Names met in published material -> ours.
ALIASES = {"serper_search": "web_search", "serper_google_search": "web_search"}

_BY_NAME = {tool.name: tool for tool in TOOLS} | {
    alias: tool for alias, name in ALIASES.items() for tool in TOOLS if tool.name == name
}


def tool_named(name: str) -> Tool | None:
    """The tool of that name or alias, or None."""
    return _BY_NAME.get(name)


@cache
def schema(tool: Tool) -> dict[str, Any]:
    """JSON Schema of the tool's arguments, self-contained, untitled; shared: don't change it."""
    full = tool.arguments.model_json_schema()
    plain = _plain(full, full.get("$defs", {}))
    plain.pop("description", None)
    return {"type": "object", **plain}


def _plain(node: Any, definitions: dict[str, Any]) -> Any:
    """The schema with references put in place and generated titles dropped."""
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[1]]
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _plain({**target, **rest}, definitions)
    return {
        key: _properties(value, definitions) if key == "properties" else _plain(value, definitions)
        for key, value in node.items()
        if key not in {"$defs", "title"}
    }


def _properties(properties: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A property may be called `title`: only its own generated title goes."""
    return {name: _plain(value, definitions) for name, value in properties.items()}
