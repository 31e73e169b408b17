"""The beginning of a model's stream: as long as it says nothing, a failed one can be asked for again."""

import asyncio
from collections.abc import AsyncIterator

import httpx

from . import stalls
from .protocols import WireProtocol
from .protocols.events import Events
from .protocols.wire import StreamFailure

#: Seconds from its first bytes for which a stream that says nothing is held back: its client waits for it.
LONGEST_HOLD = 3.0


class OpenedStream(httpx.AsyncByteStream):
    """A stream whose beginning was read: hands that on first."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream
        self._waiting = aiter(stream)
        self._read: list[bytes] = []
        #: The chunk that is waited for, None at the end. Its wait goes on when the stream is handed on.
        self._next: asyncio.Future[bytes | None] | None = None

    async def failure(self, protocol: WireProtocol) -> StreamFailure | None:
        """Read up to the first event that says something: the failure if it is one that can be retried.

        Raises:
            httpx.TransportError: the stream broke off before, or never began.
        """
        events, clock = Events(), asyncio.get_running_loop()
        if not await self._has_come(stalls.LONGEST_SILENCE):
            raise httpx.ReadTimeout(f"its stream did not begin within {stalls.LONGEST_SILENCE:g} s")
        until = clock.time() + LONGEST_HOLD
        while await self._has_come(until - clock.time()):
            chunk = await self._taken()
            if chunk is None:
                return None  # it ended: whoever reads it to the end will see what is missing
            self._read.append(chunk)
            for event in events.feed(chunk):
                failure = protocol.failure(event)
                if failure is not None:
                    return None if failure.is_the_agents else failure
                if event.get("type") not in protocol.prelude:
                    return None
        return None

    async def _has_come(self, seconds: float) -> bool:
        """Whether the next chunk, or the end, is there within so long."""
        if self._next is None:
            self._next = asyncio.ensure_future(anext(self._waiting, None))
        done, _ = await asyncio.wait({self._next}, timeout=max(seconds, 0))
        return bool(done)

    async def _taken(self) -> bytes | None:
        coming, self._next = self._next, None
        assert coming is not None  # _has_come has just made it
        return await coming

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._read:
            yield chunk
        if self._next is not None:
            late = await self._taken()
            if late is None:
                return
            yield late
        async for chunk in self._waiting:
            yield chunk

    async def aclose(self) -> None:
        """Close the stream."""
        try:
            if self._next is not None:
                self._next.cancel()
                await asyncio.wait({self._next})
                _ = self._next.cancelled() or self._next.exception()  # nobody else will look at it
        finally:
            await self._stream.aclose()
