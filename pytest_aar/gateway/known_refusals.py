"""Google's refusals of APIs that a key's project doesn't have, remembered so that they are heard once."""

import time
from collections.abc import Callable
from http import HTTPStatus

import httpx

from pytest_aar.tools.google_errors import refuses_api

#: Seconds after which an API is tried again: somebody may have enabled it.
FORGOTTEN_AFTER = 300.0

#: Server, family of APIs, key.
_Asked = tuple[str, str, str]


class KnownRefusals(httpx.AsyncBaseTransport):
    """A road that gives Google's refusal again instead of asking for it again.

    The tools try the present API first and its legacy form after a refusal; with this below them, each
    call costs one request. It lies below the tape: what a race records must not depend on what others
    have asked before.
    """

    def __init__(
        self, network: httpx.AsyncBaseTransport, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._network, self._clock = network, clock
        self._known: dict[_Asked, tuple[float, bytes]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The network's reply, or the known refusal."""
        asked = _asked(request)
        if asked is None:
            return await self._network.handle_async_request(request)
        since, body = self._known.get(asked, (0.0, b""))
        if body and self._clock() < since + FORGOTTEN_AFTER:
            return _refusal(body)
        response = await self._network.handle_async_request(request)
        if response.status_code != HTTPStatus.FORBIDDEN:
            return response
        return await self._noted(asked, response)

    async def aclose(self) -> None:
        """Close the network."""
        await self._network.aclose()

    async def _noted(self, asked: _Asked, response: httpx.Response) -> httpx.Response:
        body = await response.aread()
        await response.aclose()
        kept = httpx.Response(HTTPStatus.FORBIDDEN, headers=_plain(response), content=body)
        if refuses_api(kept):
            self._known[asked] = (self._clock(), body)
        return kept


def _asked(request: httpx.Request) -> _Asked | None:
    """None for requests to other services than Google's present APIs."""
    key = request.headers.get("x-goog-api-key")
    if key is None or "x-goog-fieldmask" not in request.headers:
        return None
    family = "places" if "/v1/places" in request.url.path else "routes"
    return request.url.netloc.decode(), family, key


def _plain(response: httpx.Response) -> dict[str, str]:
    """The headers that still hold for the body once it is unpacked."""
    gone = {"content-encoding", "content-length", "transfer-encoding"}
    return {name: value for name, value in response.headers.items() if name not in gone}


def _refusal(body: bytes) -> httpx.Response:
    headers = {"content-type": "application/json; charset=UTF-8"}
    return httpx.Response(HTTPStatus.FORBIDDEN, headers=headers, content=body)
