"""Who makes legs: this process, or several. What comes out is the same."""

import asyncio
import multiprocessing
import signal
from collections.abc import AsyncIterator, Awaitable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from .draft import Ask
from .order import Order, Workshop
from .pipeline import Tried, make_leg
from .sandbox import workshop


class Hands(Protocol):
    """Makes single legs of an order; `ahead` is how many to ask for at one time."""

    @property
    def ahead(self) -> int:
        """See above."""
        ...

    def begin(
        self, order: Order, number: int, attempt: int, ask: Ask | None = None
    ) -> Awaitable[Tried]:
        """Leg `number` by the tries from `attempt` on; `ask` asks the model, where there is one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnHands:
    """Makes legs here, one after the other."""

    shop: Workshop
    ahead: int = 1

    def begin(
        self, order: Order, number: int, attempt: int, ask: Ask | None = None
    ) -> Awaitable[Tried]:
        """Begins when it is awaited."""
        return make_leg(order, number, self.shop, attempt=attempt, ask=ask)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyHands:
    """Makes legs of the sandbox world in processes, without a model."""

    pool: ProcessPoolExecutor
    ahead: int

    def begin(
        self, order: Order, number: int, attempt: int, ask: Ask | None = None
    ) -> Awaitable[Tried]:
        """Begins as soon as a process is free."""
        assert ask is None  # a conversation can't be shared between processes
        loop = asyncio.get_running_loop()
        with _starting_deaf():  # the first task starts the processes
            return loop.run_in_executor(self.pool, _in_sandbox, order, number, attempt)


@asynccontextmanager
async def many_hands(jobs: int) -> AsyncIterator[ManyHands]:
    """`jobs` processes, gone at the end."""
    pool = ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_deaf
    )
    try:
        yield ManyHands(pool=pool, ahead=2 * jobs)
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _starting_deaf() -> Iterator[None]:
    """Processes that start now don't hear Ctrl-C before they can ignore it; this one hears it at the end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _deaf() -> None:
    """Ctrl-C is for the process that the user started: it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _in_sandbox(order: Order, number: int, attempt: int) -> Tried:
    async def run() -> Tried:
        async with workshop() as shop:
            return await make_leg(order, number, shop, attempt=attempt)

    return asyncio.run(run())
