"""The process of one run of Python: its files, its lifeline, its end."""

import asyncio
import fcntl
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from pytest_aar.errors import InfrastructureError
from pytest_aar.processes import (
    MARKER,
    end_namespace,
    first_process,
    handle_of,
    kill_group,
    new_marker,
)

_PATIENCE = 2.0  # seconds for the program around the code to leave nothing behind
_START_SECONDS = 10.0
_POLL_SECONDS = 0.005
_NUMBER = re.compile(rb"-?\d{1,8}")
_KILLED = -int(signal.SIGKILL)


class Child:
    """A program with a lifeline as standard input and files as output, until the stack ends.

    Wait with `over`; when `end` is done no process is left, and `stdout`, `stderr`, `exit_code` hold.
    `start` and `end` block.
    """

    def __init__(self, stack: ExitStack, *, folder: Path) -> None:
        self._folder = folder
        self.source = _file(stack)
        self.stdout = _file(stack)
        self.stderr = _file(stack)
        self._open: set[int] = set()
        stack.callback(lambda: self._close(*self._open))
        self._far_lifeline, self._lifeline = self._pipe()
        self._answer, self.answer = self._pipe()
        self._told, self.told = self._pipe()
        self._has_namespace = False
        self._namespace: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.exit_code = _KILLED

    def start(
        self, argv: Sequence[str], descriptors: tuple[int, ...], *, has_namespace: bool
    ) -> None:
        """Start it with these open descriptors, closed here then.

        `told` gets the pid of the first process of its namespace, if it has one.

        Raises:
            InfrastructureError: there is to be a namespace, and there is none.
        """
        self._open.update(descriptors)
        self._has_namespace = has_namespace
        theirs = (self.answer, self.told, *descriptors)
        self._process = subprocess.Popen(
            argv,
            stdin=self._far_lifeline,
            stdout=self.stdout,
            stderr=self.stderr,
            cwd=self._folder,
            env={MARKER: new_marker("python-")},
            pass_fds=(self.source.fileno(), *theirs),
            start_new_session=True,
        )
        self._close(self._far_lifeline, *theirs)
        if has_namespace:
            first = first_process(self._told, seconds=_START_SECONDS)
            if first is None:
                self.end()
                said = os.pread(self.stderr.fileno(), 1000, 0).decode(errors="replace").strip()
                raise InfrastructureError(f"python_execute_code: its sandbox did not start: {said}")
            self._namespace = handle_of(first)  # a quick run may be over, its namespace with it

    async def over(self, seconds: float) -> bool:
        """Wait for the end, False at the deadline; by pidfd where there is one: it can't be reused."""
        assert self._process is not None  # started before
        handle = handle_of(self._process.pid)
        if handle is None:
            return await _polled(self._process, seconds)
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(handle, ended.set)
        try:
            async with asyncio.timeout(seconds):
                await ended.wait()
        except TimeoutError:
            return False
        finally:
            loop.remove_reader(handle)
            os.close(handle)
        return True

    def end(self) -> None:
        """End whatever is left: the namespace by its first process, else by the lifeline."""
        process, self._process = self._process, None
        if process is None:  # it could not be started, or has ended
            return
        self._close(self._lifeline)
        if self._namespace is not None:
            end_namespace(self._namespace, seconds=_PATIENCE)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        said = self._said()
        if process.poll() is None or process.returncode != 0:
            # The code has stopped or killed the program around it: what is left of its groups goes.
            # In a namespace its pid means nothing out here, and it has died with the first process.
            kill_group(process.pid)
            if said and said[0] > 1 and not self._has_namespace:
                kill_group(said[0])
            process.wait()
        self.exit_code = said[1] if len(said) > 1 else _KILLED

    def _said(self) -> list[int]:
        """What the program answered: the code's pid, and how it ended; the code may have meddled with it."""
        os.set_blocking(self._answer, False)
        words: list[bytes] = []
        with suppress(BlockingIOError):
            words = os.read(self._answer, 100).split()
        return [int(word) for word in words if _NUMBER.fullmatch(word)]

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open.update(ends)
        return ends

    def _close(self, *ends: int) -> None:
        for end in ends:
            self._open.discard(end)
            os.close(end)


def _file(stack: ExitStack) -> IO[bytes]:
    """Without a name, in memory where that can be: the limit on files holds for these, too.

    Each write goes to the end: processes that print at once would overwrite each other's lines, since files in memory
    don't lock their position as those on disk do.
    """
    file = stack.enter_context(_unnamed())
    fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
    return file


def _unnamed() -> IO[bytes]:
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("aar"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


async def _polled(process: "subprocess.Popen[bytes]", timeout_seconds: float) -> bool:
    deadline = time.monotonic() + timeout_seconds
    while process.poll() is None:
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(_POLL_SECONDS)
    return True
