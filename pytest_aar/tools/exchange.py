"""One request to a service: retries, checks of status and content type, errors by kind."""

import math
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

import httpx

from pytest_aar.manners.blocked import is_blocked
from pytest_aar.manners.bodies import TooLongReply
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.meter import METER
from pytest_aar.manners.reply_text import json_of, message_in, start_of
from pytest_aar.manners.signs import NO_OTHER_TRY
from pytest_aar.manners.verdicts import Verdict, verdict_on
from pytest_aar.manners.weight import WEIGHT
from pytest_aar.retry_after import asked_wait
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services
from pytest_aar.tools.unreachable import ASKED, Asked, AstrayError, no_answer
from pytest_aar.tools.user_agent import user_agent

#: HTTP status -> kind; anything else from 400 on is `upstream`, and so is a 404 or 410 that is not the service's own
#: word on what was asked for: a server says so of an address that leads nowhere.
_KINDS: dict[int, ErrorKind] = {
    400: "bad_arguments",
    401: "denied",
    402: "quota",
    403: "denied",
    408: "timeout",
    413: "bad_arguments",  # this and the next, and 431: of an argument that is too long
    414: "bad_arguments",
    418: "quota",
    422: "bad_arguments",
    429: "quota",
    431: "bad_arguments",
    451: "denied",
    504: "timeout",
}
_SHAPE_FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
_REFUSALS: tuple[ErrorKind, ...] = ("denied", "quota")
_LONGEST_WAIT = 60.0
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "gzip, deflate"}
_FIRST_FAULT = 300
_FIRST_SERVER_FAULT = 500
_NOT_THERE, _TOO_MANY = (404, 410), 429
_SPREAD = 1.1
#: Seconds that the usual backoff takes at most, between the few tries that there are.
_LONGEST_BACKOFF = 1.5
#: What a tape says of where a reply comes from; of a replayed failure it is the request that says so.
SOURCE, REPLAYED = "aar_source", "replayed"
#: An extension of each try's request: how many may follow it.
TRIES_LEFT = "aar_tries_left"

#: What is at an address doesn't understand us: no argument's fault, but that of the address.
Astray = Literal["astray"]
#: (status, body as JSON or None, message found in it) -> the kind, or None for the usual one. It may raise a
#: ToolFailure of its own, for callers who treat that fault apart.
Classify = Callable[[int, Any, str], ErrorKind | Astray | None]
#: What the text of a reply says of another try: True (after the usual wait), seconds to wait, False (of no
#: use); None: the HTTP status decides.
Advice = Callable[[httpx.Response], bool | float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request to a service, whose name stands in every message about it.

    `endpoint` is its field of the endpoints, `given_by` what else than `aar_services` named its address. `advice` is
    for services whose replies say more of another try than their status does; `weight`: as how many requests the
    service counts it. `is_ours`: nothing in the request is an agent's own wording, so that what is wrong with it is no
    argument's fault.
    """

    service: str
    endpoint: str
    url: str
    given_by: str = ""
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None
    body: Any = None
    advice: Advice | None = None
    weight: int = 1
    is_ours: bool = False


async def fetch_json(services: Services, ask: Ask, classify: Classify | None = None) -> Any:
    """The JSON of a good reply.

    Raises:
        ToolFailure: any other reply, with the kind by status unless `classify` knows better.
    """
    response = await send(services, ask)
    body = json_of(response)
    status = response.status_code
    if status >= _FIRST_FAULT:
        message = message_in(body) or start_of(response)
        known = classify(status, body, message) if classify else None
        if known not in _REFUSALS:
            known = _refusal(response) or known
        said = f"{ask.service} answered HTTP {status}: {message}"
        raise _failed(services, ask, status, said, known)
    if body is None:
        found = response.headers.get("content-type", "no content type")
        raise ToolFailure(
            "upstream",
            f"{ask.service} answered HTTP {status} with {found}, not JSON: {start_of(response)}",
        )
    return body


async def send(services: Services, ask: Ask) -> httpx.Response:
    """The reply to a request, whatever its status, after the retries that `services` allows."""
    if services.attempts <= 1:
        return await _once(services, ask)
    import stamina  # noqa: PLC0415 - 30 ms that the sandbox world never needs

    try:
        # No timeout: waiting for one's turn would use it up. Attempts and each wait have their limits.
        async for attempt in stamina.retry_context(
            on=_wait_or_give_up, attempts=services.attempts, timeout=None
        ):
            with attempt:
                left = services.attempts - attempt.num
                response = _settled(await _once(services, ask, tries_left=left), ask.advice)
    except _TryAgainError as last:
        return last.response
    return response


def is_final(fault: httpx.RequestError, request: httpx.Request) -> bool:
    """Whether no other try follows a try's failure below HTTP."""
    if isinstance(fault, HeldBack | TooLongReply) or is_blocked(fault):
        return True
    if NO_OTHER_TRY in request.extensions:
        return True
    meter = METER.get()
    is_impatient = meter is not None and meter.patience < _LONGEST_BACKOFF
    return is_impatient or not request.extensions.get(TRIES_LEFT)


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


def retry_told(problem: Exception, wait: float) -> str:
    """A line about the next try, after `problem` and in `wait` seconds."""
    if isinstance(problem, _TryAgainError):
        request = problem.response.request
        service = request.extensions.get(ASKED)
        name = service.name if isinstance(service, Asked) else "the service"
        what = f"{name} answered HTTP {problem.response.status_code} at {request.url.host}"
    else:
        is_below = isinstance(problem, httpx.HTTPError)
        what = no_answer(problem) if is_below else str(problem)  # type: ignore[arg-type]  # checked
    return f"{what}: next try in {wait:.1f} s"


def _failed(
    services: Services, ask: Ask, status: int, said: str, known: ErrorKind | Astray | None
) -> ToolFailure:
    """By the status where no kind is known. What leads nowhere is noted, and told with the option of its address."""
    usual = _KINDS.get(status, "upstream")
    is_nowhere = status in _NOT_THERE or (ask.is_ours and usual == "bad_arguments")
    kind = known or ("astray" if is_nowhere else usual)
    if kind != "astray":
        return ToolFailure(kind, said)
    failure = AstrayError("upstream", said, _asked(services, ask).if_astray)
    meter = METER.get()
    if meter is not None:
        meter.astray = failure.message
    return failure


class _TryAgainError(Exception):
    """A reply that a retry may turn into a better one; `wait` is True for the usual backoff."""

    def __init__(self, response: httpx.Response, wait: bool | float) -> None:  # noqa: FBT001 - a union
        super().__init__(response.status_code)
        self.response = response
        self.wait = wait


def _settled(response: httpx.Response, advice: Advice | None) -> httpx.Response:
    """The reply unless it may be a better one the next time. A refusal of the account will not."""
    if _refusal(response):
        return response
    said = advice(response) if advice else None
    wait = _may_pass(response) if said is None else said
    if wait is False:
        return response
    raise _TryAgainError(response, wait)


def _refusal(response: httpx.Response) -> Verdict | None:
    asked = response.headers.get("retry-after", "")
    return verdict_on(response.status_code, response.content, retry_after=asked)


def _may_pass(response: httpx.Response) -> bool:
    status = response.status_code
    return status == _TOO_MANY or status >= _FIRST_SERVER_FAULT or _is_cut(response)


def _is_cut(response: httpx.Response) -> bool:
    """Whether a good reply's JSON breaks off: a connection that ends a body has no other mark of it."""
    is_json = response.is_success and "json" in response.headers.get("content-type", "")
    return is_json and json_of(response) is None


async def _once(services: Services, ask: Ask, *, tries_left: int = 0) -> httpx.Response:
    """One try. The request is built here: what `client.request` merges costs more than the rest."""
    client = services.http
    request = httpx.Request(
        "GET" if ask.body is None else "POST",
        f"{ask.url}?{urlencode(ask.params)}" if ask.params else ask.url,
        headers={**_HEADERS, "User-Agent": user_agent(services.contact), **(ask.headers or {})},
        json=ask.body,
        extensions={
            "timeout": client.timeout.as_dict(),
            TRIES_LEFT: tries_left,
            ASKED: _asked(services, ask),
            WEIGHT: ask.weight,
        },
    )
    return await client.send(request, auth=None)


def _asked(services: Services, ask: Ask) -> Asked:
    given_by = ask.given_by or services.endpoints.given_by(ask.endpoint)
    return Asked(name=ask.service, option=ask.endpoint, given_by=given_by)


def _wait_or_give_up(problem: Exception) -> bool | float:
    """Seconds to wait as the service asked, True for the usual backoff, False for no more tries."""
    if isinstance(problem, _TryAgainError):
        return _while_patience_lasts(_pause_after(problem), problem.response.request)
    if not isinstance(problem, httpx.TransportError | httpx.DecodingError):
        return False
    is_replayed = problem.request.extensions.get(SOURCE) == REPLAYED
    is_worth_it = not is_replayed and not is_final(problem, problem.request)
    return _while_patience_lasts(is_worth_it, problem.request)


def _while_patience_lasts(wait: bool | float, request: httpx.Request) -> bool | float:  # noqa: FBT001 - a union
    """The same, noted as waited; False where the call has waited too long for that."""
    meter = METER.get()
    if meter is None or wait is False or not request.extensions.get(TRIES_LEFT):
        return wait
    seconds = _LONGEST_BACKOFF if wait is True else wait
    if seconds > meter.patience:
        return False
    meter.rested += seconds
    return wait


def _pause_after(problem: _TryAgainError) -> bool | float:
    """As the service asked, a little more so that not all come at once; a recording is not waited for."""
    if problem.response.extensions.get(SOURCE) == REPLAYED:
        return 0.0
    asked = asked_wait(problem.response.headers.get("retry-after", ""))
    wait = problem.wait if asked is None else asked * random.uniform(1, _SPREAD)
    return wait if wait <= _LONGEST_WAIT * _SPREAD else False
