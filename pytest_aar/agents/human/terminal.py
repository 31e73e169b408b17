"""Where a person's lines come from and what they see: a terminal with history and completion, or a plain pipe."""

import io
import shutil
import sys
from collections.abc import Callable
from typing import Any, Protocol, TextIO

from .completion import completions

#: A pipe has no size; COLUMNS and LINES of the environment count for it, too.
_PIPE_SIZE = (100, 40)


class Terminal(Protocol):
    """Lines in, text out. OSError from either means that nobody is there any longer."""

    @property
    def size(self) -> tuple[int, int]:
        """Characters in a line, lines on the screen."""
        ...

    def read(self, prompt: str) -> str:
        """The next line; EOFError at the end, KeyboardInterrupt on Ctrl-C."""
        ...

    def say(self, text: str) -> None:
        """Show the text and a line break."""
        ...


class Pipe:
    """Lines from a file or a pipe: no escape codes, and each line is echoed, so that the output reads as a whole."""

    def __init__(self, lines: TextIO, out: TextIO) -> None:
        self._lines, self._out = lines, out

    @property
    def size(self) -> tuple[int, int]:
        """As COLUMNS and LINES say, else 100 by 40."""
        width, height = shutil.get_terminal_size(_PIPE_SIZE)
        return width, height

    def read(self, prompt: str) -> str:
        """The next line, without its end."""
        line = self._lines.readline()
        if not line:
            raise EOFError
        line = line.rstrip("\r\n")
        self.say(f"{prompt}{line}".rstrip())
        return line

    def say(self, text: str) -> None:
        """Write it at once; characters that the encoding lacks become question marks."""
        encoding = self._out.encoding or "utf-8"
        self._out.write(f"{text}\n".encode(encoding, "replace").decode(encoding))
        self._out.flush()


class Typed(Pipe):
    """A terminal: lines are edited, remembered and completed where Python has readline."""

    def __init__(self, lines: TextIO, out: TextIO) -> None:
        super().__init__(lines, out)
        _set_up_readline(completions)

    def read(self, prompt: str) -> str:
        """The next line; one that is not in the terminal's encoding is asked for again."""
        while True:
            try:
                return input(prompt)
            except UnicodeDecodeError as error:
                self.say(f"that line is not {error.encoding}: type it again")


def terminal_of(lines: TextIO, out: TextIO) -> Terminal:
    """The terminal if both are one, else the pipe."""
    if lines.isatty() and out.isatty() and lines is sys.stdin and out is sys.stdout:
        return Typed(lines, out)
    return Pipe(_forgiving(lines), out)


def _forgiving(lines: TextIO) -> TextIO:
    """Bytes that are no text become replacement characters: a bad line is no reason to end a race."""
    if isinstance(lines, io.TextIOWrapper):
        lines.reconfigure(errors="replace")
    return lines


def _set_up_readline(offered: Callable[[str, str], list[str]]) -> None:
    # Only for a terminal: its import alone may write an escape code to the output.
    try:
        import readline  # noqa: PLC0415 - see above
    except ImportError:  # a Python built without it: lines are plain
        return
    readline.set_completer(_completer(readline, offered))
    readline.set_completer_delims(" \t\n")
    readline.set_auto_history(True)
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")


def _completer(
    readline: Any, offered: Callable[[str, str], list[str]]
) -> Callable[[str, int], str | None]:
    def complete(word: str, state: int) -> str | None:
        before = readline.get_line_buffer()[: readline.get_begidx()]
        found = offered(before, word)
        return found[state] if state < len(found) else None

    return complete
