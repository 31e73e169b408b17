"""Recorded replies of the live services, read through the tools with live endpoints."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from pytest_aar.tools import LIVE, Services, ToolResult, call

KEYS = dict.fromkeys(("GOOGLE_API_KEY", "SERPER_API_KEY", "RESTCOUNTRIES_API_KEY"), "k")
Asked = Callable[..., ToolResult]


@pytest.fixture
def ask(shared: Path) -> Asked:
    """Call a tool whose service answers with a recorded reply."""

    def run(
        file: str, name: str, arguments: dict[str, Any], *, status: int = 200, **headers: str
    ) -> ToolResult:
        path = shared / "data/contracts" / file
        kind = "application/json" if path.suffix == ".json" else "text/plain; charset=utf-8"
        headers = {"content-type": kind, **headers}
        reply = httpx.Response(status, content=path.read_bytes(), headers=headers)

        async def over() -> ToolResult:
            transport = httpx.MockTransport(lambda _: reply)
            async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
                return await call(name, arguments, Services(http=client, endpoints=LIVE, keys=KEYS))

        return asyncio.run(over())

    return run


def value(result: ToolResult) -> Any:
    assert result.ok, result.text
    return json.loads(result.text)


GEOCODE = {"address": "anything"}
POINT = {"latitude": 1, "longitude": 2}
ARTICLE = {"url": "https://en.wikipedia.org/wiki/NonExistent"}
PAIR_DAY = {"symbol": "NOSUCH", "date": "2024-01-01"}
STOCK = {"ticker": "X", "date": "2020-01-01"}
PAIR = {"origins": ["a", "b"], "destinations": ["c", "d"]}


def stock(ticker: str, day: str) -> dict[str, str]:
    return {"ticker": ticker, "date": day}


def test_geocode(ask: Asked) -> None:
    found = value(ask("google/geocode_ok_new_york.json", "maps_geocode", GEOCODE))
    assert found["formatted_address"] == "New York, NY, USA"
    assert found["location"] == {"lat": 40.7127837, "lng": -74.0059413}


@pytest.mark.parametrize(
    "file", ["geocode_ok_multi_results_utf8", "geocode_ok_no_locality_component", "geocode_ok_postcode_only_many"]
)  # fmt: skip
def test_geocode_takes_the_first_result(ask: Asked, shared: Path, file: str) -> None:
    raw = json.loads((shared / f"data/contracts/google/{file}.json").read_text())["results"][0]
    found = value(ask(f"google/{file}.json", "maps_geocode", GEOCODE))
    assert found["formatted_address"] == raw["formatted_address"]
    assert found["location"] == raw["geometry"]["location"]
    assert found["place_id"] == raw.get("place_id")


@pytest.mark.parametrize(
    "file", ["reverse_geocode_ok_sydney", "reverse_geocode_ok_kyoto_ja", "reverse_geocode_address_descriptors"]
)  # fmt: skip
def test_reverse_geocode(ask: Asked, shared: Path, file: str) -> None:
    raw = json.loads((shared / f"data/contracts/google/{file}.json").read_text())["results"][0]
    found = value(ask(f"google/{file}.json", "maps_reverse_geocode", POINT))
    assert found["formatted_address"] == raw["formatted_address"]


def test_elevation(ask: Asked) -> None:
    arguments = {"locations": [{"latitude": -33.867487, "longitude": 151.20699}]}
    found = value(ask("google/elevation_ok_one_point.json", "maps_elevation", arguments))
    assert found["results"][0]["elevation"] == 19.10829925537109
    assert found["results"][0]["location"] == {"lat": -33.867487, "lng": 151.20699}


def test_route_matrix(ask: Asked) -> None:
    file = "google/routes_computeroutematrix_docs_example.json"
    found = value(ask(file, "maps_distance_matrix", PAIR))
    distances = [
        (item["origin"], item["destination"], item["distance_km"]) for item in found["results"]
    ]
    assert distances[0] == ("a", "c", 0.822)
    assert distances[2:] == [("b", "c", 2.919), ("b", "d", 5.598)]
    assert found["results"][0]["duration_min"] == pytest.approx(160 / 60, abs=1e-4)


def test_weather(ask: Asked) -> None:
    days = {**POINT, "start_date": "2025-01-15", "end_date": "2025-01-17"}
    file = "open_meteo/archive_daily_svalbard_max_min_precip.json"
    found = value(ask(file, "weather_historical", days))
    assert found["daily"]["temperature_2m_max"] == [-11.0, -12.3, -12.1]
    assert found["daily_units"]["precipitation_sum"] == "mm"
    paths = ["daily.precipitation_sum[1]", "daily.temperature_2m_max[0]"]
    picked = value(ask(file, "weather_historical", {**days, "select": paths}))
    assert picked == {paths[0]: 5.7, paths[1]: -11.0}


@pytest.mark.parametrize("file", ["archive_daily_denver_snowfall", "archive_daily_all_vars_fahrenheit_inch",
                                  "archive_daily_bergen_fahrenheit", "archive_daily_tromso_mean_slow",
                                  "forecast_daily_3days", "forecast_daily_beijing_7days_precip"])  # fmt: skip
def test_weather_keeps_every_day_and_its_units(ask: Asked, shared: Path, file: str) -> None:
    raw = json.loads((shared / f"data/contracts/open_meteo/{file}.json").read_text())
    found = value(ask(f"open_meteo/{file}.json", "weather_forecast", POINT))
    assert found["daily"] == raw["daily"]
    assert found["daily_units"] == raw["daily_units"]


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
    assert found["close_price"] == pytest.approx(12.595, abs=0.006)
    assert found["currency"] == "GBP"


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


def test_search(ask: Asked, shared: Path) -> None:
    for file in ("search_2026_organic_only", "search_2025_people_also_ask"):
        raw = json.loads((shared / f"data/contracts/serper/{file}.json").read_text())["organic"]
        found = value(ask(f"serper/{file}.json", "web_search", {"query": "x", "num_results": 3}))
        assert found["count"] == min(3, len(raw))
        assert [item["url"] for item in found["results"]] == [hit["link"] for hit in raw[:3]]
        assert found["results"][0]["title"] == raw[0]["title"]


#: file, HTTP status, tool, arguments -> kind, and a part of the message
ERRORS = [
    ("google/geocode_zero_results.json", 200, "maps_geocode", GEOCODE, "not_found", "ZERO_RESULTS"),
    (
        "google/geocode_request_denied_billing.json",
        200,
        "maps_geocode",
        GEOCODE,
        "denied",
        "Billing",
    ),
    (
        "google/geocode_request_denied_no_key.json",
        200,
        "maps_geocode",
        GEOCODE,
        "denied",
        "REQUEST_DENIED",
    ),
    (
        "google/over_query_limit_with_message.json",
        200,
        "maps_geocode",
        GEOCODE,
        "quota",
        "Please wait.",
    ),
    (
        "google/places_new_error_403_disabled.json",
        403,
        "maps_search_places",
        {"query": "x"},
        "denied",
        "disabled",
    ),
    (
        "google/places_new_error_400_fieldmask.json",
        400,
        "maps_search_places",
        {"query": "x"},
        "upstream",
        "FieldMask",
    ),
    (
        "open_meteo/error_400_invalid_daily_variable.json",
        400,
        "weather_forecast",
        POINT,
        "bad_arguments",
        "tempeture",
    ),
    ("open_meteo/error_404_wrong_path.json", 404, "weather_forecast", POINT, "not_found", "404"),
    ("open_meteo/error_429_minutely.json", 429, "weather_forecast", POINT, "quota", "429"),
    (
        "open_meteo/error_429_hourly_no_error_key.json",
        429,
        "weather_forecast",
        POINT,
        "quota",
        "Hourly",
    ),
    (
        "open_meteo/error_429_daily_no_error_key.json",
        429,
        "weather_forecast",
        POINT,
        "quota",
        "Daily",
    ),
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
    (
        "mediawiki/error_parse_missingtitle_fv1.json",
        200,
        "fetch_webpage",
        ARTICLE,
        "not_found",
        "doesn't exist",
    ),
    (
        "mediawiki/error_badvalue_fv2.json",
        200,
        "fetch_webpage",
        ARTICLE,
        "bad_arguments",
        "badvalue",
    ),
    (
        "mediawiki/error_403_no_user_agent.txt",
        403,
        "fetch_webpage",
        ARTICLE,
        "denied",
        "user-agent",
    ),
    ("wikimedia_pageviews/error_429.txt", 429, "fetch_webpage", ARTICLE, "quota", "429"),
]


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: tuple[Any, ...]
) -> None:
    file, status, name, arguments, kind, said = case
    result = ask(file, name, arguments, status=status)
    assert (result.ok, result.error_kind) == (False, kind)
    assert said in json.loads(result.text)["error"]["message"]


def test_a_parse_reply_of_a_real_article(shared: Path) -> None:
    """The recorded HTML of "Cat" in the envelope of both format versions."""
    html = (
        shared / "data/contracts/wikipedia_html/parse_text_cat_mobileformat_2024_650kB.html"
    ).read_text()
    texts = []
    for text in (html, {"*": html}):
        body = {"parse": {"title": "Cat", "text": text, "langlinks": [{}] * 3, "revid": 1}}

        async def over(body: dict[str, Any] = body) -> ToolResult:
            transport = httpx.MockTransport(lambda _: httpx.Response(200, json=body))
            async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
                services = Services(http=client, endpoints=LIVE)
                return await call(
                    "fetch_webpage", {"url": "https://en.m.wikipedia.org/wiki/Cat"}, services
                )

        texts.append(asyncio.run(over()).text)
    assert texts[0] == texts[1]
    assert "Languages: 3" in texts[0]
    assert "3.1 Domestication" in texts[0]
    assert "| Kingdom: | [Animalia](/wiki/Animal) |" in texts[0]
