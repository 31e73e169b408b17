"""The agent behind the Protocol, and the seat that it offers to the person who races.

The gateway's loop waits for the person; the person's terminal stays in the main thread, where Ctrl-C arrives.
"""

import asyncio
import json
import math
import queue
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pytest_aar.agents.answer import ANSWER_FILE, read_answer
from pytest_aar.agents.protocol import Course, Limits
from pytest_aar.leg import ClueEnvelope
from pytest_aar.trace import Finish

_JSON = {"content-type": "application/json"}
_HOW_TO_CALL = "Type a tool's name and its arguments; when you have the digit, type: answer DIGIT"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """What a person gets of a tool's result: the text that any agent gets."""

    ok: bool
    text: str


class Seat:
    """One race as its person sees it. All methods are for the person's thread."""

    def __init__(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> None:
        """To be made on the gateway's loop."""
        self.envelope = envelope
        self.limit = limits.seconds
        self.finish: Future[Finish] = Future()
        self._course = course
        self._loop = asyncio.get_running_loop()
        self._start = time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the race has ended: by its time limit, or by `end`."""
        return self.finish.done()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    @property
    def left(self) -> float:
        """Seconds until the time limit; infinite where there is none."""
        return math.inf if math.isinf(self.limit) else max(0.0, self.limit - self.elapsed)

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool and wait for it; Ctrl-C ends the call as well."""
        calling = asyncio.run_coroutine_threadsafe(self._posted(name, arguments), self._loop)
        try:
            return calling.result()
        except BaseException:
            calling.cancel()
            raise

    async def _posted(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        # ASCII escapes: what a person types may hold NaN and lone surrogates, which httpx's JSON can't
        content = json.dumps(dict(arguments)).encode()
        reply = await self._course.http.post(f"tools/{name}", content=content, headers=_JSON)
        return ToolAnswer(ok=reply.is_success, text=reply.text)

    def answer(self, digit: int) -> Finish:
        """Write the digit where every agent writes it, and read it as it is read from every agent."""
        (self._course.workdir / ANSWER_FILE).write_text(f"{digit}\n", encoding="utf-8")
        return read_answer(self._course.workdir)

    def end(self, finish: Finish) -> None:
        """End the race; the first end counts."""
        # InvalidStateError: the time limit was faster
        with suppress(InvalidStateError):
            self.finish.set_result(finish)


class HumanAgent:
    """Races as the person says who sits at `seat()`."""

    name = "human"
    needs_model = False
    how_to_call = _HOW_TO_CALL

    def __init__(self) -> None:
        self._seats: queue.SimpleQueue[Seat | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._taken: Seat | None = None
        self._end: Finish | None = None

    def version(self) -> str:
        """The package's version: it decides what the terminal shows."""
        from importlib.metadata import version  # noqa: PLC0415 - reads files

        return version("pytest-aar")

    def seat(self) -> Seat | None:
        """The seat of the race once it has started; None when it never did. Blocks until then."""
        return self._seats.get()

    def no_race(self, *_: object) -> None:
        """Tell whoever waits for a seat that there will be none (a callback of the race's future)."""
        self._seats.put(None)

    def end(self, finish: Finish) -> None:
        """End the race, also one that has not started yet: it ends as it starts."""
        with self._lock:
            self._end = finish
            if self._taken is not None:
                self._taken.end(finish)

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        """Wait for the person's end of the race."""
        seat = Seat(envelope, course, limits)
        with self._lock:
            self._taken = seat
            if self._end is not None:
                return self._end
        self._seats.put(seat)
        return await asyncio.wrap_future(seat.finish)
