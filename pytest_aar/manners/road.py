"""The road to live services: the run's pages, what was refused, one's turn, and then the network."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import httpx

from pytest_aar.retry_after import asked_wait

from .bodies import TooLongReply, whole
from .directory import Place
from .held_back import HeldBack
from .limiter import Limiter, Turn, Turns
from .marks import JUDGED, OF_REQUEST, PASSING
from .meter import METER, Meter, Note, take_note
from .page_cache import PageCache
from .policies import Policy
from .probes import probe_of
from .reached import Reached
from .refusals import Refusals, Refused
from .signs import (
    NO_OTHER_TRY,
    UNSENT,
    has_no_way,
    is_too_often,
    names_nobody,
    no_edition,
)
from .troubles import FAULT, passing_trouble, refusal_in
from .verdicts import LONGEST_ASKED, is_beyond_doubt
from .weight import weight_of

#: Seconds: whose next turn is later, as by a limit on the day, is no use to any race of this run.
TOO_LATE = 600.0
_NO_CONNECTION = (httpx.ConnectError, httpx.ConnectTimeout)


class Manners:
    """What this process shares with others: of its run `refusals`, `pages`, `private`, `reached`, of its user `turns`.

    `private` are the turns at servers on this machine without limits, None: as for the others. `pages` is None when
    no page is kept. `reached` are the servers that have answered, None: this process. `begin` is called before each
    request; the first one makes what is shared.
    """

    def __init__(
        self,
        *,
        turns: Turns,
        refusals: Refusals,
        pages: PageCache | None,
        private: Turns | None = None,
        reached: Reached | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        self.turns, self.refusals, self.pages = turns, refusals, pages
        self.reached = reached or Reached()
        self.begin = begin
        self._private = private or turns
        self._limiters: dict[str, Limiter] = {}

    @asynccontextmanager
    async def turn(self, place: Place, *, weight: int = 1) -> AsyncIterator[tuple[Turn, Turn]]:
        """Around one request: a turn at its server, which may be down, and one by its service's limits.

        `weight`: as how many requests the service counts it.

        Raises:
            HeldBack: neither comes in time.
        """
        limits = self._limiter(place, place.key, place.service, place.policy)
        async with AsyncExitStack() as turns:
            if place.server != place.key:
                is_public = place.key == place.service
                name = place.host if is_public else f"{place.service} at {place.host}"
                server = self._limiter(place, place.server, name, Policy())
                at_server = await turns.enter_async_context(server.turn())
                yield at_server, await turns.enter_async_context(limits.turn(weight))
            else:
                turn = await turns.enter_async_context(limits.turn(weight))
                yield turn, turn

    def _limiter(self, place: Place, key: str, name: str, policy: Policy) -> Limiter:
        if key not in self._limiters:
            turns = self._private if place.is_private else self.turns
            self._limiters[key] = Limiter(
                turns,
                key=key,
                name=name,
                policy=policy,
                remedy=place.if_silent,
                reached=self.reached,
            )
        return self._limiters[key]

    def close(self) -> None:
        """End this process's part."""
        self.turns.close()
        self._private.close()


class MannersRoad(httpx.AsyncBaseTransport):
    """Asks `network` in a civil manner; `find` says which service a URL belongs to.

    `keeps` tells of which services pages are kept. `heeds`: how it went is noted in the call's meter, for whoever asks
    the server next, and a refusal of the account for the run. Outside the services all that is one page's, and so are
    notes and refusals of editions of the encyclopedia that the call's race has no use for.
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
        self._manners.begin()
        place = self._find(request.url)
        try:
            reply = await self._kept(request, place)
        except HeldBack as held:
            is_for_good = held.seconds > TOO_LATE and not held.is_out
            is_out = held.is_unreached and not self._manners.reached.has(place.server)
            self._note(place, Note(trouble=str(held), for_good=is_for_good, is_out_of_reach=is_out))
            raise
        except httpx.TransportError as fault:
            what = (
                f"{place.service} at {request.url.netloc.decode()} did not answer "
                f"({type(fault).__name__}: {fault}): {place.if_silent}"
            )
            is_out = self._is_out_of_reach(fault, request, place)
            self._note(place, Note(trouble=what, is_out_of_reach=is_out))
            raise
        if self._is_heeded(place):
            self._note(place, await self._judged(reply, request, place))
        elif refusal_in(reply, place) is not None:
            reply.extensions[JUDGED] = OF_REQUEST
        return reply

    def _is_out_of_reach(
        self, fault: httpx.TransportError, request: httpx.Request, place: Place
    ) -> bool:
        """Whether the race need not go on; on this machine the first refused connection is the last."""
        was_reached = self._manners.reached.has(place.server)
        if was_reached or not has_no_way(fault, was_reached=False):
            return False
        if place.is_here:
            request.extensions[NO_OTHER_TRY] = True
        return True

    async def aclose(self) -> None:
        """Close the network."""
        await self._network.aclose()

    def _note(self, place: Place, how: Note) -> None:
        if self._heeds:
            take_note(place.service, how, edition=place.edition)

    def _is_heeded(self, place: Place) -> bool:
        meter = METER.get()
        return self._heeds and (meter is None or meter.has_use_for(place.edition))

    async def _kept(self, request: httpx.Request, place: Place) -> httpx.Response:
        pages = self._manners.pages
        if pages is None or request.method != "GET" or place.service not in self._keeps:
            return await self._asked(request, place)
        return await pages.page(request.url, lambda: self._asked(request, place))

    async def _asked(self, request: httpx.Request, place: Place) -> httpx.Response:
        known = self._manners.refusals.of(place.address) if self._heeds else None
        if known is not None:
            return known.reply()
        latest = self._manners.turns.clock() + (METER.get() or Meter()).patience
        reply = None
        while reply is None:
            reply = await self._tried(request, place, latest)
        return reply

    async def _tried(
        self, request: httpx.Request, place: Place, latest: float
    ) -> httpx.Response | None:
        """None: there is no connection to a server that the run has reached; its next turn comes before `latest`.

        That is no try of the call's: the service knows nothing of it, and somebody has to see whether it is back.
        """
        async with self._manners.turn(place, weight=weight_of(request)) as (at_server, turn):
            try:
                reply = await whole(self._network, request)
            except httpx.TransportError as fault:
                turn.was_unsent = at_server.was_unsent = isinstance(fault, _NO_CONNECTION)
                if place.is_guess and names_nobody(fault):
                    return no_edition(place.host)
                if not await self._is_waited_for(fault, request, place, at_server):
                    raise
                if self._manners.turns.clock() >= latest:
                    raise
                return None
            turn.was_unsent = at_server.was_unsent = UNSENT in reply.extensions
            if not turn.was_unsent:
                self._manners.reached.add(place.server)
            if self._heeds:
                await _tell(reply, at_server, turn)
        return reply

    async def _is_waited_for(
        self, fault: httpx.TransportError, request: httpx.Request, place: Place, at_server: Turn
    ) -> bool:
        """Tells others of a fault; whether it is a moment's, in which a server that the run knows is out of reach."""
        if not self._heeds or isinstance(fault, TooLongReply):
            return False
        was_reached = self._manners.reached.has(place.server)
        has_none = has_no_way(fault, was_reached=was_reached)
        await at_server.failed(_why(fault, place, request), is_unreached=has_none)
        return was_reached and has_none and at_server.is_out

    async def _judged(self, reply: httpx.Response, request: httpx.Request, place: Place) -> Note:
        """How it went; a refusal of the account is remembered for all that follow in the run."""
        status = reply.status_code
        refused = refusal_in(reply, place)
        if refused is not None:
            note = await self._doubted(refused, request, place)
            reply.extensions[JUDGED] = PASSING if note.trouble else OF_REQUEST
            return note
        return Note(trouble=passing_trouble(reply, place), status=status)

    async def _doubted(self, refused: Refused, request: httpx.Request, place: Place) -> Note:
        """Whether it is the account that is refused: a request of our own tells, asked before anybody else heeds it.

        Where that is answered, it was what the agent asked for. Where it fails, or where there is none, nobody knows:
        this call's trouble and nobody else's.
        """
        refusals, address = self._manners.refusals, place.address
        told = refused.told(place.name, if_denied=place.if_denied)
        if refusals.of(address) is not None:
            return Note(trouble=told, for_good=True, status=refused.status)
        if not is_beyond_doubt(refused.status, refused.body):
            answered = await self._probed(request, place)
            again = None if answered is None else refusal_in(answered, place)
            if again is None:
                is_well = answered is not None and answered.is_success
                return Note(trouble="" if is_well else told, status=refused.status)
            refused = again
        refusals.add(address, refused)
        told = refused.told(place.name, if_denied=place.if_denied)
        return Note(trouble=told, for_good=True, status=refused.status)

    async def _probed(self, request: httpx.Request, place: Place) -> httpx.Response | None:
        probe = probe_of(request, place.service)
        if probe is None:
            return None
        try:
            return await self._asked(probe, place)
        except httpx.TransportError:
            return None


def _why(fault: httpx.TransportError, place: Place, request: httpx.Request) -> str:
    """What is told to those who are held back; of an address of one's own the service's name does not tell where."""
    is_unnamed = place.server == place.key
    where = f" at {request.url.netloc.decode()}" if is_unnamed else ""
    return f"{type(fault).__name__}{where}: {fault}"


async def _tell(reply: httpx.Response, at_server: Turn, turn: Turn) -> None:
    """How the service is, for all who ask it next."""
    if reply.status_code >= FAULT:
        await at_server.failed(f"HTTP {reply.status_code}")
    elif is_too_often(reply):
        await turn.refused(_asked_wait(reply))
    else:
        for each in {at_server, turn}:
            await each.answered()


def _asked_wait(reply: httpx.Response) -> float | None:
    """What Retry-After says; who asks for longer than a call can wait is out of quota, and not waited for."""
    asked = asked_wait(reply.headers.get("retry-after", ""))
    return None if asked is None else min(asked, LONGEST_ASKED)
