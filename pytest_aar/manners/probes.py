"""A request of our own to a service that has just refused one: is it the account that is refused, or the request?

Agents choose what is asked, and the walls before a service refuse some of that (HTTP 403 to what looks like an
attack). So a refusal is the account's only when a request that holds nothing of an agent's is refused as well.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from .weight import WEIGHT

_CITY, _OTHER_CITY, _PLACE_ID = "Paris", "Lyon", "ChIJD7fiBh9u5kcRYJSMaMOCCwQ"
_POINT = {"latitude": "48.85", "longitude": "2.35"}
_DAY = {"start_date": "2024-01-01", "end_date": "2024-01-01"}
_DAILY = {**_POINT, "daily": "temperature_2m_max"}
_ENDS = {"origin": _CITY, "destination": _OTHER_CITY}
_DRIVE = {"travelMode": "DRIVE"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probe:
    """What is asked: below the address of the refused request, whose path `at` fits, `path` instead of that."""

    at: str
    path: str
    params: Mapping[str, str] | None = None
    body: Mapping[str, Any] | None = None


def _address(city: str) -> dict[str, Any]:
    return {"address": city}


_PROBES = (
    _Probe(
        at=r"/api\.php$",
        path="/api.php",
        params={"action": "query", "meta": "siteinfo", "format": "json", "formatversion": "2"},
    ),
    _Probe(at=r"/geocode/json$", path="/geocode/json", params=_address(_CITY)),
    _Probe(at=r"/elevation/json$", path="/elevation/json", params={"locations": "48.85,2.35"}),
    _Probe(at=r"/textsearch/json$", path="/textsearch/json", params={"query": _CITY}),
    _Probe(at=r"/details/json$", path="/details/json", params={"place_id": _PLACE_ID}),
    _Probe(at=r"/directions/json$", path="/directions/json", params=_ENDS),
    _Probe(
        at=r"/distancematrix/json$",
        path="/distancematrix/json",
        params={"origins": _CITY, "destinations": _OTHER_CITY},
    ),
    _Probe(
        at=r"/v1/places:searchText$",
        path="/v1/places:searchText",
        body={"textQuery": _CITY, "pageSize": 1},
    ),
    _Probe(at=r"/v1/places/[^/]*$", path=f"/v1/places/{_PLACE_ID}"),
    _Probe(
        at=r"/v2:computeRoutes$",
        path="/v2:computeRoutes",
        body={name: _address(city) for name, city in _ENDS.items()} | _DRIVE,
    ),
    _Probe(
        at=r"/v2:computeRouteMatrix$",
        path="/v2:computeRouteMatrix",
        body={
            "origins": [{"waypoint": _address(_CITY)}],
            "destinations": [{"waypoint": _address(_OTHER_CITY)}],
            **_DRIVE,
        },
    ),
    _Probe(at=r"/v1/archive$", path="/v1/archive", params=_DAILY | _DAY),
    _Probe(at=r"/v1/forecast$", path="/v1/forecast", params=_DAILY | {"forecast_days": "1"}),
    _Probe(
        at=r"/countries/v5/.*$",
        path="/countries/v5/names.common/France",
        params={"response_fields": "names"},
    ),
    _Probe(
        at=r"/v2/country/.*$",
        path="/v2/country/FRA/indicator/SP.POP.TOTL",
        params={"format": "json", "mrnev": "1"},
    ),
    _Probe(
        at=r"/v8/finance/.*$",
        path="/v8/finance/chart/AAPL",
        params={"range": "5d", "interval": "1d"},
    ),
    _Probe(
        at=r"/api/v3/klines$",
        path="/api/v3/klines",
        params={"symbol": "BTCUSDT", "interval": "1d", "limit": "1"},
    ),
    _Probe(at=r"/api/v3/(?:search|coins/.*)$", path="/api/v3/search", params={"query": "bitcoin"}),
    _Probe(at=r"/web/search$", path="/web/search", params={"q": _CITY, "count": "1"}),
)
#: By service, for those whose paths are the same.
_SEARCHES = {
    "search": _Probe(at=r"/search$", path="/search", body={"q": _CITY, "num": 1}),
    "tavily": _Probe(at=r"/search$", path="/search", body={"query": _CITY, "max_results": 1}),
    "searxng": _Probe(at=r"/search$", path="/search", params={"q": _CITY, "format": "json"}),
}
#: Headers of a request that its body or its address decides.
_OF_BODY = frozenset({"content-length", "content-type", "transfer-encoding", "host"})


def probe_of(request: httpx.Request, service: str) -> httpx.Request | None:
    """The same account's harmless request to the same API as `request`; None to an API that is not known."""
    probes = (_SEARCHES[service],) if service in _SEARCHES else _PROBES
    path = request.url.path
    for probe in probes:
        found = re.search(probe.at, path)
        if found:
            return _made(request, probe, before=path[: found.start()])
    return None


def _made(request: httpx.Request, probe: _Probe, *, before: str) -> httpx.Request:
    """With the headers of `request` and the key in its query, which are ours, but as one request."""
    key = request.url.params.get("key")
    params = {**(probe.params or {}), **({"key": key} if key else {})}
    headers = {name: text for name, text in request.headers.items() if name not in _OF_BODY}
    content = None if probe.body is None else json.dumps(probe.body).encode()
    return httpx.Request(
        "GET" if content is None else "POST",
        request.url.copy_with(path=before + probe.path, query=None).copy_merge_params(params),
        headers=headers if content is None else {**headers, "content-type": "application/json"},
        content=content,
        extensions={name: it for name, it in request.extensions.items() if name != WEIGHT},
    )
