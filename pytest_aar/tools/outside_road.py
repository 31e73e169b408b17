"""The road to pages outside the encyclopedia: to checked addresses only, with an end in time and size.

It hands out finished answers: whole, decoded, cut, and without a page one that says why. So a tape above it
keeps all of them, refusals and timeouts too, and a replay needs no network to hear them again.
"""

import asyncio
import ssl
from collections.abc import Iterable

import httpcore
import httpx

from pytest_aar.manners.no_page import NO_PAGE, no_page
from pytest_aar.tools.inflate import Inflated, NotInflatable
from pytest_aar.tools.outside import (
    MOST_BYTES,
    MOST_SECONDS,
    SECONDS_LEFT,
    Reach,
    is_text,
)

_CONNECT_SECONDS = 5.0
_MOST_ADDRESSES = 4
_KEPT_HEADERS = ("content-type", "location", "retry-after")


class Refused(Exception):
    """A host that may not be connected to; the message says why."""


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the very addresses that were checked; TLS above it still goes by the name."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._sockets = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that answers.

        Raises:
            Refused: one of the name's addresses, or the port, is not public.
            httpcore.ConnectError: there is no such name, or no address answers.
        """
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in (await self._checked(host, port))[:_MOST_ADDRESSES]:
            try:
                return await self._sockets.connect_tcp(
                    address,
                    port,
                    timeout=timeout,
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as problem:
                failure = problem
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Never: pages are on the internet."""
        raise Refused(f"{path} is a socket of this machine")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[str]:
        if port not in self._reach.ports:
            raise Refused(f"port {port} is not fetched")
        try:
            addresses = list(await self._reach.resolve(host, port))
        except (OSError, UnicodeError) as problem:
            raise httpcore.ConnectError(f"{host} is not known ({problem})") from problem
        reason = self._reach.address_refusal(host, addresses)
        if reason is not None:
            raise Refused(reason)
        return addresses


class OutsideRoad(httpx.AsyncBaseTransport):
    """One GET at a time on a connection of its own: no proxy, no cookie, nothing kept for the next.

    `trust` is the TLS context, None the usual authorities; it is made with the first page, a replay has none.
    """

    def __init__(
        self, reach: Reach, *, trust: ssl.SSLContext | None = None, seconds: float = MOST_SECONDS
    ) -> None:
        self._reach, self._trust, self._seconds = reach, trust, seconds
        self._pool: httpcore.AsyncConnectionPool | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The finished answer; never raises for what the host is or does."""
        host = request.url.host
        seconds = min(self._seconds, request.extensions.get(SECONDS_LEFT, self._seconds))
        try:
            async with asyncio.timeout(seconds):
                return await self._answer(request)
        except Refused as problem:
            return no_page("denied", f"{host} can't be fetched: {problem}", is_sent=False)
        except (TimeoutError, httpcore.TimeoutException):
            return no_page("timeout", f"{host} did not give the whole page in time")
        except NotInflatable as problem:
            return no_page("upstream", f"{host} sent a page that can't be read: {problem}")
        except (httpcore.NetworkError, httpcore.ProtocolError) as problem:
            reason = str(problem) or type(problem).__name__
            said = f"{host} can't be read: {reason}; check the address, and this machine's network"
            return no_page("upstream", said, is_sent=not isinstance(problem, httpcore.ConnectError))

    async def aclose(self) -> None:
        """Close what is open."""
        if self._pool is not None:
            await self._pool.aclose()

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        response = await self._connections().handle_async_request(_asked(request))
        try:
            headers = httpx.Headers(response.headers)
            wanted = response.status == httpx.codes.OK and is_text(headers)
            body = await _body(response, headers) if wanted else b""
        finally:
            await response.aclose()
        kept = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
        if kept.get("content-type", "").lower() == NO_PAGE:
            kept["content-type"] = "application/octet-stream"  # ours to say, nobody else's
        return httpx.Response(response.status, headers=kept, content=body)

    def _connections(self) -> httpcore.AsyncConnectionPool:
        if self._pool is None:
            self._pool = httpcore.AsyncConnectionPool(
                ssl_context=self._trust or httpx.create_ssl_context(trust_env=False),
                max_keepalive_connections=0,
                network_backend=CheckedBackend(self._reach),
            )
        return self._pool


def _asked(request: httpx.Request) -> httpcore.Request:
    url = request.url
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        ),
        headers=request.headers.raw,
        extensions={"timeout": {"connect": _CONNECT_SECONDS}},
    )


async def _body(response: httpcore.Response, headers: httpx.Headers) -> bytes:
    """The decoded body up to the cap: a bomb is not inflated beyond it, nor read on."""
    page = Inflated(headers.get("content-encoding", ""), most=MOST_BYTES)
    async for chunk in response.aiter_stream():
        page.feed(chunk)
        if page.is_full:
            break
    return page.whole()
