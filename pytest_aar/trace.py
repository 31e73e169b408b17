"""The trace of a race: what the gateway saw, in order. Golden and agent traces are one type.

Between two equal runs only fields named `*_at` (seconds since the epoch, UTC) or `*_seconds` may differ.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Any, Literal

#: How a race can end by the agent's own doing (all of them count in FA).
Ending = Literal["answered", "no-answer", "step-limit", "timeout", "budget"]
ENDINGS: tuple[Ending, ...] = ("answered", "no-answer", "step-limit", "timeout", "budget")

_FIRST_ERROR_STATUS = 400


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

    `input_tokens` is the whole prompt: `cached_tokens` (read from a cache) and `cache_write_tokens` are parts of
    it. `cost` is in US dollars, None when the price or a count is unknown. A replayed call took
    `recorded_seconds` when it was recorded; None for calls of now.
    """

    protocol: str
    model: str
    status: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost: float | None = None
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

    @property
    def steps(self) -> int:
        """The model calls that count as steps."""
        return sum(call.counts_as_step for call in self.model_calls)

    @property
    def was_refused(self) -> bool:
        """Whether the last model call that counts as a step was answered with a refusal."""
        asked = [call for call in self.model_calls if call.counts_as_step]
        return bool(asked) and asked[-1].status >= _FIRST_ERROR_STATUS

    @property
    def input_tokens(self) -> int | None:
        """Input tokens of the model calls that were not refused; None when unknown."""
        return total(call.input_tokens for call in self._answered)

    @property
    def output_tokens(self) -> int | None:
        """Output tokens of the same calls; None when unknown."""
        return total(call.output_tokens for call in self._answered)

    @property
    def tokens(self) -> int | None:
        """Input and output tokens together; None when unknown."""
        return total((self.input_tokens, self.output_tokens))

    @property
    def cost(self) -> float | None:
        """US dollars for the same calls; None when unknown."""
        costs = [call.cost for call in self._answered]
        known = [cost for cost in costs if cost is not None]
        return round(fsum(known), 9) if known and len(known) == len(costs) else None

    @property
    def _answered(self) -> tuple[ModelCall, ...]:
        return tuple(call for call in self.model_calls if call.status < _FIRST_ERROR_STATUS)


def total(counts: Iterable[int | None]) -> int | None:
    """The sum of token counts; None when there are none or one is unknown: a part is not the whole."""
    listed = list(counts)
    known = [count for count in listed if count is not None]
    return sum(known) if known and len(known) == len(listed) else None


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
