"""Advice on another try after a refusal that may pass."""

import httpx

_TOO_MANY = 429


def unless_told(response: httpx.Response) -> bool | None:
    """Advice of a service that bans those who go on: after a 429 only when it says how long to wait."""
    is_limit = response.status_code == _TOO_MANY
    return False if is_limit and "retry-after" not in response.headers else None
