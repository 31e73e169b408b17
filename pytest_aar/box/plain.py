"""The box `none`: plain processes of this user, below a server that reaps what they leave behind."""

import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from pytest_aar.folders import work_folder

from .box import MARKER, BoxPlace, base_environment
from .cabin import Ending, Process
from .own_python import put_python
from .served import LIMITS, SERVER_FOLDER, ServedBox, ending_of, server_argv, start_server
from .sweep import kill_marked

_PATIENCE, _PAUSE = 2.0, 0.1  # seconds for the server to kill what it started


class PlainBox(ServedBox):
    """Runs commands without isolation: the environment is clean, the file system and network are open.

    On Linux everything that a command started dies with the box, daemons too; elsewhere its process group.
    """

    name = "none"
    exposed = True

    def __init__(self, place: BoxPlace) -> None:
        """Raises OSError when there is no place for the box's Python among the temporary files."""
        super().__init__(place)
        self._folders = ExitStack()
        # Not in the work folder, where agents look around; not one for all boxes: an agent can write in it.
        self._python = self._folders.enter_context(work_folder()) / "python"
        put_python(self._python)

    def stop(self) -> None:
        """Kill everything; the box's Python goes, too."""
        super().stop()
        self._folders.close()

    def environment(self) -> dict[str, str]:
        """From empty; HOME is the work folder."""
        return base_environment(self._place.workdir, self.python_folder())

    def python_folder(self) -> str:
        """One of the box's own among the temporary files."""
        return str(self._python)

    def inside(self, path: Path) -> str:
        """The path itself."""
        return str(path)

    def gateway_url(self) -> str:
        """The gateway's port on this machine."""
        return self._doors().http()

    def tools_url(self) -> str:
        """The same."""
        return self.gateway_url()

    def _launch(self, control: socket.socket) -> Process:
        process, errors = start_server(
            server_argv(str(SERVER_FOLDER.parent), "orphans=adopt", *LIMITS),
            control,
            {**self.environment(), MARKER: self._place.marker},
        )
        return _PlainProcess(process, errors, self._place.marker)


class _PlainProcess:
    """A command server and, by their environment, the processes of its box."""

    def __init__(self, process: subprocess.Popen[bytes], errors: IO[bytes], marker: str) -> None:
        self._process, self._errors, self._marker = process, errors, marker
        self._killed_inside = False

    def kill(self) -> None:
        """The server kills all below it when its socket ends; a server that can't is swept up after."""
        status = self._awaited()
        self._killed_inside = status is None or status < 0
        self._process.kill()
        self._process.wait()
        if status != 0 and sys.platform == "linux":
            kill_marked(self._marker)

    def _awaited(self) -> int | None:
        """Its exit status; None when it does not end in time. An agent may have stopped it, again and again."""
        for _ in range(int(_PATIENCE / _PAUSE)):
            self._process.send_signal(signal.SIGCONT)
            with suppress(subprocess.TimeoutExpired):
                return self._process.wait(_PAUSE)
        return None

    def ending(self) -> Ending:
        """Of itself it never ends by a signal."""
        return ending_of(self._process, self._errors, forced=self._killed_inside)
