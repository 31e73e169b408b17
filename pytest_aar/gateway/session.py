"""One race as the gateway sees it: its trace, its counts, its limits, what went wrong."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from pytest_aar.cost import Prices, RaceBudget, Spent, spent_on
from pytest_aar.errors import InfrastructureError, ModelUnavailable
from pytest_aar.leg import ClueEnvelope, Leg
from pytest_aar.lookout import Lookout
from pytest_aar.manners.meter import Pauses
from pytest_aar.trace import Ending, Event, ModelCall, ToolCall, Trace

from .open_calls import OpenCalls

if TYPE_CHECKING:
    from pytest_aar.cassettes import Tape


@dataclass(frozen=True, slots=True, kw_only=True)
class Tapes:
    """The open recordings of a race; None means that this traffic is not taped."""

    model: "Tape | None" = None
    tools: "Tape | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceOrder:
    """What a race is opened with. `step_limit` is None when no number of steps is enforced.

    The gateway shows the `lookout` all that passes: requests and replies of the model, tools' arguments and results.
    """

    leg: Leg
    envelope: ClueEnvelope
    tapes: Tapes = field(default_factory=Tapes)
    repeat: int = 1
    step_limit: int | None = None
    budget: RaceBudget = field(default_factory=RaceBudget)
    lookout: Lookout = field(default_factory=Lookout)


class RaceSession:
    """A race that is open on the gateway. Made by `Gateway.open_race`; close it by `with` or `close()`.

    Attributes:
        token: the random token of this race's routes; never in traces or keys.
        order: what the race was opened with.
        used_up: the ending of a race of which the gateway refused a model call: its steps ("step-limit") or its
            tokens or money ("budget") were used up, or it is a replay and the recorded race's time was ("timeout").
            None while there was no refusal.
        spent: what the model calls so far take of the race's budget, replayed ones as recorded.
        problem: the first infrastructure error (a diverged replay, a model that is gone), or None.
        steps: model calls counted so far.
        waits_for: the last failure of a model server that is being tried again just now, or None; in the end
            also that it was silent.
        calls: the model calls that have not ended.
        failing: needed tools whose last call a live service did not answer, and why.
        faulty_keys: on the tools' tape, of the requests of calls that made a needed tool fail.
        pauses: how long its tools waited for their turn at live services.
        is_over: whether it was settled or closed.
    """

    def __init__(
        self, order: RaceOrder, *, token: str, roads: "Roads", prices: Prices | None = None
    ) -> None:
        self.order = order
        self.token = token
        self.prices = prices or Prices()
        self.used_up: Ending | None = None
        self.spent = Spent()
        self.problem: InfrastructureError | None = None
        self.steps = 0
        self.waits_for: str | None = None
        self.calls = OpenCalls()
        self.failing: dict[str, str] = {}
        self.faulty_keys: set[str] = set()
        self.pauses = Pauses()
        self.is_over = False
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

    def settle(self) -> None:
        """End what is under way, so that the trace is whole: the token fits no longer, open model calls are cut."""
        self.is_over = True
        self._roads.close(self)
        self.calls.cut_all()
        self.waits_for = self.waits_for or self.calls.outage()

    def close(self) -> None:
        """End the race, settled or not."""
        self.settle()

    # What the gateway writes.

    def note(self, event: Event) -> None:
        """Append to the trace."""
        self._events.append(event)

    def note_problem(self, problem: InfrastructureError) -> None:
        """Keep the first problem: what comes after is its consequence."""
        self.problem = self.problem or problem

    def is_aside(self, protocol: str) -> bool:
        """Whether the race's model has answered, and only ever in other protocols than this one."""
        served = {
            call.protocol for call in self.trace().model_calls if call.status == HTTPStatus.OK
        }
        return bool(served) and protocol not in served

    def note_model_problem(self, problem: InfrastructureError, protocol: str) -> None:
        """Keep it, unless the agent went aside: a race whose model answers is not void by a call elsewhere."""
        if isinstance(problem, ModelUnavailable) and self.is_aside(protocol):
            self.waits_for = None
        else:
            self.note_problem(problem)

    def take_step(self) -> bool:
        """Count one step; False (and `used_up`) when there is none left."""
        limit = self.order.step_limit
        if limit is not None and self.steps >= limit:
            self.used_up = self.used_up or "step-limit"
            return False
        self.steps += 1
        return True

    def budget_used_up(self) -> str | None:
        """What of the race's budget is used up (then `used_up` says so, too), None while some is left."""
        found = self.order.budget.used_up(self.spent)
        if found is not None:
            self.used_up = self.used_up or "budget"
        return found

    def note_call(self, call: ModelCall, traffic: "Traffic") -> None:
        """Append a model call with its cost, and take it off the budgets; only live calls cost the run."""
        spent = spent_on(call, self.prices, sent=traffic.sent, received=traffic.received)
        is_cut = call.status == 0 and self.prices.of(call.model) is not None
        self.note(replace(call, cost=spent.cost if is_cut else self.prices.cost_of(call)))
        self.spent += spent
        ledger = self.order.budget.ledger
        if ledger is None or traffic.replayed:
            return
        try:
            ledger.add(spent)
        except OSError as error:
            self.note_problem(
                InfrastructureError(
                    f"can't note what the run has spent: {error}; free some disk space"
                )
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Of one model call: bytes sent and received, and whether a recording answered it."""

    sent: int = 0
    received: int = 0
    replayed: bool = False


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
