"""What manners did in the name of one tool call, and how long a race has stood still for them."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


class Pauses:
    """Seconds in which at least one of a race's calls waited for its turn; `seconds` grows while one does."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting, self._since, self._ended = 0, 0.0, 0.0

    @property
    def seconds(self) -> float:
        """All of them so far."""
        return self._ended + (self._clock() - self._since if self._waiting else 0.0)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Around one wait."""
        if not self._waiting:
            self._since = self._clock()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._ended += self._clock() - self._since


@dataclass(slots=True, kw_only=True)
class Meter:
    """Seconds waited, by service with its limits; why a service said no for good, or did not answer last.

    `refusal` is the account's or the run's trouble (a key that is denied, a quota that is used up), `outage` the
    service's, "" while it answers.
    """

    waited: dict[str, float] = field(default_factory=dict)
    refusal: str = ""
    outage: str = ""
    pauses: Pauses = field(default_factory=Pauses)

    def wait(self, service: str, seconds: float) -> None:
        """Add a wait."""
        self.waited[service] = self.waited.get(service, 0.0) + seconds


#: The meter of the tool call in whose name this task runs.
METER: ContextVar[Meter | None] = ContextVar("aar_meter", default=None)
