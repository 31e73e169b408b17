"""Binance klines: one row for one UTC day; its numbers are texts."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from pytest_aar.tools.arguments import Crypto
from pytest_aar.tools.exchange import Ask, fetch_json, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services

_OPENED, _CLOSE, _VOLUME = 0, 4, 5
_INVALID_SYMBOL = -1121
_LONGEST_COIN = 5
#: Ends of a pair's name, longest first where one is the end of another.
_QUOTES = ("FDUSD", "USDT", "USDC", "BUSD", "TUSD", "USD", "EUR", "GBP", "TRY", "BTC", "ETH", "BNB")
_DOLLARS = ("FDUSD", "BUSD", "TUSD")


async def price(arguments: Crypto, services: Services) -> ToolResult:
    """`{symbol, date, close_price, currency}`; `currency` is the pair's second half."""
    symbol, row = await _row(arguments, services)
    with reading("Binance"):
        close = number(row[_CLOSE])
    quoted = next((quote for quote in _QUOTES if symbol.endswith(quote)), None)
    return answer(
        {"symbol": symbol, "date": arguments.date, "close_price": close, "currency": quoted}
    )


async def volume(arguments: Crypto, services: Services) -> ToolResult:
    """`{symbol, date, volume}` in units of the pair's first half."""
    symbol, row = await _row(arguments, services)
    with reading("Binance"):
        amount = number(row[_VOLUME])
    return answer({"symbol": symbol, "date": arguments.date, "volume": amount})


def pair_named(symbol: str) -> str:
    """The pair that a symbol means: BTC, BTC-USD and btcusdt are all BTCUSDT."""
    plain = "".join(character for character in symbol.upper() if character.isalnum())
    if len(plain) <= _LONGEST_COIN:
        return f"{plain}USDT"
    return f"{plain}T" if plain.endswith("USD") and not plain.endswith(_DOLLARS) else plain


def row_in(body: Any, day: str) -> list[Any] | None:
    """The row of that UTC day, None if the reply has none."""
    with reading("Binance"):
        for row in body:
            if datetime.fromtimestamp(row[_OPENED] / 1000, tz=UTC).date().isoformat() == day:
                return list(row)
    return None


async def _row(arguments: Crypto, services: Services) -> tuple[str, list[Any]]:
    symbol = pair_named(arguments.symbol)
    start = datetime.combine(date.fromisoformat(arguments.date), datetime.min.time(), UTC)
    opened = int(start.timestamp() * 1000)
    reply = await fetch_json(
        services,
        Ask(
            service="Binance",
            url=f"{services.endpoints.crypto}/api/v3/klines",
            params={
                "symbol": symbol,
                "interval": "1d",
                "startTime": str(opened),
                "endTime": str(opened + int(timedelta(days=1).total_seconds() * 1000) - 1),
                "limit": "1",
            },
        ),
        _classify,
    )
    row = row_in(reply, arguments.date)
    if row is None:
        raise ToolFailure(
            "not_found", f"Binance has no trade of {symbol} on {arguments.date} (UTC)"
        )
    return symbol, row


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    del status, message
    is_unknown = isinstance(body, dict) and body.get("code") == _INVALID_SYMBOL
    return "not_found" if is_unknown else None
