"""The box `bwrap`: a sandbox of namespaces with the race's folder, the programs and one way out, the gateway."""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from pytest_aar.errors import InfrastructureError

from . import visible
from .box import MARKER, BoxPlace, base_environment
from .bwrap import AGENT_USER, ETC, HOME, PORT, RACE, SERVER, SOCKET, Cage, Form, bwrap_argv
from .cabin import Process
from .served import LIMITS, SERVER_FOLDER, ServedBox, server_argv, start_server
from .syscalls import no_namespaces

_PATIENCE = 5.0  # seconds for a killed namespace to be gone
#: Counted inside the user namespace alone; without one it would count the user's processes everywhere.
_USER_LIMITS = ("NPROC=1024",)


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
        return base_environment(HOME) | {"TMPDIR": "/tmp"}

    def inside(self, path: Path) -> str:
        """Below `/race`; any other path is itself."""
        if path.is_relative_to(self._place.workdir):
            return str(Path(RACE) / path.relative_to(self._place.workdir))
        return str(path)

    def gateway_url(self) -> str:
        """A port of the sandbox's own loopback, forwarded to the gateway's socket."""
        return f"http://127.0.0.1:{PORT}{self._path()}"

    def tools_url(self) -> str:
        """The socket itself: saves the way through the forwarder."""
        return f"unix:{SOCKET}:{self._path()}"

    def _path(self) -> str:
        if self._place.doors is None:
            raise LookupError("this box has no doors to a gateway")
        return self._place.doors.path

    def _launch(self, control: socket.socket) -> Process:
        with ExitStack() as stack:
            files = {path: _content(stack, text.encode()) for path, text in ETC.items()}
            # In the user form namespaces are forbidden by bwrap itself.
            filters = no_namespaces() if self._form == "root" else None
            seccomp = None if filters is None else _content(stack, filters)
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
            return _Sandbox(process, errors, _child_of(info))

    def _cage(self, files: dict[str, int], info: int) -> Cage:
        program = shutil.which("bwrap")
        if program is None:
            raise InfrastructureError("bwrap is no longer on the PATH")
        place = self._place
        if self._form == "root":
            _hand_over(place.workdir)
        return Cage(
            bwrap=program,
            form=self._form,
            system=visible.system(),
            workdir=str(place.workdir),
            server=str(SERVER_FOLDER),
            socket=self._socket(),
            programs=visible.shown(place),
            masks=visible.masks(place),
            files=files,
            info=info,
        )

    def _socket(self) -> str | None:
        if self._place.doors is None:
            return None
        return str(self._place.doors.socket())

    def _server(self) -> tuple[str, ...]:
        words = [*LIMITS]
        if self._form == "user":
            words += _USER_LIMITS
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
        self._handle = _handle_of(child)

    def kill(self) -> None:
        """Kill the namespace's first process: the kernel kills all others before that one counts as dead."""
        if self._child is not None:
            with suppress(ProcessLookupError):
                if self._handle is None:
                    os.kill(self._child, signal.SIGKILL)
                else:
                    signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            self._wait_for_child()
        self._process.kill()
        self._process.wait()

    def _wait_for_child(self) -> None:
        if self._handle is not None:
            waiting = select.poll()
            waiting.register(self._handle, select.POLLIN)
            waiting.poll(_PATIENCE * 1000)
            os.close(self._handle)
            self._handle = None
            return
        # An old kernel: bwrap ends with its child.
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)

    def last_words(self) -> str:
        """From its standard error."""
        with self._errors:
            self._errors.seek(0)
            said = self._errors.read()
        return said.decode("utf-8", errors="replace").strip()


def _handle_of(pid: int | None) -> int | None:
    if pid is None or not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # gone already, or the kernel is too old
        return None


def _child_of(info: int) -> int | None:
    """The namespace's first process as bwrap tells it, in pieces; None when bwrap ended before."""
    told = b""
    end = time.monotonic() + _PATIENCE
    while b"}" not in told and time.monotonic() < end:
        if not select.select([info], [], [], 0.5)[0]:
            continue
        chunk = os.read(info, 4096)
        if not chunk:
            return None
        told += chunk
    return int(json.loads(told)["child-pid"]) if told else None


def _content(stack: ExitStack, data: bytes) -> int:
    """A descriptor to read a few bytes from."""
    source, target = os.pipe()
    stack.callback(os.close, source)
    with os.fdopen(target, "wb") as pipe:
        pipe.write(data)
    return source


def _hand_over(workdir: Path) -> None:
    """Give the work folder to the sandbox's user; links are not followed."""
    for folder, folders, names in os.walk(workdir):
        for name in (*folders, *names):
            os.chown(os.path.join(folder, name), AGENT_USER, AGENT_USER, follow_symlinks=False)
    os.chown(workdir, AGENT_USER, AGENT_USER)
