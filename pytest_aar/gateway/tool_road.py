"""The tools' road to live services, with the tape of whichever race calls."""

from contextvars import ContextVar
from typing import TYPE_CHECKING

import httpx

from pytest_aar.manners.meter import METER

from .lost_replies import LostReplies, raised

if TYPE_CHECKING:
    from pytest_aar.cassettes import Tape

#: The tools' tape of the race in whose name this task runs; None: nothing is taped.
RACE_TAPE: ContextVar["Tape | None"] = ContextVar("aar_race_tape", default=None)


class TapedRoad(httpx.AsyncBaseTransport):
    """One network transport for all races; the tape is the calling race's, so none can leak into another."""

    def __init__(self, network: httpx.AsyncBaseTransport) -> None:
        self._network = network
        self._recordable = LostReplies(network)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Replay, record or pass through; a request that failed for good does so again in a replay."""
        tape = RACE_TAPE.get()
        if tape is None:
            return await self._network.handle_async_request(request)
        from pytest_aar.cassettes.transport import KEY, TapeTransport  # noqa: PLC0415 - loads vcrpy, only taped races need it

        taped = TapeTransport(self._recordable, tape=tape)
        reply = await taped.handle_async_request(request)
        meter = METER.get()
        if meter is not None:
            meter.keys.append(reply.extensions[KEY])
        return await raised(reply, request)

    async def aclose(self) -> None:
        """Close the network transport."""
        await self._network.aclose()
