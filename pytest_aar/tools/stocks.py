"""Yahoo's chart API: the last bar on or before a day, at most five days back, adjusted close.

The API is unofficial: hosts answer 429 to User-Agents that they dislike, and a consent page to visitors
from the EU. So a second host is asked, by another name; who limits or refuses is not asked again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any, Literal
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import httpx

from pytest_aar.manners.reply_text import and_then, message_in, without_stop
from pytest_aar.tools.arguments import Stock
from pytest_aar.tools.exchange import Advice, Ask, fetch_json, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services
from pytest_aar.tools.unreachable import (
    HeldBackError,
    NoUseError,
    together,
    tried,
    without_remedy,
)
from pytest_aar.tools.user_agent import user_agent

#: How far before the day asked for a bar may lie: a long weekend with holidays.
DAYS_BACK = 5
#: Kinds of failures that say nothing of the symbol.
_ANOTHER_TRY = frozenset({"quota", "denied", "upstream", "timeout"})
_REFUSALS = (403, 429)
#: What an HTTP status may say of a symbol.
_OF_THE_SYMBOL = (400, 404, 422)
_REMEDY = (
    "Yahoo limits and blocks addresses for a while, and shows visitors from the EU a page that asks for"
    " consent: wait, run from another network, or set `stocks` in aar_services to a mirror of its chart API"
)
#: Codes of errors, which come with HTTP 200 too -> kind; any other is Yahoo's own fault.
_CODES: dict[str, ErrorKind] = {
    "Not Found": "not_found",
    "Bad Request": "bad_arguments",
    "Unprocessable Entity": "bad_arguments",
    "Unauthorized": "denied",
    "Forbidden": "denied",
    "Too Many Requests": "quota",
}
#: What a description says where there are no prices of a symbol at that time.
_NOTHING = ("doesn't exist", "no data found")
#: Minor units that exchanges quote in: 100 of them are one of the currency.
_MINOR_UNITS = {"GBp": "GBP", "GBX": "GBP", "ZAc": "ZAR", "ILA": "ILS"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One trading day. `close` is adjusted for splits and dividends, in the quote's own unit.

    `stamp` (seconds) tells the live bar of today from the one that it replaces.
    """

    day: date
    stamp: int
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
    stamps = result.get("timestamp") or []
    if not stamps:
        return
    indicators = result["indicators"]
    nothing = [None] * len(stamps)
    quote_ = indicators["quote"][0]
    closes = quote_.get("close") or nothing
    if indicators.get("adjclose"):
        closes = indicators["adjclose"][0].get("adjclose") or closes
    volumes = quote_.get("volume") or nothing
    zone = _zone(result["meta"])
    for stamp, close, shares in zip(stamps, closes, volumes, strict=True):
        day = datetime.fromtimestamp(stamp, tz=zone).date()
        yield Bar(day=day, stamp=stamp, close=close, volume=shares)


def result_in(body: Any, ticker: str) -> Any:
    """The one result of a chart reply; what is wrong may come with HTTP 200, below "finance" too."""
    with reading("Yahoo"):
        chart = body["chart"] if "chart" in body else body["finance"]
        if chart.get("error"):
            raise _told(chart["error"], ticker, message_in(body))
        if not chart["result"]:
            raise ToolFailure("not_found", f"Yahoo has nothing for {ticker!r}")
        return chart["result"][0]


def _told(error: Any, ticker: str, said: str) -> ToolFailure:
    code = str(error.get("code", "")) if isinstance(error, Mapping) else ""
    kind = "not_found" if _is_nothing(said) else _CODES.get(code, "upstream")
    what = f"has nothing for {ticker!r}" if kind == "not_found" else f"answered for {ticker!r}"
    return ToolFailure(kind, f"Yahoo {what}: {said or code or error}")


def _is_nothing(said: str) -> bool:
    plain = said.replace("\u2019", "'").casefold()
    return any(words in plain for words in _NOTHING)


async def _chart(arguments: Stock, services: Services) -> Any:
    """The chart of the first host, or of the second; what either says of the symbol is final."""
    if not services.endpoints.stocks_second:
        return await _asked(arguments, services, "stocks")
    found = await tried("Yahoo", _asked(arguments, services, "stocks", advice=_go_elsewhere))
    if isinstance(found, ToolFailure) and found.kind in _ANOTHER_TRY:
        name = f"Mozilla/5.0 (compatible; {user_agent(services.contact)})"
        found = _both_failed(found, await tried("Yahoo", _second(arguments, services, name)))
    if isinstance(found, ToolFailure):
        raise found
    return found


async def _second(arguments: Stock, services: Services, name: str) -> Any:
    headers = {"User-Agent": name}
    return await _asked(arguments, services, "stocks_second", headers=headers, advice=_go_elsewhere)


def _go_elsewhere(response: httpx.Response) -> bool | None:
    """No second try at a host that limits or refuses: it is the address or the name that it dislikes."""
    return False if response.status_code in _REFUSALS else None


async def _asked(
    arguments: Stock,
    services: Services,
    endpoint: Literal["stocks", "stocks_second"],
    *,
    headers: Mapping[str, str] | None = None,
    advice: Advice | None = None,
) -> Any:
    """One host's chart, a day wider at both ends than needed: bars carry exchange time, the range is UTC."""
    day = datetime.combine(date.fromisoformat(arguments.date), datetime.min.time(), UTC)
    symbol = quote(arguments.ticker, safe="=^.-")
    body = await fetch_json(
        services,
        Ask(
            service="Yahoo",
            endpoint=endpoint,
            url=f"{getattr(services.endpoints, endpoint)}/v8/finance/chart/{symbol}",
            params={
                "period1": str(_stamp(day, -DAYS_BACK - 1)),
                "period2": str(_stamp(day, 2)),
                "interval": "1d",
            },
            headers=headers,
            advice=advice,
        ),
        _classify,
    )
    return result_in(body, arguments.ticker)


def _both_failed(first: ToolFailure, second: Any) -> Any:
    """The second answer; where it is no better than the first, both, and what to do."""
    if not isinstance(second, ToolFailure) or second.kind not in _ANOTHER_TRY:
        return second
    says_what_to_do = isinstance(second, HeldBackError)
    if says_what_to_do or (isinstance(second, NoUseError) and type(second) is type(first)):
        return ToolFailure(second.kind, together(first, second))
    told = and_then(without_remedy(first), f"its second host: {without_remedy(second)}")
    return ToolFailure(second.kind, f"{without_stop(told)}. {_REMEDY}")


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
    near = [bar for bar in bars_in(result) if 0 <= (day - bar.day).days <= DAYS_BACK]
    fitting = [bar for bar in near if getattr(bar, wanted) is not None]
    if not fitting:
        is_traded = any(bar.close is not None or bar.volume is not None for bar in near)
        what = f"figure ({wanted})" if is_traded else "trading day"
        raise ToolFailure(
            "not_found",
            f"Yahoo has no {what} of {arguments.ticker!r} on {day}"
            f" or in the {DAYS_BACK} days before",
        )
    return max(fitting, key=lambda bar: (bar.day, bar.stamp))


def _zone(meta: Any) -> tzinfo:
    """The exchange's time zone; where its name is none, the offset that Yahoo gives beside it."""
    try:
        return ZoneInfo(meta["exchangeTimezoneName"])
    except (KeyError, TypeError, ValueError, ZoneInfoNotFoundError):
        return timezone(timedelta(seconds=meta.get("gmtoffset") or 0))


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """No prices at that time, or no such symbol; a 404 without a chart is a wrong address."""
    if status in _OF_THE_SYMBOL and _is_nothing(message):
        return "not_found"
    is_own = status == 404 and isinstance(body, Mapping) and "chart" in body  # noqa: PLR2004 - HTTP's own
    return "not_found" if is_own else None
