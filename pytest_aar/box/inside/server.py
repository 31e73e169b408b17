"""The server: requests in, results out, until the plugin is gone or SIGTERM comes."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # `signal` is slow to import; no stubs
import _socket as socket
import os
import resource
import sys
import time

from .bridge import Forwarder
from .command import Command, not_started
from .frames import READY, frame, take_frame
from .kernel import adopt_orphans, close_memory
from .loop import CHUNK, GONE, IN, OUT, Loop
from .orphans import kill_descendants


class Server:
    """Runs commands side by side in one thread."""

    def __init__(self, control: socket.socket) -> None:
        self.loop, self._control = Loop(), control
        self._received, self._sending = bytearray(), bytearray(frame(READY))
        self._running: dict[int, Command] = {}
        self._ended = False
        control.settimeout(0)
        self._wake, wake = os.pipe()
        for end in (self._wake, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.loop.watch(self._wake, IN, lambda _: self._reap())
        self._watch_control()

    def end(self) -> None:
        """Work no longer."""
        self._ended = True

    def serve(self) -> None:
        """Work until the end, then kill the commands that still run."""
        while not self._ended:
            self.loop.step(self._patience())
            for command in self._running.values():
                if command.deadline <= time.monotonic() and not command.timed_out:
                    command.timed_out = True
                    command.kill()
        for command in self._running.values():
            command.kill()

    def _patience(self) -> float | None:
        deadlines = [item.deadline for item in self._running.values() if not item.timed_out]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _watch_control(self) -> None:
        events = IN | OUT if self._sending else IN
        self.loop.watch(self._control.fileno(), events, self._talk)

    def _talk(self, events: int) -> None:
        try:
            if events & OUT:
                del self._sending[: self._control.send(self._sending[:CHUNK])]
            if events & (IN | GONE):
                chunk = self._control.recv(CHUNK)
                self._ended = self._ended or not chunk
                self._received += chunk
        except BlockingIOError:
            return
        except OSError:  # the plugin's process is gone
            self._ended = True
            return
        while (fields := take_frame(self._received)) is not None:
            self._start(fields)
        self._watch_control()

    def _start(self, fields: list[bytes]) -> None:
        number, seconds, folder, has_input, stdin, count = fields[:6]
        argv, pairs = fields[6 : 6 + int(count)], fields[6 + int(count) :]
        env = dict(pair.split(b"=", 1) for pair in pairs)
        command = Command(self.loop, number, float(seconds))
        try:
            command.start(folder, stdin if int(has_input) else None, argv, env)
        except (OSError, ValueError) as error:
            self._send(not_started(number, folder, error))
        else:
            self._running[command.pid] = command

    def _reap(self) -> None:
        os.read(self._wake, CHUNK)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            command = self._running.pop(pid, None)  # None: an orphan
            if command is not None:
                self._send(command.result(status))

    def _send(self, message: bytes) -> None:
        self._sending += message
        self._watch_control()


def main(words: list[str]) -> None:
    """Words are `forward=PORT:PATH`, `orphans=adopt`, `memory=closed`, and limits like `NOFILE=1024`."""
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    for file in (0, 1):
        os.dup2(null, file)
    settings = dict(word.split("=", 1) for word in words)
    way = settings.pop("forward", "")
    if settings.pop("memory", ""):  # first of all: else an agent could write its own results
        close_memory()
    adopts = bool(settings.pop("orphans", "")) and sys.platform == "linux"
    if adopts:
        adopt_orphans()
    for name, most in settings.items():
        _limit(name, int(most))
    server = Server(control)
    if way:
        port, _, path = way.partition(":")
        Forwarder(server.loop, int(port), path)
    # Else this is process 1, whom nobody inside can end as long as it does not ask to be.
    if adopts:
        signal.signal(signal.SIGTERM, lambda *_: server.end())
    server.serve()
    if adopts:
        kill_descendants()


def _limit(name: str, most: int) -> None:
    kind = getattr(resource, f"RLIMIT_{name}")
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:
        resource.setrlimit(kind, (most, most))
    except (ValueError, OSError):  # macOS refuses some
        if name == "NPROC":  # a sandbox counts on it
            raise
