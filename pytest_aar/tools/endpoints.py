"""Where each service lives: one record per world. Tools read it and know nothing of worlds."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace

from pytest_aar.errors import ConfigurationError
from pytest_aar.sandbox_hosts import WIKI_BASE, WIKI_HOST


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Base URLs without a slash at the end.

    `wikipedia` is the URL of `api.php`; `{language}` in it stands for the first label of the
    article's host. `article_hosts` are the hosts, with all below them, whose /wiki/ pages go
    through `wikipedia`.
    `countries_source` is what results on countries name as their source. `needs_keys` is False
    where every service answers without a key.
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
    article_hosts: tuple[str, ...] = ("wikipedia.org",)
    countries_source: str = "REST Countries v5"
    needs_keys: bool = True

    def with_overrides(self, overrides: Mapping[str, str]) -> "Endpoints":
        """The same with other base URLs, by field name; `maps` and `weather` set all of theirs.

        Raises:
            ConfigurationError: a name that is no service; the message lists the valid ones.
        """
        changed: dict[str, str] = {}
        for name, url in overrides.items():
            targets = _GROUPS.get(name, (name,))
            if targets[0] not in _NAMES:
                raise ConfigurationError(
                    f"aar_services: {name!r} is no service; valid: {', '.join([*_NAMES, *_GROUPS])}"
                )
            changed.update(dict.fromkeys(targets, url.rstrip("/")))
        return replace(self, **changed)  # type: ignore[arg-type]  # only str fields are in _NAMES


_NAMES = tuple(item.name for item in fields(Endpoints) if item.default is MISSING)
_GROUPS = {
    "maps": ("geocoding", "places", "routes"),
    "weather": ("weather_archive", "weather_forecast"),
}

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
