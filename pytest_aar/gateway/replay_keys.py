"""Keys of a replay: it has none, and asks the services that were recorded whatever keys are set today."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_aar.sandbox_hosts import ZIM_SEARCH_BASE
from pytest_aar.tools import LIVE, Endpoints, Services
from pytest_aar.tools.service_keys import SEARCH_SERVICES, SERVICE_KEYS

if TYPE_CHECKING:
    from pytest_aar.cassettes import Tape

#: Stands for a key, which no recording holds and no recorded answer needs.
STAND_IN = "replayed"
_SEARXNG_ASKED = "/search?format=json&"


def replayed(services: Services, tape: "Tape | None") -> Services:
    """The services with the keys that the recording was made with, where a recording alone answers.

    Which service a tool asks depends on the keys: on those of today, a race on another machine would
    ask for what was never recorded, or not at all.
    """
    if tape is None or tape.recording:
        return services
    urls = tape.recorded_urls
    endpoints = _searched(services.endpoints, urls)
    return replace(services, endpoints=endpoints, keys=dict(_keys(endpoints, urls)))


def _searched(endpoints: Endpoints, urls: Sequence[str]) -> Endpoints:
    """The endpoints with the search of the recording: over a ZIM file, or, in a world of one, on the web."""
    if any(url.startswith(f"{ZIM_SEARCH_BASE}/") for url in urls):
        return replace(
            endpoints, search=ZIM_SEARCH_BASE, own=endpoints.own.difference(SEARCH_SERVICES)
        )
    if endpoints.search == ZIM_SEARCH_BASE and endpoints.needs_keys:
        return replace(endpoints, search=LIVE.search)
    return endpoints


def _keys(endpoints: Endpoints, urls: Sequence[str]) -> Iterator[tuple[str, str]]:
    for key in SERVICE_KEYS:
        bases = tuple(f"{url}/" for name in key.services if (url := getattr(endpoints, name)))
        is_of_choice = not key.is_address and not key.only_allows_more
        if is_of_choice and bases and any(url.startswith(bases) for url in urls):
            yield key.variable, STAND_IN
    searxng = [url.partition(_SEARXNG_ASKED)[0] for url in urls if _SEARXNG_ASKED in url]
    if searxng:
        yield "SEARXNG_URL", searxng[0]
