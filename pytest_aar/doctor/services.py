"""Which live services answer, asked all at once, each for a few seconds at most."""

import json
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
_FOUND, _MISSING = 200, 404
_REFUSED, _TOO_MANY, _NOT_HERE, _FIRST_SERVER_FAULT = 403, 429, 451, 500
_REDIRECTS = range(300, 400)
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
_WIKIPEDIA = "wikipedia"
_PATHS = {_WIKIPEDIA: "?action=query&meta=siteinfo&format=json"}
#: Bytes of a reply that are read: what a wiki says of itself has 5,000.
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came of asking: a status with the body, or why there was none. `is_cut_off`: no connection was made."""

    status: int | None = None
    body: bytes = b""
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
    own = endpoints.own | {"searxng"}  # which has no public address
    checks = [
        _check(name, urls[name], reply, is_own=name in own)
        for name, reply in replies.items()
        if name in shown
    ]
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
            # Only what is asked something answers with more than its front door.
            body = _start_of(got) if got.request.url.query else b""
            return Reply(status=got.status_code, body=body)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        return Reply(problem=str(error) or type(error).__name__, is_cut_off=True)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Reply(problem=str(error) or type(error).__name__)


def _start_of(got: httpx.Response) -> bytes:
    body = b""
    for part in got.iter_bytes():
        body += part
        if len(body) >= _MOST_BYTES:
            break
    return body


def _urls(endpoints: Endpoints) -> Iterator[tuple[str, str]]:
    """Where each service is asked; those at one address once: paths of one host may lead to several servers."""
    seen: set[str] = set()
    for item in fields(endpoints):
        url = getattr(endpoints, item.name)
        if isinstance(url, str) and url.startswith(("http", KIWIX)):
            path = "" if url.startswith(KIWIX) else _PATHS.get(item.name, "")
            url = url.removeprefix(KIWIX).replace("{language}", "en") + path
            if url not in seen:
                seen.add(url)
                yield item.name, url


def _host(url: str) -> str:
    return httpx.URL(url).netloc.decode()


def _check(name: str, url: str, reply: Reply, *, is_own: bool) -> Check:
    trouble = _trouble(name, _host(url), reply)
    if trouble is None and name == _WIKIPEDIA:
        trouble = _no_wiki(url, reply)
    if trouble is None:
        return _answering(name, _host(url), reply, is_own=is_own)
    found, advice = trouble
    return Check(
        area=_AREA, name=name, state="broken", found=found, advice=advice, needed_for=(LIVE,)
    )


def _trouble(name: str, host: str, reply: Reply) -> tuple[str, str] | None:
    """What keeps this machine from a service, and what to do."""
    if reply.status is None:
        return f"{host}: {reply.problem}", "is it down, or shut out here? A mirror: --aar-services"
    if reply.status == _REFUSED and name not in _WITH_KEY:
        advice = "ask from another network"
        if name == _WIKIPEDIA:
            advice = f"say who you are with --aar-contact, or {advice}"
        return f"{host} refuses this machine (HTTP 403)", advice
    if reply.status == _NOT_HERE:
        return (
            f"{host} is not served from this country (HTTP 451)",
            f"ask from another network, or set another address: --aar-services {name}=URL",
        )
    if reply.status == _TOO_MANY:
        return f"{host}: too many requests from here (HTTP 429)", "wait some minutes"
    if reply.status >= _FIRST_SERVER_FAULT:
        return f"{host} is out of order (HTTP {reply.status})", "try again later"
    return None


def _no_wiki(url: str, reply: Reply) -> tuple[str, str] | None:
    """How what answers is no wiki: it alone has something at its front door that tells."""
    address, asked, _ = url.partition("?")
    if not asked:
        if reply.status != _MISSING:
            return None
        found = f"{_host(url)} answers HTTP 404: it has no such book"
        return found, f"is {address} the address of a book of the Kiwix server?"
    if reply.status == _FOUND and _is_of_a_wiki(reply.body):
        return None
    what = "without a wiki's JSON" if reply.status == _FOUND else "in place of a wiki's JSON"
    found = f"{_host(url)} answers HTTP {reply.status} {what}"
    return found, f"is {address} the address of a wiki's api.php?"


def _is_of_a_wiki(body: bytes) -> bool:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "query" in found


def _answering(name: str, host: str, reply: Reply, *, is_own: bool) -> Check:
    """Most services have nothing at their front door; at an address of one's own that may be a slip of the pen."""
    is_odd = reply.status == _MISSING or reply.status in _REDIRECTS
    if not is_own or not is_odd or name == _WIKIPEDIA:
        return Check(area=_AREA, name=name, state="ok", found=f"{host} answers", needed_for=(LIVE,))
    found, advice = f"{host} answers HTTP {reply.status}", "is the path right? Races will tell"
    return Check(area=_AREA, name=name, state="set", found=found, advice=advice, needed_for=(LIVE,))


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
