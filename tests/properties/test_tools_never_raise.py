"""Whatever an agent sends and whatever a service answers, a tool gives a result."""

import asyncio
import json
from typing import Any

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_aar.tools import (
    ERROR_KINDS,
    SANDBOX,
    TOOL_NAMES,
    Services,
    ToolResult,
    TransportDecides,
    call,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
WORDS = st.sampled_from(
    [
        "url", "query", "address", "latitude", "longitude", "locations", "origins",
        "destinations", "location", "place_id", "date", "code", "start_date", "end_date",
        "select", "country", "ticker", "symbol", "section", "offset", "lat", "lng",
    ]
)  # fmt: skip
#: Replies that are nearly right: known keys with anything below them.
KEYS = st.sampled_from(
    [
        "status", "results", "chart", "result", "meta", "timestamp", "indicators", "quote",
        "adjclose", "parse", "text", "title", "error", "places", "id", "displayName", "location",
        "routes", "daily", "time", "organic", "searchParameters", "data", "objects", "names",
        "common",
    ]
)  # fmt: skip
NEARLY = st.recursive(
    SCALARS | st.just("OK"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
GOOD: dict[str, Any] = {
    "fetch_webpage": {"url": "https://wiki.aar.test/wiki/A"},
    "web_search": {"query": "a"},
    "maps_geocode": {"address": "a"},
    "maps_reverse_geocode": {"latitude": 1, "longitude": 2},
    "maps_elevation": {"locations": ["1,2"]},
    "maps_distance_matrix": {"origins": ["a"], "destinations": ["b"]},
    "maps_directions": {"origin": "a", "destination": "b"},
    "maps_search_places": {"query": "a"},
    "maps_place_details": {"place_id": "a"},
    "weather_historical": {
        "latitude": 1,
        "longitude": 2,
        "date": "2024-01-01",
        "select": ["daily.time[0]"],
    },
    "weather_forecast": {"latitude": 1, "longitude": 2},
    "countries_population": {"country": "a"},
    "countries_area": {"country": "a"},
    "stock_historical_price": {"ticker": "a", "date": "2024-01-01"},
    "stock_volume": {"ticker": "a", "date": "2024-01-01"},
    "crypto_historical_price": {"symbol": "a", "date": "2024-01-01"},
    "crypto_volume": {"symbol": "a", "date": "2024-01-01"},
}


def result_of(name: str, arguments: Any, body: Any, status: int = 200) -> ToolResult:
    content = json.dumps(body).encode()
    headers = {"content-type": "application/json"}

    async def over() -> ToolResult:
        transport = httpx.MockTransport(
            lambda _: httpx.Response(status, content=content, headers=headers)
        )
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            services = Services(http=client, endpoints=SANDBOX, guard=TransportDecides())
            return await call(name, arguments, services)

    return asyncio.run(over())


def check(result: ToolResult) -> None:
    assert result.ok is (result.error_kind is None)
    assert result.error_kind is None or result.error_kind in ERROR_KINDS
    result.text.encode()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TOOL_NAMES), st.dictionaries(WORDS, JSON, max_size=4) | JSON)
def test_whatever_an_agent_sends(name: str, arguments: Any) -> None:
    check(result_of(name, arguments, {"status": "ZERO_RESULTS"}))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(GOOD)), NEARLY, st.sampled_from([200, 200, 200, 400, 404, 429, 500]))
def test_whatever_a_service_answers(name: str, body: Any, status: int) -> None:
    check(result_of(name, GOOD[name], body, status))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.text(max_size=8))
def test_whatever_the_name_or_the_address(name: str, tail: str) -> None:
    check(result_of(name, {}, {}))
    check(result_of("fetch_webpage", {"url": f"https://wiki.aar.test/wiki/{tail}"}, {}))
    check(result_of("fetch_webpage", {"url": f"https://{tail}/{name}"}, {}))
