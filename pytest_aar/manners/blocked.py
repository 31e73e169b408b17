"""Hosts that a world doesn't have."""

import httpx

from pytest_aar.errors import ConnectionBlocked

from .causes import causes


class Blocked(httpx.ConnectError):
    """The world has no such host, or nothing to answer with: no other try would help."""


def is_blocked(fault: BaseException) -> bool:
    """Whether a request failed because it may not leave: by the kind of its fault or of what caused that."""
    return any(isinstance(cause, Blocked | ConnectionBlocked) for cause in causes(fault))
