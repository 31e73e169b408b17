"""Crypto currencies where Binance has no answer: CoinGecko."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from tool_calls import ask, failure, value
from waiting import metered

from pytest_aar.tools import LIVE

UNKNOWN = httpx.Response(400, json={"code": -1121, "msg": "Invalid symbol."})
BLOCKED = httpx.Response(451, json={"code": 0, "msg": "restricted location"})
KRAKEN = {"symbol": "KRAKUSDT", "date": "2026-06-15"}


def stamp(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


#: The day before's end, an hour before its own end, its end, and a point beyond it.
POINTS = [
    *((stamp("2026-06-15T00:00:41"), 1.0), (stamp("2026-06-15T23:00:40"), 2.0)),
    *((stamp("2026-06-16T00:00:39"), 2.5), (stamp("2026-06-16T01:00:40"), 4.0)),
]
CHART = {
    "prices": [[moment, price] for moment, price in POINTS],
    "market_caps": [],
    "total_volumes": [[moment, price * 1000] for moment, price in POINTS],
}
COINS = {
    "coins": [
        {"id": "krak-two", "symbol": "krak", "name": "Krak II", "market_cap_rank": None},
        {"id": "krak-coin", "symbol": "KRAK", "name": "Krak", "market_cap_rank": 88},
        {"id": "kraken", "symbol": "KRAKEN", "name": "Kraken", "market_cap_rank": 3},
    ]
}


class Sources:
    """Binance's reply, and CoinGecko's to a search and to a chart."""

    def __init__(self, binance: Any, chart: Any = CHART, found: Any = COINS) -> None:
        self.binance, self.chart, self.found = binance, chart, found
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if request.url.host == "data-api.binance.vision":
            body = self.binance
        else:
            body = self.found if request.url.path == "/api/v3/search" else self.chart
        if isinstance(body, Exception):
            raise body
        return body if isinstance(body, httpx.Response) else httpx.Response(200, json=body)

    def paths(self) -> list[str]:
        return [request.url.path for request in self.asked[1:]]


def price(sources: Callable[[httpx.Request], httpx.Response], **options: Any) -> Any:
    return ask("crypto_historical_price", KRAKEN, sources, **{"endpoints": LIVE, **options})


@pytest.mark.parametrize(
    "binance",
    [UNKNOWN, BLOCKED, httpx.Response(403, text="<html>"), httpx.Response(502), {"odd": 1},
     httpx.ConnectError("no route"), httpx.ReadTimeout("slow")],
)  # fmt: skip
def test_a_pair_that_binance_cannot_give_comes_from_coingecko(binance: Any) -> None:
    sources = Sources(binance)
    assert value(price(sources)) == {
        "symbol": "KRAKUSD",
        "date": "2026-06-15",
        "close_price": 2.5,
        "currency": "USD",
        "source": "CoinGecko, coin krak-coin",
        "as_of": "2026-06-16T00:00:39Z",
    }
    assert sources.paths() == ["/api/v3/search", "/api/v3/coins/krak-coin/market_chart/range"]
    assert dict(sources.asked[-1].url.params) == {
        "vs_currency": "usd",
        "from": str(stamp("2026-06-15T00:00:00") // 1000),
        "to": str(stamp("2026-06-16T00:05:00") // 1000),
    }


def test_money_traded_is_converted_and_said_to_be_so() -> None:
    found = value(ask("crypto_volume", KRAKEN, Sources(UNKNOWN), endpoints=LIVE))
    assert found["volume"] == 1000.0
    assert found["unit"].startswith("KRAK, converted")
    assert (found["traded_value"], found["currency"]) == (2500.0, "USD")


@pytest.mark.parametrize(
    ("symbol", "coin", "currency", "named"),
    [
        ("btc", "bitcoin", "usd", "BTCUSD"),
        ("ETHBTC", "ethereum", "btc", "ETHBTC"),
        ("SOL/EUR", "solana", "eur", "SOLEUR"),
        ("DOGEFDUSD", "dogecoin", "usd", "DOGEUSD"),
    ],
)
def test_well_known_coins_need_no_search(symbol: str, coin: str, currency: str, named: str) -> None:
    sources, day = Sources(BLOCKED), KRAKEN["date"]
    arguments = {"symbol": symbol, "date": day}
    found = value(ask("crypto_historical_price", arguments, sources, endpoints=LIVE))
    assert (found["symbol"], found["currency"]) == (named, currency.upper())
    assert sources.paths() == [f"/api/v3/coins/{coin}/market_chart/range"]
    assert sources.asked[-1].url.params["vs_currency"] == currency


@pytest.mark.parametrize(
    ("symbol", "pair"),
    [
        *(("BTC", "BTCUSDT"), ("render", "RENDERUSDT"), ("Bitcoin", "BITCOINUSDT"), ("$OP", "OPUSDT")),
        *(("OP-USD", "OPUSDT"), ("OPUSD", "OPUSDT"), ("btc/usd", "BTCUSDT"), ("BTCUSD", "BTCUSDT")),
        *(("OP-EUR", "OPEUR"), ("OPBTC", "OPBTC"), ("ETHBTC", "ETHBTC"), ("BNB/BTC", "BNBBTC")),
        *(("BNB-USD", "BNBUSDT"), ("DOT_BUSD", "DOTBUSD"), ("BTC-FDUSD", "BTCFDUSD")),
        *(("BTC/JPY", "BTCJPY"), ("BTCBRL", "BTCBRL"), ("BTC-XYZ", "BTCXYZ"), ("SOLUSDC", "SOLUSDC")),
        *(("WBTC", "WBTCUSDT"), ("STETH", "STETHUSDT"), ("USDC", "USDCUSDT"), ("FDUSD", "FDUSDUSDT")),
        *(("WBTC-ETH", "WBTCETH"), ("WBTCUSDT", "WBTCUSDT"), ("1000SATS", "1000SATSUSDT")),
    ],
)  # fmt: skip
def test_a_symbol_is_parted_at_its_mark_or_at_a_known_currency(symbol: str, pair: str) -> None:
    sources = Sources(httpx.Response(429, json={"code": -1003, "msg": "Too many"}))
    ask("crypto_volume", {"symbol": symbol, "date": KRAKEN["date"]}, sources, endpoints=LIVE)
    assert sources.asked[0].url.params["symbol"] == pair


def test_a_name_means_the_largest_coin_that_bears_it() -> None:
    same = {"id": "joke", "symbol": "BITCOIN", "name": "Joke", "market_cap_rank": 900}
    real = {"id": "bitcoin", "symbol": "BTC", "name": "Bitcoin", "market_cap_rank": 1}
    sources = Sources(UNKNOWN, found={"coins": [same, real]})
    arguments = {"symbol": "Bitcoin", "date": KRAKEN["date"]}
    found = value(ask("crypto_historical_price", arguments, sources, endpoints=LIVE))
    assert found["source"] == "CoinGecko, coin bitcoin"


def test_a_demo_key_goes_along() -> None:
    sources = Sources(UNKNOWN)
    price(sources, keys={"COINGECKO_API_KEY": "cg"})
    assert "x-cg-demo-api-key" not in sources.asked[0].headers
    assert [request.headers["x-cg-demo-api-key"] for request in sources.asked[1:]] == ["cg", "cg"]


OLD = {"error": {"status": {"error_code": 10012, "error_message": "only the past 365 days"}}}
MANY = {"status": {"error_code": 429, "error_message": "You've exceeded the Rate Limit."}}


@pytest.mark.parametrize(
    ("sources", "kind", "said"),
    [
        (Sources(UNKNOWN, found={"coins": []}), "not_found", "no coin with the symbol or name 'KRAK'"),
        (Sources(UNKNOWN, chart={"prices": [], "total_volumes": []}), "not_found", "no price of 'krak-coin'"),
        (Sources(BLOCKED, found={"coins": []}), "denied", "restricted location"),
        (Sources(UNKNOWN, chart=httpx.Response(401, json=OLD)), "denied", "need a paid plan"),
        (Sources(UNKNOWN, chart=httpx.Response(429, json=MANY)), "quota", "COINGECKO_API_KEY"),
        (Sources(UNKNOWN, chart=httpx.Response(404, json={"error": "coin not found"})), "not_found", "coin not found"),
        (Sources(UNKNOWN, chart=httpx.Response(404, json={"error": "Incorrect path"})), "upstream", "coingecko=URL"),
        (Sources(BLOCKED, chart={"odd": 1}), "upstream", "CoinGecko answered in an unknown shape"),
        (Sources(UNKNOWN, chart=httpx.ConnectError("no route")), "upstream",
         "CoinGecko can't be reached at api.coingecko.com (ConnectError: no route): check this machine's network"),
    ],
)  # fmt: skip
def test_where_neither_answers_both_are_told(sources: Sources, kind: str, said: str) -> None:
    found, message = failure(price(sources))
    assert found == kind
    assert said in message
    first = "restricted location" if sources.binance is BLOCKED else "Invalid symbol"
    assert message.startswith("Binance answered HTTP")
    assert first in message


def test_two_services_out_of_reach_have_the_remedy_of_the_one_that_is_asked_first() -> None:
    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route")

    message = failure(ask("crypto_volume", KRAKEN, gone, endpoints=LIVE))[1]
    assert message == (
        "Binance can't be reached at data-api.binance.vision (ConnectError: no route); CoinGecko can't be reached at "
        "api.coingecko.com (ConnectError: no route): check this machine's network (`aar doctor` asks every "
        "service), or name another address: --aar-services crypto=URL"
    )


def test_two_addresses_that_lead_nowhere_have_the_remedy_of_the_one_that_is_asked_first() -> None:
    sources = Sources(httpx.Response(404, text="gone."), found=httpx.Response(404, text="lost."))
    assert failure(price(sources)) == (
        "upstream",
        "Binance answered HTTP 404: gone; CoinGecko answered HTTP 404: lost; its address may have changed: name "
        "another with --aar-services crypto=URL",
    )


def test_a_day_too_far_back_for_coingecko_does_not_hide_that_binances_address_is_wrong() -> None:
    sources = Sources(httpx.Response(404, text="gone"), chart=httpx.Response(401, json=OLD))
    with metered() as meter:
        kind, message = failure(price(sources))
    advice = "its address may have changed: name another with --aar-services crypto=URL"
    astray = f"Binance answered HTTP 404: gone; {advice}"
    assert (kind, meter.astray) == ("denied", astray)
    assert message.startswith(f"{astray}; CoinGecko answered HTTP 401")


def test_points_without_a_figure_are_passed_over() -> None:
    holes = {
        "prices": [*CHART["prices"][:2], [POINTS[2][0], None]],
        "total_volumes": [[POINTS[1][0], None]],
    }
    sources = Sources(UNKNOWN, chart=holes)
    assert value(price(sources))["close_price"] == 2.0
    kind, message = failure(ask("crypto_volume", KRAKEN, sources, endpoints=LIVE))
    assert (kind, message) == (
        "not_found",
        "CoinGecko counts no trade of krak-coin on 2026-06-15 (UTC)",
    )


@pytest.mark.parametrize("status", [429, 418])
def test_a_limit_of_binance_is_no_reason_to_go_elsewhere(status: int) -> None:
    """It says when it ends: a figure from another market would not be the same."""
    sources = Sources(httpx.Response(status, json={"code": -1003, "msg": "Too many requests"}))
    kind, message = failure(price(sources))
    assert (kind, sources.paths()) == ("quota", [])
    assert "Too many requests" in message


def test_binance_is_asked_again_only_after_the_wait_that_it_names() -> None:
    """It bans who goes on."""
    for headers, tries in (({}, 1), ({"retry-after": "0"}, 3)):
        limit = httpx.Response(429, json={"code": -1003, "msg": "Too many"}, headers=headers)
        sources = Sources(limit)
        assert failure(price(sources, attempts=3))[0] == "quota"
        assert len(sources.asked) == tries


def test_a_day_without_trades_is_none_at_coingecko_either() -> None:
    sources = Sources([])
    assert failure(price(sources))[0] == "not_found"
    assert sources.paths() == []


def test_an_address_of_ones_own_is_asked_alone_unless_both_have_one() -> None:
    own = LIVE.with_overrides({"crypto": "https://data-api.binance.vision/"})
    sources = Sources(BLOCKED)
    assert failure(price(sources, endpoints=own))[0] == "denied"
    assert sources.paths() == []
    both = LIVE.with_overrides(
        {"coingecko": "https://cg.test", "crypto": "https://data-api.binance.vision"}
    )
    assert value(price(sources, endpoints=both))["close_price"] == 2.5
    assert sources.asked[-1].url.host == "cg.test"


@pytest.mark.parametrize(
    ("symbol", "pair", "currency"),
    [("BNBUSD", "BNBUSDT", "USDT"), ("DOTUSD", "DOTUSDT", "USDT"), ("shibusd", "SHIBUSDT", "USDT"),
     ("BATUSD", "BATUSDT", "USDT"), ("USDTUSD", "USDTUSDT", "USDT"), ("BTCTUSD", "BTCTUSD", "TUSD"),
     ("BNBBUSD", "BNBBUSD", "BUSD"), ("ETHBUSD", "ETHBUSD", "BUSD"), ("OPTUSD", "OPTUSD", "TUSD"),
     ("XYZTUSD", "XYZTUSDT", "USDT"), ("XYZT-USD", "XYZTUSDT", "USDT"), ("DOT-TUSD", "DOTTUSD", "TUSD"),
     ("ETHBTC", "ETHBTC", "BTC"), ("WBTC", "WBTCUSDT", "USDT"), ("STETHETH", "STETHETH", "ETH"),
     ("ONTUSD", "ONTUSDT", "USDT"), ("BNTUSD", "BNTUSDT", "USDT"), ("USTUSD", "USTUSDT", "USDT"),
     ("MANTUSD", "MANTUSDT", "USDT"), ("ON-TUSD", "ONTUSD", "TUSD")],
)  # fmt: skip
def test_a_pair_without_a_mark_is_parted_after_the_longest_known_coin(
    symbol: str, pair: str, currency: str
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.params["symbol"] == pair
        opened = stamp("2026-06-15T00:00:00")
        return httpx.Response(200, json=[[opened, "1", "1", "1", "2.5", "9"]])

    asked = {"symbol": symbol, "date": "2026-06-15"}
    found = value(ask("crypto_historical_price", asked, answer, endpoints=LIVE))
    assert (found["symbol"], found["currency"]) == (pair, currency)


ABT = {"symbol": "ABTUSD", "date": "2026-06-15"}


def test_a_guess_that_binance_does_not_know_is_followed_by_the_next() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params["symbol"])
        opened = stamp("2026-06-15T00:00:00")
        row = [opened, "1", "1", "1", "2.5", "9"]
        return httpx.Response(200, json=[row]) if asked[-1] == "ABTUSD" else UNKNOWN

    found = value(ask("crypto_historical_price", ABT, answer, endpoints=LIVE))
    assert (found["symbol"], found["currency"], asked) == ("ABTUSD", "TUSD", ["ABTUSDT", "ABTUSD"])


@pytest.mark.parametrize(("binance", "kind"), [(UNKNOWN, "not_found"), (BLOCKED, "ambiguous")])
def test_coingecko_is_never_asked_for_half_of_a_guess(binance: httpx.Response, kind: str) -> None:
    coins = {"coins": [{"id": "other", "symbol": each, "name": each} for each in ("AB", "ABT")]}
    sources = Sources(binance, found=coins)
    said = failure(ask("crypto_historical_price", ABT, sources, endpoints=LIVE))
    assert said[0] == kind
    assert said[1].endswith("'ABTUSD' may mean several pairs: write ABT-USDT or AB-TUSD")
    assert {each.url.host for each in sources.asked} == {"data-api.binance.vision"}
    assert (
        value(
            ask(
                "crypto_historical_price",
                {**ABT, "symbol": "ABT-USD"},
                Sources(binance, found=coins),
                endpoints=LIVE,
            )
        )["source"]
        == "CoinGecko, coin other"
    )
