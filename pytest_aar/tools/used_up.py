"""Refusals that no further try mends: an account without credits, a month's requests gone."""

import httpx

from pytest_aar.tools.exchange import Advice

_TOO_MANY = 429


def used_up(*words: str) -> Advice:
    """Advice against another try for a 429 that has one of the words, whatever their case."""

    def advice(response: httpx.Response) -> bool | None:
        text = response.text.casefold() if response.status_code == _TOO_MANY else ""
        return False if any(word in text for word in words) else None

    return advice


def unless_told(response: httpx.Response) -> bool | None:
    """Advice of a service that bans those who go on: after a 429 only when it says how long to wait."""
    is_limit = response.status_code == _TOO_MANY
    return False if is_limit and "retry-after" not in response.headers else None
