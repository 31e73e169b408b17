"""Which tools a leg can't be raced without, and what keeps them from answering."""

from collections.abc import Mapping
from contextlib import suppress

import httpx

from pytest_aar.leg import Leg
from pytest_aar.tools import Endpoints, tool_named
from pytest_aar.tools.result import ToolFailure
from pytest_aar.tools.service_keys import (
    KEY_SOURCES,
    SEARCH_SERVICES,
    SEARCH_VARIABLES,
    SERVICE_KEYS,
)
from pytest_aar.tools.wiki_address import Article, article_of

#: Tools of live services that need a key -> their endpoints; one at an address of the user's own needs none.
_ENDPOINTS: Mapping[str, frozenset[str]] = {
    "maps_geocode": frozenset({"geocoding"}),
    "maps_reverse_geocode": frozenset({"geocoding"}),
    "maps_elevation": frozenset({"geocoding"}),
    "maps_distance_matrix": frozenset({"routes"}),
    "maps_directions": frozenset({"routes"}),
    "maps_search_places": frozenset({"places"}),
    "maps_place_details": frozenset({"places"}),
    "web_search": frozenset(SEARCH_SERVICES),
}


def needed_tools(leg: Leg) -> tuple[str, ...]:
    """The tools that the leg's golden route uses, in its order, each once."""
    found: list[str] = []
    if leg.route_infos:
        found.append("fetch_webpage")
    if any(stop.search_query for stop in leg.route_infos):
        found.append("web_search")
    found += [step.tool for stop in leg.roadblocks for step in stop.chain]
    named = [tool.name for name in found if (tool := tool_named(name)) is not None]
    return tuple(dict.fromkeys(named))


def golden_articles(leg: Leg, endpoints: Endpoints) -> dict[str, Article]:
    """Address -> article, for the leg's seed and its golden pages."""
    found: dict[str, Article] = {}
    for url in dict.fromkeys((leg.seed_url, *(stop.page_url or "" for stop in leg.route_infos))):
        with suppress(ToolFailure, httpx.InvalidURL):  # a leg's own mistake
            article = article_of(httpx.URL(url), endpoints)
            if article is not None:
                found[url] = article
    return found


def needed_languages(leg: Leg, endpoints: Endpoints) -> frozenset[str]:
    """The editions of the encyclopedia that the leg's golden route reads."""
    return frozenset(
        article.language.lower() for article in golden_articles(leg, endpoints).values()
    )


def without_key(
    tools: tuple[str, ...], keys: Mapping[str, str], own: frozenset[str] = frozenset()
) -> dict[str, list[str]]:
    """Variable -> those of the tools that lack its key, in an order that does not depend on the legs'.

    `own` names the endpoints whose address is the user's choice.
    """
    found: dict[str, list[str]] = {}
    for name, endpoints in _ENDPOINTS.items():
        variables = _variables(endpoints)
        if name in tools and not endpoints & own and not any(map(keys.get, variables)):
            found.setdefault(variables[0], []).append(name)
    return found


def told(lacking: Mapping[str, list[str]]) -> str:
    """What to say of one leg; where keys are had is said once, by `source_of`."""
    named = "; ".join(
        f"no {variable} for {', '.join(tools)}" for variable, tools in lacking.items()
    )
    return f"{named} (set {'them' if len(lacking) > 1 else 'it'} in the environment)"


def source_of(variable: str) -> str:
    """Where to get a key, and what does as well."""
    first, *rest = SEARCH_VARIABLES
    others = rest if variable == first else ()
    as_well = f"; {', '.join(others)} do as well" if others else ""
    return f"get one at {KEY_SOURCES[variable]} and set it in the environment{as_well}"


def _variables(endpoints: frozenset[str]) -> tuple[str, ...]:
    """Any one of them is enough."""
    return tuple(key.variable for key in SERVICE_KEYS if not endpoints.isdisjoint(key.services))
