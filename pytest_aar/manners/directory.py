"""Which service a request is for."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address

import httpx

from .policies import DEFAULTS, Policy, policy_of

#: A field of the endpoints -> the service whose limits count; others have the name of their service.
_GROUPS = {
    "geocoding": "maps",
    "elevation": "maps",
    "places": "maps",
    "routes": "maps",
    "weather_archive": "weather",
    "weather_forecast": "weather",
    "stocks_second": "stocks",
}
_PAGES = "pages"
#: Ends the keys of servers on this machine.
_HERE = "-here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A service with its limits; `key` names what is shared about it: each server has its own."""

    service: str
    key: str
    policy: Policy


class Directory:
    """The services of one world, by their base URLs (`{language}` in one stands for any label).

    `given` are the user's limits. A server on this machine has limits only there: the default ones are the
    public services'.
    """

    def __init__(
        self, bases: Mapping[str, str], given: Mapping[str, str], *, contact: str | None = None
    ) -> None:
        self._given, self._contact = given, contact
        named = {url: _GROUPS.get(name, name) for name, url in reversed(list(bases.items()))}
        longest_first = sorted(named.items(), key=lambda item: -len(item[0]))
        self._bases = [(_pattern(base), service) for base, service in longest_first]

    def place(self, url: httpx.URL) -> Place:
        """Where a request to a service goes."""
        public = _public(url.host)
        if public is not None:
            return self._made(public, public)
        service = self._service(str(url))
        return self._made(service, _key(service, url))

    def page(self, url: httpx.URL) -> Place:
        """Where a request for a page outside the encyclopedia goes: each host is a server of its own."""
        public = _public(url.host)
        if public is not None:
            return self._made(public, public)
        return self._made(_PAGES, _key(_PAGES, url))

    def _service(self, url: str) -> str:
        """What is at none of the addresses is no known service: it is a page of some host."""
        found = (service for base, service in self._bases if base.match(url))
        return next(found, _PAGES)

    def _made(self, service: str, key: str) -> Place:
        if key.endswith(_HERE) and service not in self._given:
            return Place(service=service, key=key, policy=Policy())
        policy = policy_of(service, self._given, contact=self._contact)
        return Place(service=service, key=key, policy=policy)


def _pattern(base: str) -> re.Pattern[str]:
    """What URLs there begin with."""
    before, label, after = base.rstrip("/").partition("{language}")
    any_label = "[^./]+" if label else ""
    pattern = f"{re.escape(before)}{any_label}{re.escape(after)}(?=[/?]|$)"
    return re.compile(pattern, re.IGNORECASE)


def _public(host: str) -> str | None:
    for service, known in DEFAULTS.items():
        if any(host == name or host.endswith(f".{name}") for name in known.hosts):
            return service
    return None


def _key(service: str, url: httpx.URL) -> str:
    server: str = hashlib.blake2b(url.netloc, digest_size=6).hexdigest()
    return f"{service}-{server}{_HERE if _is_this_machine(url.host) else ''}"


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
