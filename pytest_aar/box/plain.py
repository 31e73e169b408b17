"""The box `none`: plain processes, each in a session of its own, killed as a group at the deadline."""

import os
import signal
import subprocess
import threading
import time
from typing import IO

from .box import OUTPUT_BYTES, CommandResult, CommandSpec, base_environment

_GRACE = 1.0  # seconds for the output of killed or detached processes to arrive


class PlainBox:
    """Runs commands as this user, without isolation: the environment is clean, the file system is not."""

    name = "none"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._stopped = False

    def run(self, spec: CommandSpec) -> CommandResult:
        """Run in an own session and kill the whole group afterwards, also when the command ended well."""
        process = self._start(spec)
        if process is None:
            return CommandResult(output="", exit_code=-1, timed_out=True)
        reader = _Reader(process.stdout)
        try:
            timed_out = not _feed_and_wait(process, spec)
        finally:
            _kill_group(process.pid)
            with self._lock:
                self._running.discard(process.pid)
        process.wait()
        return CommandResult(
            output=reader.text(),
            exit_code=-1 if timed_out else process.returncode,
            timed_out=timed_out,
            dropped_bytes=reader.dropped,
        )

    def stop(self) -> None:
        """Kill every running group and refuse further commands."""
        with self._lock:
            self._stopped = True
            running = tuple(self._running)
        for pid in running:
            _kill_group(pid)

    def _start(self, spec: CommandSpec) -> subprocess.Popen[bytes] | None:
        command = spec.command
        argv = ("/bin/bash", "-c", command) if isinstance(command, str) else command
        with self._lock:  # stop() must not slip between the start and the note of the pid
            if self._stopped:
                return None
            process = subprocess.Popen(
                argv,
                cwd=spec.workdir,
                env={**base_environment(spec.workdir), **spec.env},
                stdin=subprocess.DEVNULL if spec.stdin is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.add(process.pid)
        return process


class _Reader:
    """Reads a pipe to its end in a thread, keeps the first `OUTPUT_BYTES`."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None  # Popen was told to make one
        self._pipe = pipe
        self._kept = bytearray()
        self.dropped = 0
        self._thread = threading.Thread(target=self._read, daemon=True, name="aar-box-output")
        self._thread.start()

    def text(self) -> str:
        # A process that left the group (setsid) may hold the pipe: don't wait for its whole life.
        self._thread.join(_GRACE)
        return bytes(self._kept).decode("utf-8", errors="replace")

    def _read(self) -> None:
        with self._pipe as pipe:
            while chunk := pipe.read1(65536):  # type: ignore[attr-defined] # Popen gives a BufferedReader
                room = OUTPUT_BYTES - len(self._kept)
                self._kept += chunk[:room]
                self.dropped += len(chunk) - len(chunk[:room])


def _feed_and_wait(process: subprocess.Popen[bytes], spec: CommandSpec) -> bool:
    """True when the command ended within its time."""
    deadline = time.monotonic() + spec.timeout
    if process.stdin is not None:
        feeder = threading.Thread(target=_feed, args=(process.stdin, spec.stdin or ""), daemon=True)
        feeder.start()
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _feed(pipe: IO[bytes], text: str) -> None:
    try:
        with pipe:
            pipe.write(text.encode())
    except BrokenPipeError:
        return  # the program did not want its input: its own business


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # all gone already (macOS says EPERM for a group of zombies)
