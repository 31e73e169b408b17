"""Waits in tests: clocks that only sleeping moves, of one task or of many, and a meter of what was waited."""

import asyncio
import selectors
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pytest_aar.manners.meter import METER, Meter

T = TypeVar("T")


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@contextmanager
def metered() -> Iterator[Meter]:
    meter = Meter()
    token = METER.set(meter)
    try:
        yield meter
    finally:
        METER.reset(token)


class _Skipping(selectors.DefaultSelector):
    """Waits for nothing; `now` is the time that it would be."""

    now = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


class _Swift(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now


def run_swiftly(coroutine: Coroutine[Any, Any, T]) -> T:
    """What tasks do in which time, while everybody's `asyncio.sleep` takes none; `loop_time` tells it."""
    with asyncio.Runner(loop_factory=_Swift) as runner:
        return runner.run(coroutine)


def loop_time() -> float:
    return asyncio.get_running_loop().time()
