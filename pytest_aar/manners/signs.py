"""What a reply or a failed connection means for whoever asks next."""

import json
import re
import socket

import httpx

from .blocked import is_blocked
from .causes import causes
from .error_fields import LONGEST_ERROR
from .page_cache import decoded

#: An extension of answers that stand for a request that found no connection: it counts for no limit.
UNSENT = "aar_unsent"
#: An extension of requests that have failed: another try would be no use.
NO_OTHER_TRY = "aar_no_other_try"
_TOO_MANY, _OK = 429, 200
#: Google's older services and MediaWiki say so with HTTP 200.
_TOO_OFTEN = re.compile(rb'"status"\s*:\s*"OVER_QUERY_LIMIT"|"code"\s*:\s*"(?:ratelimited|maxlag)"')
_NO_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


def is_too_often(reply: httpx.Response) -> bool:
    """Whether a reply, whose body is at hand, asks for fewer requests."""
    if reply.status_code != _OK:
        return reply.status_code == _TOO_MANY
    return _TOO_OFTEN.search(error_in(reply)) is not None


def error_in(reply: httpx.Response) -> bytes:
    """The body of a reply that may be an error, decoded; b"" for good ones that are too long for that."""
    assert isinstance(reply.stream, httpx.ByteStream)  # the road reads replies whole
    if reply.status_code == _OK and sum(map(len, reply.stream)) > LONGEST_ERROR:
        return b""
    return decoded(reply)


def names_nobody(fault: BaseException) -> bool:
    """Whether a connection failed because there is no host of that name; not when names can't be asked for."""
    unnamed = (cause for cause in causes(fault) if isinstance(cause, socket.gaierror))
    first = next(unnamed, None)
    return first is not None and first.errno in _NO_NAME


def has_no_way(fault: BaseException, *, was_reached: bool) -> bool:
    """Whether a request failed because there is no connection to its server, be it that its name is not found.

    `was_reached`: it has answered before; then connections that take too long are those of a server that is busy.
    """
    if isinstance(fault, httpx.ConnectTimeout):
        return not was_reached
    return isinstance(fault, httpx.ConnectError) and not is_blocked(fault)


def no_edition(host: str) -> httpx.Response:
    """The answer for a language that has no encyclopedia, in the shape of MediaWiki's errors: tapes keep answers."""
    error = {"code": "nosuchwiki", "info": f"there is no encyclopedia at {host}"}
    body = json.dumps({"error": error}).encode()
    return httpx.Response(
        _OK, headers={"content-type": "application/json"}, stream=httpx.ByteStream(body)
    )
