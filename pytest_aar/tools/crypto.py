"""Binance klines: one row for one UTC day; its numbers are texts. Where it can't answer: CoinGecko."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx

from pytest_aar.tools import coingecko
from pytest_aar.tools.arguments import Crypto
from pytest_aar.tools.coingecko import DayEnd
from pytest_aar.tools.crypto_pairs import Pair, pairs_meant
from pytest_aar.tools.exchange import Ask, fetch_json, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services
from pytest_aar.tools.unreachable import together, tried

_OPENED, _CLOSE, _VOLUME = 0, 4, 5
_INVALID_SYMBOL = -1121
_TOO_MANY = 429
#: Kinds of failures of Binance after which CoinGecko is asked: not at a limit, which is Binance's to lift.
_ELSEWHERE = frozenset({"not_found", "denied", "upstream", "timeout"})


async def price(arguments: Crypto, services: Services) -> ToolResult:
    """`{symbol, date, close_price, currency}`; `currency` is the pair's second half.

    An answer of CoinGecko's is in US dollars for any dollar coin, and has `source` and `as_of`.
    """
    pair, found = await _day(arguments.symbol, arguments.date, services)
    if isinstance(found, DayEnd):
        head = _head(pair, found, arguments.date)
        return answer({**head, "close_price": found.price, **_told(found)})
    with reading("Binance"):
        close = number(found[_CLOSE])
    return answer(
        {
            "symbol": pair.name,
            "date": arguments.date,
            "close_price": close,
            "currency": pair.currency,
        }
    )


async def volume(arguments: Crypto, services: Services) -> ToolResult:
    """`{symbol, date, volume}` in units of the pair's first half.

    CoinGecko counts in money, over all exchanges: its answer is converted at the day's last price,
    and has `unit`, `traded_value` with its `currency`, `source` and `as_of`.
    """
    pair, found = await _day(arguments.symbol, arguments.date, services)
    if isinstance(found, DayEnd):
        return answer(_converted(pair, found, arguments.date))
    with reading("Binance"):
        amount = number(found[_VOLUME])
    return answer({"symbol": pair.name, "date": arguments.date, "volume": amount})


def row_in(body: Any, day: str) -> list[Any] | None:
    """The row of that UTC day, None if the reply has none."""
    with reading("Binance"):
        for row in body:
            if datetime.fromtimestamp(row[_OPENED] / 1000, tz=UTC).date().isoformat() == day:
                return list(row)
    return None


async def _day(symbol: str, day: str, services: Services) -> tuple[Pair, list[Any] | DayEnd]:
    """Binance's row; CoinGecko's point where Binance doesn't know the pair, is blocked or down."""
    pairs = pairs_meant(symbol)
    for pair in pairs:
        row = await tried("Binance", _row(pair.name, day, services))
        if row is None:
            raise ToolFailure("not_found", f"Binance has no trade of {pair.name} on {day} (UTC)")
        if not isinstance(row, ToolFailure):
            return pair, row
        failure = row
        if failure.kind != "not_found":
            break
    if not services.endpoints.coingecko or failure.kind not in _ELSEWHERE:
        raise failure
    if len(pairs) > 1:
        raise _unclear(symbol, pairs, failure)
    return pair, await _elsewhere(pair, day, services, failure)


async def _elsewhere(pair: Pair, day: str, services: Services, said: ToolFailure) -> DayEnd:
    currency = "USD" if pair.currency is None or "USD" in pair.currency else pair.currency
    found = await tried(coingecko.NAME, coingecko.day_end(pair.coin, currency, day, services))
    if isinstance(found, ToolFailure):
        raise _both_failed(said, found)
    return found


def _unclear(symbol: str, pairs: Sequence[Pair], said: ToolFailure) -> ToolFailure:
    """CoinGecko goes by coins: asked for half of a guess, it would give another coin's price."""
    marked = " or ".join(f"{pair.coin}-{pair.currency}" for pair in pairs)
    return ToolFailure(
        "not_found" if said.kind == "not_found" else "ambiguous",
        f"{said.message}; {coingecko.NAME} is not asked, since {symbol!r} may mean several pairs: write {marked}",
    )


async def _row(pair: str, day: str, services: Services) -> list[Any] | None:
    start = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
    opened = int(start.timestamp() * 1000)
    reply = await fetch_json(
        services,
        Ask(
            service="Binance",
            endpoint="crypto",
            url=f"{services.endpoints.crypto}/api/v3/klines",
            params={
                "symbol": pair,
                "interval": "1d",
                "startTime": str(opened),
                "endTime": str(opened + int(timedelta(days=1).total_seconds() * 1000) - 1),
                "limit": "1",
            },
            advice=_unless_told,
        ),
        _classify,
    )
    return row_in(reply, day)


def _both_failed(first: ToolFailure, second: ToolFailure) -> ToolFailure:
    """A pair that is none stays one, unless CoinGecko could not be asked whether it is."""
    is_answer = second.kind in ("not_found", "bad_arguments")
    kind = first.kind if is_answer else second.kind
    return ToolFailure(kind, together(first, second))


def _head(pair: Pair, found: DayEnd, day: str) -> dict[str, Any]:
    return {"symbol": f"{pair.coin}{found.currency}", "date": day}


def _told(found: DayEnd) -> dict[str, Any]:
    """Where the figure comes from, and of which moment it is."""
    moment = found.moment.isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "currency": found.currency,
        "source": f"{coingecko.NAME}, coin {found.coin}",
        "as_of": moment,
    }


def _converted(pair: Pair, found: DayEnd, day: str) -> dict[str, Any]:
    if found.traded is None or found.price <= 0:
        raise ToolFailure(
            "not_found", f"{coingecko.NAME} counts no trade of {found.coin} on {day} (UTC)"
        )
    return {
        **_head(pair, found, day),
        "volume": found.traded / found.price,
        "unit": f"{pair.coin}, converted at the day's last price",
        "traded_value": found.traded,
        **_told(found),
    }


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    del status, message
    is_unknown = isinstance(body, dict) and body.get("code") == _INVALID_SYMBOL
    return "not_found" if is_unknown else None


def _unless_told(response: httpx.Response) -> bool | None:
    """Binance bans those who go on: another try after a 429 only when it says how long to wait."""
    is_limit = response.status_code == _TOO_MANY
    return False if is_limit and "retry-after" not in response.headers else None
