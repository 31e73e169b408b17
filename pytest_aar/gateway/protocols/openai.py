"""What OpenAI's two protocols have in common."""

from collections.abc import Mapping
from typing import Any

from .events import count_of
from .temperature import takes_temperature
from .wire import Refusal, Usage


def prepared(body: Mapping[str, Any], *, model: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Model and options put in, and a temperature of 0 where the model takes one and none is given."""
    given = {**body, "model": model, **options}
    if takes_temperature(model):
        given.setdefault("temperature", 0)
    return given


def usage_in(reply: Mapping[str, Any], *, sent: str, received: str) -> Usage:
    """The reply's `usage`, whose counts of `sent` and `received` tokens have a name in each protocol."""
    usage = reply.get("usage")
    if not isinstance(usage, Mapping):
        return Usage()
    details = usage.get(f"{sent}_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return Usage(
        input_tokens=count_of(usage.get(sent)),
        output_tokens=count_of(usage.get(received)),
        cached_tokens=count_of(cached),
    )


def refused(status: int, message: str, *, code: str) -> Refusal:
    """OpenAI's error object, marked as not worth a retry."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return Refusal(status=status, body={"error": error}, headers={"x-should-retry": "false"})
