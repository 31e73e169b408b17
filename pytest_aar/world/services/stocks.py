"""Stock prices in the shape of Yahoo's chart. All of them are invented."""

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pytest_aar.world.seeded import between
from pytest_aar.world.series import Bar, Series, is_trading_day
from pytest_aar.world.services.answers import SYNTHETIC, Answer, Request, json_answer

if TYPE_CHECKING:
    from pytest_aar.world.store import World

_PREFIX = "/v8/finance/chart/"
FIRST_DAY = date(2000, 1, 3)
MAX_DAYS = 366 * 12
#: 14:30 UTC, the opening bell.
_OPEN_SECONDS = 52200
#: Known symbols. The names are real, the figures are not.
NAMES = {
    **{"AAPL": "Apple", "MSFT": "Microsoft", "GOOGL": "Alphabet", "GOOG": "Alphabet C"},
    **{"AMZN": "Amazon", "META": "Meta Platforms", "NVDA": "NVIDIA", "TSLA": "Tesla"},
    **{"IBM": "IBM", "INTC": "Intel", "AMD": "AMD", "ORCL": "Oracle", "CSCO": "Cisco"},
    **{"ADBE": "Adobe", "CRM": "Salesforce", "NFLX": "Netflix", "PYPL": "PayPal"},
    **{"DIS": "Walt Disney", "KO": "Coca-Cola", "PEP": "PepsiCo", "MCD": "McDonald's"},
    **{"SBUX": "Starbucks", "NKE": "Nike", "WMT": "Walmart", "TGT": "Target", "COST": "Costco"},
    **{"HD": "Home Depot", "LOW": "Lowe's", "PG": "Procter & Gamble", "JNJ": "J&J"},
    **{"PFE": "Pfizer", "MRK": "Merck", "UNH": "UnitedHealth", "ABBV": "AbbVie", "LLY": "Lilly"},
    **{"JPM": "JPMorgan Chase", "BAC": "Bank of America", "GS": "Goldman Sachs", "V": "Visa"},
    **{"MA": "Mastercard", "AXP": "American Express", "BRK-B": "Berkshire Hathaway B"},
    **{"XOM": "Exxon Mobil", "CVX": "Chevron", "BP": "BP", "SHEL": "Shell", "TTE": "TotalEnergies"},
    **{"BA": "Boeing", "CAT": "Caterpillar", "GE": "GE Aerospace", "MMM": "3M", "HON": "Honeywell"},
    **{"F": "Ford", "GM": "General Motors", "TM": "Toyota", "HMC": "Honda", "SONY": "Sony"},
    **{"T": "AT&T", "VZ": "Verizon", "UPS": "UPS", "FDX": "FedEx", "DAL": "Delta Air Lines"},
    **{"UAL": "United Airlines", "MAR": "Marriott", "BABA": "Alibaba", "TSM": "TSMC"},
    **{"NVO": "Novo Nordisk", "SAP": "SAP", "ASML": "ASML", "UL": "Unilever", "NVS": "Novartis"},
    **{"SPY": "S&P 500 fund", "QQQ": "Nasdaq 100 fund"},
}


def series_of(symbol: str) -> Series:
    """The invented series of a symbol."""
    return Series(
        symbol=symbol,
        price=between(15, 160, "base", symbol),
        volume=between(2e6, 6e7, "size", symbol),
        growth=between(0.0, 0.045, "growth", symbol),
    )


def stocks(world: "World", request: Request) -> Answer:
    """`/v8/finance/chart/SYMBOL?period1=&period2=&interval=1d` or `range=`."""
    symbol = request.path.removeprefix(_PREFIX).upper()
    if not request.path.startswith(_PREFIX) or symbol not in NAMES:
        return _error(404, "Not Found", "No data found, symbol may be delisted")
    if request.query.get("interval", "1d") != "1d":
        return _error(400, "Bad Request", "Invalid input - the sandbox has interval=1d only")
    today = date.fromisoformat(world.date)
    try:
        start, end = _period(request, today)
    except ValueError as error:
        return _error(400, "Bad Request", f"Invalid input - {error}")
    last = min(end, _stamp(today) + 1)
    if end <= _stamp(FIRST_DAY):
        text = f"Data doesn't exist for startDate = {start}, endDate = {end}"
        return _error(400, "Bad Request", text)
    return json_answer(_chart(symbol, max(start, _stamp(FIRST_DAY)), last, today))


def _error(status: int, code: str, description: str) -> Answer:
    error = {"code": code, "description": description}
    return json_answer({"chart": {"result": None, "error": error}}, status)


_RANGES = {"1d": 1, "5d": 7, "1mo": 31, "3mo": 92, "6mo": 183, "1y": 365, "2y": 730, "5y": 1826}
_RANGES |= {"10y": 3652, "max": MAX_DAYS}


def _period(request: Request, today: date) -> tuple[int, int]:
    """Seconds since the epoch; the second is exclusive."""
    if "period1" in request.query or "period2" in request.query:
        first = int(request.query.get("period1", "0"))
        last = int(request.query.get("period2", str(_stamp(today) + 1)))
        if last <= first:
            raise ValueError(f"startDate {first} can't be after endDate {last}")
        return first, last
    days = _RANGES.get(request.query.get("range", "1mo"))
    if days is None:
        raise ValueError(f"range is one of {', '.join(_RANGES)}")
    return _stamp(today - timedelta(days=days)), _stamp(today) + 1


def _stamp(day: date) -> int:
    return (day.toordinal() - date(1970, 1, 1).toordinal()) * 86400 + _OPEN_SECONDS


def _chart(symbol: str, start: int, end: int, today: date) -> dict[str, Any]:
    first = datetime.fromtimestamp(start, UTC).date()
    count = min(MAX_DAYS, max(0, (end - start) // 86400 + 2))
    span = (first + timedelta(days=n) for n in range(count))
    days = [day for day in span if start <= _stamp(day) < end and is_trading_day(day)]
    series = series_of(symbol)
    bars = [series.bar(day) for day in days]
    result: dict[str, Any] = {"meta": _meta(symbol, series, today)}
    if days:
        result["timestamp"] = [_stamp(day) for day in days]
    return {"chart": {"result": [result | {"indicators": _indicators(bars)}], "error": None}}


def _indicators(bars: list[Bar]) -> dict[str, Any]:
    if not bars:
        return {"quote": [{}]}
    closes = [bar.close for bar in bars]
    quote = {
        "open": [bar.opening for bar in bars],
        "high": [bar.high for bar in bars],
        "low": [bar.low for bar in bars],
        "close": closes,
        "volume": [int(bar.volume) // 100 * 100 for bar in bars],
    }
    return {"quote": [quote], "adjclose": [{"adjclose": closes}]}


def _meta(symbol: str, series: Series, today: date) -> dict[str, Any]:
    day = today
    while not is_trading_day(day):
        day -= timedelta(days=1)
    return {
        "currency": "USD",
        "symbol": symbol,
        "exchangeName": "SBX",
        "fullExchangeName": "Sandbox",
        "instrumentType": "EQUITY",
        "firstTradeDate": _stamp(FIRST_DAY),
        "regularMarketTime": _stamp(day),
        "gmtoffset": -18000,
        "timezone": "EST",
        "exchangeTimezoneName": "America/New_York",
        "regularMarketPrice": series.bar(day).close,
        "longName": NAMES[symbol],
        "dataGranularity": "1d",
        "range": "",
        "sandbox": SYNTHETIC,
    }
