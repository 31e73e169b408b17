"""How often each service may be asked: polite defaults, and the lines of `aar_limits`.

Only the standard library: the table of options is read at every start of pytest.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_aar.errors import ConfigurationError

_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0}
_RATE = re.compile(r"(\d+)\s*/\s*(\d+(?:\.\d+)?)?\s*(s|min|h|day)")
_PARALLEL = re.compile(r"(\d+)\s+parallel")
OFF = "off"
#: What a line of `aar_limits` may say.
FORM = "N/s, N/min, N/h, N/day, N parallel (several, with commas), or off"
#: What `aar_limits` may say, whole.
_EXAMPLE = "wikipedia='60/min, 2 parallel'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """At most `count` requests in any `seconds`."""

    count: int
    seconds: float

    def __str__(self) -> str:
        for unit, seconds in _UNITS.items():
            if self.seconds == seconds:
                return f"{self.count}/{unit}"
        return f"{self.count}/{self.seconds:g} s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits of one service, over all workers; without any: it is asked as often as races ask."""

    rates: tuple[Rate, ...] = ()
    parallel: int | None = None

    def __str__(self) -> str:
        parts = [str(rate) for rate in self.rates]
        if self.parallel is not None:
            parts.append(f"{self.parallel} parallel")
        return ", ".join(parts) or OFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A service's default limits: `hosts` are its public hosts, and all below them; `why` says whose figures.

    `variable` is the one in the environment that holds its key. `if_denied` is what to do when it refuses the
    account or the address (`{}`: its host).
    """

    limits: str
    hosts: tuple[str, ...] = ()
    why: str
    variable: str = ""
    if_denied: str = "check the key, its billing, and that it opens this API"


#: Limits that Wikimedia has for those who don't say how they can be reached.
WITHOUT_CONTACT = "10/min, 1 parallel"

#: What to do where no key is asked for.
_NO_KEY = "{} takes no key: it refuses this machine's address; wait, or race from another network"

DEFAULTS: Mapping[str, Known] = {
    "wikipedia": Known(
        limits="200/min, 3 parallel",
        hosts=("wikipedia.org", "wikimedia.org"),
        why=f"Wikimedia's, with `aar_contact`; without: {WITHOUT_CONTACT}",
        if_denied="say how you can be reached: --aar-contact ADDRESS",
    ),
    "maps": Known(
        limits="600/min, 8 parallel",
        hosts=("maps.googleapis.com", "places.googleapis.com", "routes.googleapis.com"),
        why="below the least quota that Google gives a method at first",
        variable="GOOGLE_API_KEY",
    ),
    "weather": Known(
        limits="600/min, 5000/h, 10000/day, 4 parallel",
        hosts=("open-meteo.com",),
        why="Open-Meteo's, for use without a key",
        if_denied=_NO_KEY,
    ),
    "countries": Known(
        limits="60/min, 2 parallel",
        hosts=("restcountries.com",),
        why="ours: a key has 500 requests a month",
        variable="RESTCOUNTRIES_API_KEY",
    ),
    "world_bank": Known(
        limits="60/min, 2 parallel",
        hosts=("worldbank.org",),
        why="ours: the World Bank names none",
        if_denied=_NO_KEY,
    ),
    "stocks": Known(
        limits="60/min, 2 parallel",
        hosts=("finance.yahoo.com",),
        why="ours: Yahoo names none and refuses bursts",
        if_denied=_NO_KEY,
    ),
    "crypto": Known(
        limits="600/min, 4 parallel",
        hosts=("binance.vision", "binance.com"),
        why="a fifth of Binance's weight of 6,000 a minute",
        if_denied="it is not served from every country: race from another, or set another address (aar_services)",
    ),
    "coingecko": Known(
        limits="30/min, 1 parallel",
        hosts=("coingecko.com",),
        why="CoinGecko's, for a demo key",
        variable="COINGECKO_API_KEY",
    ),
    "search": Known(
        limits="5/s, 4 parallel",
        hosts=("serper.dev",),
        why="ours: a tenth of Serper's for its free credits",
        variable="SERPER_API_KEY",
    ),
    "tavily": Known(
        limits="100/min, 4 parallel",
        hosts=("tavily.com",),
        why="Tavily's, for a development key",
        variable="TAVILY_API_KEY",
    ),
    "brave": Known(
        limits="1/s, 1 parallel",
        hosts=("search.brave.com",),
        why="Brave's, for its free plan",
        variable="BRAVE_API_KEY",
    ),
    "searxng": Known(
        limits="60/min, 2 parallel",
        why="ours, for an instance that others use, too",
        variable="SEARXNG_URL",
    ),
    "pages": Known(
        limits="60/min, 2 parallel",
        why="ours, for each host of pages outside Wikipedia",
    ),
}


def names() -> tuple[str, ...]:
    """The services that `aar_limits` may name."""
    return tuple(DEFAULTS)


def parse(text: str, *, source: str = "aar_limits") -> Policy:
    """The limits that a text such as `200/min, 3 parallel` sets.

    Raises:
        ConfigurationError: it sets none; says what is valid.
    """
    if text.strip().lower() == OFF:
        return Policy()
    rates, parallel = [], None
    for part in text.split(","):
        rate, side = _RATE.fullmatch(part.strip()), _PARALLEL.fullmatch(part.strip())
        if rate and int(rate[1]) and float(rate[2] or 1):
            rates.append(Rate(count=int(rate[1]), seconds=float(rate[2] or 1) * _UNITS[rate[3]]))
        elif side and int(side[1]):
            parallel = int(side[1])
        else:
            raise ConfigurationError(
                f"{source}: {text!r} is not valid; valid: {FORM}; as in {_EXAMPLE}"
            )
    return Policy(rates=tuple(rates), parallel=parallel)


def policy_of(service: str, given: Mapping[str, str], *, contact: str | None) -> Policy:
    """The limits of a service: the user's line, else the default."""
    if service in given:
        return parse(given[service])
    if service == "wikipedia" and not contact:
        return parse(WITHOUT_CONTACT)
    return parse(DEFAULTS[service].limits) if service in DEFAULTS else Policy()


def table() -> str:
    """The table of docs/live-services.md."""
    rows = ["| service | hosts | default limits | whose |", "|---|---|---|---|"]
    rows += [
        f"| `{name}` | {', '.join(known.hosts) or 'any'} | `{known.limits}` | {known.why} |"
        for name, known in DEFAULTS.items()
    ]
    return "\n".join(rows)
