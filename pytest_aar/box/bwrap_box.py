"""The box `bwrap`: a sandbox of namespaces with the race's folder, the programs and one way out, the gateway."""

import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from pytest_aar.processes import content, end_namespace, first_process, handle_of, tasks_of

from . import visible
from .box import MARKER, BoxPlace, base_environment
from .bwrap_command import (
    AGENT_USER,
    ETC,
    HOME,
    PORT,
    PYTHON,
    RACE,
    SERVER,
    SOCKET,
    Cage,
    Form,
    bwrap_argv,
    program_path,
)
from .cabin import Ending, Process
from .own_python import python_files, python_links
from .served import (
    LIMITS,
    SERVER_FOLDER,
    ServedBox,
    ending_of,
    server_argv,
    start_server,
)
from .syscalls import call_filter

_PATIENCE = 5.0  # seconds for a killed namespace to be gone
#: Processes and threads, beside what the box's user has elsewhere.
_MOST_TASKS = 1024


class BwrapBox(ServedBox):
    """Runs commands in a sandbox; `form` says whose rights make it."""

    name = "bwrap"

    def __init__(self, place: BoxPlace, form: Form) -> None:
        """Raises ConfigurationError for programs whose folder would show the answers."""
        visible.check_programs(place.programs, place.hidden)
        super().__init__(place)
        self._form = form

    def environment(self) -> dict[str, str]:
        """From empty; HOME is private."""
        return base_environment(HOME, PYTHON) | {"TMPDIR": "/tmp"}

    def python_folder(self) -> str:
        """The same on every machine."""
        return PYTHON

    def inside(self, path: Path) -> str:
        """Below `/race`; any other path is itself."""
        if path.is_relative_to(self._place.workdir):
            return str(Path(RACE) / path.relative_to(self._place.workdir))
        return str(path)

    def gateway_url(self) -> str:
        """A port of the sandbox's own loopback, forwarded to the gateway's socket."""
        return f"http://127.0.0.1:{PORT}{self._doors().path}"

    def tools_url(self) -> str:
        """The socket itself: saves the way through the forwarder."""
        return f"unix:{SOCKET}:{self._doors().path}"

    def _launch(self, control: socket.socket) -> Process:
        with ExitStack() as stack:
            texts = {**ETC, **_inside_python(python_files())}
            files = {path: _content(stack, os.fsencode(text)) for path, text in texts.items()}
            filtered = call_filter(self._form)
            seccomp = None if filtered is None else _content(stack, filtered)
            info, told = os.pipe()
            stack.callback(os.close, info)
            try:
                process, errors = start_server(
                    bwrap_argv(replace(self._cage(files, told), seccomp=seccomp), self._server()),
                    control,
                    # bwrap's own, and what is seen inside as that of process 1
                    {**self.environment(), MARKER: self._place.marker},
                    (told, *files.values(), *(() if seccomp is None else (seccomp,))),
                )
            finally:
                os.close(told)
            return _Sandbox(process, errors, first_process(info, seconds=_PATIENCE))

    def _cage(self, files: dict[str, int], info: int) -> Cage:
        place = self._place
        if self._form == "root":
            _hand_over(place.workdir)
        return Cage(
            bwrap=program_path(),
            form=self._form,
            system=visible.system(),
            workdir=str(place.workdir),
            server=str(SERVER_FOLDER),
            socket=self._socket(),
            programs=visible.shown(place),
            masks=visible.masks(place),
            files=files,
            links=_inside_python(python_links()),
            info=info,
        )

    def _socket(self) -> str | None:
        if self._place.doors is None:
            return None
        return str(self._place.doors.socket())

    def _server(self) -> tuple[str, ...]:
        # Counted inside the user namespace alone; without one, the user's everywhere: other boxes of the run.
        elsewhere = (tasks_of(AGENT_USER) or 0) if self._form == "root" else 0
        words = ["memory=closed", *LIMITS, f"NPROC={elsewhere + _MOST_TASKS}"]
        if self._place.doors is not None:
            words.append(f"forward={PORT}:{SOCKET}")
        return server_argv(os.path.dirname(SERVER), *words)


class _Sandbox:
    """A running bwrap and the first process of its namespace."""

    def __init__(
        self, process: subprocess.Popen[bytes], errors: IO[bytes], child: int | None
    ) -> None:
        self._process, self._errors = process, errors
        self._child = child
        self._handle = None if child is None else handle_of(child)

    def kill(self) -> None:
        """Kill the namespace's first process: the kernel kills all others before that one counts as dead."""
        if self._handle is not None:
            end_namespace(self._handle, seconds=_PATIENCE)
            self._handle = None
        elif self._child is not None and self._process.poll() is None:  # no pidfds here
            with suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
        if self._child is not None:
            with suppress(subprocess.TimeoutExpired):  # it ends with its child, and tells how
                self._process.wait(_PATIENCE)
        self._process.kill()
        self._process.wait()

    def ending(self) -> Ending:
        """Nobody inside can end it."""
        return ending_of(self._process, self._errors, forced=False)


def _inside_python(texts: Mapping[str, str]) -> dict[str, str]:
    return {f"{PYTHON}/{path}": text for path, text in texts.items()}


def _hand_over(workdir: Path) -> None:
    """Give the work folder to the sandbox's user; links are not followed."""
    for folder, folders, names in os.walk(workdir):
        for name in (*folders, *names):
            os.chown(os.path.join(folder, name), AGENT_USER, AGENT_USER, follow_symlinks=False)
    os.chown(workdir, AGENT_USER, AGENT_USER)


def _content(stack: ExitStack, data: bytes) -> int:
    descriptor = content(data)
    stack.callback(os.close, descriptor)
    return descriptor
