"""What pair a symbol means: coin and currency, where nothing parts them by what is known of either."""

import re
from dataclasses import dataclass

from pytest_aar.tools import coingecko

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
        *("ACT", "ALT", "ANT", "BNT", "BOB", "BTT", "CAT", "CKB", "DENT", "FORT", "FTT", "GMT"),
        *("GRT", "HFT", "HOT", "IOST", "JST", "LIT", "LPT", "MNT", "NFT", "NOT", "ONT", "OXT"),
        *("PNUT", "QNT", "SNT", "TNT", "TUT", "UFT", "UST"),
    }
)
_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A coin and the currency that it is priced in; None: the whole name is all that is known."""

    coin: str
    currency: str | None

    @property
    def name(self) -> str:
        """As Binance writes it."""
        return f"{self.coin}{self.currency or ''}"


def pairs_meant(symbol: str) -> tuple[Pair, ...]:
    """The pair that a symbol means: BTC, BTC-USD and btcusdt are all BTCUSDT.

    Several, the likeliest first, where it is a guess: ABTUSD is ABT in dollars, or AB in TUSD. What a mark parts
    (OP-USD, BTC/JPY) is taken as it stands.
    """
    parts = [part for part in _MARKS.split(symbol.upper()) if part]
    plain = "".join(parts)
    if len(parts) > 1 and parts[-1] in _QUOTES:
        return (_in_tether("".join(parts[:-1]), parts[-1]),)
    ends = [end for end in _QUOTES if plain.endswith(end) and plain != end]
    if len(parts) > 1 and not ends:
        return (Pair(coin=plain, currency=None),)
    if not ends or (len(parts) == 1 and plain in _COINS):
        return (Pair(coin=plain, currency="USDT"),)
    known = [end for end in ends if plain.removesuffix(end) in _KNOWN]
    meant = [min(known, key=len)] if known else sorted(ends, key=len)
    return tuple(_in_tether(plain.removesuffix(end), end) for end in meant)


def _in_tether(coin: str, currency: str) -> Pair:
    """Binance has no US dollars: USDT stands for them."""
    return Pair(coin=coin, currency="USDT" if currency == "USD" else currency)
