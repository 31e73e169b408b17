"""The person's side of a race: lines are read, moves are made, results are shown, until the race ends."""

import math
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin

from pytest_aar.tools import tool_named
from pytest_aar.trace import Finish, parse_answer

from . import texts
from .moves import COMMANDS, Command, ToolMove, parse
from .pages import Pager, fitted, harmless
from .seat import Seat
from .terminal import Terminal
from .typed import BadLine

_BEAT = 0.5  # seconds


class _TimeIsUp(Exception):
    """Raised at the prompt when the race has ended."""


class Player:
    """One person, one race."""

    def __init__(self, seat: Seat, terminal: Terminal) -> None:
        self._seat, self._terminal = seat, terminal
        width, height = terminal.size
        self._pager = Pager(width=width, height=height)
        self._notes: list[str] = []
        self._calls = 0
        self._page = seat.envelope.seed_url
        self._does: dict[str, Callable[[str], Finish | None]] = {
            name: getattr(self, f"_do_{name}") for name in COMMANDS
        }

    def play(self) -> Finish:
        """Race until an answer, a give-up, Ctrl-C, the end of the input or the time limit."""
        try:
            return self._played()
        except (EOFError, KeyboardInterrupt):
            return given_up("Ctrl-C or the end of the input")
        except OSError as error:  # the terminal was closed
            return given_up(f"the terminal is gone: {error}")
        except _TimeIsUp:
            return self._late()

    def _played(self) -> Finish:
        self._say(f"{texts.task(self._seat.envelope)}\n\n{texts.START}{self._limit()}")
        while True:
            line = self._line()
            if self._seat.is_over:
                return self._late()
            finish = self._done(line) if line.strip() else None
            if finish is not None:
                return finish

    def _line(self) -> str:
        with _heartbeat(lambda: self._seat.is_over):
            return self._terminal.read(f"[{texts.clock(self._seat.elapsed)}] > ")

    def _done(self, line: str) -> Finish | None:
        try:
            move = parse(line)
            if isinstance(move, Command):
                return self._does[move.name](move.rest)
            self._call(move)
        except BadLine as problem:
            self._say(f"? {problem}")
        return None

    def _call(self, move: ToolMove) -> None:
        name, arguments = move.tool.name, self._followed(move.arguments)
        self._calls += 1
        answer = self._seat.call(name, arguments)
        if self._seat.is_over:
            return  # the result came too late
        if not answer.ok:
            self._say(texts.error_text(name, answer.text))
            return
        self._page = arguments.get("url", self._page)
        self._pager.width, self._pager.height = self._terminal.size
        self._terminal.say(self._pager.open(answer.text))

    def _followed(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Pages show links as paths: such a link is followed from the page that was opened last."""
        url = arguments.get("url")
        if not isinstance(url, str) or not url.startswith("/"):
            return arguments
        return {**arguments, "url": urljoin(self._page, url)}

    def _say(self, text: str) -> None:
        width, _ = self._terminal.size
        self._terminal.say("\n".join(fitted(harmless(text), width)))

    def _late(self) -> Finish:
        self._say(f"The time is up: {texts.clock(self._seat.limit)}.")
        return Finish(ending="timeout")

    def _limit(self) -> str:
        if math.isinf(self._seat.limit):
            return ""
        return f"\nYou have {texts.clock(self._seat.limit)}."

    # The commands.

    def _do_answer(self, rest: str) -> Finish:
        digit = parse_answer(rest)
        if digit is None:
            raise BadLine(f"the answer is one digit, 0 to 9: answer 7 (got {rest[:40]!r})")
        return self._seat.answer(digit)

    def _do_giveup(self, rest: str) -> Finish:
        return given_up("as asked")

    _do_quit = _do_giveup

    def _do_help(self, rest: str) -> None:
        if not rest or rest.lower() in COMMANDS:
            self._say(texts.commands())
            return
        tool = tool_named(rest)
        if tool is None:
            raise BadLine(f"there is no tool {rest[:60]!r}; tools lists them")
        self._say(texts.of_tool(tool))

    def _do_tools(self, rest: str) -> None:
        self._say(texts.tools(self._seat.envelope))

    def _do_clues(self, rest: str) -> None:
        self._say(texts.task(self._seat.envelope))

    def _do_more(self, rest: str) -> None:
        self._terminal.say(self._pager.more())

    def _do_page(self, rest: str) -> None:
        if rest and not (rest.isascii() and rest.isdigit()):
            raise BadLine(f"page takes a number: page 2 (got {rest[:40]!r})")
        self._terminal.say(self._pager.page(int(rest[:9]) if rest else self._pager.number))

    def _do_find(self, rest: str) -> None:
        if not rest:
            raise BadLine("find what? find TEXT looks in the last result")
        self._say(self._pager.find(rest))

    def _do_note(self, rest: str) -> None:
        if not rest:
            raise BadLine("note what? note TEXT keeps a line, notes shows them")
        self._notes.append(f"[{texts.clock(self._seat.elapsed)}] {rest}")

    def _do_notes(self, rest: str) -> None:
        self._say("\n".join(self._notes) or "(no notes)")

    def _do_time(self, rest: str) -> None:
        left = self._seat.left
        shown = "no limit" if math.isinf(left) else f"{texts.clock(left)} left"
        used = texts.clock(self._seat.elapsed)
        self._say(f"{used} used, {shown}; tools called: {self._calls}")


def given_up(how: str) -> Finish:
    """The end of a race without an answer; `how` goes into the results."""
    return Finish(ending="no-answer", detail=f"gave up ({how})")


@contextmanager
def _heartbeat(is_over: Callable[[], bool]) -> Iterator[None]:
    """Wake a wait in the main thread twice a second: raises `_TimeIsUp` there once the race is over.

    It also gives a Ctrl-C its turn that came just before the wait began. In another thread the end of the
    race is noticed at the next line.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return

    def beat(*_: Any) -> None:
        if is_over():
            raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, beat)
    signal.setitimer(signal.ITIMER_REAL, _BEAT, _BEAT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
