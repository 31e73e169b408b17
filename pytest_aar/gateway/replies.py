"""JSON replies of the gateway that belong to no wire protocol."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

#: Bytes of a request body that the gateway reads; a long conversation with pages is below 10 MB.
REQUEST_BYTES = 32_000_000
#: Bytes that the bodies of one race may have together while they are read: hundreds at once must not fill the machine.
ROOM_BYTES = 256_000_000


class EscapedJson(JSONResponse):
    """JSON in ASCII: what it quotes of a request may hold lone surrogates, which UTF-8 can't."""

    def render(self, content: Any) -> bytes:
        """The body."""
        return json.dumps(content).encode()


class BadRequest(Exception):
    """A request that can't be served; becomes a JSON error reply."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message
        super().__init__(message)


class BodyRoom:
    """Bounds the bytes of a race's request bodies that are being read at a time, over all connections."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, size: int) -> None:
        """Count bytes in; BadRequest when there is no room for them."""
        if self.taken + size > ROOM_BYTES:
            raise BadRequest(
                503,
                f"the requests of this race that are being read have {ROOM_BYTES} bytes already",
            )
        self.taken += size

    def give_back(self, size: int) -> None:
        """Count them out."""
        self.taken -= size


def error_body(message: str) -> dict[str, Any]:
    """What every refusal of the gateway's own says."""
    return {"error": {"message": message, "type": "aar_gateway"}}


def error_reply(status: int, message: str) -> Response:
    """`{"error": {"message": ...}}`, marked as not worth a retry."""
    return EscapedJson(
        error_body(message),
        status_code=status,
        headers={"x-should-retry": "false"},
    )


def json_mapping(content: bytes) -> Mapping[str, Any] | None:
    """The JSON object in a reply; {} when it is something else or too deep to read, None when it is no JSON."""
    try:
        body = json.loads(content)
    except RecursionError:
        return {}
    except ValueError:
        return None
    return body if isinstance(body, Mapping) else {}


async def json_object(
    request: Request, parse: Callable[[bytes], Any] = json.loads, *, room: BodyRoom
) -> dict[str, Any]:
    """The body as a JSON object; BadRequest says what it was instead. An empty body is {}."""
    data = await capped_body(request, REQUEST_BYTES, room)
    if not data.strip():
        return {}
    try:
        body = parse(data)
    except (ValueError, RecursionError) as error:  # RecursionError: nested too deeply
        raise BadRequest(400, f"the request body is not JSON: {error}") from error
    if not isinstance(body, Mapping):
        raise BadRequest(400, f"the request body must be a JSON object, not {type(body).__name__}")
    return dict(body)


async def capped_body(request: Request, limit: int, room: BodyRoom) -> bytes:
    """The body; BadRequest when it is longer than `limit` bytes, or there is no room for it."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > limit:
        raise BadRequest(413, f"the request body has {announced} bytes; the limit is {limit}")
    parts: list[bytes] = []
    size = 0
    try:
        async for chunk in request.stream():
            if size + len(chunk) > limit:
                raise BadRequest(413, f"the request body has more than {limit} bytes")
            room.take(len(chunk))
            size += len(chunk)
            parts.append(chunk)
        return b"".join(parts)
    finally:
        room.give_back(size)
