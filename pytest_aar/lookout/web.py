"""Commands that ask the network themselves: what they read there is in no trace.

Only what is run is looked at: programs where a shell starts them, and code that an interpreter is given. A look, no
proof: a program that hides its address is not seen.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from .clients import JAVASCRIPT, PYTHON, Language, calls_in, is_engine_socket
from .hosts import foreign_host
from .programs import FETCHERS, name_of, started, targets
from .shell import Simple, commands_of

#: What is looked at of a command: agents may write what they like, and as much.
#: The last three: commands and characters of all that is nested in it, and how deep that may be.
_LONGEST, _WORD, _COMMANDS, _ALL, _DEEPEST = 200_000, 500, 1_000, 400_000, 4
#: A cheap first look: none of these, no access.
_HINT = re.compile(
    r"curl|wget|\bxhs?\b|\bhttps?\s|aria2c|lynx|w3m|links|urllib|urlopen|requests|httpx|aiohttp|HTTPS?Connection"
    r"|create_connection|read_(?:html|csv|json)|axios|fetch\(|\bgit\s|https?[\"']?\)?\.get\(|docker|podman|nerdctl"
    r"|\bn(?:c|cat|etcat)\b|telnet|openssl|/dev/(?:tcp|udp)/"
)
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "ash", "eval"))
_PYTHONS = re.compile(r"(?:python|pypy|ipython)[\d.]*")
_NODES = frozenset(("node", "nodejs", "deno", "bun"))
_ENGINES = frozenset(("docker", "podman", "nerdctl", "docker-compose"))
_ENGINE_CALLS = frozenset(
    (
        "run",
        "exec",
        "cp",
        "start",
        "create",
        "compose",
        "image",
        "images",
        "ps",
        "pull",
        "build",
        "up",
    )
)
_GIT_CALLS = frozenset(
    ("clone", "fetch", "pull", "ls-remote", "submodule", "archive", "remote-https")
)
_SCP = re.compile(r"[\w.-]+@([\w.-]+):.*", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_SCRIPT = re.compile(r"\.(?:(?P<py>py)|(?P<js>[mc]?[jt]s)|(?P<sh>(?:ba)?sh))$")
_DEVICE = re.compile(r"/dev/(?:tcp|udp)/([^/\s]+)/")
_ENGINE_LINE = "a call of the container engine"


def web_access(command: str, *, stdin: str = "") -> tuple[str, ...]:
    """What a shell's line asks of the network past the gateway, a line each; usually nothing.

    Loopback is nobody's web (the gateway is there); names below `.test` lead nowhere.
    """
    if not _HINT.search(command) and not _HINT.search(stdin):
        return ()
    return _lines(_Run(stdin[:_LONGEST]).line(command[:_LONGEST]))


def code_access(code: str) -> tuple[str, ...]:
    """The same for a program in Python."""
    return _lines(_Run().code(code[:_LONGEST], PYTHON)) if _HINT.search(code) else ()


#: Who asks, and which host: None is nobody's, "" is said by `who` alone.
Found = Iterable[tuple[str, str | None]]


def _lines(found: Found) -> tuple[str, ...]:
    told = (f"{who} to {host}" if host else who for who, host in found if host is not None)
    return tuple(dict.fromkeys(told))


class _Run:
    """One look at a line and all that it holds; knows the variables that were assigned so far."""

    def __init__(self, stdin: str = "") -> None:
        self._stdin = stdin
        self._known: dict[str, str] = {}
        self._commands, self._characters = _COMMANDS, _ALL

    def line(self, text: str, depth: int = 0) -> Found:
        for command in islice(commands_of(self._taken(text)), max(self._commands, 0)):
            self._commands -= 1
            if self._stdin and not depth and command.before is None:
                command.bodies.append(self._stdin)
            yield from self._simple(command, depth)

    def _taken(self, text: str) -> str:
        """The text, or nothing when so much was looked at already."""
        self._characters -= len(text)
        return text if self._characters >= 0 else ""

    def code(self, text: str, language: Language, depth: int = 0) -> Found:
        text = self._taken(text)
        found = calls_in(text, language)
        yield from found.calls
        if is_engine_socket(text):
            yield _ENGINE_LINE, ""
        for line in found.shell if depth < _DEEPEST else ():
            yield from self.line(line, depth + 1)

    def _simple(self, command: Simple, depth: int) -> Found:
        assigned, words, starter = started(command.words)
        self._assign(assigned)
        name = name_of(words[0]) if words else ""
        yield from self._device(command)
        if name in ("export", "local", "declare", "readonly"):
            self._assign(dict(word.split("=", 1) for word in words[1:] if "=" in word))
        elif name == "for":
            self._assign(dict(zip(words[1:2], words[3:4], strict=False)))
        elif name in FETCHERS:
            yield from self._fetched(command, words, starter)
        elif name == "git":
            yield from _cloned([self._expanded(word) for word in words[1:]])
        elif name in _ENGINES and not _ENGINE_CALLS.isdisjoint(words[1:]):
            yield _ENGINE_LINE, ""
        elif depth < _DEEPEST:
            yield from self._interpreted(name, command, words, depth + 1)

    def _device(self, command: Simple) -> Found:
        """What bash itself connects to."""
        for match in filter(None, map(_DEVICE.match, command.files)):
            yield "the shell", foreign_host(self._expanded(match[1]) + ":", bare=True)

    def _assign(self, assigned: Mapping[str, str]) -> None:
        for name, value in assigned.items():
            self._known[name] = self._expanded(value)

    def _expanded(self, text: str) -> str:
        """With the variables that are known; others stay, and no host is read from them."""
        return _VARIABLE.sub(
            lambda match: self._known.get(match[1] or match[2], match[0]), text[:_WORD]
        )[:_WORD]

    def _fetched(self, command: Simple, words: Sequence[str], starter: str) -> Found:
        name = name_of(words[0])
        if any(is_engine_socket(word) for word in words):
            yield _ENGINE_LINE, ""
        for target in targets(name, words[1:]):
            yield name, foreign_host(self._expanded(target), bare=True)
        if starter == "xargs" and command.before is not None:
            for word in command.before.words[1:]:
                yield name, foreign_host(self._expanded(word))

    def _interpreted(self, name: str, command: Simple, words: Sequence[str], depth: int) -> Found:
        if name in _SHELLS:
            for text in _given(words, "c", command):
                yield from self.line(text, depth)
        elif _PYTHONS.fullmatch(name):
            for text in _given(words, "c", command):
                yield from self.code(text, PYTHON, depth)
        elif name in _NODES:
            for text in _given(words, "ep", command):
                yield from self.code(text, JAVASCRIPT, depth)
        elif name == "find":
            found = words.index("-exec") if "-exec" in words else len(words)
            yield from self._simple(Simple(words=[*words[found + 1 :]]), depth)
        else:
            yield from self._written(command, words, depth)

    def _written(self, command: Simple, words: Sequence[str], depth: int) -> Found:
        """A program that is written to a file is run sooner or later."""
        files = [*command.files, *(words[1:] if words[:1] == ["tee"] else ())]
        kind = next((found for found in map(_SCRIPT.search, files) if found), None)
        for text in command.bodies if kind else ():
            if kind and kind["sh"]:
                yield from self.line(text, depth)
            else:
                yield from self.code(text, PYTHON if kind and kind["py"] else JAVASCRIPT, depth)


def _given(words: Sequence[str], letters: str, command: Simple) -> Sequence[str]:
    """The code that an interpreter is given: by an option, or on its standard input."""
    if words[0] == "eval":
        return (" ".join(words[1:]),)
    at = 1
    while at < len(words) and words[at].startswith("-") and len(words[at]) > 1:
        if re.fullmatch(rf"-\w*[{letters}]|--eval|--print", words[at]):
            return words[at + 1 : at + 2]
        at += 2 if words[at] in ("-o", "-O", "-W", "-X") else 1
    has_script = at < len(words) and words[at] not in ("-", "/dev/stdin")
    return () if has_script else command.bodies


def _cloned(words: Sequence[str]) -> Found:
    if _GIT_CALLS.isdisjoint(words):
        return
    for word in words:
        scp = _SCP.fullmatch(word)
        yield "git", foreign_host(f"ssh://{scp[1]}" if scp else word)
