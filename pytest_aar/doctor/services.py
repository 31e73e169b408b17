"""Which live services answer, asked all at once, each for a few seconds at most."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial

import httpx

from pytest_aar.settings import KIWIX
from pytest_aar.tools import Endpoints
from pytest_aar.tools.search import preferred
from pytest_aar.tools.service_keys import SERVICE_KEYS, keys_from
from pytest_aar.tools.user_agent import user_agent

from .check import LIVE, Check
from .in_time import in_time
from .probes import Probes

_AREA = "services"
_REFUSED, _TOO_MANY, _NOT_HERE, _FIRST_SERVER_FAULT = 403, 429, 451, 500
#: Services that refuse whoever brings no key, and so this: keys are not tried.
_WITH_KEY = frozenset(
    name
    for key in SERVICE_KEYS
    if not (key.is_address or key.only_allows_more)
    for name in key.services
)
#: Services of the tools that have only one.
_ALWAYS = (
    *("wikipedia", "geocoding", "places", "routes", "weather_archive", "weather_forecast"),
    *("stocks", "crypto"),
)
#: What needs no key and costs nothing: Wikipedia refuses only where something is asked of it.
_PATHS = {"wikipedia": "?action=query&meta=siteinfo&format=json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came of asking: a status, or why there was none. `is_cut_off`: no connection was made."""

    status: int | None = None
    problem: str = ""
    is_cut_off: bool = False


def services(
    endpoints: Endpoints,
    environment: Mapping[str, str],
    probes: Probes,
    contact: str | None = None,
) -> list[Check]:
    """One check a service; a single one for the public ones when none can be reached.

    Keys say which ones races would ask.
    """
    keys = keys_from(environment)
    endpoints = replace(endpoints, searxng=endpoints.searxng or keys.get("SEARXNG_URL", ""))
    urls = dict(_urls(endpoints))
    replies = asked(urls, probes, contact)
    needed = needed_services(endpoints, keys)
    public = {name: reply for name, reply in replies.items() if name not in endpoints.own}
    is_offline = bool(public) and all(reply.is_cut_off for reply in public.values())
    # What an address of one's own says is not the network's fault: it is told by itself.
    shown = replies.keys() - (public if is_offline else {})
    checks = [_check(name, urls[name], reply) for name, reply in replies.items() if name in shown]
    found = [each if each.name in needed else replace(each, needed_for=()) for each in checks]
    return [
        *([_offline(public, is_needed=bool(needed & public.keys()))] if is_offline else []),
        *found,
    ]


def needed_services(endpoints: Endpoints, keys: Mapping[str, str]) -> frozenset[str]:
    """The services that live races ask first, by name: some are asked only with their key, or in place of others."""
    search = preferred(endpoints, keys)
    has_countries = "countries" in endpoints.own or bool(keys.get("RESTCOUNTRIES_API_KEY"))
    return frozenset(
        (
            *_ALWAYS,
            *((search.endpoint,) if search else ()),
            "countries" if has_countries else "world_bank",
        )
    )


def asked(urls: Mapping[str, str], probes: Probes, contact: str | None) -> dict[str, Reply]:
    """The replies by name."""
    headers, seconds = {"User-Agent": user_agent(contact)}, probes.service_seconds
    # One for all, and never closed: a thread that hangs may still use it.
    asking = httpx.Client(headers=headers, trust_env=False, timeout=seconds, transport=probes.road)
    late = Reply(problem=f"no answer within {seconds:g} s", is_cut_off=True)
    jobs = {name: partial(_reply, url, asking) for name, url in urls.items()}
    return dict.fromkeys(urls, late) | in_time(jobs, seconds=seconds + 0.5)


def _reply(url: str, asking: httpx.Client) -> Reply:
    try:
        with asking.stream("GET", url) as got:
            return Reply(status=got.status_code)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        return Reply(problem=str(error) or type(error).__name__, is_cut_off=True)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Reply(problem=str(error) or type(error).__name__)


def _urls(endpoints: Endpoints) -> Iterator[tuple[str, str]]:
    """Where each service is asked; those at one host once."""
    seen: set[str] = set()
    for item in fields(endpoints):
        url = getattr(endpoints, item.name)
        if isinstance(url, str) and url.startswith(("http", KIWIX)):
            path = "" if url.startswith(KIWIX) else _PATHS.get(item.name, "")
            url = url.removeprefix(KIWIX).replace("{language}", "en") + path
            if _host(url) not in seen:
                seen.add(_host(url))
                yield item.name, url


def _host(url: str) -> str:
    return httpx.URL(url).netloc.decode()


def _check(name: str, url: str, reply: Reply) -> Check:
    host = _host(url)
    if reply.status is None:
        found, advice = (
            f"{host}: {reply.problem}",
            "is it down, or shut out here? A mirror: --aar-services",
        )
    elif reply.status == _REFUSED and name not in _WITH_KEY:
        found, advice = f"{host} refuses this machine (HTTP 403)", "ask from another network"
        if name == "wikipedia":
            advice = f"say who you are with --aar-contact, or {advice}"
    elif reply.status == _NOT_HERE:
        found = f"{host} is not served from this country (HTTP 451)"
        advice = f"ask from another network, or set another address: --aar-services {name}=URL"
    elif reply.status == _TOO_MANY:
        found, advice = f"{host}: too many requests from here (HTTP 429)", "wait some minutes"
    elif reply.status >= _FIRST_SERVER_FAULT:
        found, advice = f"{host} is out of order (HTTP {reply.status})", "try again later"
    else:
        return Check(area=_AREA, name=name, state="ok", found=f"{host} answers", needed_for=(LIVE,))
    return Check(
        area=_AREA, name=name, state="broken", found=found, advice=advice, needed_for=(LIVE,)
    )


def _offline(replies: Mapping[str, Reply], *, is_needed: bool) -> Check:
    problem = next(iter(replies.values())).problem
    return Check(
        area=_AREA,
        name="all",
        state="missing",
        found=f"none of {len(replies)} can be reached ({problem})",
        advice="the sandbox world and replay need none; for live races, connect this machine (proxies are not used)",
        needed_for=(LIVE,) if is_needed else (),
    )
