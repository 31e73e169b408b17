"""The box `none`: plain processes, each in a session of its own, killed as a group at the deadline."""

import os
import subprocess
import threading
import time
from typing import IO

from pytest_aar.processes import kill_group

from .box import OUTPUT_BYTES, CommandResult, CommandSpec, base_environment

_GRACE = 1.0  # seconds for the output of killed or detached processes to arrive
_CANNOT_RUN, _NO_SUCH_PROGRAM = 126, 127  # as shells have it


class PlainBox:
    """Runs commands as this user, without isolation: the environment is clean, the file system is not."""

    name = "none"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._stopped = False

    def run(self, spec: CommandSpec) -> CommandResult:
        """Run in an own session and kill the whole group afterwards, also when the command ended well."""
        try:
            process = self._start(spec)
        except (OSError, ValueError) as error:
            return _not_started(spec, error)
        if process is None:
            return CommandResult(output="", exit_code=-1, timed_out=True)
        reader = _Reader(process.stdout)
        try:
            timed_out = not _feed_and_wait(process, spec)
        finally:
            kill_group(process.pid)
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
            kill_group(pid)

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


def _not_started(spec: CommandSpec, error: OSError | ValueError) -> CommandResult:
    """What a shell says of a command that can't be started: the agent's to hear and to mend."""
    if not os.path.isdir(spec.workdir):  # Path.is_dir raises where it may not look
        return CommandResult(
            output="can't run the command: the working directory is gone\n", exit_code=_CANNOT_RUN
        )
    missing = isinstance(error, FileNotFoundError)
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return CommandResult(
        output=f"can't run the command: {reason}\n",
        exit_code=_NO_SUCH_PROGRAM if missing else _CANNOT_RUN,
    )


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
            pipe.write(text.encode("utf-8", "surrogatepass"))
    except BrokenPipeError:
        return  # the program did not want its input: its own business
