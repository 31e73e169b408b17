"""One command of an agent: its process group, its input, what is kept of its output."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # `signal` is slow to import; no stubs
import os
import time

from .frames import CANNOT_RUN, HEAD_BYTES, NO_SUCH_PROGRAM, TAIL_BYTES, frame
from .loop import CHUNK, IN, OUT

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from .loop import Loop

_MOST_CHUNKS = 32  # more than one pipe holds when its command has ended


class Command:
    """A command that runs: its output as far as it is kept, its input as far as it is written."""

    def __init__(self, loop: Loop, number: bytes, seconds: float) -> None:
        self.number, self.deadline = number, time.monotonic() + seconds
        self.pid, self.timed_out = 0, False
        self._loop, self._input = loop, b""
        self._in = self._out = -1
        self._head, self._rest, self._total = bytearray(), bytearray(), 0

    def start(
        self, folder: bytes, stdin: bytes | None, argv: list[bytes], env: dict[bytes, bytes]
    ) -> None:
        """Start it in a session of its own; OSError or ValueError when that can't be."""
        os.chdir(folder)
        self._out, out = os.pipe()
        if stdin is None:
            source = os.open(os.devnull, os.O_RDONLY)
        else:
            source, self._in = os.pipe()
        try:
            self.pid = _spawn(argv, env, source, out)
        except BaseException:
            self._close_files()
            raise
        finally:
            os.close(out)
            os.close(source)
        self._watch(stdin or b"")

    def _watch(self, stdin: bytes) -> None:
        os.set_blocking(self._out, False)
        self._loop.watch(self._out, IN, lambda _: self._read())
        if self._in >= 0:
            self._input = stdin
            os.set_blocking(self._in, False)
            self._loop.watch(self._in, OUT, lambda _: self._write())

    def kill(self) -> None:
        """Kill its whole process group."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:  # all gone already; macOS says EPERM for a group of zombies
            return

    def result(self, status: int) -> bytes:
        """The message about a command that ended: its group dies, what stands in the pipe is taken along.

        What holds the pipe from a session of its own is not waited for.
        """
        self.kill()
        for _ in range(_MOST_CHUNKS):
            if not self._read():
                break
        self._close_files()
        dropped = self._total - len(self._head)
        tail = (self._head[-TAIL_BYTES:] + self._rest)[-TAIL_BYTES:] if dropped else b""
        code = -1 if self.timed_out else os.waitstatus_to_exitcode(status)
        numbers = [b"%d" % number for number in (code, self.timed_out, dropped)]
        return frame(self.number, *numbers, bytes(self._head), bytes(tail))

    def _read(self) -> bool:
        try:
            chunk = os.read(self._out, CHUNK) if self._out >= 0 else b""
        except BlockingIOError:
            return False
        if not chunk:
            self._out = self._closed(self._out)
            return False
        self._total += len(chunk)
        room = HEAD_BYTES - len(self._head)
        self._head += chunk[:room]
        if room < len(chunk):
            self._rest = (self._rest + chunk[room:])[-TAIL_BYTES:]
        return True

    def _write(self) -> None:
        try:
            self._input = self._input[os.write(self._in, self._input[:CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # the program did not want its input: its own business
            self._input = b""
        if not self._input:
            self._in = self._closed(self._in)

    def _close_files(self) -> None:
        self._in, self._out = self._closed(self._in), self._closed(self._out)

    def _closed(self, file: int) -> int:
        if file >= 0:
            self._loop.forget(file)
            os.close(file)
        return -1


def _spawn(argv: list[bytes], env: dict[bytes, bytes], source: int, out: int) -> int:
    """Start the program, looked up on the PATH of its own environment."""
    folders = [b""] if b"/" in argv[0] else env.get(b"PATH", b"/usr/bin:/bin").split(b":")
    files = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, out, 1)]
    files.append((os.POSIX_SPAWN_DUP2, out, 2))
    usual = [signal.SIGPIPE, signal.SIGXFSZ]  # Python ignores them, programs count on them
    problem: OSError = FileNotFoundError(2, os.strerror(2))
    for folder in folders:
        path = os.path.join(folder, argv[0])
        try:
            return os.posix_spawn(path, argv, env, file_actions=files, setsid=True, setsigdef=usual)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:  # look further, as shells do, but tell
            problem = error
    raise problem


def not_started(number: bytes, folder: bytes, error: OSError | ValueError) -> bytes:
    """What a shell says of a command that can't be started: the agent's to hear and to mend."""
    code, reason = CANNOT_RUN, "the working directory is gone"
    if os.path.isdir(folder):
        code = NO_SUCH_PROGRAM if isinstance(error, FileNotFoundError) else CANNOT_RUN
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    text = f"can't run the command: {reason}\n".encode("utf-8", "replace")
    return frame(number, b"%d" % code, b"0", b"0", text, b"")
