"""Crypto prices in the shape of Binance klines. All of them are invented."""

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from pytest_aar.world.seeded import draw
from pytest_aar.world.series import Series
from pytest_aar.world.services.answers import Answer, Request, json_answer

if TYPE_CHECKING:
    from pytest_aar.world.store import World

DEFAULT_LIMIT, MAX_LIMIT = 500, 1000
DAY_MS = 86_400_000
_EPOCH = date(1970, 1, 1).toordinal()
_QUOTES = ("USDT", "USDC")
#: Coin -> (typical price, typical volume, first day).
COINS: dict[str, tuple[float, float, date]] = {
    "BTC": (21000, 60_000, date(2017, 8, 17)),
    "ETH": (1400, 500_000, date(2017, 8, 17)),
    "BNB": (180, 900_000, date(2017, 11, 6)),
    "LTC": (80, 600_000, date(2017, 12, 13)),
    "NEO": (15, 700_000, date(2017, 11, 20)),
    "ADA": (0.45, 150_000_000, date(2018, 4, 17)),
    "XRP": (0.5, 300_000_000, date(2018, 5, 4)),
    "TRX": (0.06, 600_000_000, date(2018, 6, 11)),
    "ETC": (20, 1_500_000, date(2018, 6, 12)),
    "XLM": (0.15, 90_000_000, date(2018, 5, 31)),
    "LINK": (9, 3_000_000, date(2019, 1, 16)),
    "MATIC": (0.6, 120_000_000, date(2019, 4, 26)),
    "ATOM": (9, 2_500_000, date(2019, 4, 29)),
    "DOGE": (0.08, 900_000_000, date(2019, 7, 5)),
    "BCH": (300, 60_000, date(2019, 11, 28)),
    "SOL": (50, 3_000_000, date(2020, 8, 11)),
    "DOT": (8, 3_000_000, date(2020, 8, 18)),
    "AVAX": (22, 2_000_000, date(2020, 9, 22)),
    "UNI": (7, 2_000_000, date(2020, 9, 17)),
    "FIL": (12, 1_500_000, date(2020, 10, 15)),
    "NEAR": (4, 6_000_000, date(2020, 10, 14)),
}


def coin_of(symbol: str) -> str | None:
    """The coin of a pair such as BTCUSDT, or None."""
    for quote in _QUOTES:
        coin = symbol.removesuffix(quote)
        if coin != symbol and coin in COINS:
            return coin
    return None


def crypto(world: "World", request: Request) -> Answer:
    """`/api/v3/klines?symbol=BTCUSDT&interval=1d&startTime=&endTime=&limit=`."""
    if request.path != "/api/v3/klines":
        return json_answer({"code": -1000, "msg": "The sandbox serves /api/v3/klines"}, 404)
    for name in ("symbol", "interval"):
        if not request.query.get(name):
            text = f"Mandatory parameter '{name}' was not sent, was empty/null, or malformed."
            return _error(-1102, text)
    coin = coin_of(request.query["symbol"])
    if coin is None:
        return _error(-1121, "Invalid symbol.")
    if request.query["interval"] != "1d":
        return _error(-1120, "Invalid interval.")
    return _klines(request, coin, date.fromisoformat(world.date))


def _klines(request: Request, coin: str, today: date) -> Answer:
    try:
        span = _span(request, COINS[coin][2], today)
    except ValueError as error:
        return _error(-1100, f"Illegal characters found in a parameter: {error}")
    price, volume, _ = COINS[coin]
    series = Series(symbol=f"crypto/{coin}", price=price, volume=volume, wild=1.6, growth=0.01)
    return json_answer([_row(series, day) for day in span])


def _error(code: int, message: str) -> Answer:
    return json_answer({"code": code, "msg": message}, 400)


def _span(request: Request, first: date, last: date) -> list[date]:
    """The days asked for, as Binance cuts them: the limit counts from the start, else from the end."""
    limit = min(MAX_LIMIT, max(1, int(request.query.get("limit", DEFAULT_LIMIT))))
    low, high = first.toordinal(), last.toordinal()
    if "startTime" in request.query:
        low = max(low, _EPOCH - (-int(request.query["startTime"]) // DAY_MS))
    if "endTime" in request.query:
        high = min(high, _EPOCH + int(request.query["endTime"]) // DAY_MS)
    if "startTime" in request.query:
        high = min(high, low + limit - 1)
    else:
        low = max(low, high - limit + 1)
    return [date.fromordinal(low) + timedelta(days=n) for n in range(max(0, high - low + 1))]


def _row(series: Series, day: date) -> list[Any]:
    bar = series.bar(day, digits=8)
    opened = (day.toordinal() - _EPOCH) * DAY_MS
    quote = bar.volume * (bar.opening + bar.close) / 2
    trades = 1000 + draw("trades", series.symbol, day.toordinal()) % 900_000
    prices = [f"{value:.8f}" for value in (bar.opening, bar.high, bar.low, bar.close)]
    taker = (f"{bar.volume * 0.49:.8f}", f"{quote * 0.49:.8f}")
    return [
        *(opened, *prices, f"{bar.volume:.8f}", opened + DAY_MS - 1, f"{quote:.8f}"),
        *(trades, *taker, "0"),
    ]
