"""Replies read whole: within a time, up to a size, in the encoding that they name."""

import asyncio
from collections.abc import Iterator

import httpx

#: Seconds for a whole reply: a body that trickles has no end otherwise.
LONGEST_REPLY = 90.0
#: Bytes of a reply without its encoding: several times the longest article.
MOST_BYTES = 32 * 1024 * 1024
_CHUNK = 64 * 1024


class TooLongReply(httpx.TransportError):
    """More came than any good reply has; the next try would bring as much."""


async def whole(network: httpx.AsyncBaseTransport, request: httpx.Request) -> httpx.Response:
    """The reply with its body at hand: as long as it comes, the server counts it as under way.

    Raises:
        TooLongReply: it has more than `MOST_BYTES`.
        httpx.RemoteProtocolError: the body is not in the encoding that its header names.
        httpx.TransportError: none came, or not all of it.
    """
    try:
        async with asyncio.timeout(LONGEST_REPLY) as clock:
            reply = await network.handle_async_request(request)
            try:
                raw = await _read(reply)
            finally:
                await reply.aclose()
    except TimeoutError as late:
        if not clock.expired():
            raise
        raise httpx.ReadTimeout(f"no whole reply within {LONGEST_REPLY:g} s") from late
    _check(reply, raw)
    return httpx.Response(
        reply.status_code,
        headers=reply.headers,
        stream=httpx.ByteStream(raw),
        extensions=reply.extensions,
    )


async def _read(reply: httpx.Response) -> bytes:
    assert isinstance(reply.stream, httpx.AsyncByteStream)  # what async transports give
    raw = bytearray()
    async for chunk in reply.stream:
        raw += chunk
        _check_size(len(raw))
    return bytes(raw)


def _check(reply: httpx.Response, raw: bytes) -> None:
    """Decode it piece by piece: a small body may hold a large one, or none at all."""
    if not reply.headers.get("content-encoding"):
        return
    size = 0
    try:
        packed = httpx.Response(reply.status_code, headers=reply.headers, content=_pieces(raw))
        for piece in packed.iter_bytes():
            size += len(piece)
            _check_size(size)
    except httpx.DecodingError as fault:
        encoding = reply.headers["content-encoding"]
        raise httpx.RemoteProtocolError(f"the body is no {encoding}: {fault}") from fault


def _pieces(raw: bytes) -> Iterator[bytes]:
    return (raw[start : start + _CHUNK] for start in range(0, len(raw), _CHUNK))


def _check_size(size: int) -> None:
    if size > MOST_BYTES:
        raise TooLongReply(f"the reply has more than {MOST_BYTES:,} bytes: ask for less at once")
