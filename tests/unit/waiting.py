"""Waits in tests: a clock that only sleeping moves, and a meter of what was waited."""

from collections.abc import Iterator
from contextlib import contextmanager

from pytest_aar.manners.meter import METER, Meter


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
