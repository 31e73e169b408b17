"""What all processes know of the requests to one service: who is under way, who waits, what still counts."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from . import window
from .policies import Policy
from .waits import Kind

#: So many failures in a row, over all workers, are an outage: then one request at a time tries whether it is over.
OUTAGE = 10
COOL_DOWN = 60.0
#: The same for a service to which there is no connection: trying costs it nothing.
SHORT_COOL_DOWN = 2.0
#: Seconds from the beginning of such an outage in which requests wait for its end: a proxy that is started again, a
#: network that is lost for a moment. After that only those wait who have reached the service before.
GRACE = 5.0
#: So many in a row find no connection before the service counts as out of reach: one alone may be a server that fails
#: and is started again.
SEVERAL = 3
#: Seconds without a request after which nobody knows whether it still can't be reached: who tries then begins anew.
STALE = 10.0
_FORGIVEN = 3 * COOL_DOWN
#: Seconds for which a service that refuses for the first time, without saying for how long, is left alone.
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_AT_ANY_MOMENT = 0.05
_SELDOM = 0.25
#: Seconds after which no process that runs has a request under way still: it waits, and is read, for less.
LONGEST_TURN = 240.0
#: Seconds after which a process that runs has looked again whether its turn has come.
LONGEST_SILENCE = 30.0
_LOOK_NOTED = 5.0

#: Whether the process of that name lives.
Lives = Callable[[str], bool]


class Book:
    """Reads and changes the shared state of one service; times are those of the machine's monotonic clock.

    A ticket is `<process>:<number>`.
    """

    def __init__(self, values: dict[str, Any], policy: Policy) -> None:
        self._values, self._policy = values, policy
        self._open: dict[str, float] = values.setdefault("open", {})
        self._queue: list[str] = values.setdefault("queue", [])
        self._weights: dict[str, int] = values.setdefault("weights", {})
        self._looks: dict[str, float] = values.setdefault("looks", {})
        self._ends: window.Ends = values.setdefault("ends", [])

    def admit(self, ticket: str, now: float, lives: Lives, weight: int = 1) -> float:
        """0 if its request may start now, and then it is under way; else seconds until it is worth asking again.

        It counts as `weight` for rates, as one of those at once.
        """
        self._begin(now)
        self._forgive(now)
        self._bury(now, lives)
        if ticket not in self._queue:
            self._queue.append(ticket)
        if now - self._looks.get(ticket, -_LOOK_NOTED) >= _LOOK_NOTED:
            self._looks[ticket] = now
        if weight > 1:
            self._weights[ticket] = weight
        seconds = self._wait(self._queue.index(ticket), now)
        if seconds <= 0:
            self._begin_grace(now)
            self._queue.remove(ticket)
            self._looks.pop(ticket, None)
            self._open[ticket] = self._values["now"] = now
        return max(seconds, 0.0)

    def leave(self, ticket: str) -> None:
        """Wait no more."""
        if ticket in self._queue:
            self._queue.remove(ticket)
            self._forget(ticket)

    def end(self, ticket: str, now: float) -> None:
        """Its request is over, well or not."""
        if self._open.pop(ticket, None) is None:
            return
        longest = max((rate.seconds for rate in self._policy.rates), default=0.0)
        window.note(self._ends, now, longest=longest, weight=self._weights.get(ticket, 1))
        self._forget(ticket)
        self._values["kept"] = max(self._values.get("kept", 0.0), longest)
        self._values["now"] = now

    def drop(self, ticket: str) -> None:
        """Its request was never sent."""
        self._open.pop(ticket, None)
        self._forget(ticket)

    def answered(self) -> None:
        """The service is well."""
        self._values.update(faults=0, pauses=0, unreached=0, unreached_since=None)

    def failed(self, now: float, why: str = "", *, is_unreached: bool = False) -> None:
        """It did not answer, or with a fault of its own; `why` is told to those who are held back.

        `is_unreached`: there was no connection to it.
        """
        self._values.update(now=now, why=why)
        self._values["faults"] = faults = self._values.get("faults", 0) + 1
        unreached = self._values.get("unreached", 0) + 1 if is_unreached else 0
        self._values["unreached"] = unreached
        if faults < OUTAGE:
            return
        if not is_unreached:
            self._values["unreached_since"] = None
        elif self._unreached_since is None and unreached >= SEVERAL:
            self._values["unreached_since"] = now
        self._not_before(now + (SHORT_COOL_DOWN if is_unreached else COOL_DOWN))

    def refused(self, now: float, asked: float | None) -> None:
        """It asked for fewer requests: no worker comes before that time. `asked`: in so many seconds, if it said."""
        self._values["pauses"] = pauses = self._values.get("pauses", 0) + 1
        usual = min(_FIRST_PAUSE * 2 ** (pauses - 1), _LONGEST_PAUSE)
        self._not_before(now + (usual if asked is None else asked))

    @staticmethod
    def is_over(values: dict[str, Any], age: float) -> bool:
        """Whether a state that was changed `age` seconds ago says nothing any more, under whatever limits."""
        return bool(age > max(window.KEPT, values.get("kept", 0.0)))

    @property
    def is_out(self) -> bool:
        """Whether the service seems to be down."""
        return bool(self._values.get("faults", 0) >= OUTAGE)

    def kind(self, seconds: float, now: float) -> Kind:
        """Why a request has to wait for so many seconds."""
        if self.is_out:
            return "failing" if self._unreached_since is None else "unreached"
        is_paused = seconds <= self._values.get("not_before", 0.0) - now
        return "pause" if is_paused else "limits"

    @property
    def latest(self) -> float:
        """Until when it is worth waiting: for a service that can't be reached, not for long, unless one tries now."""
        since = self._unreached_since if self.is_out and not self._open else None
        return math.inf if since is None else since + GRACE

    @property
    def _unreached_since(self) -> float | None:
        found: float | None = self._values.get("unreached_since")
        return found

    @property
    def why(self) -> str:
        """How the last request failed, "" if that is not known."""
        return str(self._values.get("why", ""))

    def _not_before(self, moment: float) -> None:
        self._values["not_before"] = max(moment, self._values.get("not_before", 0.0))

    def _begin(self, now: float) -> None:
        """Forget everything from before the machine was started.

        `now` is the time of the last request's start or end: a look at the clock alone changes nothing.
        """
        if self._values.get("now", 0.0) > now:
            self._open.clear()
            self._queue.clear()
            self._ends.clear()
            self._weights.clear()
            self._looks.clear()
            self._values.update(now=now, not_before=0.0)
            self.answered()

    def _forgive(self, now: float) -> None:
        """An outage is one while somebody looks: after a pause it may long be over, and is another run's at most."""
        if self.is_out and not self._open and now - self._values.get("now", now) > _FORGIVEN:
            self._values.update(not_before=0.0, faults=0, unreached=0, unreached_since=None)

    def _begin_grace(self, now: float) -> None:
        if self._unreached_since is not None and now - self._values.get("now", now) > STALE:
            self._values["unreached_since"] = now

    def _bury(self, now: float, lives: Lives) -> None:
        """Requests of processes that died count as ended now: the server may have seen them until a moment ago.

        So do those of processes that stand still (Ctrl-Z); who goes on after that queues up anew.
        """
        dead = {
            process
            for process in {_process(ticket) for ticket in (*self._open, *self._queue)}
            if not lives(process)
        }
        for ticket, since in list(self._open.items()):
            if _process(ticket) in dead or now - since > LONGEST_TURN:
                self.end(ticket, now)
        for ticket in list(self._queue):
            silence = now - self._looks.get(ticket, now)
            if _process(ticket) in dead or silence > LONGEST_SILENCE:
                self.leave(ticket)

    def _forget(self, ticket: str) -> None:
        self._weights.pop(ticket, None)
        self._looks.pop(ticket, None)

    def _weight(self, tickets: Iterable[str]) -> int:
        return sum(self._weights.get(each, 1) for each in tickets)

    def _wait(self, position: int, now: float) -> float:
        ahead, mine = len(self._open) + position, self._queue[position]
        parallel = 1 if self.is_out else self._policy.parallel
        waits = [self._values.get("not_before", 0.0) - now]
        if parallel is not None and ahead >= parallel:
            waits.append(_until_somebody_ends(position))
        before = self._weight((*self._open, *self._queue[:position]))
        for rate in self._policy.rates:
            found = window.wait(
                self._ends, rate, now, ahead=before, weight=self._weights.get(mine, 1)
            )
            waits.append(_until_somebody_ends(position) if found is None else found)
        return float(max(waits))


def _process(ticket: str) -> str:
    return ticket.partition(":")[0]


def _until_somebody_ends(position: int) -> float:
    """When that is nobody knows: who is next looks often, the others seldom."""
    return min(_AT_ANY_MOMENT * (1 + position), _SELDOM)
