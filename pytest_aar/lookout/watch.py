"""The lookout of one race."""

import json
import shlex
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from .folding import new_part
from .needles import Needle, found_in
from .streams import commands_in, pieces
from .web import code_access, web_access

#: Lines of evidence that are kept; more of them prove nothing more.
_LINES = 8
_COMMAND_SHOWN = 24
#: What a box and a run of code say of themselves when they see this machine's files and network.
_OPEN_BOX, _OPEN_CODE = "none", "weak"


class Lookout:
    """Watches what passes in a race; safe to call from any thread.

    `needles` are what no honest race meets; `watches_web`: commands could reach the network past the gateway.
    Without needles and web it looks at nothing. What the network could tell counts only where something ran that
    reaches it (`ran`); a path only where something ran that sees this machine's files, or where the agent itself
    does, being code of the user's inside pytest (`reads_itself`).
    """

    def __init__(
        self,
        needles: Sequence[Needle] = (),
        *,
        watches_web: bool = False,
        reads_itself: bool = True,
    ) -> None:
        self._needles = tuple(needles)
        self._reads_itself = reads_itself
        self._watches_web = watches_web
        self._lock = threading.Lock()
        self._given_away: dict[str, bool] = {}
        self._past: dict[str, str] = {}
        self._ran: set[str] = set()
        self._last_request = b""
        self._commands = 0

    @property
    def contaminated(self) -> tuple[str, ...]:
        """What gave the leg away, a line each: what was seen and where."""
        # a path that nobody here could have followed gave nothing away
        paths_count = self._reads_itself or self.reaches_files
        with self._lock:
            found = tuple(self._given_away.items())
        return tuple(line for line, is_path in found if paths_count or not is_path)[:_LINES]

    @property
    def unobserved(self) -> tuple[str, ...]:
        """What was asked of the network past the gateway, a line each."""
        with self._lock:
            found = tuple(self._past.items())
        return tuple(line for line, where in found if where in self._ran)[:_LINES]

    @property
    def reaches_files(self) -> bool:
        """Whether anything of this race ran that sees this machine's files."""
        return not self._ran.isdisjoint((_OPEN_BOX, _OPEN_CODE))

    def ran(self, isolation: str) -> None:
        """Commands or code ran in a box of this name."""
        self._ran.add(isolation)

    def note(self, line: str, *, is_path: bool = False) -> None:
        """Keep a line of evidence: the race is contaminated. `is_path`: where files can be seen."""
        with self._lock:
            self._given_away.setdefault(line, is_path)

    def command(self, command: str | Sequence[str], *, stdin: str = "") -> str:
        """A command that the agent runs; gives the name by which evidence speaks of it."""
        with self._lock:
            self._commands += 1
            name = f"command {self._commands}"
        words = (command,) if isinstance(command, str) else tuple(command)
        name = f"{name} ({_first_word(words)})"
        self._look("\n".join(words), name)
        self._look(stdin, f"the input of {name}")
        if self._watches_web:
            line = command if isinstance(command, str) else shlex.join(words)
            self._note_web(web_access(line, stdin=stdin), name, _OPEN_BOX)
        return name

    def output(self, text: str, name: str) -> None:
        """What a command printed; `name` as `command` gave it."""
        self._look(text, f"the output of {name}")

    def tool(
        self, name: str, arguments: Mapping[str, Any], text: str, *, isolation: str = ""
    ) -> None:
        """A tool call over the gateway: its arguments, the whole result, the walls that its code ran in."""
        name = name[:_COMMAND_SHOWN]
        if isolation:
            self.ran(isolation)
        if self._needles:
            self._look(json.dumps(arguments, default=str), f"the arguments of the tool {name}")
            self._look(text, f"the result of the tool {name}")
        code = arguments.get("code")
        if self._watches_web and isolation == _OPEN_CODE and isinstance(code, str):
            self._note_web(code_access(code), f"the tool {name}", _OPEN_CODE)

    def asked(self, data: bytes) -> None:
        """A request to the model. Conversations are sent again and again: only what is new is read."""
        if self._needles:
            last, self._last_request = self._last_request, data
            self._look(new_part(data, last), "what was sent to the model")

    def replied(self, data: bytes, *, streamed: bool = False) -> None:
        """The model's whole reply as it came over the wire."""
        self._look(data, "a reply of the model")
        if streamed and self._needles:
            for text in pieces(data).values():
                self._look(text, "a reply of the model")
        if self._watches_web:
            for command in commands_in(data):
                self._note_web(web_access(command), "a command of the model's", _OPEN_BOX)

    def _look(self, text: str | bytes, where: str) -> None:
        if not self._needles or not text:
            return
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        for needle in found_in(self._needles, data):
            self.note(f"{needle.what} in {where}", is_path=needle.is_path)

    def _note_web(self, lines: Sequence[str], where: str, box: str) -> None:
        with self._lock:
            for line in lines:
                self._past.setdefault(f"{line} in {where}", box)


def _first_word(words: Sequence[str]) -> str:
    first = next(iter(words[0].split()), "") if words else ""
    return first.rpartition("/")[2][:_COMMAND_SHOWN]
