"""What may be fetched outside the encyclopedia: limits, and the rules on a URL before anything is looked up."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import httpx

from pytest_aar.tools.public_address import not_public
from pytest_aar.tools.result import ToolFailure

#: Decoded bytes of a page; what is beyond is not read.
MOST_BYTES = 2_000_000
#: Seconds for a page with all of its redirects; a request brings what is left under `SECONDS_LEFT`.
MOST_SECONDS = 20.0
SECONDS_LEFT = "aar_seconds_left"
TEXT_KINDS = ("text/", "application/json", "application/xml", "application/xhtml+xml")

_SCHEMES = {"http": 80, "https": 443}

#: (host, port) -> its numeric addresses, in the order of preference; raises OSError without any.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


async def look_up(host: str, port: int) -> list[str]:
    """The addresses that the system knows for a name, each once."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far a fetch may go: these ports, addresses about which `objection` has nothing to say.

    `resolve` is asked once for each connection, and what it said is what is connected to.
    """

    ports: frozenset[int] = frozenset(_SCHEMES.values())
    objection: Callable[[str], str | None] = not_public
    resolve: Resolve = look_up

    def refusal(self, url: httpx.URL) -> str | None:
        """Why this URL may not be fetched whatever its name resolves to; None if it may."""
        if url.scheme not in _SCHEMES:
            return f"its scheme is {url.scheme!r}; only http and https are fetched"
        if url.userinfo:
            return "it carries a user name or password; leave them out"
        if not url.host or not url.raw_host.isascii() or any(mark in url.host for mark in "%\r\n "):
            return f"{url.host!r} is no name of a host"
        port = url.port or _SCHEMES[url.scheme]
        if port not in self.ports:
            ports = ", ".join(map(str, sorted(self.ports)))
            return f"its port is {port}; only these are fetched: {ports}"
        return self._literal_refusal(url.host)

    def address_refusal(self, host: str, addresses: Sequence[str]) -> str | None:
        """Why a name with these addresses may not be fetched: one bad address is enough."""
        for address in addresses:
            what = self.objection(address)
            if what is not None:
                return (
                    f"{host} is at {address} ({what}); only hosts whose every address is public"
                    " are fetched"
                )
        return None

    def _literal_refusal(self, host: str) -> str | None:
        address = _numeric(host)
        return None if address is None else self.address_refusal(host, [address])


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicPages:
    """The guard of the live world: it judges each URL, redirects too; the road judges the addresses."""

    reach: Reach

    async def check(self, url: httpx.URL) -> None:
        """Return if the URL may be asked for; else raise `ToolFailure` with the reason."""
        reason = self.reach.refusal(url)
        if reason is not None:
            raise ToolFailure("denied", f"{shown(url)} can't be fetched: {reason}")


def is_text(headers: httpx.Headers) -> bool:
    """Whether an answer is of a type that is read; one that names no type is taken for text."""
    kind: str = headers.get("content-type", "text/plain")
    return kind.lower().startswith(TEXT_KINDS)


def shown(url: httpx.URL) -> str:
    """A URL for a message: without its user name and password, and not endless."""
    text = str(url.copy_with(userinfo=b"") if url.userinfo else url)
    return text if len(text) <= 200 else f"{text[:200]}..."  # noqa: PLR2004 - two lines' worth of it


def _numeric(host: str) -> str | None:
    """The address that a host spells in any way that a system takes for one: 127.1, 0x7f000001, ::1."""
    if ":" in host:
        return host
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return None
