"""Hosts that a world doesn't have."""

import httpx

from pytest_aar.errors import ConnectionBlocked


class Blocked(httpx.ConnectError):
    """The world has no such host, or nothing to answer with: no other try would help."""


def is_blocked(fault: BaseException) -> bool:
    """Whether a request failed because it may not leave: by the kind of its fault or of what caused that."""
    cause: BaseException | None = fault
    while cause is not None:
        if isinstance(cause, Blocked | ConnectionBlocked):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
