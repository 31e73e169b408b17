"""The model calls of a race that have not ended, and how long their model has been silent."""

import time
from collections.abc import Callable
from typing import Protocol

#: Seconds of silence after which a race that ran out of time waited for its model, not the model for the agent.
_LONG = 60.0
#: The same for a model that has never answered in this race.
_LONG_AT_FIRST = 10.0
#: Shorter races: parts of their time so far, after an answer and before the first.
_MOST, _MOST_AT_FIRST = 0.5, 0.25
#: A model that has been as slow before and then answered is slow, not away.
_SLOWER = 2.0


class OpenCall(Protocol):
    """A call under way."""

    def cut(self) -> None:
        """Write it into the trace as it stands."""
        ...


class OpenCalls:
    """All of one race. `is_scripted`: a stand-in answers, whose silence says nothing of a server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.is_scripted = False
        self._clock, self._since = clock, clock()
        self._open: dict[int, OpenCall] = {}
        self._heard_at = self._since
        #: Times (from, until) in which calls that were cut had waited; none overlaps another.
        self._waits: list[tuple[float, float]] = []
        self._slowest: float | None = None

    def begin(self, call: OpenCall) -> None:
        """A call is sent."""
        self._open[id(call)] = call

    def end(self, call: OpenCall) -> bool:
        """It has ended; False when it had before, so that nothing is counted twice (from any thread)."""
        return self._open.pop(id(call), None) is not None

    def cut_all(self) -> None:
        """End those that are still open."""
        for call in list(self._open.values()):
            call.cut()

    def heard(self, seconds: float) -> None:
        """The model spoke, after so long."""
        self._heard_at = self._clock()
        self._waits.clear()
        self._slowest = max(seconds, self._slowest or 0.0)

    def unheard(self, seconds: float) -> None:
        """A call was cut that had waited for so long. A client that asks again waits on.

        Calls that wait side by side wait once, and nobody has waited longer than since the model spoke.
        """
        until = self._clock()
        since = max(until - seconds, self._heard_at)
        while self._waits and self._waits[-1][1] >= since:
            since = min(since, self._waits.pop()[0])
        self._waits.append((since, until))

    def outage(self) -> str | None:
        """Why the race's time is no measure of its agent: its model did not speak for long. None: it did."""
        silence = sum(until - since for since, until in self._waits)
        if self.is_scripted or silence < self._limit(self._clock() - self._since):
            return None
        return f"model server: a call was sent and no byte of a reply came for {silence:.0f} s"

    def _limit(self, so_far: float) -> float:
        if self._slowest is None:
            return min(_LONG_AT_FIRST, _MOST_AT_FIRST * so_far)
        return max(min(_LONG, _MOST * so_far), _SLOWER * self._slowest)
