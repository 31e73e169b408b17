"""One race as the gateway sees it: its trace, its counts, its limits, what went wrong."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from pytest_aar.errors import InfrastructureError
from pytest_aar.leg import ClueEnvelope, Leg
from pytest_aar.trace import Event, ToolCall, Trace

if TYPE_CHECKING:
    from pytest_aar.cassettes import ModelTape, Tape


@dataclass(frozen=True, slots=True, kw_only=True)
class Tapes:
    """The open recordings of a race; None means that this traffic is not taped."""

    model: "ModelTape | None" = None
    tools: "Tape | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceOrder:
    """What a race is opened with. `step_limit` is None when no budget is enforced."""

    leg: Leg
    envelope: ClueEnvelope
    tapes: Tapes = field(default_factory=Tapes)
    repeat: int = 1
    step_limit: int | None = None


class RaceSession:
    """A race that is open on the gateway. Made by `Gateway.open_race`; close it by `with` or `close()`.

    Attributes:
        token: the random token of this race's routes; never in traces or keys.
        order: what the race was opened with.
        limit_hit: the gateway refused a model call because the step budget was used up.
        problem: the first infrastructure error (a diverged replay, a model that is gone), or None.
        steps: model calls counted so far.
        waits_for: the last failure of a model server that is being tried again just now, or None.
    """

    def __init__(self, order: RaceOrder, *, token: str, roads: "Roads") -> None:
        self.order = order
        self.token = token
        self.limit_hit = False
        self.problem: InfrastructureError | None = None
        self.steps = 0
        self.waits_for: str | None = None
        self._events: list[Event] = []
        self._roads = roads

    def __enter__(self) -> "RaceSession":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def leg(self) -> Leg:
        """The leg that is raced (for the pacer; no agent sees it)."""
        return self.order.leg

    @property
    def repeat(self) -> int:
        """Which repeat of the leg this is, from 1."""
        return self.order.repeat

    def trace(self) -> Trace:
        """The trace so far."""
        return Trace(events=tuple(self._events))

    def client(self) -> httpx.AsyncClient:
        """A client for in-process agents, based at this race's routes; use it on the gateway's loop."""
        return self._roads.client(self.token)

    def url(self) -> str:
        """`http://127.0.0.1:PORT/r/TOKEN` for child processes; the first call starts the server."""
        return self._roads.url(self.token)

    def socket(self) -> Path:
        """The gateway's unix socket, for boxes without a network; the race's routes are below `/r/TOKEN` there."""
        return self._roads.socket()

    def close(self) -> None:
        """End the race: its token fits no longer."""
        self._roads.close(self)

    # What the gateway writes.

    def note(self, event: Event) -> None:
        """Append to the trace."""
        self._events.append(event)

    def note_problem(self, problem: InfrastructureError) -> None:
        """Keep the first problem: what comes after is its consequence."""
        self.problem = self.problem or problem

    def take_step(self) -> bool:
        """Count one step; False (and `limit_hit`) when the budget is used up."""
        limit = self.order.step_limit
        if limit is not None and self.steps >= limit:
            self.limit_hit = True
            return False
        self.steps += 1
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Roads:
    """The ways to a session from outside, bound by the gateway."""

    client: Callable[[str], httpx.AsyncClient]
    url: Callable[[str], str]
    socket: Callable[[], Path]
    close: Callable[[RaceSession], None]


class Stopwatch:
    """Start as seconds since the epoch, duration by the monotonic clock."""

    def __init__(self) -> None:
        self.started_at = time.time()
        self._start = time.perf_counter()

    def times(self) -> dict[str, float]:
        """The two time fields of an event."""
        return {
            "started_at": self.started_at,
            "duration_seconds": time.perf_counter() - self._start,
        }


def tool_event(
    name: str, arguments: Mapping[str, Any], result: Any, *, shown: str, watch: Stopwatch
) -> ToolCall:
    """The event of one tool call."""
    return ToolCall(
        name=name,
        arguments=dict(arguments),
        ok=result.ok,
        text=result.text,
        error_kind=result.error_kind,
        shown_characters=len(shown),
        final_url=result.final_url,
        title=result.title,
        details=dict(result.details or {}),
        **watch.times(),
    )
