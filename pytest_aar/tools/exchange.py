"""One request to a service: retries, checks of status and content type, errors by kind."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from pytest_aar.retry_after import asked_wait
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services
from pytest_aar.tools.user_agent import user_agent

#: HTTP status -> kind; anything else from 400 on is `upstream`.
_KINDS: dict[int, ErrorKind] = {
    400: "bad_arguments",
    401: "denied",
    402: "quota",
    403: "denied",
    404: "not_found",
    408: "timeout",
    410: "not_found",
    418: "quota",
    422: "bad_arguments",
    429: "quota",
    451: "denied",
    504: "timeout",
}
_SHAPE_FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
_LONGEST_WAIT = 60.0
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "gzip, deflate"}
_FIRST_FAULT = 300
_FIRST_SERVER_FAULT = 500
_TOO_MANY = 429

#: (status, body as JSON or None, message found in it) -> the kind, or None for the usual one.
Classify = Callable[[int, Any, str], ErrorKind | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request to a service, whose name stands in every message about it."""

    service: str
    url: str
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None
    body: Any = None


async def fetch_json(services: Services, ask: Ask, classify: Classify | None = None) -> Any:
    """The JSON of a good reply.

    Raises:
        ToolFailure: any other reply, with the kind by status unless `classify` knows better.
    """
    response = await send(services, ask)
    body = _json_of(response)
    status = response.status_code
    if status >= _FIRST_FAULT:
        message = message_in(body) or _start_of(response)
        kind = (classify and classify(status, body, message)) or _KINDS.get(status, "upstream")
        raise ToolFailure(kind, f"{ask.service} answered HTTP {status}: {message}")
    if body is None:
        found = response.headers.get("content-type", "no content type")
        raise ToolFailure(
            "upstream",
            f"{ask.service} answered HTTP {status} with {found}, not JSON: {_start_of(response)}",
        )
    return body


async def send(services: Services, ask: Ask) -> httpx.Response:
    """The reply to a request, whatever its status, after the retries that `services` allows."""
    if services.attempts <= 1:
        return await _once(services, ask)
    import stamina  # noqa: PLC0415 - 30 ms that the sandbox world never needs

    try:
        async for attempt in stamina.retry_context(
            on=_wait_or_give_up, attempts=services.attempts, timeout=2 * _LONGEST_WAIT
        ):
            with attempt:
                response = _settled(await _once(services, ask))
    except _TryAgainError as last:
        return last.response
    return response


@contextmanager
def reading(service: str) -> Iterator[None]:
    """Around a parser: a reply in another shape than the known ones is the service's failure."""
    try:
        yield
    except _SHAPE_FAULTS as fault:
        raise ToolFailure(
            "upstream",
            f"{service} answered in an unknown shape ({type(fault).__name__}: {fault})",
        ) from fault


def number(value: Any) -> float:
    """A JSON number, or a text that is one, as it is; anything else is a ValueError."""
    if isinstance(value, str):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, got {value!r}")
    return value


def message_in(body: Any) -> str:
    """The human text of an error body, in any shape that these services use; "" without one."""
    if isinstance(body, list):
        return message_in(body[0]) if body else ""
    if not isinstance(body, dict):
        return ""
    for key in ("error", "errors", "chart", "status"):
        inner = message_in(body.get(key))
        if inner:
            return inner
    for key in (
        "message",
        "error_message",
        "reason",
        "description",
        "info",
        "msg",
        "detail",
        "title",
        "error",
    ):
        if isinstance(body.get(key), str):
            return str(body[key])
    return ""


class _TryAgainError(Exception):
    """A reply that a retry may turn into a better one."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(response.status_code)
        self.response = response


def _settled(response: httpx.Response) -> httpx.Response:
    if response.status_code == _TOO_MANY or response.status_code >= _FIRST_SERVER_FAULT:
        raise _TryAgainError(response)
    return response


async def _once(services: Services, ask: Ask) -> httpx.Response:
    """One try. The request is built here: what `client.request` merges costs more than the rest."""
    client = services.http
    request = httpx.Request(
        "GET" if ask.body is None else "POST",
        f"{ask.url}?{urlencode(ask.params)}" if ask.params else ask.url,
        headers={**_HEADERS, "User-Agent": user_agent(services.contact), **(ask.headers or {})},
        json=ask.body,
        extensions={"timeout": client.timeout.as_dict()},
    )
    return await client.send(request, auth=None)


def _wait_or_give_up(problem: Exception) -> bool | float:
    """Seconds to wait as the service asked, True for the usual backoff, False for no more tries."""
    if isinstance(problem, _TryAgainError):
        asked = asked_wait(problem.response.headers.get("retry-after", ""))
        return True if asked is None else asked if asked <= _LONGEST_WAIT else False
    return isinstance(problem, httpx.TransportError) and "blocked" not in str(problem)


def _json_of(response: httpx.Response) -> Any:
    """The body as JSON, None if its content type or its text says that it is none."""
    kind = response.headers.get("content-type", "")
    if kind and "json" not in kind:
        return None
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _start_of(response: httpx.Response) -> str:
    text = " ".join(response.text.split())
    return text[:200] or "an empty body"
