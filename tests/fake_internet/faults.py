"""What a service does to its callers beside answering: limits, and faults on demand."""

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Literal, get_args

Kind = Literal["429", "500", "403", "slow", "cut", "reset"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, kw_only=True)
class Limit:
    """At most `requests` that begin within `window` seconds, and `parallel` at a time.

    What is beyond is refused with 429, with `retry_after` (seconds) if it is not None.
    """

    requests: int | None = None
    window: float = 60.0
    parallel: int | None = None
    retry_after: float | None = 1.0


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Something that happens to the first `times` requests of each `service` whose URL holds `where`.

    `slow` waits `seconds`, half of them before the status and the rest within the body; `cut` ends the
    connection within the body, `reset` resets it there.
    """

    kind: Kind
    service: str = ""
    where: str = ""
    times: int = 1
    seconds: float = 0.2
    retry_after: float | None = None


@dataclass(kw_only=True)
class Gauge:
    """What a limit saw: the largest numbers within a window and at a time, and how many it refused."""

    most_in_window: int = 0
    most_parallel: int = 0
    refused: int = 0
    _begun: deque[float] = field(default_factory=deque)
    _open: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def enter(self, limit: Limit, now: float) -> bool:
        """Whether a request that begins now may pass. It counts, either way: it was sent."""
        with self._lock:
            while self._begun and self._begun[0] <= now - limit.window:
                self._begun.popleft()
            self._begun.append(now)
            self._open += 1
            self.most_in_window = max(self.most_in_window, len(self._begun))
            self.most_parallel = max(self.most_parallel, self._open)
            is_over = (limit.requests is not None and len(self._begun) > limit.requests) or (
                limit.parallel is not None and self._open > limit.parallel
            )
            self.refused += is_over
            return not is_over

    def leave(self) -> None:
        """A request has been answered."""
        with self._lock:
            self._open -= 1


@dataclass(kw_only=True)
class Mischief:
    """The faults that are still to happen."""

    faults: list[Fault] = field(default_factory=list)
    _done: dict[Fault, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, service: str, url: str) -> Fault | None:
        """The fault that happens to this request, None for none."""
        with self._lock:
            for fault in self.faults:
                if fault.service in ("", service) and fault.where in url:
                    done = self._done.get(fault, 0)
                    if done < fault.times:
                        self._done[fault] = done + 1
                        return fault
        return None

    def left(self) -> list[Fault]:
        """The faults that have not happened as often as they should."""
        return [fault for fault in self.faults if self._done.get(fault, 0) < fault.times]
