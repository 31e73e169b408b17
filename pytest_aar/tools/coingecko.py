"""CoinGecko's market charts: a coin's price and traded value, where Binance has no answer.

Points aren't aligned to midnight, and a traded value is that of the 24 hours before its point.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import quote

from pytest_aar.manners.reply_text import and_then
from pytest_aar.tools.exchange import Ask, fetch_json, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.service_keys import KEY_SOURCES
from pytest_aar.tools.services import Services

NAME = "CoinGecko"
_KEY = "COINGECKO_API_KEY"
_KEEPS_MORE = f"a key in {_KEY} allows more: {KEY_SOURCES[_KEY]}"
#: Codes of a key that is missing or of the other address, of what is for payers, of an address that is shut out.
_REFUSALS = frozenset({10002, 10005, 10010, 10011, 1020})
_NO_COIN = re.compile(r"coin (?:was )?not found|could not find coin", re.IGNORECASE)
#: How long after midnight the point that closes a day may be stamped.
_SLACK = timedelta(minutes=5)
#: Symbols that several coins share, and the one that is meant; any other is searched for.
IDS: Mapping[str, str] = {
    **{"BTC": "bitcoin", "ETH": "ethereum", "BNB": "binancecoin", "SOL": "solana"},
    **{"XRP": "ripple", "ADA": "cardano", "DOGE": "dogecoin", "TRX": "tron", "LTC": "litecoin"},
    **{"DOT": "polkadot", "AVAX": "avalanche-2", "LINK": "chainlink", "BCH": "bitcoin-cash"},
    **{"XLM": "stellar", "ETC": "ethereum-classic", "XMR": "monero", "UNI": "uniswap"},
    **{"ATOM": "cosmos", "NEAR": "near", "FIL": "filecoin", "NEO": "neo", "ALGO": "algorand"},
    **{"BAT": "basic-attention-token", "MATIC": "matic-network", "SHIB": "shiba-inu"},
    **{"POL": "polygon-ecosystem-token", "ICP": "internet-computer", "AAVE": "aave"},
    **{"HBAR": "hedera-hashgraph", "VET": "vechain", "APT": "aptos", "SUI": "sui"},
    **{"ARB": "arbitrum", "OP": "optimism", "TON": "the-open-network", "PEPE": "pepe"},
    **{"DASH": "dash", "ZEC": "zcash", "XTZ": "tezos", "EOS": "eos", "MKR": "maker"},
    **{"USDT": "tether", "USDC": "usd-coin", "DAI": "dai", "WBTC": "wrapped-bitcoin"},
    **{"CRO": "crypto-com-chain", "OKB": "okb", "LEO": "leo-token", "KCS": "kucoin-shares"},
    **{"HYPE": "hyperliquid", "KAS": "kaspa", "XAUT": "tether-gold", "BSV": "bitcoin-cash-sv"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DayEnd:
    """The last point of a UTC day: price, and value traded in the 24 hours before, in `currency`.

    `coin` is CoinGecko's id; `traded` is None where it counts no trade.
    """

    coin: str
    currency: str
    moment: datetime
    price: float
    traded: float | None


async def day_end(coin: str, currency: str, day: str, services: Services) -> DayEnd:
    """The end of a UTC day of a coin by its symbol (BTC), in a currency by its code (USD).

    Raises:
        ToolFailure: not_found for no such coin or no point on that day; denied for a day that
            lies too far back; quota.
    """
    known = IDS.get(coin) or await _searched(coin, services)
    start = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
    params = {
        "vs_currency": currency.lower(),
        "from": str(int(start.timestamp())),
        "to": str(int((start + timedelta(days=1) + _SLACK).timestamp())),
    }
    with reading(NAME):  # the id comes from a reply: it may hold what no address can
        path = f"coins/{quote(known, safe='')}/market_chart/range"
    body = await _fetched(path, params, services)
    with reading(NAME):
        row = last_row(body["prices"], start)
        if row is None:
            raise ToolFailure("not_found", f"{NAME} has no price of {known!r} on {day} (UTC)")
        traded = last_row(body["total_volumes"], start)
        return DayEnd(
            coin=known,
            currency=currency,
            moment=datetime.fromtimestamp(row[0] / 1000, tz=UTC),
            price=number(row[1]),
            traded=number(traded[1]) if traded else None,
        )


def last_row(rows: Sequence[Any], start: datetime) -> Any:
    """The last `[ms, value]` of the day that begins at `start`, None without one.

    The point that closes a day is stamped some seconds after midnight.
    """
    first = (start + _SLACK).timestamp() * 1000
    last = first + timedelta(days=1).total_seconds() * 1000
    known = (row for row in rows if first < row[0] <= last and row[1] is not None)
    return max(known, default=None)


def coin_in(body: Any, symbol: str) -> str | None:
    """The id of the largest coin in a reply to a search that goes by exactly this symbol or name."""
    with reading(NAME):
        same = [
            coin
            for coin in body["coins"]
            if symbol.casefold()
            in {str(coin.get(name)).casefold() for name in ("symbol", "name", "id")}
        ]
        ranked = sorted(same, key=lambda coin: coin.get("market_cap_rank") or float("inf"))
        return str(ranked[0]["id"]) if ranked else None


async def _searched(symbol: str, services: Services) -> str:
    found = coin_in(await _fetched("search", {"query": symbol}, services), symbol)
    if found is None:
        raise ToolFailure("not_found", f"{NAME} knows no coin with the symbol or name {symbol!r}")
    return found


async def _fetched(path: str, params: Mapping[str, str], services: Services) -> Any:
    key = services.keys.get(_KEY)
    ask = Ask(
        service=NAME,
        endpoint="coingecko",
        url=f"{services.endpoints.coingecko}/api/v3/{path}",
        params=params,
        headers={"x-cg-demo-api-key": key} if key else None,
    )
    try:
        return await fetch_json(services, ask, _classify)
    except ToolFailure as failure:
        remedy = _remedy(failure, key)
        if not remedy:
            raise
        raise ToolFailure(failure.kind, and_then(failure.message, remedy)) from failure


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """A key of the other kind comes as HTTP 400; the code stands at the top, or below `error`."""
    if _code_in(body) in _REFUSALS:
        return "denied"
    is_of_coin = status == 404 and _NO_COIN.search(message)  # noqa: PLR2004 - HTTP's own
    return "not_found" if is_of_coin else None


def _code_in(body: Any) -> int | None:
    held = body.get("error") if isinstance(body, dict) else None
    told = (held if isinstance(held, dict) else body) or {}
    state = told.get("status") if isinstance(told, dict) else None
    code = state.get("error_code") if isinstance(state, dict) else None
    return code if isinstance(code, int) else None


def _remedy(failure: ToolFailure, key: str | None) -> str:
    if failure.kind == "quota":
        return "wait a minute" + (f"; {_KEEPS_MORE}" if key is None else "")
    if failure.kind == "denied" and "365" in failure.message:
        return "earlier days need a paid plan of CoinGecko"
    if failure.kind == "denied" and key is not None and "API key" in failure.message:
        return f"{_KEY} takes a demo key: {KEY_SOURCES[_KEY]}"
    return ""
