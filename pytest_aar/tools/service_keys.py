"""The keys of live services: variable, source, and what is asked with it. The one list that all else goes by."""

from collections.abc import Mapping
from dataclasses import dataclass

MAPS, SEARCH = "maps", "web search"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceKey:
    """A key by its environment variable; `also`: others that stand in for it where it is not set.

    `source` is where a user gets one. `services` are the endpoints that are asked with it, `use` what legs need
    it for ("": nothing, it only allows more). `is_address`: it holds an address, not a secret.
    `only_allows_more`: who is asked, and what, is the same without it.
    """

    variable: str
    source: str
    services: tuple[str, ...]
    use: str = ""
    also: tuple[str, ...] = ()
    is_address: bool = False
    only_allows_more: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """All that may hold it."""
        return (self.variable, *self.also)


#: Those of web searches in the order in which they are preferred.
SERVICE_KEYS = (
    ServiceKey(
        variable="GOOGLE_API_KEY",
        also=("GOOGLE_MAPS_API_KEY",),
        source="https://console.cloud.google.com/google/maps-apis",
        services=("geocoding", "places", "routes"),
        use=MAPS,
    ),
    ServiceKey(
        variable="SERPER_API_KEY",
        source="https://serper.dev (2,500 searches free)",
        services=("search",),
        use=SEARCH,
    ),
    ServiceKey(
        variable="TAVILY_API_KEY",
        source="https://app.tavily.com (1,000 searches a month free)",
        services=("tavily",),
        use=SEARCH,
    ),
    ServiceKey(
        variable="BRAVE_API_KEY",
        source="https://api-dashboard.search.brave.com",
        services=("brave",),
        use=SEARCH,
    ),
    ServiceKey(
        variable="SEARXNG_URL",
        source="https://docs.searxng.org (the address of a SearXNG of yours, no key)",
        services=("searxng",),
        use=SEARCH,
        is_address=True,
    ),
    ServiceKey(
        variable="RESTCOUNTRIES_API_KEY",
        source="https://restcountries.com (500 requests a month free)",
        services=("countries",),
    ),
    ServiceKey(
        variable="COINGECKO_API_KEY",
        source="https://www.coingecko.com/en/api (a demo key, 10,000 requests a month free)",
        services=("coingecko",),
        only_allows_more=True,
    ),
)
#: Variable of a key -> where a user gets one.
KEY_SOURCES = {key.variable: key.source for key in SERVICE_KEYS}


def keys_for(use: str) -> tuple[ServiceKey, ...]:
    """The keys of which legs need one for this use."""
    return tuple(key for key in SERVICE_KEYS if key.use == use)


#: What chooses the service of web searches, in the order of preference: variables, and endpoints.
SEARCH_VARIABLES = tuple(key.variable for key in keys_for(SEARCH))
SEARCH_SERVICES = tuple(name for key in keys_for(SEARCH) for name in key.services)


def keys_from(environment: Mapping[str, str]) -> dict[str, str]:
    """The services' keys that are set, without white space around them, each under its own variable."""
    found: dict[str, str] = {}
    for key in SERVICE_KEYS:
        texts = (environment.get(name, "").strip() for name in key.variables)
        value = next((text for text in texts if text), "")
        if value:
            found[key.variable] = value
    return found
