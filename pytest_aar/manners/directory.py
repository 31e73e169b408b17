"""Which service a request is for."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address

import httpx

from pytest_aar.settings import SERVICE_GROUPS, STAND_INS

from .policies import DEFAULTS, Policy, policy_of
from .remedies import if_silent

#: A field of the endpoints -> the service whose limits count; others have the name of their service.
_GROUPS = {
    **{name: group for group, names in SERVICE_GROUPS.items() for name in names},
    **{second: first for first, second in STAND_INS.items() if second not in DEFAULTS},
}
_PAGES = "pages"
_OWN = "ask who runs {host}: it is an address of your own ({given_by})"
#: Ends the keys of servers on this machine.
_HERE = "-here"


#: Google's map APIs, which may all stand behind one address of one's own.
_API = re.compile(
    r"/(?:maps/api/place|maps/api|v1(?=/places))/(\w+)|/(directions|distanceMatrix)/v2:"
)
_LANGUAGE = "{language}"
_HOME = "en"
_POLICY = "see https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A service with its limits; `key` names what is shared about them, `server` what is shared about its host.

    `name` is the service with the variable of its key, `if_denied` what to do when it refuses, `if_silent` when it
    does not answer.
    `address` is what a refusal of the account is about: a service at a base URL, of Google Maps one of its APIs.
    `edition` is the language that a caller chose, "" where there is no choice; `is_guess`: it is not our home's, and
    need not be there. `is_here`: its server is on this machine. `is_private`: it is on this
    machine and has no limits, so that no other run need know who asks it. `takes_key`: there are keys of it.
    """

    service: str
    key: str
    policy: Policy
    server: str
    address: str
    host: str
    name: str
    if_denied: str
    if_silent: str
    edition: str = ""
    is_here: bool = False
    is_private: bool = False
    takes_key: bool = False

    @property
    def is_guess(self) -> bool:
        """Whether `host` is made of a language that need not be there."""
        return self.edition not in ("", _HOME)


class Directory:
    """The services of one world, by their base URLs (`{language}` in one stands for any label).

    `given` are the user's limits, `unset` the variables of keys that are not set. A server on this machine has limits
    only there: the default ones are the public services'.
    """

    def __init__(
        self,
        bases: Mapping[str, str],
        given: Mapping[str, str],
        *,
        contact: str | None = None,
        unset: frozenset[str] = frozenset(),
    ) -> None:
        self._given, self._contact, self._unset = given, contact, unset
        named = {url: _GROUPS.get(name, name) for name, url in reversed(list(bases.items()))}
        longest_first = sorted(named.items(), key=lambda item: -len(item[0]))
        self._bases = [(_pattern(base), service) for base, service in longest_first]

    def place(self, url: httpx.URL) -> Place:
        """Where a request to a service goes."""
        service, edition, start = self._service(url)
        public = _public(url.host)
        place = self._made(public or service, public or _key(service, url), url)
        return replace(
            place,
            edition=edition,
            server=place.server if public else _key(service, url, at=start.partition("://")[2]),
            address=f"{place.service} {start}{_api(url)}",
        )

    def page(self, url: httpx.URL) -> Place:
        """Where a request for a page outside the encyclopedia goes: each host is a server of its own."""
        public = _public(url.host)
        return self._made(public or _PAGES, public or _key(_PAGES, url), url)

    def _service(self, url: httpx.URL) -> tuple[str, str, str]:
        """The service, the edition, and what of the URL is the base.

        What is at none of the addresses is no known service: it is a page of some host.
        """
        for pattern, service in self._bases:
            found = pattern.match(str(url))
            if found:
                return service, (found["language"] or "").lower(), found[0].lower()
        return _PAGES, "", _root(url)

    def _made(self, service: str, key: str, url: httpx.URL) -> Place:
        is_here = key.endswith(_HERE)
        is_free = is_here and service not in self._given
        policy = Policy() if is_free else policy_of(service, self._given, contact=self._contact)
        known = DEFAULTS.get(service)
        variable = known.variable if known else ""
        given_by = "" if key == service else _given_by(variable)
        return Place(
            service=service,
            key=key,
            policy=policy,
            is_here=is_here,
            is_private=is_here and policy == Policy(),
            server=_key(service, url),
            address=f"{service} {_root(url)}",
            host=url.host,
            name=self._name(service, variable),
            takes_key=variable.endswith("_KEY"),
            if_denied=_OWN.format(host=url.host, given_by=given_by)
            if given_by
            else self._if_denied(service, url.host),
            if_silent=if_silent(service, given_by),
        )

    def _name(self, service: str, variable: str) -> str:
        if not variable.endswith("_KEY"):
            return service
        is_set = variable not in self._unset
        return f"{service} (key in {variable})" if is_set else f"{service} ({variable} is not set)"

    def _if_denied(self, service: str, host: str) -> str:
        if service == "wikipedia" and self._contact:
            return f"{_POLICY}: the contact is {self._contact}"
        return DEFAULTS[service].if_denied.format(host)


def _given_by(variable: str) -> str:
    """Where an address of one's own may stand: in a variable, too, where that is none of a key."""
    is_address = variable and not variable.endswith("_KEY")
    return f"aar_services or {variable}" if is_address else "aar_services"


def _pattern(base: str) -> re.Pattern[str]:
    """What URLs there begin with."""
    before, label, after = base.rstrip("/").partition(_LANGUAGE)
    any_label = "[^./]+" if label else ""
    pattern = f"{re.escape(before)}(?P<language>{any_label}){re.escape(after)}(?=[/?]|$)"
    return re.compile(pattern, re.IGNORECASE)


def _public(host: str) -> str | None:
    for service, known in DEFAULTS.items():
        if any(host == name or host.endswith(f".{name}") for name in known.hosts):
            return service
    return None


def _root(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"


def _api(url: httpx.URL) -> str:
    found = _API.search(url.path)
    return found[0] if found else ""


def _key(service: str, url: httpx.URL, *, at: str = "") -> str:
    """A name for a file: of a service and a host, or of what is `at` a path of that."""
    where = at.encode() or url.netloc
    server: str = hashlib.blake2b(where, digest_size=6).hexdigest()
    return f"{service}-{server}{_HERE if _is_this_machine(url.host) else ''}"


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
