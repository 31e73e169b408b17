"""The world as an httpx transport: answers in process, no port, no thread."""

from collections.abc import AsyncIterable

import httpx

from pytest_aar.manners.blocked import Blocked
from pytest_aar.world.services.dispatch import HOSTS, dispatch
from pytest_aar.world.store import World, load


class WorldTransport(httpx.AsyncBaseTransport):
    """Answers the world's hosts; any other host or port is a `Blocked` that says so."""

    def __init__(self, world: World | None = None) -> None:
        self._world = world or load()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        body = b""
        if isinstance(request.stream, AsyncIterable):
            body = await request.aread()
        url = request.url
        answer = (
            dispatch(self._world, request.method, str(url), body, dict(request.headers))
            if url.port is None
            else None
        )
        if answer is None:
            raise Blocked(
                f"blocked: the sandbox world has no host {url.netloc.decode()!r}; "
                f"it has {', '.join(HOSTS)}",
                request=request,
            )
        headers = {"content-type": answer.content_type, "x-aar-world": self._world.hash}
        return httpx.Response(
            answer.status, headers=headers | dict(answer.headers), content=answer.body
        )
