"""Binance klines: one row for one UTC day; its numbers are texts. Where it can't answer: CoinGecko."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from pytest_aar.tools import coingecko
from pytest_aar.tools.arguments import Crypto
from pytest_aar.tools.coingecko import DayEnd
from pytest_aar.tools.exchange import Ask, fetch_json, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services
from pytest_aar.tools.unreachable import together, tried
from pytest_aar.tools.used_up import unless_told

_OPENED, _CLOSE, _VOLUME = 0, 4, 5
_INVALID_SYMBOL = -1121
#: Ends of a pair's name.
_QUOTES = (
    *("FDUSD", "USDT", "USDC", "BUSD", "TUSD", "USD", "EUR", "GBP", "TRY", "BTC", "ETH", "BNB"),
    *("JPY", "BRL", "AUD", "RUB", "UAH", "ZAR", "PLN", "MXN", "CZK"),
)
#: Coins whose names end like a pair's.
_COINS = frozenset(
    {
        *_QUOTES,
        *("WBTC", "CBBTC", "TBTC", "LBTC", "RENBTC", "SOLVBTC", "WBNB"),
        *("WETH", "STETH", "WSTETH", "WBETH", "CBETH", "RETH", "BETH", "METH", "WEETH", "EZETH"),
        *("PYUSD", "RLUSD", "GUSD", "LUSD", "SUSD", "CRVUSD", "XUSD", "BFUSD", "AEUR"),
    }
)
#: Coins by symbol: a name without a mark is parted after the longest of them that leaves a known end. Those that
#: CoinGecko knows by heart, and others whose last letter the name of a dollar coin could begin with (DOT, USD).
_KNOWN = frozenset(
    {
        *(*_COINS, *coingecko.IDS),
        *(
            "ACT",
            "ALT",
            "ANT",
            "BTT",
            "CAT",
            "DENT",
            "FORT",
            "FTT",
            "GMT",
            "GRT",
            "HFT",
            "HOT",
            "JST",
            "LIT",
        ),
        *(
            "LPT",
            "NFT",
            "NOT",
            "OXT",
            "PNUT",
            "QNT",
            "SNT",
            "TNT",
            "TUT",
            "UFT",
            "USDT",
            "BOB",
            "CKB",
        ),
    }
)
_MARKS = re.compile(r"[\W_]+")
#: Kinds of failures of Binance after which CoinGecko is asked: not at a limit, which is Binance's to lift.
_ELSEWHERE = frozenset({"not_found", "denied", "upstream", "timeout"})


async def price(arguments: Crypto, services: Services) -> ToolResult:
    """`{symbol, date, close_price, currency}`; `currency` is the pair's second half.

    An answer of CoinGecko's is in US dollars for any dollar coin, and has `source` and `as_of`.
    """
    pair = pair_named(arguments.symbol)
    found = await _day(pair, arguments.date, services)
    if isinstance(found, DayEnd):
        head = _head(pair, found, arguments.date)
        return answer({**head, "close_price": found.price, **_told(found)})
    with reading("Binance"):
        close = number(found[_CLOSE])
    return answer(
        {
            "symbol": pair,
            "date": arguments.date,
            "close_price": close,
            "currency": halves(pair)[1],
        }
    )


async def volume(arguments: Crypto, services: Services) -> ToolResult:
    """`{symbol, date, volume}` in units of the pair's first half.

    CoinGecko counts in money, over all exchanges: its answer is converted at the day's last price,
    and has `unit`, `traded_value` with its `currency`, `source` and `as_of`.
    """
    pair = pair_named(arguments.symbol)
    found = await _day(pair, arguments.date, services)
    if isinstance(found, DayEnd):
        return answer(_converted(pair, found, arguments.date))
    with reading("Binance"):
        amount = number(found[_VOLUME])
    return answer({"symbol": pair, "date": arguments.date, "volume": amount})


def pair_named(symbol: str) -> str:
    """The pair that a symbol means: BTC, BTC-USD and btcusdt are all BTCUSDT.

    What a mark parts (OP-USD, BTC/JPY) is taken as it stands; without one, `halves` tells coin and currency.
    """
    parts = [part for part in _MARKS.split(symbol.upper()) if part]
    plain = "".join(parts)
    is_coin = len(parts) == 1 and (plain in _COINS or halves(plain)[1] is None)
    if is_coin:
        return f"{plain}USDT"
    is_in_dollars = parts[-1] == "USD" if len(parts) > 1 else halves(plain)[1] == "USD"
    return f"{plain}T" if is_in_dollars else plain


def halves(pair: str) -> tuple[str, str | None]:
    """Coin and currency of a pair: the longest known coin that leaves a known currency, else the longest currency.

    A name that ends in no known currency is all coin.
    """
    ends = [end for end in _QUOTES if pair.endswith(end) and pair != end]
    if not ends:
        return pair, None
    known = [end for end in ends if pair.removesuffix(end) in _KNOWN]
    end = min(known, key=len) if known else max(ends, key=len)
    return pair.removesuffix(end), end


def row_in(body: Any, day: str) -> list[Any] | None:
    """The row of that UTC day, None if the reply has none."""
    with reading("Binance"):
        for row in body:
            if datetime.fromtimestamp(row[_OPENED] / 1000, tz=UTC).date().isoformat() == day:
                return list(row)
    return None


async def _day(pair: str, day: str, services: Services) -> list[Any] | DayEnd:
    """Binance's row; CoinGecko's point where Binance doesn't know the pair, is blocked or down."""
    row = await tried("Binance", _row(pair, day, services))
    if row is None:
        raise ToolFailure("not_found", f"Binance has no trade of {pair} on {day} (UTC)")
    if not isinstance(row, ToolFailure):
        return row
    if not services.endpoints.coingecko or row.kind not in _ELSEWHERE:
        raise row
    coin, quoted = halves(pair)
    currency = "USD" if quoted is None or "USD" in quoted else quoted
    found = await tried(coingecko.NAME, coingecko.day_end(coin, currency, day, services))
    if isinstance(found, ToolFailure):
        raise _both_failed(row, found)
    return found


async def _row(pair: str, day: str, services: Services) -> list[Any] | None:
    start = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
    opened = int(start.timestamp() * 1000)
    reply = await fetch_json(
        services,
        Ask(
            service="Binance",
            url=f"{services.endpoints.crypto}/api/v3/klines",
            params={
                "symbol": pair,
                "interval": "1d",
                "startTime": str(opened),
                "endTime": str(opened + int(timedelta(days=1).total_seconds() * 1000) - 1),
                "limit": "1",
            },
            advice=unless_told,
        ),
        _classify,
    )
    return row_in(reply, day)


def _both_failed(first: ToolFailure, second: ToolFailure) -> ToolFailure:
    """A pair that is none stays one, unless CoinGecko could not be asked whether it is."""
    is_answer = second.kind in ("not_found", "bad_arguments")
    kind = first.kind if is_answer else second.kind
    return ToolFailure(kind, together(first, second))


def _head(pair: str, found: DayEnd, day: str) -> dict[str, Any]:
    return {"symbol": f"{halves(pair)[0]}{found.currency}", "date": day}


def _told(found: DayEnd) -> dict[str, Any]:
    """Where the figure comes from, and of which moment it is."""
    moment = found.moment.isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "currency": found.currency,
        "source": f"{coingecko.NAME}, coin {found.coin}",
        "as_of": moment,
    }


def _converted(pair: str, found: DayEnd, day: str) -> dict[str, Any]:
    if found.traded is None or found.price <= 0:
        raise ToolFailure(
            "not_found", f"{coingecko.NAME} counts no trade of {found.coin} on {day} (UTC)"
        )
    return {
        **_head(pair, found, day),
        "volume": found.traded / found.price,
        "unit": f"{halves(pair)[0]}, converted at the day's last price",
        "traded_value": found.traded,
        **_told(found),
    }


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    del status, message
    is_unknown = isinstance(body, dict) and body.get("code") == _INVALID_SYMBOL
    return "not_found" if is_unknown else None
