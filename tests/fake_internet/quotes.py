"""Countries (REST Countries v5, World Bank), Yahoo's chart, Binance's candles."""

from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import unquote

from pytest_aar.gateway.country_book import country_book
from pytest_aar.tools.result import ToolFailure

from .answer_book import AnswerBook, chance, folded
from .exchange import Asked, Reply, as_json, as_text

_DAY = 86_400
_WEEKEND = 5  # Saturday


def countries(book: AnswerBook, asked: Asked) -> Reply:
    """`/countries/v5/FIELD/NAME`: countries that legs ask for, by the exact common name or the code of two letters."""
    if not asked.headers.get("authorization", "").startswith("Bearer "):
        error = {"code": "authKeyMissing", "message": "An API key is required."}
        return as_json({"errors": [error]}, 401)
    _, _, rest = asked.path.partition("/v5/")
    field, _, name = rest.partition("/")
    if field == "codes.alpha_2":
        name = _name_of(name, book)
    people = book.fact("population", name)
    area = book.fact("area_km2", name)
    is_asked_by_name = field in ("names.common", "codes.alpha_2")
    is_invented = book.invents and bool(name) and _code_of(name) is not None
    known = is_asked_by_name and (people is not None or area is not None or is_invented)
    rows = [_country(name, people, area)] if known else []
    return as_json(
        {"data": {"objects": rows, "meta": {"total": len(rows), "count": len(rows), "more": False}}}
    )


def _name_of(code: str, book: AnswerBook) -> str:
    """The name under which a leg asks for the country with a code, "" where none does."""
    names = [key[1] for key in book.facts if key[0] in ("population", "area_km2")]
    invented = book.located if book.invents else ()
    return next((name for name in (*names, *invented) if _code_of(name) == code), "")


@cache
def _code_of(name: str) -> str | None:
    try:
        found = country_book().find(name)
    except ToolFailure:  # the name of several
        return None
    return found.alpha2 if found else None


def _country(name: str, people: Any, area: Any) -> dict[str, Any]:
    size = area if area is not None else round(1_000_000 * chance(name))
    crowd = people if people is not None else round(90_000_000 * chance(f"{name} people"))
    return {
        "names": {"common": name, "official": f"State of {name}"},
        "codes": {"alpha_2": _code_of(name)},
        "population": crowd,
        "area": {"kilometers": size, "miles": round(float(size) / 2.59, 1)},
    }


def yahoo(book: AnswerBook, asked: Asked) -> Reply:
    """`/v8/finance/chart/TICKER`: a bar for each day of the legs, none on weekends."""
    if asked.headers.get("user-agent", "").startswith("python-"):
        return as_text("Too Many Requests\r\n", 429)
    ticker = unquote(asked.path.rpartition("/")[2])
    closes, volumes = book.days("stock_price", ticker), book.days("stock_volume", ticker)
    if book.invents:
        closes, volumes = _invented(ticker, asked.query["period1"], asked.query["period2"])
    if not closes and not volumes:
        error = {"code": "Not Found", "description": "No data found, symbol may be delisted"}
        return as_json({"chart": {"result": None, "error": error}}, 404)
    bars = {
        _trading_day(day): [closes.get(day), volumes.get(day)]
        for day in sorted({*closes, *volumes})
    }
    first, last = (int(asked.query[name]) for name in ("period1", "period2"))
    stamps = {_stamp(day) + 52_200: bar for day, bar in bars.items()}
    return as_json(_chart(ticker, {s: bar for s, bar in stamps.items() if first <= s < last}))


def _invented(
    name: str, first: str, last: str, *, rests: bool = True
) -> tuple[dict[str, float], dict[str, float]]:
    """Prices and volumes of every day of a time (Unix seconds), or of every one but weekends."""
    began, end = (datetime.fromtimestamp(int(each), UTC).date() for each in (first, last))
    every = (began + timedelta(days=n) for n in range((end - began).days + 1))
    days = [day.isoformat() for day in every if not rests or day.weekday() < _WEEKEND]
    prices = {day: round(20 + 480 * chance(f"{name}{day}"), 2) for day in days}
    return prices, {day: float(1_000 + int(10**6 * chance(f"{name}{day}n"))) for day in days}


def _chart(ticker: str, bars: dict[int, list[Any]]) -> dict[str, Any]:
    closes = [bar[0] for bar in bars.values()]
    volumes = [None if bar[1] is None else int(bar[1]) for bar in bars.values()]
    quote = {"open": closes, "high": closes, "low": closes, "close": closes, "volume": volumes}
    meta = {"currency": "USD", "symbol": ticker.upper(), "exchangeTimezoneName": "America/New_York"}
    result: dict[str, Any] = {"meta": meta, "indicators": {"quote": [{}], "adjclose": [{}]}}
    if bars:
        result["timestamp"] = list(bars)
        result["indicators"] = {"quote": [quote], "adjclose": [{"adjclose": closes}]}
    return {"chart": {"result": [result], "error": None}}


def _trading_day(day: str) -> date:
    found = date.fromisoformat(day)
    return found - timedelta(days=max(0, found.weekday() - _WEEKEND + 1))


def _stamp(day: date) -> int:
    return int(datetime.combine(day, datetime.min.time(), UTC).timestamp())


def binance(book: AnswerBook, asked: Asked) -> Reply:
    """`/api/v3/klines`: a candle for each day of the legs."""
    symbol = asked.query["symbol"]
    closes, volumes = book.days("crypto_price", symbol), book.days("crypto_volume", symbol)
    if book.invents:
        first, last = (str(int(asked.query[name]) // 1000) for name in ("startTime", "endTime"))
        closes, volumes = _invented(symbol, first, last, rests=False)
    if not closes and not volumes:
        return as_json({"code": -1121, "msg": "Invalid symbol."}, 400)
    first, last = (int(asked.query[name]) for name in ("startTime", "endTime"))
    rows = []
    for day in sorted({*closes, *volumes}):
        opened = _stamp(date.fromisoformat(day)) * 1000
        if first <= opened <= last:
            price, amount = f"{closes.get(day, 1.0):.8f}", f"{volumes.get(day, 1.0):.8f}"
            end = opened + _DAY * 1000 - 1
            rows.append([opened, price, price, price, price, amount, end, amount, 7, "0", "0", "0"])
    return as_json(rows)


def folded_names(book: AnswerBook) -> set[str]:
    """The countries that the book knows."""
    return {folded(key[1]) for key in book.facts if key[0] in ("population", "area_km2")}
