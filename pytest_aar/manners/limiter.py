"""Waiting for one's turn at a service, among all the processes of this machine and user."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path

from .book import Book
from .held_back import HeldBack
from .meter import LONGEST_WAIT, METER, Meter
from .owner import Owner, lives
from .policies import Policy
from .shared_state import SharedState

_LONGEST_SLEEP = 5.0
_A_SECOND = 1.0
_PROCESSES = "processes"

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
    """The limits of one service; `key` names its shared state, `name` is what people call it."""

    def __init__(self, turns: Turns, *, key: str, name: str, policy: Policy) -> None:
        self.name, self.policy = name, policy
        self._turns, self._state = turns, turns.state(key)

    @asynccontextmanager
    async def turn(self, weight: int = 1) -> AsyncIterator["Turn"]:
        """Around one request, from before it is sent until its whole reply is there; it counts as `weight`.

        Raises:
            HeldBack: its turn does not come within `LONGEST_WAIT`, less what the call has waited before.
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
        meter, started = METER.get() or Meter(), self.now()
        latest = started + meter.patience
        seconds = await self._admitted(ticket, weight, latest)
        if not seconds:
            return
        if seconds >= _A_SECOND:
            meter.tell(f"waiting {seconds:.0f} s for a turn at {self.name} ({self.policy})")
        try:
            with meter.pauses.one():
                while seconds:
                    await self._turns.sleep(min(seconds, _LONGEST_SLEEP))
                    seconds = await self._admitted(ticket, weight, latest)
        finally:
            meter.wait(f"{self.name} ({self.policy})", self.now() - started)

    async def _admitted(self, ticket: str, weight: int, latest: float) -> float:
        """0: go. Else the seconds to wait."""
        async with self.book() as book:
            now = self.now()
            seconds = book.admit(ticket, now, self._turns.lives, weight)
            if seconds and now + seconds > latest:
                book.leave(ticket)
                raise self._held_back(seconds, is_out=book.is_out, why=book.why)
        return seconds

    def _held_back(self, seconds: float, *, is_out: bool, why: str) -> HeldBack:
        is_known = seconds >= _A_SECOND  # else it is how soon to look again
        if is_out:
            when = (
                f"tried again in {seconds:.0f} s"
                if is_known
                else "being tried again by one request"
            )
            return HeldBack(
                f"{self.name} does not answer{f' ({why})' if why else ''}, and is left alone: it is {when}",
                seconds=seconds,
                is_out=True,
            )
        when = f", the next in {seconds:.0f} s" if is_known else ""
        return HeldBack(
            f"no turn for {self.name} ({self.policy}) within {LONGEST_WAIT:g} s{when}: "
            f"race with fewer workers, or set other limits with --aar-limits={self.name}=...",
            seconds=seconds,
            is_out=False,
        )


class Turn:
    """A request that is under way: tell how it went.

    `was_unsent`: there was no connection, so that the service knows nothing of it and it counts for no limit.
    """

    def __init__(self, limiter: "Limiter") -> None:
        self._limiter = limiter
        self.was_unsent = False

    async def answered(self) -> None:
        """The service is well."""
        async with self._limiter.book() as book:
            book.answered()

    async def failed(self, why: str = "") -> None:
        """It did not answer, or with a fault of its own; `why` is told to those who are held back by it."""
        async with self._limiter.book() as book:
            book.failed(self._limiter.now(), why)

    async def refused(self, asked: float | None) -> None:
        """It wants fewer requests; `asked`: none for so many seconds."""
        async with self._limiter.book() as book:
            book.refused(self._limiter.now(), asked)
