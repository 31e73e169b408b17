"""What a tool gives back: text for the agent, and facts about the answer for the trace."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ErrorKind = Literal[
    "bad_arguments", "not_found", "ambiguous", "denied", "quota", "upstream", "timeout", "blocked"
]
ERROR_KINDS: tuple[ErrorKind, ...] = (
    "bad_arguments",
    "not_found",
    "ambiguous",
    "denied",
    "quota",
    "upstream",
    "timeout",
    "blocked",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The full text of an answer (JSON, or markdown for pages), never cut.

    An error is a result as well: `ok` is False, `error_kind` says which, and `text` is
    `{"error": {"kind", "message"}}`. Page fetches set `final_url` and `title`, after redirects.
    """

    ok: bool
    text: str
    error_kind: ErrorKind | None = None
    final_url: str | None = None
    title: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class ToolFailure(Exception):
    """A tool can't answer: raised by services and parsers; `call` makes an error result of it."""

    def __init__(self, kind: ErrorKind, message: str, **details: Any) -> None:
        """Keep the kind apart from the message; `details` are the result's."""
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
        self.details = details


def answer(value: Any, **details: Any) -> ToolResult:
    """A good result whose text is `value` as JSON; a number that is none (NaN) fails it."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise ToolFailure("upstream", "the service answered with a number that is none") from None
    return ToolResult(ok=True, text=text, details=details)


def error(kind: ErrorKind, message: str, **details: Any) -> ToolResult:
    """An error result in the one shape."""
    text = json.dumps({"error": {"kind": kind, "message": message}}, ensure_ascii=False)
    return ToolResult(ok=False, text=text, error_kind=kind, details=details)
