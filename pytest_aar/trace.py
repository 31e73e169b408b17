"""The trace of a race: what the gateway saw, in order. Golden and agent traces are one type.

Between two equal runs only fields named `*_at` (seconds since the epoch, UTC) or `*_seconds` may differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

#: How a race can end by the agent's own doing (all of them count in FA).
Ending = Literal["answered", "no-answer", "step-limit", "timeout", "budget"]
ENDINGS: tuple[Ending, ...] = ("answered", "no-answer", "step-limit", "timeout", "budget")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool through the gateway.

    `text` is the full result (the agent may have got less: `shown_characters`). `error_kind` is None
    when `ok`. `final_url` and `title` are set by page fetches: after redirects. `details` holds what else
    the tool reports about itself (revision id, section, source).
    """

    name: str
    arguments: Mapping[str, Any]
    ok: bool
    text: str
    error_kind: str | None = None
    shown_characters: int = 0
    final_url: str | None = None
    title: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    started_at: float = 0.0
    duration_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One model call through the gateway; tokens are None where the reply does not say.

    A replayed call took `recorded_seconds` when it was recorded; None for calls of now.
    """

    protocol: str
    model: str
    status: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    counts_as_step: bool = True
    started_at: float = 0.0
    duration_seconds: float = 0.0
    recorded_seconds: float | None = None


Event = ToolCall | ModelCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """An ordered list of events."""

    events: tuple[Event, ...] = ()

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(event for event in self.events if isinstance(event, ToolCall))

    @property
    def model_calls(self) -> tuple[ModelCall, ...]:
        """The model calls, in order."""
        return tuple(event for event in self.events if isinstance(event, ModelCall))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """How a race ended: `answer` is one digit or None, `detail` a line for people (why no answer, ...)."""

    ending: Ending
    answer: int | None = None
    detail: str = ""


def parse_answer(text: str) -> int | None:
    """One ASCII digit with surrounding white space allowed; anything else is no answer (None)."""
    stripped = text.strip()
    return int(stripped) if len(stripped) == 1 and stripped in "0123456789" else None
