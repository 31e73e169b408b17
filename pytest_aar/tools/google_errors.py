"""What Google's Places (New) and Routes share: headers, and HTTP errors with a status word."""

from typing import Any

from pytest_aar.tools.result import ErrorKind
from pytest_aar.tools.services import Services

_KINDS: dict[str, ErrorKind] = {
    "PERMISSION_DENIED": "denied",
    "UNAUTHENTICATED": "denied",
    "RESOURCE_EXHAUSTED": "quota",
    "INVALID_ARGUMENT": "bad_arguments",
    "NOT_FOUND": "not_found",
    "DEADLINE_EXCEEDED": "timeout",
    "UNAVAILABLE": "upstream",
    "INTERNAL": "upstream",
}


def headers(services: Services, fields: str) -> dict[str, str]:
    """Headers with the mandatory field mask, and the key where one is needed."""
    key = services.key("GOOGLE_API_KEY")
    mask = {"X-Goog-FieldMask": fields}
    return {**mask, "X-Goog-Api-Key": key} if key else mask


def classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """The kind of an error body; a wrong key comes as INVALID_ARGUMENT, yet is denied."""
    del status  # the status word is finer
    if "API key" in message:
        return "denied"
    if "FieldMask" in message:  # ours to send, not the caller's
        return "upstream"
    first = body[0] if isinstance(body, list) and body else body
    error = first.get("error") if isinstance(first, dict) else None
    word = error.get("status") if isinstance(error, dict) else None
    return _KINDS.get(word) if isinstance(word, str) else None
