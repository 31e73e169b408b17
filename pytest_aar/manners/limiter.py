"""Waiting for one's turn at a service, among all the processes of this machine and user."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .book import Book
from .held_back import HeldBack
from .meter import LONGEST_WAIT, METER, Meter
from .owner import Owner, lives
from .policies import Policy
from .reached import Reached
from .shared_state import SharedState
from .waits import Kind, label

_LONGEST_SLEEP = 5.0
_A_SECOND = 1.0
_PROCESSES = "processes"
#: Of an outage: it may be another process that has met it.
_FOUND = "as requests of this run or of another of yours on this machine have found"

Sleep = Callable[[float], Awaitable[None]]


class Turns:
    """This process among those that share a folder, looked for at the first use; `close` gives up what it holds."""

    def __init__(
        self,
        folder: Path | Callable[[], Path],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.clock, self.sleep = clock, sleep
        self._given = folder
        self._owner: Owner | None = None
        self._numbers = itertools.count()

    @cached_property
    def _folder(self) -> Path:
        folder = self._given() if callable(self._given) else self._given
        _tidy(folder)
        return folder

    def state(self, key: str) -> SharedState:
        """What is known of the service with this key (a name for a file)."""
        return SharedState(self._folder / f"{key}.json")

    def ticket(self) -> str:
        """A new place in the queues."""
        if self._owner is None:
            self._owner = Owner(self._folder / _PROCESSES)
        return f"{self._owner.name}:{next(self._numbers)}"

    def lives(self, process: str) -> bool:
        """Whether another process is there."""
        mine = self._owner is not None and process == self._owner.name
        return mine or lives(self._folder / _PROCESSES, process)

    def close(self) -> None:
        """End the membership."""
        if self._owner is not None:
            self._owner.close()
            self._owner = None


def _tidy(folder: Path) -> None:
    """Remove what no run can use any more, be it of hosts that nobody asks now or of processes that were killed."""
    for lock in folder.glob("*.lock"):
        SharedState(lock.with_suffix(".json")).forget(Book.is_over)
    for mark in (folder / _PROCESSES).glob("*"):
        lives(mark.parent, mark.name)


class Limiter:
    """The limits of one service; `key` names its shared state, `name` is what people call it.

    `remedy` is what to do when it does not answer. `reached`, by key, is what is waited for as long as a call can.
    """

    def __init__(
        self,
        turns: Turns,
        *,
        key: str,
        name: str,
        policy: Policy,
        remedy: str = "",
        reached: Reached | None = None,
    ) -> None:
        self.name, self.policy = name, policy
        self._key, self._remedy, self._reached = key, remedy, reached or Reached()
        self._turns, self._state = turns, turns.state(key)

    @asynccontextmanager
    async def turn(self, weight: int = 1) -> AsyncIterator["Turn"]:
        """Around one request, from before it is sent until its whole reply is there; it counts as `weight`.

        Raises:
            HeldBack: its turn does not come within `LONGEST_WAIT`, less what the call has waited before; or the
                service can't be reached, and nobody of this run ever has.
        """
        ticket, turn = self._turns.ticket(), Turn(self)
        try:
            await self._wait(ticket, weight)
            yield turn
        finally:
            async with self.book() as book:
                book.leave(ticket)
                if turn.was_unsent:
                    book.drop(ticket)
                else:
                    book.end(ticket, self.now())

    @asynccontextmanager
    async def book(self) -> AsyncIterator[Book]:
        """The shared state, for a change."""
        async with self._state.changing_in_turn() as values:
            yield Book(values, self.policy)

    def now(self) -> float:
        """The time of the clock that all processes share."""
        return self._turns.clock()

    async def _wait(self, ticket: str, weight: int) -> None:
        meter = METER.get() or Meter()
        latest = self.now() + meter.patience
        hold = await self._admitted(ticket, weight, latest)
        if hold is not None and hold.seconds >= _A_SECOND and self._is_news(hold, meter):
            meter.tell(self._told(hold))
        while hold is not None:
            await self._slept(hold, meter)
            hold = await self._admitted(ticket, weight, latest)

    def _is_news(self, hold: "_Hold", meter: Meter) -> bool:
        """Whether to tell of it: what is out of reach makes many short waits."""
        return (
            hold.kind != "unreached" or label(hold.kind, self.name, self.policy) not in meter.waited
        )

    async def _slept(self, hold: "_Hold", meter: Meter) -> None:
        name, began = label(hold.kind, self.name, self.policy), self.now()
        try:
            with meter.pauses.one(name):
                await self._turns.sleep(min(hold.seconds, _LONGEST_SLEEP))
        finally:
            meter.wait(name, self.now() - began)

    async def _admitted(self, ticket: str, weight: int, latest: float) -> "_Hold | None":
        """None: go."""
        async with self.book() as book:
            now = self.now()
            seconds = book.admit(ticket, now, self._turns.lives, weight)
            if not seconds:
                return None
            hold = _Hold(kind=book.kind(seconds, now), seconds=seconds, why=book.why)
            if now + seconds > self._last_moment(book, latest):
                book.leave(ticket)
                raise self._held_back(hold)
        return hold

    def _last_moment(self, book: Book, latest: float) -> float:
        """Until when to wait, at `latest`: there the call's patience ends."""
        soon = min(book.latest, latest)
        return latest if soon < latest and self._reached.has(self._key) else soon

    def _told(self, hold: "_Hold") -> str:
        """A line about a wait that begins."""
        begins = f"waiting {hold.seconds:.0f} s"
        if hold.kind == "limits":
            return f"{begins} for a turn at {self.name} ({self.policy})"
        if hold.kind == "pause":
            return f"{begins}: {self.name} has asked for a pause"
        return f"{begins}: {self.name} does not answer{hold.reason}, {_FOUND}{self._to_do}"

    def _held_back(self, hold: "_Hold") -> HeldBack:
        return HeldBack(
            self._refused(hold),
            seconds=hold.seconds,
            is_out=hold.is_out,
            is_unreached=hold.kind == "unreached",
        )

    def _refused(self, hold: "_Hold") -> str:
        is_known = hold.seconds >= _A_SECOND  # else it is how soon to look again
        if hold.kind == "unreached":
            how_long = (
                f"a call waits for it for {LONGEST_WAIT:g} s at most"
                if self._reached.has(self._key)
                else "it is not waited for"
            )
            return f"{self.name} can't be reached{hold.reason}, {_FOUND}: {how_long}{self._to_do}"
        if hold.is_out:
            when = (
                f"tried again in {hold.seconds:.0f} s"
                if is_known
                else "being tried again by one request"
            )
            return (
                f"{self.name} does not answer{hold.reason}, and is left alone: it is {when}, "
                f"{_FOUND}{self._to_do}"
            )
        when = f", the next in {hold.seconds:.0f} s" if is_known else ""
        if hold.kind == "pause":
            return (
                f"{self.name} has asked for a pause, and no turn comes within {LONGEST_WAIT:g} s"
                f"{when}: race with fewer workers, or later"
            )
        return (
            f"no turn for {self.name} ({self.policy}) within {LONGEST_WAIT:g} s{when}: "
            f"race with fewer workers, or set other limits with --aar-limits={self.name}=..."
        )

    @property
    def _to_do(self) -> str:
        return f"; {self._remedy}" if self._remedy else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hold:
    """Why a request may not start now, and the seconds until it is worth asking again; `why`: the last fault."""

    kind: Kind
    seconds: float
    why: str

    @property
    def is_out(self) -> bool:
        """Whether the service is down."""
        return self.kind in ("failing", "unreached")

    @property
    def reason(self) -> str:
        """The last fault in brackets, "" if it is not known."""
        return f" ({self.why})" if self.why else ""


class Turn:
    """A request that is under way: tell how it went.

    `was_unsent`: there was no connection, so that the service knows nothing of it and it counts for no limit.
    `is_out`: the service was found to be down.
    """

    def __init__(self, limiter: "Limiter") -> None:
        self._limiter = limiter
        self.was_unsent = self.is_out = False

    async def answered(self) -> None:
        """The service is well."""
        async with self._limiter.book() as book:
            book.answered()

    async def failed(self, why: str = "", *, is_unreached: bool = False) -> None:
        """It did not answer, or with a fault of its own; `why` is told to those who are held back by it.

        `is_unreached`: there was no connection to it.
        """
        async with self._limiter.book() as book:
            book.failed(self._limiter.now(), why, is_unreached=is_unreached)
            self.is_out = book.is_out

    async def refused(self, asked: float | None) -> None:
        """It wants fewer requests; `asked`: none for so many seconds."""
        async with self._limiter.book() as book:
            book.refused(self._limiter.now(), asked)
