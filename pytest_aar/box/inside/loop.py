"""Waiting for many files at once."""

from __future__ import annotations

import select

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[int], object]

IN, OUT, GONE = select.POLLIN, select.POLLOUT, select.POLLHUP | select.POLLERR
CHUNK = 65_536


class Loop:
    """Calls `handler(events)` when something can be done with its file; handlers never block."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._handlers: dict[int, Handler] = {}

    def watch(self, file: int, events: int, handler: Handler) -> None:
        """Watch a file from now on, or for other events than before; for none: not at all."""
        if not events:
            self.forget(file)
            return
        self._poll.register(file, events)
        self._handlers[file] = handler

    def forget(self, file: int) -> None:
        """Watch it no longer."""
        if self._handlers.pop(file, None):
            self._poll.unregister(file)

    def step(self, seconds: float | None) -> None:
        """Wait for something to do, `seconds` at most, and do it."""
        # rounded up: a deadline must have passed when the loop comes back for it
        waiting = None if seconds is None else int(seconds * 1000) + 1
        for file, events in self._poll.poll(waiting):
            handler = self._handlers.get(file)
            if handler is not None:  # an earlier one may have closed it
                handler(events)
