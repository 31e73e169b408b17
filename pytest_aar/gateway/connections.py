"""One connection of a child process: uvicorn's, with an end to every wait for the client.

uvicorn waits for ever for the rest of a request and for a client that does not read its reply. The agent
under test runs what it likes, so each such wait has a limit here, and so has the number of connections.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from .replies import error_body, error_reply

#: Seconds from a request's first byte (or the connection's start) to its last; a conversation of 10 MB takes below one.
REQUEST_SECONDS = 60.0
#: Seconds for which a client may leave its reply unread.
READING_SECONDS = 120.0
#: Connections of one server; many systems allow a process no more than 1,024 open files.
MOST_CONNECTIONS = 512
#: Seconds that a closing connection has to deliver its last bytes.
_LAST_SECONDS = 0.8

_Scope = MutableMapping[str, Any]
_App = Callable[[_Scope, Any, Any], Awaitable[None]]


class BoundedConnection(H11Protocol):
    """As uvicorn's; refusals are the gateway's JSON, and no client can hold a connection by being slow."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.app = _strict(self.app)
        self._since = time.monotonic()
        self._request_timer: asyncio.TimerHandle | None = None
        self._reply_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        """Start the clock; make room where there are too many."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Read, and see whether the request is whole."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """The next request begins."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks."""
        self._stop_waiting_for_request()
        self._stop_waiting_for_reader()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read: it has some time to."""
        super().pause_writing()
        self._reply_timer = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        self._stop_waiting_for_reader()
        super().resume_writing()

    def shutdown(self) -> None:
        """The server stops: an idle connection ends now, a busy one a moment later."""
        super().shutdown()
        self.loop.call_later(_LAST_SECONDS, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP."""
        self.refuse(
            400, f"{msg.rstrip('.')}: not HTTP/1.1 as this gateway reads it, or too long a head"
        )

    def refuse(self, status: int, message: str) -> None:
        """Answer in place of the application and close; no answer where one has begun."""
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_reply(status, message))
        self.transport.close()
        self.loop.call_later(_LAST_SECONDS, self.transport.abort)

    @property
    def _is_waiting(self) -> bool:
        """Whether the client has not sent a whole request yet."""
        return self._request_timer is not None

    def _watch(self) -> None:
        awaits = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if not awaits or self.transport.is_closing():
            self._stop_waiting_for_request()
        elif self._request_timer is None:
            self._since = time.monotonic()
            self._request_timer = self.loop.call_later(REQUEST_SECONDS, self._too_slow)

    def _stop_waiting_for_request(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
        self._request_timer = None

    def _stop_waiting_for_reader(self) -> None:
        if self._reply_timer is not None:
            self._reply_timer.cancel()
        self._reply_timer = None

    def _too_slow(self) -> None:
        self.refuse(408, f"the request was not complete after {REQUEST_SECONDS:g} s")

    def _make_room(self) -> None:
        """Drop who has waited longest with an incomplete request; with none such, refuse the newcomer."""
        others = [each for each in self.connections if isinstance(each, BoundedConnection)]
        waiting = [each for each in others if each is not self and each._is_waiting]
        if waiting:
            oldest = min(waiting, key=lambda each: each._since)
            oldest.refuse(408, "too many connections: those with incomplete requests are closed")
        else:
            self.refuse(503, f"the gateway serves {MOST_CONNECTIONS} connections at a time")


def _reply(status: int, message: str) -> bytes:
    body = json.dumps(error_body(message)).encode()
    head = (
        f"HTTP/1.1 {status} {STATUS_PHRASES[status].decode()}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nx-should-retry: false\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body


def _strict(app: Any) -> _App:
    """The application, for plain requests only."""

    async def serve(scope: _Scope, receive: Any, send: Any) -> None:
        fault = _fault(scope)
        if fault is None:
            await app(scope, receive, send)
        else:
            refusal = error_reply(*fault)
            refusal.headers["connection"] = "close"
            await refusal(scope, receive, send)

    return serve


def _fault(scope: _Scope) -> tuple[int, str] | None:
    """What h11 lets pass: an unknown version, and two lengths (that is how requests are smuggled)."""
    if scope["http_version"] not in ("1.0", "1.1"):
        return 505, f"HTTP/{scope['http_version']} is not served: use HTTP/1.1"
    names = {name for name, _ in scope["headers"]}
    if {b"content-length", b"transfer-encoding"} <= names:
        fault = "the request has both a content-length and a transfer-encoding: send one of them"
        return 400, fault
    return None
