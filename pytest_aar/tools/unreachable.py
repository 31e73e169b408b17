"""Failures below HTTP in words, and attempts whose failure is an answer, where another source may follow."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

import httpx

from pytest_aar.manners.blocked import is_blocked
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.remedies import if_astray, if_silent
from pytest_aar.manners.reply_text import and_then
from pytest_aar.tools.result import ErrorKind, ToolFailure

#: An extension of a request to a service: which one it is.
ASKED = "aar_asked"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A service in messages about it: its name, and what `aar_services` calls it.

    `given_by`: how the user chose its address, "" where that was the world's choice.
    """

    name: str
    option: str
    given_by: str = ""

    @property
    def remedy(self) -> str:
        """What to do where it gives no answer."""
        return if_silent(self.option, self.given_by)

    @property
    def if_astray(self) -> str:
        """What to do where it says that there is nothing at the address."""
        return if_astray(self.option, self.given_by)


class NoUseError(ToolFailure):
    """A service gives no answer of use: `what` happened, and the `remedy` apart from it, for messages about two."""

    def __init__(self, kind: ErrorKind, what: str, remedy: str, *, message: str) -> None:
        """The message is both."""
        super().__init__(kind, message)
        self.what, self.remedy = what, remedy


class UnreachableError(NoUseError):
    """No answer at all."""

    def __init__(self, kind: ErrorKind, what: str, remedy: str) -> None:
        """The remedy follows a colon."""
        super().__init__(kind, what, remedy, message=f"{what}: {remedy}")


class AstrayError(NoUseError):
    """There is nothing at the address, or nothing that understands the request."""

    def __init__(self, kind: ErrorKind, what: str, remedy: str) -> None:
        """`what` are the server's words, which may end with a stop."""
        super().__init__(kind, what, remedy, message=and_then(what, remedy))


class HeldBackError(ToolFailure):
    """A request that was not sent: the message says itself what to do."""


def unreachable(problem: httpx.HTTPError) -> ToolFailure:
    """The failure that an httpx error is; the sandbox says "blocked" for hosts that it doesn't have."""
    text = str(problem) or type(problem).__name__
    if is_blocked(problem):
        return ToolFailure("blocked", text)
    if isinstance(problem, HeldBack):
        return HeldBackError("upstream" if problem.is_out else "quota", text)
    kind: ErrorKind = "timeout" if isinstance(problem, httpx.TimeoutException) else "upstream"
    service = _asked_in(problem)
    if service is None:
        remedy = "check the address, and this machine's network"
        return UnreachableError(kind, no_answer(problem), remedy)
    return UnreachableError(kind, no_answer(problem), service.remedy)


def no_answer(problem: httpx.HTTPError) -> str:
    """Which service at which host gave no answer, and why."""
    service, host = _asked_in(problem), _host_in(problem)
    if service is None:
        name, place = host or "the page", ""
    else:
        name, place = service.name, f" at {host}" if host else ""
    why = type(problem).__name__ + (f": {problem}" if str(problem) else "")
    return f"{name} {_what(problem)}{place} ({why})"


def without_remedy(failure: ToolFailure) -> str:
    """What happened, for messages that say themselves what to do."""
    return failure.what if isinstance(failure, NoUseError) else failure.message


def together(first: ToolFailure, second: ToolFailure) -> str:
    """What two services said: where both failed in one way, what to do is told once, and of the one asked first."""
    for way in (UnreachableError, AstrayError):
        if isinstance(first, way) and isinstance(second, way):
            return way(first.kind, and_then(first.what, second.what), first.remedy).message
    return and_then(first.message, second.message)


async def tried(service: str, attempt: Awaitable[_T]) -> _T | ToolFailure:
    """What the attempt gives, or why it failed; a request that was not sent gets the service's name."""
    try:
        return await attempt
    except ToolFailure as failure:
        return failure
    except httpx.HTTPError as problem:
        below = unreachable(problem)
        if isinstance(below, UnreachableError):
            return below
        return type(below)(below.kind, f"{service}: {below.message}")


def _what(problem: httpx.HTTPError) -> str:
    if isinstance(problem, httpx.ConnectError | httpx.ConnectTimeout):
        return "can't be reached"
    if isinstance(problem, httpx.TimeoutException):
        return "did not answer in time"
    return "gave no whole answer"


def _asked_in(problem: httpx.HTTPError) -> Asked | None:
    request = _request_of(problem)
    found = None if request is None else request.extensions.get(ASKED)
    return found if isinstance(found, Asked) else None


def _host_in(problem: httpx.HTTPError) -> str:
    request = _request_of(problem)
    return "" if request is None else request.url.netloc.decode()


def _request_of(problem: httpx.HTTPError) -> httpx.Request | None:
    try:
        return problem.request
    except RuntimeError:  # raised by hand, outside of a client
        return None
