"""Failures below HTTP in words, and attempts whose failure is an answer, where another source may follow."""

from collections.abc import Awaitable
from typing import TypeVar

import httpx

from pytest_aar.manners.held_back import HeldBack
from pytest_aar.tools.result import ToolFailure

_T = TypeVar("_T")


def unreachable(problem: httpx.HTTPError) -> ToolFailure:
    """The failure that an httpx error is; the sandbox says "blocked" for hosts that it doesn't have."""
    text = str(problem) or type(problem).__name__
    if "blocked" in text:
        return ToolFailure("blocked", text)
    if isinstance(problem, HeldBack):
        return ToolFailure("upstream" if problem.is_out else "quota", text)
    if isinstance(problem, httpx.TimeoutException):
        return ToolFailure("timeout", f"the service did not answer in time ({text})")
    return ToolFailure(
        "upstream", f"the service can't be reached ({type(problem).__name__}: {text})"
    )


async def tried(service: str, attempt: Awaitable[_T]) -> _T | ToolFailure:
    """What the attempt gives, or why it failed; a failure below HTTP gets the service's name."""
    try:
        return await attempt
    except ToolFailure as failure:
        return failure
    except httpx.HTTPError as problem:
        below = unreachable(problem)
        return ToolFailure(below.kind, f"{service}: {below.message}")
