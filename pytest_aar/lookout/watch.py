"""The lookout of one race."""

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from .folding import fold, new_part
from .needles import Needle
from .streams import commands_in, pieces
from .web import web_access

#: Lines of evidence that are kept; more of them prove nothing more.
_LINES = 8
_COMMAND_SHOWN = 24
#: Where one of these stands in a reply (or may stand in pieces), its calls are looked at one by one.
_WEB_WORDS = (
    *(b"curl", b"wget", b"urllib", b"urlopen", b"requests", b"httpx", b"aiohttp", b"axios"),
    *(b"fetch(", b"http.client", b"git ", b"docker", b"podman", b"lynx", b"w3m", b"aria2c"),
)


class Lookout:
    """Watches what passes in a race; safe to call from any thread.

    `needles` are what no honest race meets; `watches_web`: commands could reach the network past the gateway.
    Without needles and web it looks at nothing.
    """

    def __init__(self, needles: Sequence[Needle] = (), *, watches_web: bool = False) -> None:
        self._needles = tuple(needles)
        self._watches_web = watches_web
        self._lock = threading.Lock()
        self._given_away: dict[str, None] = {}
        self._past: dict[str, None] = {}
        self._last_request = b""
        self._commands = 0

    @property
    def contaminated(self) -> tuple[str, ...]:
        """What gave the leg away, a line each: what was seen and where."""
        return tuple(self._given_away)[:_LINES]

    @property
    def unobserved(self) -> tuple[str, ...]:
        """What was asked of the network past the gateway, a line each."""
        return tuple(self._past)[:_LINES]

    def note(self, line: str) -> None:
        """Keep a line of evidence that somebody else found: the race is contaminated."""
        with self._lock:
            self._given_away.setdefault(line)

    def command(self, command: str | Sequence[str], *, gateway: str = "") -> str:
        """A command that the agent runs; gives the name by which evidence speaks of it."""
        with self._lock:
            self._commands += 1
            name = f"command {self._commands}"
        words = (command,) if isinstance(command, str) else tuple(command)
        name = f"{name} ({_first_word(words)})"
        self._look("\n".join(words), name)
        if self._watches_web:
            # Arguments of a program are no commands: they may hold a whole prompt.
            shell = words[0] if len(words) == 1 else _shell_line(words)
            self._look_for_web(shell, name, gateway)
        return name

    def output(self, text: str, name: str) -> None:
        """What a command printed; `name` as `command` gave it."""
        self._look(text, f"the output of {name}")

    def tool(self, name: str, arguments: Mapping[str, Any], text: str) -> None:
        """A tool call over the gateway: its arguments, and the whole result."""
        name = name[:_COMMAND_SHOWN]
        if self._needles:
            self._look(json.dumps(arguments, default=str), f"the arguments of the tool {name}")
            self._look(text, f"the result of the tool {name}")
        code = arguments.get("code")
        if self._watches_web and isinstance(code, str):
            self._look_for_web(code, f"the tool {name}", "")

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
        if self._watches_web and (streamed or any(word in data for word in _WEB_WORDS)):
            for command in commands_in(data):
                self._look_for_web(command, "a command of the model's", "")

    def _look(self, text: str | bytes, where: str) -> None:
        if not self._needles or not text:
            return
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        folded = fold(data)
        found = [needle for needle in self._needles if needle.stands_in(folded)]
        for needle in [each for each in found if not each.faint] or found:
            self.note(f"{needle.what} in {where}")

    def _look_for_web(self, command: str, where: str, gateway: str) -> None:
        for line in web_access(command, gateway=gateway):
            with self._lock:
                self._past.setdefault(f"{line} in {where}")


def _first_word(words: Sequence[str]) -> str:
    first = next(iter(words[0].split()), "") if words else ""
    return first.rpartition("/")[2][:_COMMAND_SHOWN]


def _shell_line(words: Sequence[str]) -> str:
    """The line that a shell is given (`bash -lc LINE`), or a fetcher's own words; "" for other programs."""
    program = words[0].rpartition("/")[2]
    if program in ("sh", "bash", "dash", "zsh"):
        return words[-1]
    if program in ("curl", "wget", "http", "https", "git", "docker", "podman"):
        return " ".join(words)
    return ""
