"""Where each service lives: one record per world. Tools read it and know nothing of worlds."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace

from pytest_aar.errors import ConfigurationError
from pytest_aar.sandbox_hosts import WIKI_BASE, WIKI_HOST
from pytest_aar.settings import SERVICE_GROUPS, STAND_INS


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Base URLs without a slash at the end; an empty one is a service that is not asked.

    `wikipedia` is the URL of `api.php`; `{language}` in it stands for the first label of the
    article's host. `article_hosts` are the hosts, with all below them, whose /wiki/ pages go
    through `wikipedia`. `search` speaks Serper's protocol, `countries` that of REST Countries v5,
    `stocks` and `stocks_second` that of Yahoo's chart, `crypto` that of Binance.
    `countries_source` is what results on countries name as their source. `needs_keys` is False
    where every service answers without a key. `own` names the services whose address a user chose.
    """

    wikipedia: str
    search: str
    geocoding: str
    places: str
    routes: str
    weather_archive: str
    weather_forecast: str
    countries: str
    stocks: str
    crypto: str
    stocks_second: str = ""
    world_bank: str = ""
    coingecko: str = ""
    tavily: str = ""
    brave: str = ""
    searxng: str = ""
    article_hosts: tuple[str, ...] = ("wikipedia.org",)
    countries_source: str = "REST Countries v5"
    needs_keys: bool = True
    own: frozenset[str] = frozenset()

    def with_overrides(self, overrides: Mapping[str, str]) -> "Endpoints":
        """The same with other base URLs, by field name; `maps` and `weather` set all of theirs.

        A service at an address of one's own is asked there and nowhere else: the public service
        that stands in for it is left out, unless it has an address of one's own as well.

        Raises:
            ConfigurationError: a name that is no service; the message lists the valid ones.
        """
        for name in overrides:
            if name not in _NAMES and name not in SERVICE_GROUPS:
                raise ConfigurationError(
                    f"aar_services: {name!r} is no service; valid: {', '.join([*_NAMES, *SERVICE_GROUPS])}"
                )
        grouped = {
            target: overrides[name]
            for name, targets in SERVICE_GROUPS.items()
            if name in overrides
            for target in targets
        }
        given = grouped | {name: url for name, url in overrides.items() if name in _NAMES}
        unasked = {name: "" for first, name in STAND_INS.items() if first in given}
        changed = unasked | {name: url.rstrip("/") for name, url in given.items()}
        return replace(self, **changed, own=self.own | given.keys())  # type: ignore[arg-type]  # only str fields are in _NAMES

    def given_by(self, name: str) -> str:
        """The option by which a user chose a service's address; "" for the world's choice."""
        if name not in self.own:
            return ""
        groups = [group for group, names in SERVICE_GROUPS.items() if name in names]
        return "--aar-services " + " or ".join(f"{each}=URL" for each in (name, *groups))


_NAMES = tuple(item.name for item in fields(Endpoints) if item.default in (MISSING, ""))

LIVE = Endpoints(
    wikipedia="https://{language}.wikipedia.org/w/api.php",
    search="https://google.serper.dev",
    geocoding="https://maps.googleapis.com",
    places="https://places.googleapis.com",
    routes="https://routes.googleapis.com",
    weather_archive="https://archive-api.open-meteo.com",
    weather_forecast="https://api.open-meteo.com",
    countries="https://api.restcountries.com",
    stocks="https://query1.finance.yahoo.com",
    crypto="https://data-api.binance.vision",
    stocks_second="https://query2.finance.yahoo.com",
    world_bank="https://api.worldbank.org",
    coingecko="https://api.coingecko.com",
    tavily="https://api.tavily.com",
    brave="https://api.search.brave.com",
)

SANDBOX = Endpoints(
    wikipedia=f"{WIKI_BASE}/w/api.php",
    search="https://search.aar.test",
    geocoding="https://maps.aar.test",
    places="https://maps.aar.test",
    routes="https://maps.aar.test",
    weather_archive="https://weather.aar.test",
    weather_forecast="https://weather.aar.test",
    countries="https://countries.aar.test",
    stocks="https://stocks.aar.test",
    crypto="https://crypto.aar.test",
    article_hosts=(WIKI_HOST,),
    countries_source="sandbox world, from the CIA World Factbook",
    needs_keys=False,
)
