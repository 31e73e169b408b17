"""MCP on the gateway: one race's tools over streamable HTTP. The SDK is loaded when a race first asks for it."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from pytest_aar.errors import ConfigurationError
from pytest_aar.tools.mcp_extra import loaded

from .nesting import check_depth
from .race import OpenRace, ToolReply
from .replies import REQUEST_BYTES, BadRequest, capped_body, json_mapping

#: A page that a browser was led here by (DNS rebinding) names another host. `gateway` is what clients in this
#: process and on the socket call it.
_HOSTS = ("127.0.0.1", "localhost", "[::1]", "gateway")

#: The SDK's code for parameters that don't fit the method; characters of a reply that says so.
_UNREAD, _LONGEST_ERROR = -32602, 1000


async def answered(request: Request, race: OpenRace) -> Response:
    """The reply to one message of a client; BadRequest where the SDK is missing or the body is too long."""
    body = await capped_body(request, REQUEST_BYTES, race.room)
    try:
        await asyncio.to_thread(loaded)
    except ConfigurationError as error:
        raise BadRequest(501, str(error)) from error
    exchange = _Exchange(request, body)
    manager = _manager(race)
    async with manager.run():
        await manager.handle_request(request.scope, exchange.receive, exchange.send)
    reply = exchange.reply()
    _note_unread(race, body, bytes(reply.body))
    return reply


def _note_unread(race: OpenRace, asked: bytes, said: bytes) -> None:
    """A call whose parameters the SDK could not read is a call too: it counts as an invalid one."""
    if len(said) > _LONGEST_ERROR:
        return
    error = (json_mapping(said) or {}).get("error") or {}
    message = json_mapping(asked) or {} if error.get("code") == _UNREAD else {}
    if message.get("method") == "tools/call":
        given = message.get("params")
        name = given.get("name", "") if isinstance(given, Mapping) else ""
        race.note_bad_call(str(name), error.get("message", ""))


def _manager(race: OpenRace) -> Any:
    """Of this one message: nothing is kept between two, so no session outlives a race."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415 - loads the SDK
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - same

    hosts = [form for host in _HOSTS for form in (host, f"{host}:*")]
    security = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )
    return StreamableHTTPSessionManager(
        _server(race),
        json_response=True,
        stateless=True,
        security_settings=security,
        max_request_body_size=REQUEST_BYTES,
    )


def _server(race: OpenRace) -> Any:
    async def call(name: str, arguments: Mapping[str, Any]) -> ToolReply:
        try:
            check_depth(arguments)
            return await race.call_tool(name, arguments)
        except BadRequest as error:
            race.note_bad_call(name, error.message)
            return _refused(error.message)
        except Exception as error:
            race.note_fault(error)  # the SDK tells the client alone
            raise

    return loaded().make_server(call, race.session.order.envelope.tools)


def _refused(message: str) -> ToolReply:
    text = json.dumps({"error": {"kind": "bad_arguments", "message": message}})
    return ToolReply(text=text, ok=False)


class _Exchange:
    """One request and its reply, between the SDK's application and ours: the body has been read already."""

    def __init__(self, request: Request, body: bytes) -> None:
        self._request, self._body = request, body
        self._is_read = False
        self._head: Message = {}
        self._parts: list[bytes] = []

    async def receive(self) -> Message:
        """The body, then what else comes: the end of the connection."""
        if self._is_read:
            return await self._request.receive()
        self._is_read = True
        return {"type": "http.request", "body": self._body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Keep a part of the reply."""
        if message["type"] == "http.response.start":
            self._head = message
        else:
            self._parts.append(message.get("body", b""))

    def reply(self) -> Response:
        """The whole reply."""
        reply = Response(b"".join(self._parts), status_code=self._head["status"])
        reply.raw_headers = list(self._head["headers"])
        return reply
