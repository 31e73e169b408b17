"""One ASGI app for all services: the first part of a path is the service's name."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from . import google, mediawiki, open_meteo, quotes, serper
from .answer_book import AnswerBook
from .exchange import Asked, Reply, as_json, as_text
from .faults import Fault, Gauge, Limit, Mischief
from .library import Library
from .request_log import Entry, RequestLog

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

#: What each service says when a caller is too fast.
_TOO_MANY: Mapping[str, tuple[str, str]] = {
    "wikipedia": ("text/plain", "You are making too many requests to the API.\n\nrequest-id: FAKE"),
    "stocks": ("text/plain", "Too Many Requests\r\n"),
    "weather": ("application/json", '{"reason":"Minutely API request limit exceeded."}'),
    "maps": (
        "application/json",
        '{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}',
    ),
    "crypto": ("application/json", '{"code":-1003,"msg":"Too many requests."}'),
    "search": ("application/json", '{"message":"Too many requests","statusCode":429}'),
    "countries": ("application/json", '{"errors":[{"message":"Too many requests"}]}'),
}
SERVICES = tuple(_TOO_MANY)


@dataclass(kw_only=True)
class Internet:
    """The services and what is done to their callers; may be changed while it is served.

    `delay` is how many seconds every answer takes.
    """

    library: Library = field(default_factory=Library)
    book: AnswerBook = field(default_factory=AnswerBook)
    limits: dict[str, Limit] = field(default_factory=dict)
    mischief: Mischief = field(default_factory=Mischief)
    log: RequestLog = field(default_factory=RequestLog)
    gauges: dict[str, Gauge] = field(default_factory=lambda: {name: Gauge() for name in SERVICES})
    delay: float = 0.0

    def faults(self, *faults: Fault) -> None:
        """More faults to happen."""
        self.mischief.faults.extend(faults)

    def answer(self, service: str, asked: Asked) -> Reply:
        """A service's own reply."""
        match service:
            case "wikipedia":
                return mediawiki.answer(self.library, asked)
            case "maps":
                return google.answer(self.book, asked)
            case "weather":
                return open_meteo.answer(self.book, asked)
            case "search":
                return serper.answer(self.book, self.library, asked)
        return _QUOTES[service](self.book, asked)

    def report(self) -> dict[str, Any]:
        """Figures for people and for other processes: per service, and requests answered more than once."""
        figures = {
            name: {
                "requests": len(self.log.of(name)),
                "most_in_window": gauge.most_in_window,
                "most_parallel": gauge.most_parallel,
                "refused": gauge.refused,
            }
            for name, gauge in self.gauges.items()
        }
        again = self.log.answered_more_than_once()
        repeated = [
            {"request": list(question), "times": count} for question, count in again.items()
        ]
        left = [asdict(fault) for fault in self.mischief.left()]
        return {"services": figures, "answered_more_than_once": repeated, "faults_left": left}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            return
        body = await _body(receive)
        path = scope["raw_path"].decode("latin-1")
        query = scope["query_string"].decode("latin-1")
        _, service, rest = (*path.split("/", 2), "")[:3]
        if service == "report":
            await _send(send, as_json(self.report()))
        elif service not in SERVICES:
            await _send(
                send, as_text(f"no service {service!r}; there are {', '.join(SERVICES)}", 404)
            )
        else:
            asked = Asked(
                method=scope["method"],
                path=unquote(f"/{rest}"),
                query=dict(parse_qsl(query, keep_blank_values=True)),
                headers={k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]},
                body=json.loads(body) if body else None,
            )
            await self._serve(service, asked, send, (f"{path}?{query}" if query else path, body))

    async def _serve(self, service: str, asked: Asked, send: Send, sent: tuple[str, bytes]) -> None:
        url, body = sent
        began = time.monotonic()
        limit, gauge = self.limits.get(service, Limit()), self.gauges[service]
        fault = None
        over = ExitStack()  # before a reply's last byte leaves: its reader may ask on at once
        over.callback(gauge.leave)
        with over:
            if not gauge.enter(limit, began):
                reply = _too_many(service, limit.retry_after)
            else:
                fault = self.mischief.next(service, url)
                reply = self._reply(service, asked, fault)
                await asyncio.sleep(self.delay)
            entry = Entry(
                service=service, method=asked.method, url=url, body=body, status=reply.status,
                fault=fault and fault.kind, began=began,
            )  # fmt: skip
            over.callback(self.log.add, entry)
            await _send_with(send, reply, fault, over.close)

    def _reply(self, service: str, asked: Asked, fault: Fault | None) -> Reply:
        match fault and fault.kind:
            case "429":
                assert fault is not None
                return _too_many(service, fault.retry_after)
            case "500":
                return as_text("upstream connect error or disconnect/reset before headers", 500)
            case "403":
                return as_text("Forbidden", 403)
        return self.answer(service, asked)


_QUOTES = {"countries": quotes.countries, "stocks": quotes.yahoo, "crypto": quotes.binance}


def _too_many(service: str, retry_after: float | None) -> Reply:
    kind, text = _TOO_MANY[service]
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return Reply(status=429, body=text.encode(), kind=kind, headers=headers)


async def _send_with(
    send: Send, reply: Reply, fault: Fault | None, before_end: Callable[[], None]
) -> None:
    """Send a reply, a fault within its body; `before_end` is called when all but its end is sent."""
    slow = fault.seconds / 2 if fault is not None and fault.kind == "slow" else 0.0
    await asyncio.sleep(slow)
    await send(_start(reply))
    half = len(reply.body) // 2
    await send({"type": "http.response.body", "body": reply.body[:half], "more_body": True})
    await asyncio.sleep(slow)
    before_end()
    match fault and fault.kind:
        case "cut":
            return  # the server closes the connection of an app that stops in the middle
        case "reset":
            _reset(send)
        case _:
            await send({"type": "http.response.body", "body": reply.body[half:]})


def _reset(send: Send) -> None:
    """The connection is dropped so that the other side sees a reset, not an end."""
    import socket  # noqa: PLC0415 - this fault only
    import struct  # noqa: PLC0415 - same

    transport = send.__self__.transport  # type: ignore[attr-defined]  # uvicorn's own object
    transport.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )
    transport.abort()


def _start(reply: Reply) -> Message:
    headers = {"content-type": reply.kind, "content-length": str(len(reply.body)), **reply.headers}
    raw = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in headers.items()]
    return {"type": "http.response.start", "status": reply.status, "headers": raw}


async def _send(send: Send, reply: Reply) -> None:
    await send(_start(reply))
    await send({"type": "http.response.body", "body": reply.body})


async def _body(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)
