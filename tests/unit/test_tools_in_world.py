"""All 19 tools over the embedded world: the same code as over the live services."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_aar.gateway.worlds import open_world
from pytest_aar.readings import read
from pytest_aar.settings import Settings
from pytest_aar.tools import TOOL_NAMES, ToolResult, call

BERLIN = {"latitude": 52.52, "longitude": 13.4}
DAY = {**BERLIN, "start_date": "2024-01-10", "end_date": "2024-01-10"}
CODE = {"code": "print(6 * 7)"}

#: tool, arguments, output key of the value that legs read from it, the value's type
CALLS: list[tuple[str, dict[str, Any], str | None, type]] = [
    ("fetch_webpage", {"url": "https://wiki.aar.test/wiki/Peru"}, None, str),
    ("web_search", {"query": "Peru"}, None, dict),
    ("maps_geocode", {"address": "Lima, Peru"}, "coords", dict),
    ("maps_reverse_geocode", BERLIN, "coords", dict),
    ("maps_elevation", {"locations": [BERLIN]}, "elevation", float),
    (
        "maps_distance_matrix",
        {"origins": ["52.52,13.4"], "destinations": ["48.85,2.35"]},
        "distance_km",
        float,
    ),
    (
        "maps_directions",
        {"origin": "Berlin, Germany", "destination": "Paris, France"},
        "duration",
        int,
    ),
    ("maps_search_places", {"query": "museums near Berlin, Germany"}, "poi_count", int),
    ("weather_historical", {**DAY, "select": ["daily.sunshine_duration[0]"]}, "sunshine", float),
    ("weather_historical", {**BERLIN, "date": "2024-01-10"}, "temperature", float),
    ("weather_forecast", BERLIN, None, dict),
    ("python_execute_code", CODE, "converted", int),
    ("countries_population", {"country": "Peru"}, "population", int),
    ("countries_area", {"country": "Peru"}, "area_km2", float),
    ("stock_historical_price", {"ticker": "AAPL", "date": "2024-01-07"}, "stock_price", float),
    ("stock_volume", {"ticker": "AAPL", "date": "2024-01-07"}, "stock_volume", int),
    ("crypto_historical_price", {"symbol": "BTCUSDT", "date": "2024-01-07"}, "crypto_price", float),
    ("crypto_volume", {"symbol": "BTCUSDT", "date": "2024-01-07"}, "crypto_volume", float),
]


class InWorld:
    """Calls in one open world."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.opened = open_world("sandbox", Settings())
        self.world = self.runner.run(self.opened.__aenter__())

    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        return self.runner.run(call(name, arguments, self.world.services))

    def value(self, name: str, arguments: dict[str, Any]) -> Any:
        result = self.call(name, arguments)
        assert result.ok, result.text
        return json.loads(result.text)

    def close(self) -> None:
        self.runner.run(self.opened.__aexit__(None, None, None))
        self.runner.close()


@pytest.fixture(scope="module")
def world() -> Iterator[InWorld]:
    opened = InWorld()
    yield opened
    opened.close()


@pytest.mark.parametrize(("name", "arguments", "key", "kind"), CALLS)
def test_every_tool_answers_and_legs_can_read_it(
    world: InWorld, name: str, arguments: dict[str, Any], key: str | None, kind: type
) -> None:
    result = world.call(name, arguments)
    assert result.ok, result.text
    assert result.text == world.call(name, arguments).text
    if key is not None:
        assert isinstance(read(key, result.text), kind | int)


def test_none_of_the_nineteen_is_left_out() -> None:
    elsewhere = {"maps_place_details", "python_generate_code"}
    assert {name for name, *_ in CALLS} | elsewhere == set(TOOL_NAMES)


def test_details_of_a_place_found(world: InWorld) -> None:
    place = world.value("maps_search_places", {"query": "museums near Berlin, Germany"})["places"][
        0
    ]
    assert world.value("maps_place_details", {"place_id": place["place_id"]}) == place


def test_code_is_not_written_without_a_model(world: InWorld) -> None:
    assert world.call("python_generate_code", {"description": "add"}).error_kind == "denied"


def test_a_page_and_its_tools_agree(world: InWorld) -> None:
    text = world.call("fetch_webpage", {"url": "https://wiki.aar.test/wiki/Peru"}).text
    people = world.value("countries_population", {"country": "Peru"})["population"]
    area = world.value("countries_area", {"country": "Peru"})["area_km2"]
    assert f"| Population | {people:,} |" in text
    assert f"| Area | {area:,.0f} km" in text


def test_links_of_a_page_can_be_followed(world: InWorld) -> None:
    page = world.call("fetch_webpage", {"url": "http://wiki.aar.test/wiki/peru"})
    assert (page.title, page.final_url) == ("Peru", "https://wiki.aar.test/wiki/Peru")
    assert "[Lima](/wiki/Lima)" in page.text
    section = world.call("fetch_webpage", {"url": page.final_url, "section": "Climate"})
    assert section.text.startswith("# Peru\n\n## Climate")


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("fetch_webpage", {"url": "https://wiki.aar.test/wiki/No_such_page_here"}, "not_found"),
        ("fetch_webpage", {"url": "https://example.org/"}, "blocked"),
        ("maps_geocode", {"address": "Xyzzyville, Nowhere"}, "not_found"),
        ("maps_directions", {"origin": "Lima, Peru", "destination": "Tokyo, Japan"}, "not_found"),
        ("maps_place_details", {"place_id": "no-such-id"}, "not_found"),
        ("countries_area", {"country": "Atlantis"}, "not_found"),
        ("stock_volume", {"ticker": "AAPL", "date": "1900-01-01"}, "not_found"),
        ("crypto_volume", {"symbol": "NOSUCHUSDT", "date": "2024-01-07"}, "not_found"),
        ("weather_historical", {**BERLIN, "date": "1700-01-01"}, "bad_arguments"),
        ("weather_historical", {**DAY, "select": ["daily.no_such[0]"]}, "bad_arguments"),
    ],
)
def test_errors_of_the_world_are_results(
    world: InWorld, name: str, arguments: dict[str, Any], kind: str
) -> None:
    assert world.call(name, arguments).error_kind == kind
