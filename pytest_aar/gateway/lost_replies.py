"""Requests of tools that failed for good, as answers of the road's own: a tape holds answers only."""

import json
from typing import Any

import httpx

from pytest_aar.manners.blocked import Blocked, is_blocked
from pytest_aar.manners.bodies import TooLongReply
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.tools.exchange import REPLAYED, SOURCE, is_final

#: No service's answer has this type: the road sees to that.
_LOST = "application/vnd.pytest-aar.lost+json"
#: One that clients try again after: on a tape an answer takes its place.
_STATUS = 599
_FAULTS: dict[str, type[httpx.RequestError]] = {
    fault.__name__: fault
    for fault in (
        *(httpx.ConnectError, httpx.ReadError, httpx.WriteError, httpx.CloseError),
        *(httpx.ConnectTimeout, httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout),
        *(httpx.LocalProtocolError, httpx.RemoteProtocolError, httpx.ProxyError),
        *(httpx.UnsupportedProtocol, httpx.DecodingError, Blocked, TooLongReply),
    )
}


class LostReplies(httpx.AsyncBaseTransport):
    """The same network; the failure of a request's last try is an answer, to be `raised` above the tape.

    A try that another may follow fails as ever, and so does one that was cut: neither is for the tape.
    """

    def __init__(self, network: httpx.AsyncBaseTransport) -> None:
        self._network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The reply, or the failure as one.

        Raises:
            httpx.RequestError: it failed, and another try may follow.
        """
        try:
            response = await self._network.handle_async_request(request)
        except (httpx.TransportError, httpx.DecodingError) as fault:
            told = _told(fault)
            if told is None or not is_final(fault, request):
                raise
            return httpx.Response(_STATUS, headers={"content-type": _LOST}, json=told)
        if _is_lost(response):
            response.headers["content-type"] = "application/octet-stream"
        return response


async def raised(response: httpx.Response, request: httpx.Request) -> httpx.Response:
    """The response itself.

    Raises:
        httpx.RequestError: it stands for this failure; a replayed one says so in the request's extensions.
    """
    if not _is_lost(response):
        return response
    said = json.loads(await response.aread())
    await response.aclose()
    if response.extensions.get(SOURCE) == REPLAYED:
        request.extensions[SOURCE] = REPLAYED
    raise _fault(said)


def _is_lost(response: httpx.Response) -> bool:
    return bool(response.headers.get("content-type", "").lower() == _LOST)


def _told(fault: httpx.RequestError) -> dict[str, Any] | None:
    """What `_fault` makes the same failure of; None for a kind that it doesn't know."""
    if isinstance(fault, HeldBack):
        return {"message": str(fault), "seconds": fault.seconds, "is_out": fault.is_out}
    # A cause is not on the tape, and it may be the cause that says "blocked".
    kind = (Blocked if is_blocked(fault) else type(fault)).__name__
    return {"kind": kind, "message": str(fault)} if kind in _FAULTS else None


def _fault(said: dict[str, Any]) -> httpx.RequestError:
    kind = said.get("kind")
    if kind is not None:
        return _FAULTS[kind](said["message"])
    return HeldBack(said["message"], seconds=said["seconds"], is_out=said["is_out"])
