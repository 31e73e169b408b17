"""What a reply says of its service: a trouble that passes, or a refusal of the account."""

import httpx

from .directory import Place
from .refusals import Refused
from .signs import error_in, is_too_often
from .verdicts import verdict_on

#: The first status of a server's own faults.
FAULT = 500
_TOOK_TOO_LONG = 408


def passing_trouble(reply: httpx.Response, place: Place) -> str:
    """What a reply that is no refusal says of the service's trouble, "" when it says none."""
    status = reply.status_code
    if is_too_often(reply):
        return f"{place.service} answered HTTP {status}, too many requests"
    is_fault = status >= FAULT or status == _TOOK_TOO_LONG
    return f"{place.service} answered HTTP {status}" if is_fault else ""


def refusal_in(reply: httpx.Response, place: Place) -> Refused | None:
    """The refusal of the account that a reply is, None for any other."""
    status, body = reply.status_code, error_in(reply)
    retry_after = reply.headers.get("retry-after", "")
    verdict = verdict_on(status, body, retry_after=retry_after, takes_key=place.takes_key)
    if verdict is None:
        return None
    return Refused(
        verdict=verdict,
        status=status,
        content_type=reply.headers.get("content-type", "text/plain"),
        body=body,
        retry_after=retry_after,
    )
