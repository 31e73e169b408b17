"""Recorded replies on countries, stocks, crypto currencies and of web searches, read through the tools."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from recorded import Asked, ErrorCase, check_error, value

from pytest_aar.tools import LIVE, Services, ToolResult, call

#: (file, tool, arguments, status) -> the result where Binance is out of reach and CoinGecko answers so.
AskedElsewhere = Callable[[str, str, dict[str, str], int], ToolResult]

PAIR_DAY = {"symbol": "NOSUCH", "date": "2024-01-01"}
STOCK = {"ticker": "X", "date": "2020-01-01"}

#: file, HTTP status, tool, arguments -> kind, and a part of the message
ERRORS: list[ErrorCase] = [
    (
        "yahoo/error_400_no_data_in_range.json",
        400,
        "stock_volume",
        STOCK,
        "not_found",
        "doesn't exist",
    ),
    ("yahoo/error_429.txt", 429, "stock_volume", STOCK, "quota", "Too Many Requests"),
    (
        "crypto/binance_error_400_invalid_symbol.json",
        400,
        "crypto_volume",
        PAIR_DAY,
        "not_found",
        "Invalid symbol",
    ),
    (
        "crypto/binance_error_451_restricted_location.json",
        451,
        "crypto_volume",
        PAIR_DAY,
        "denied",
        "restricted location",
    ),
    (
        "restcountries/v31_deprecated_http200.json",
        200,
        "countries_area",
        {"country": "x"},
        "upstream",
        "deprecated",
    ),
    ("serper/error_403_no_key.json", 403, "web_search", {"query": "x"}, "denied", "Unauthorized"),
]

NOT_A_REPLY = {
    "restcountries/alt_worldbank_country_br.json": "what the World Bank says of a country: region, income, capital;"
    " the tools ask its indicator SP.POP.TOTL, and find the country in a table of their own",
}
READ = {case[0] for case in ERRORS} | {
    "crypto/coingecko_error_401_over_365_days.json",
    "crypto/coingecko_error_429.json",
    "crypto/coingecko_market_chart_bat_2points.json",
    "crypto/coingecko_market_chart_eth_3points.json",
    "search/tavily_search_include_domains.json",
    "serper/search_2025_people_also_ask.json",
    "serper/search_2026_organic_only.json",
    "yahoo/chart_600497ss_first_bar_null.json",
    "yahoo/chart_aapl_2020-01-02_single_bar.json",
    "yahoo/chart_aapl_2020-08-31_split_dividend.json",
    "yahoo/chart_aapl_weekend_no_bars.json",
    "yahoo/chart_btc-usd_daily.json",
    "yahoo/chart_eurusd_fx_zero_volume.json",
    "yahoo/chart_lucyw_null_currency_no_timestamp.json",
    "yahoo/chart_nvda_2021_split_252bars.json",
    "yahoo/chart_ocdo_l_gbp_pence.json",
}


def stock(ticker: str, day: str) -> dict[str, str]:
    return {"ticker": ticker, "date": day}


@pytest.mark.parametrize(
    ("file", "day", "found"),
    [
        ("aapl_2020-01-02_single_bar", "2020-01-02", ("2020-01-02", 72.72, "USD", 135480400)),
        ("aapl_2020-01-02_single_bar", "2020-01-05", ("2020-01-02", 72.72, "USD", 135480400)),
        ("aapl_2020-08-31_split_dividend", "2020-08-31", ("2020-08-31", 125.83, "USD", 225702700)),
        ("aapl_2020-08-31_split_dividend", "2020-11-08", ("2020-11-06", 115.93, "USD", 114457900)),
        ("nvda_2021_split_252bars", "2021-02-01", ("2021-02-01", 13.2, "USD", 217204000)),
        ("nvda_2021_split_252bars", "2022-01-30", ("2022-01-28", 22.8, "USD", 543774000)),
        ("600497ss_first_bar_null", "2017-11-16", ("2017-11-16", 6.51, "CNY", 34039227)),
        ("600497ss_first_bar_null", "2017-11-27", ("2017-11-27", 6.51, "CNY", 54005417)),
        ("btc-usd_daily", "2020-01-02", ("2020-01-02", 6985.47, "USD", 20802083465)),
        ("eurusd_fx_zero_volume", "2020-01-01", ("2020-01-01", 1.12, "USD", 0)),
    ],
)
def test_stocks(ask: Asked, file: str, day: str, found: tuple[str, float, str, int]) -> None:
    path = f"yahoo/chart_{file}.json"
    price = value(ask(path, "stock_historical_price", stock("X", day)))
    assert (price["date"], price["close_price"], price["currency"]) == found[:3]
    traded = value(ask(path, "stock_volume", stock("X", day)))
    assert (traded["date"], traded["volume"]) == (found[0], found[3])


def test_pence_are_given_in_pounds(ask: Asked) -> None:
    arguments = stock("OCDO.L", "2020-01-02")
    found = value(ask("yahoo/chart_ocdo_l_gbp_pence.json", "stock_historical_price", arguments))
    assert (found["close_price"], found["currency"]) == (round(12.595, 2), "GBP")
    traded = value(ask("yahoo/chart_ocdo_l_gbp_pence.json", "stock_volume", arguments))
    assert traded["volume"] == 728520


@pytest.mark.parametrize(
    ("file", "day"),
    [
        ("aapl_weekend_no_bars", "2025-02-01"),
        ("lucyw_null_currency_no_timestamp", "2024-01-01"),
        ("600497ss_first_bar_null", "2017-11-15"),
        ("aapl_2020-01-02_single_bar", "2020-01-08"),
    ],
)
def test_stocks_without_a_bar(ask: Asked, file: str, day: str) -> None:
    result = ask(f"yahoo/chart_{file}.json", "stock_historical_price", stock("X", day))
    assert result.error_kind == "not_found"


HITS_2026 = [
    {
        "title": "List of all Chief Ministers of Tamil Nadu (1952-2026)",
        "url": "https://www.jagranjosh.com/general-knowledge/"
        "chief-ministers-of-tamil-nadu-their-tenures-and-parties-1620292428-1",
        "date": "May 10, 2026",
    },
    {
        "title": "List of deputy chief ministers of Tamil Nadu - Wikipedia",
        "url": "https://en.wikipedia.org/wiki/List_of_deputy_chief_ministers_of_Tamil_Nadu",
    },
    {
        "title": "List of Chief Ministers of Tamil Nadu & Their Service Periods",
        "url": "https://www.oneindia.com/list-of-chief-ministers-of-tamil-nadu/",
    },
    {
        "title": "List of All Chief Ministers of Tamil Nadu - Entri Blog",
        "url": "https://entri.app/blog/list-of-all-chief-ministers-of-tamil-nadu/",
        "date": "Jun 11, 2021",
    },
]


def test_a_search_of_2026_has_hits_alone(ask: Asked) -> None:
    found = value(ask("serper/search_2026_organic_only.json", "web_search", {"query": "x"}))
    snippets = [hit.pop("snippet") for hit in found["results"]]
    assert found == {"results": HITS_2026, "count": 4}
    assert snippets[0].startswith("Joseph Vijay is serving as the current Chief Minister")


def test_a_search_is_cut_to_the_number_wanted(ask: Asked) -> None:
    file, few = "serper/search_2025_people_also_ask.json", {"query": "x", "num_results": 2}
    assert value(ask(file, "web_search", {"query": "x"}))["count"] == 6
    assert value(ask(file, "web_search", few)) == {
        "results": [
            {
                "title": "LangGraph - LangChain",
                "url": "https://www.langchain.com/langgraph",
                "snippet": "LangGraph sets the foundation for how we can build and scale AI workloads — from"
                " conversational agents, complex task automation, to custom LLM-backed ...",
            },
            {
                "title": "langchain-ai/langgraph: Build resilient language agents as graphs.",
                "url": "https://github.com/langchain-ai/langgraph",
                "snippet": "LangGraph is a low-level orchestration framework for building, managing, and"
                " deploying long-running, stateful agents.",
            },
        ],
        "count": 2,
    }


def over(
    road: httpx.MockTransport, name: str, arguments: dict[str, str], **keys: str
) -> ToolResult:
    async def run() -> ToolResult:
        async with httpx.AsyncClient(transport=road, trust_env=False) as client:
            return await call(name, arguments, Services(http=client, endpoints=LIVE, keys=keys))

    return asyncio.run(run())


def test_tavily(shared: Path) -> None:
    recorded = (shared / "data/contracts/search/tavily_search_include_domains.json").read_bytes()
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, content=recorded, headers={"content-type": "application/json"})

    road = httpx.MockTransport(answer)
    found = value(over(road, "web_search", {"query": "x"}, TAVILY_API_KEY="t"))
    assert [request.url.host for request in seen] == ["api.tavily.com"]
    assert [hit["url"] for hit in found["results"]] == [
        "https://arxiv.org/abs/2507.13043",
        "https://arxiv.org/abs/2505.13499",
        "https://arxiv.org/html/2507.13043v1",
        "https://www.arxiv.org/abs/2601.03290",
        "https://arxiv.org/abs/2505.21057",
    ]
    assert found["count"] == 5
    assert "answer" not in found
    title = "Deep Dive into Transformer Architectures for Long-Term ..."
    assert [hit["title"] for hit in found["results"]][::2][:2] == [title, title]
    assert [len(hit["snippet"]) for hit in found["results"]] == [1077, 1089, 1263, 1278, 1119]


@pytest.fixture
def elsewhere(shared: Path) -> AskedElsewhere:
    def run(file: str, name: str, arguments: dict[str, str], status: int = 200) -> ToolResult:
        recorded = (shared / "data/contracts/crypto" / file).read_bytes()

        def answer(request: httpx.Request) -> httpx.Response:
            if request.url.host != "api.coingecko.com":
                return httpx.Response(451, json={"code": 0, "msg": "restricted location"})
            kind = {"content-type": "application/json"}
            return httpx.Response(status, content=recorded, headers=kind)

        return over(httpx.MockTransport(answer), name, arguments)

    return run


#: file, symbol, last price (USD), value traded in 24 hours (USD), coin, moment of both
POINTS = [
    (
        *("bat_2points", "BAT", 0.8096978545029869, 157618689.0971025),
        *("basic-attention-token", "2021-06-03T16:20:03Z"),
    ),
    (
        *("eth_3points", "ETH", 163.20299006856183, 8800955317.674072),
        *("ethereum", "2020-01-23T06:52:52Z"),
    ),
]


@pytest.mark.parametrize("case", POINTS, ids=lambda case: case[0])
def test_the_last_point_of_a_day_at_coingecko(
    elsewhere: AskedElsewhere, case: tuple[str, str, float, float, str, str]
) -> None:
    name, symbol, price, traded, coin, moment = case
    file, day = f"coingecko_market_chart_{name}.json", moment[:10]
    arguments = {"symbol": symbol, "date": day}
    told = {"currency": "USD", "source": f"CoinGecko, coin {coin}", "as_of": moment}
    asked = {"symbol": f"{symbol}USD", "date": day}
    found = value(elsewhere(file, "crypto_historical_price", arguments))
    assert found == {**asked, "close_price": price, **told}
    assert value(elsewhere(file, "crypto_volume", arguments)) == {
        **asked,
        "volume": traded / price,
        "unit": f"{symbol}, converted at the day's last price",
        "traded_value": traded,
        **told,
    }


@pytest.mark.parametrize(
    ("file", "status", "kind", "said"),
    [
        ("coingecko_error_401_over_365_days.json", 401, "denied", "within the past 365 days"),
        ("coingecko_error_429.json", 429, "quota", "You've exceeded the Rate Limit"),
    ],
)
def test_errors_of_coingecko(
    elsewhere: AskedElsewhere, file: str, status: int, kind: str, said: str
) -> None:
    day = {"symbol": "BTCUSDT", "date": "2020-01-01"}
    result = elsewhere(file, "crypto_historical_price", day, status)
    assert result.error_kind == kind
    assert said in result.text
    assert "restricted location" in result.text


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: ErrorCase
) -> None:
    check_error(ask, case)
