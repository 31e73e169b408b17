"""Replies on countries, stocks, crypto and of searches that are right but for one part: still a result."""

import asyncio
import copy
import json
from typing import Any

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_aar.gateway.country_book import country_book
from pytest_aar.tools import ERROR_KINDS, LIVE, Services, ToolResult, call

JUNK = st.sampled_from(
    [None, True, -1, 1e400, 10**30, "", "x", [], [None], [[]], {}, {"x": None}, [1, "x"], [{"x": 1}]]
)  # fmt: skip
DAY = {"date": "2024-06-15"}
STAMP = 1718463600  # in the middle of that day, UTC
META = {"currency": "GBp", "exchangeTimezoneName": None, "gmtoffset": 0}
SHARES = {"quote": [{"close": [2.0], "volume": [3]}], "adjclose": [{"adjclose": [2.5]}]}
#: name -> host that answers (all others refuse), key, tool, arguments, a good reply
GOOD: dict[str, tuple[str, str, str, dict[str, str], Any]] = {
    "world bank": (
        *("api.worldbank.org", "", "countries_population", {"country": "Peru"}),
        [{"total": 1}, [{"countryiso3code": "PER", "date": "2024", "value": 3, "country": {"id": "PE"}}]],
    ),
    "world bank's error": (
        *("api.worldbank.org", "", "countries_population", {"country": "Peru"}),
        [{"message": [{"id": "120", "key": "Invalid value", "value": "not valid"}]}],
    ),
    "rest countries": (
        *("api.restcountries.com", "RESTCOUNTRIES_API_KEY", "countries_area", {"country": "Peru"}),
        {"data": {"objects": [{"names": {"common": "Peru"}, "area": {"kilometers": 3}}] * 2}},
    ),
    "yahoo": (
        *("query2.finance.yahoo.com", "", "stock_historical_price", {"ticker": "A", **DAY}),
        {"chart": {"result": [{"meta": META, "timestamp": [STAMP], "indicators": SHARES}]}},
    ),
    "binance": (
        *("data-api.binance.vision", "", "crypto_volume", {"symbol": "BTC", **DAY}),
        [[1718409600000, "1", "2", "0.5", "66182.50", "9815.13", 1718495999999]],
    ),
    "coingecko": (
        *("api.coingecko.com", "", "crypto_volume", {"symbol": "BTC", **DAY}),
        {"prices": [[STAMP * 1000, 2.0]], "total_volumes": [[STAMP * 1000, 4.0]]},
    ),
    "tavily": (
        *("api.tavily.com", "TAVILY_API_KEY", "web_search", {"query": "x"}),
        {"answer": "x", "results": [{"title": "t", "url": "u", "content": "c"}]},
    ),
    "brave": (
        *("api.search.brave.com", "BRAVE_API_KEY", "web_search", {"query": "x"}),
        {"query": {}, "web": {"results": [{"title": "t", "url": "u", "description": "<b>c</b>"}]}},
    ),
    "searxng": (
        *("searx.test", "SEARXNG_URL", "web_search", {"query": "x"}),
        {"results": [], "answers": [{"answer": "x"}], "unresponsive_engines": [["a", "b"]]},
    ),
}  # fmt: skip


def places(node: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all parts of a reply."""
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    return [way, *(place for key, value in inner for place in places(value, (*way, key)))]


def changed(body: Any, way: tuple[Any, ...], junk: Any) -> Any:
    if not way:
        return junk
    body = copy.deepcopy(body)
    inner = body
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = junk
    return body


def result_of(name: str, body: Any, status: int = 200) -> ToolResult:
    host, variable, tool, arguments, _ = GOOD[name]
    keys = {variable: f"https://{host}"} if variable else {}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host != host:
            return httpx.Response(503)
        kind = {"content-type": "application/json"}
        return httpx.Response(status, content=json.dumps(body), headers=kind)

    async def over() -> ToolResult:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            services = Services(http=http, endpoints=LIVE, keys=keys, country_book=country_book)
            return await call(tool, arguments, services)

    return asyncio.run(over())


def test_they_are_right_with_every_part_right() -> None:
    results = {name: result_of(name, case[-1]) for name, case in GOOD.items()}
    refused = {name: result.error_kind for name, result in results.items() if not result.ok}
    assert refused == {"rest countries": "ambiguous"}


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_one_part_is_anything(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(GOOD)))
    body = GOOD[name][-1]
    way = data.draw(st.sampled_from(places(body)))
    status = data.draw(st.sampled_from([200, 200, 200, 400, 401, 404, 422, 429]))
    result = result_of(name, changed(body, way, data.draw(JUNK)), status)
    assert result.ok is (result.error_kind is None)
    assert result.error_kind is None or result.error_kind in ERROR_KINDS
    json.loads(result.text)
