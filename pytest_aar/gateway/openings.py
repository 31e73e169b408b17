"""The beginning of a model's stream: as long as it says nothing, a failed one can be asked for again."""

from collections.abc import AsyncIterator

import httpx

from .protocols import WireProtocol
from .protocols.events import Events
from .protocols.wire import StreamFailure


class OpenedStream(httpx.AsyncByteStream):
    """A stream whose beginning was read: hands that on first."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream
        self._waiting = aiter(stream)
        self._read: list[bytes] = []

    async def failure(self, protocol: WireProtocol) -> StreamFailure | None:
        """Read up to the first event that says something: the failure if it is one that can be retried.

        Raises:
            httpx.TransportError: the stream broke off before.
        """
        events = Events()
        async for chunk in self._waiting:
            self._read.append(chunk)
            for event in events.feed(chunk):
                failure = protocol.failure(event)
                if failure is not None:
                    return None if failure.is_the_agents else failure
                if event.get("type") not in protocol.prelude:
                    return None
        return None  # it ended: whoever reads it to the end will see what is missing

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._read:
            yield chunk
        async for chunk in self._waiting:
            yield chunk

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()
