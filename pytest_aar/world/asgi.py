"""The world as an ASGI app, for `aar world serve` and for programs that can't take a transport."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from pytest_aar.world.services.answers import Answer, text_answer
from pytest_aar.world.services.dispatch import HOSTS, SERVICES, dispatch
from pytest_aar.world.store import SEED_HOST, World

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

#: First parts of paths that belong to another service than the encyclopaedia.
_PREFIXES = (
    ("/maps/", "maps.aar.test"),
    ("/distanceMatrix/", "maps.aar.test"),
    ("/directions/", "maps.aar.test"),
    ("/v1/places", "maps.aar.test"),
    ("/v1/archive", "weather.aar.test"),
    ("/v1/forecast", "weather.aar.test"),
    ("/countries/", "countries.aar.test"),
    ("/v8/", "stocks.aar.test"),
    ("/api/v3/", "crypto.aar.test"),
)


def host_for(method: str, path: str) -> str:
    """The service a path belongs to when the Host header names none: one port serves all."""
    if method == "POST" and path == "/search":
        return "search.aar.test"
    return next((host for prefix, host in _PREFIXES if path.startswith(prefix)), SEED_HOST)


def asgi_app(world: World) -> App:
    """An ASGI app; the Host header or else the path decides on the service."""

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await _send(send, _answer(world, scope, await _body(receive)))

    return app


def _answer(world: World, scope: Message, body: bytes) -> Answer:
    headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
    host = headers.get("host", "").partition(":")[0]
    if host not in SERVICES:
        host = host_for(scope["method"], scope["path"])
    path = scope.get("raw_path", scope["path"].encode()).decode("latin-1")
    query = scope.get("query_string", b"").decode("latin-1")
    url = f"https://{host}{path}" + (f"?{query}" if query else "")
    answer = dispatch(world, scope["method"], url, body, headers)
    return answer or text_answer(f"No service {host}; there are {', '.join(HOSTS)}", 404)


async def _body(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


async def _send(send: Send, answer: Answer) -> None:
    headers = {"content-type": answer.content_type, "content-length": str(len(answer.body))}
    headers |= dict(answer.headers)
    raw = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
    await send({"type": "http.response.body", "body": answer.body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


__all__ = ["asgi_app", "host_for"]
