"""Yahoo's chart API: the last bar on or before a day, at most five days back, adjusted close."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_aar.tools.arguments import Stock
from pytest_aar.tools.exchange import Ask, fetch_json, message_in, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services

#: How far before the day asked for a bar may lie: a long weekend with holidays.
DAYS_BACK = 5
#: Minor units that exchanges quote in: 100 of them are one of the currency.
_MINOR_UNITS = {"GBp": "GBP", "GBX": "GBP", "ZAc": "ZAR", "ILA": "ILS"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One trading day. `close` is adjusted for splits and dividends, in the quote's own unit."""

    day: date
    close: float | None
    volume: int | None


async def price(arguments: Stock, services: Services) -> ToolResult:
    """`{symbol, date, close_price, currency}`; `date` is the trading day found."""
    result = await _chart(arguments, services)
    with reading("Yahoo"):
        bar = _last(result, arguments, "close")
        currency = result["meta"].get("currency")
        close = number(bar.close)
        if currency in _MINOR_UNITS:
            close, currency = close / 100, _MINOR_UNITS[currency]
        return answer(
            {
                "symbol": arguments.ticker,
                "date": bar.day.isoformat(),
                "close_price": round(close, 2),
                "currency": currency,
            }
        )


async def volume(arguments: Stock, services: Services) -> ToolResult:
    """`{symbol, date, volume}`; `date` is the trading day found."""
    result = await _chart(arguments, services)
    with reading("Yahoo"):
        bar = _last(result, arguments, "volume")
        return answer(
            {
                "symbol": arguments.ticker,
                "date": bar.day.isoformat(),
                "volume": int(number(bar.volume)),
            }
        )


def bars_in(result: Any) -> Iterator[Bar]:
    """The bars of a chart's result; without any, `timestamp` is missing altogether."""
    indicators = result["indicators"]
    stamps = result.get("timestamp") or []
    nothing = [None] * len(stamps)
    quote_ = indicators["quote"][0]
    closes = quote_.get("close") or nothing
    if indicators.get("adjclose"):
        closes = indicators["adjclose"][0].get("adjclose") or closes
    volumes = quote_.get("volume") or nothing
    zone = _zone(result["meta"])
    for stamp, close, shares in zip(stamps, closes, volumes, strict=True):
        yield Bar(day=datetime.fromtimestamp(stamp, tz=zone).date(), close=close, volume=shares)


def result_in(body: Any, ticker: str) -> Any:
    """The one result of a chart reply."""
    with reading("Yahoo"):
        chart = body["chart"]
        if chart.get("error"):
            raise ToolFailure("not_found", f"Yahoo has nothing for {ticker!r}: {message_in(body)}")
        if not chart["result"]:
            raise ToolFailure("not_found", f"Yahoo has nothing for {ticker!r}")
        return chart["result"][0]


async def _chart(arguments: Stock, services: Services) -> Any:
    """A range a day wider at both ends than needed: bars carry exchange time, the range is UTC."""
    day = datetime.combine(date.fromisoformat(arguments.date), datetime.min.time(), UTC)
    symbol = quote(arguments.ticker, safe="=^.-")
    reply = await fetch_json(
        services,
        Ask(
            service="Yahoo",
            url=f"{services.endpoints.stocks}/v8/finance/chart/{symbol}",
            params={
                "period1": str(_stamp(day, -DAYS_BACK - 1)),
                "period2": str(_stamp(day, 2)),
                "interval": "1d",
            },
        ),
        _classify,
    )
    return result_in(reply, arguments.ticker)


def _stamp(day: datetime, days: int) -> int:
    try:
        return int((day + timedelta(days=days)).timestamp())
    except OverflowError:
        raise ToolFailure(
            "bad_arguments", f"date: {day.date()} lies beyond the calendar's end"
        ) from None


def _last(result: Any, arguments: Stock, wanted: str) -> Bar:
    """The last bar that has the wanted field, on the day or up to five days before it."""
    day = date.fromisoformat(arguments.date)
    fitting = [
        bar
        for bar in bars_in(result)
        if 0 <= (day - bar.day).days <= DAYS_BACK and getattr(bar, wanted) is not None
    ]
    if not fitting:
        raise ToolFailure(
            "not_found",
            f"Yahoo has no trading day of {arguments.ticker!r} on {day}"
            f" or in the {DAYS_BACK} days before",
        )
    return max(fitting, key=lambda bar: bar.day)


def _zone(meta: Any) -> Any:
    try:
        return ZoneInfo(meta.get("exchangeTimezoneName") or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """HTTP 400 with "Data doesn't exist for startDate" is a range before the listing."""
    del body
    return "not_found" if status == 400 and "exist" in message else None  # noqa: PLR2004 - HTTP
