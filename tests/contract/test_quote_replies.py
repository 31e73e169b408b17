"""Recorded replies on countries, stocks, crypto currencies and of web searches, read through the tools."""

import json
from pathlib import Path

import pytest
from recorded import Asked, ErrorCase, check_error, value

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

READ = {case[0] for case in ERRORS} | {
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


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: ErrorCase
) -> None:
    check_error(ask, case)
