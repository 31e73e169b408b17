"""The road to live services: the run's pages, what was refused, one's turn, and then the network."""

import asyncio
from collections.abc import Callable

import httpx

from pytest_aar.retry_after import asked_wait

from .directory import Place
from .held_back import HeldBack
from .limiter import Limiter, Turn, Turns
from .meter import METER, Meter
from .page_cache import PageCache, decoded
from .refusals import Refusals, Refused, address_of
from .verdicts import LONGEST_ASKED, verdict_on

#: Seconds for a whole reply: a body that trickles has no end otherwise.
LONGEST_REPLY = 90.0
#: Seconds: whose next turn is later, as by a limit on the day, is no use to any race of this run.
TOO_LATE = 600.0
_TOO_MANY, _FAULT = 429, 500


class Manners:
    """What this process shares with the others of its run (`refusals`, `pages`) and of its user (`turns`).

    `pages` is None when no page is kept.
    """

    def __init__(self, *, turns: Turns, refusals: Refusals, pages: PageCache | None) -> None:
        self.turns, self.refusals, self.pages = turns, refusals, pages
        self._limiters: dict[str, Limiter] = {}

    def limiter(self, place: Place) -> Limiter:
        """The limits of a service."""
        if place.key not in self._limiters:
            self._limiters[place.key] = Limiter(
                self.turns, key=place.key, name=place.service, policy=place.policy
            )
        return self._limiters[place.key]

    def close(self) -> None:
        """End this process's part."""
        self.turns.close()


class MannersRoad(httpx.AsyncBaseTransport):
    """Asks `network` in a civil manner; `find` says which service a URL belongs to.

    `keeps` tells of which services pages are kept. `heeds`: a refusal of the account is remembered for the run;
    outside the services a 403 is one page's.
    """

    def __init__(
        self,
        network: httpx.AsyncBaseTransport,
        manners: Manners,
        *,
        find: Callable[[httpx.URL], Place],
        keeps: frozenset[str],
        heeds: bool = True,
    ) -> None:
        self._network, self._manners, self._find = network, manners, find
        self._keeps, self._heeds = keeps, heeds

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The reply, read whole.

        Raises:
            HeldBack: it was not sent.
            httpx.TransportError: it was, and no whole reply came.
        """
        place, pages = self._find(request.url), self._manners.pages
        if pages is None or request.method != "GET" or place.service not in self._keeps:
            return await self._asked(request, place)
        return await pages.page(request.url, lambda: self._asked(request, place))

    async def aclose(self) -> None:
        """Close the network."""
        await self._network.aclose()

    async def _asked(self, request: httpx.Request, place: Place) -> httpx.Response:
        meter = METER.get() or Meter()
        address = address_of(request.url)
        known = self._manners.refusals.of(address) if self._heeds else None
        if known is not None:
            meter.refusal = known.told(place.service)
            return known.reply()
        try:
            async with self._manners.limiter(place).turn() as turn:
                reply = await self._sent(request, turn, meter, place.service)
        except HeldBack as held:
            is_for_good = held.seconds > TOO_LATE and not held.is_out
            meter.refusal, meter.outage = str(held) if is_for_good else "", str(held)
            raise
        return self._judged(reply, meter, address, place.service)

    async def _sent(
        self, request: httpx.Request, turn: Turn, meter: Meter, service: str
    ) -> httpx.Response:
        try:
            reply = await _whole(self._network, request)
        except httpx.TransportError as fault:
            turn.failed()
            meter.outage = f"{service} did not answer ({type(fault).__name__}: {fault})"
            raise
        meter.outage = ""
        if reply.status_code == _TOO_MANY:
            turn.refused(_asked_wait(reply))
            meter.outage = f"{service} answered HTTP 429, too many requests"
        elif reply.status_code >= _FAULT:
            turn.failed()
            meter.outage = f"{service} answered HTTP {reply.status_code}"
        else:
            turn.answered()
        return reply

    def _judged(
        self, reply: httpx.Response, meter: Meter, address: str, service: str
    ) -> httpx.Response:
        """Note a refusal of the account, for this call and for all that follow in the run."""
        meter.refusal = ""
        if not self._heeds:
            return reply
        body = decoded(reply)
        verdict = verdict_on(
            reply.status_code, body, retry_after=reply.headers.get("retry-after", "")
        )
        if verdict is not None:
            refused = Refused(
                verdict=verdict,
                status=reply.status_code,
                content_type=reply.headers.get("content-type", "text/plain"),
                body=body,
            )
            self._manners.refusals.add(address, refused)
            meter.refusal = refused.told(service)
        return reply


async def _whole(network: httpx.AsyncBaseTransport, request: httpx.Request) -> httpx.Response:
    """The reply with its body at hand: as long as it comes, the server counts it as under way."""
    try:
        async with asyncio.timeout(LONGEST_REPLY) as clock:
            reply = await network.handle_async_request(request)
            try:
                assert isinstance(reply.stream, httpx.AsyncByteStream)  # what async transports give
                raw = b"".join([chunk async for chunk in reply.stream])
            finally:
                await reply.aclose()
    except TimeoutError as late:
        if not clock.expired():
            raise
        raise httpx.ReadTimeout(f"no whole reply within {LONGEST_REPLY:g} s") from late
    return httpx.Response(
        reply.status_code,
        headers=reply.headers,
        stream=httpx.ByteStream(raw),
        extensions=reply.extensions,
    )


def _asked_wait(reply: httpx.Response) -> float | None:
    """What Retry-After says; who asks for longer than a call can wait is out of quota, and not waited for."""
    asked = asked_wait(reply.headers.get("retry-after", ""))
    return None if asked is None else min(asked, LONGEST_ASKED)
