"""The servers for child processes: uvicorn on loopback TCP and on a unix socket, in the gateway's loop."""

import asyncio
import secrets
import socket
import tempfile
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import uvicorn

from pytest_aar.errors import ConfigurationError
from pytest_aar.folders import work_folder

from .connections import BoundedConnection

#: What the kernel takes as the path of a unix socket, in bytes.
LONGEST_PATH = 107
#: Others may pass through the folder, not list it; the socket's name is the secret. A box runs as another user.
_FOLDER_MODE, _SOCKET_MODE = 0o711, 0o666


class _Server:
    """Listens on a socket that `_bound` makes at first use.

    It listens at once and the kernel queues connections until uvicorn takes over, so nobody has to
    wait for the server (which the loop's own thread could not do). Callable from any thread.
    """

    def __init__(self, app: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._app, self._loop = app, loop
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self._stopped = False
        self._task: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        """Stop listening and drop the connections."""
        if self._server is None or self._task is None:
            with self._lock:
                self._stopped = True
                if self._socket is not None:  # it listens already; the start was yet to come
                    self._socket.close()
            return
        self._server.should_exit = True
        await self._task

    def _bound(self) -> socket.socket:
        raise NotImplementedError

    def _listening(self) -> socket.socket:
        with self._lock:
            if self._socket is None:
                self._socket = self._bound()
                self._loop.call_soon_threadsafe(self._start)
            return self._socket

    def _start(self) -> None:
        if self._stopped:
            return
        config = uvicorn.Config(
            self._app,
            http=BoundedConnection,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        assert self._socket is not None  # _listening made it before it asked for the start
        self._task = self._loop.create_task(self._server.serve(sockets=[self._socket]))


class TcpServer(_Server):
    """Listens on an ephemeral loopback port. asyncio sets TCP_NODELAY on each connection by itself."""

    def url(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._listening().getsockname()[1]}"

    def _bound(self) -> socket.socket:
        return socket.create_server(("127.0.0.1", 0), backlog=128)


class UnixServer(_Server):
    """Listens on a unix socket in a folder of its own, which goes with `stop`."""

    def __init__(self, app: Any, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(app, loop)
        self._folders = ExitStack()

    def path(self) -> Path:
        """The socket."""
        return Path(self._listening().getsockname())

    async def stop(self) -> None:
        """As above, and remove the folder."""
        try:
            await super().stop()
        finally:
            self._folders.close()

    def _bound(self) -> socket.socket:
        folder = _short_folder((tempfile.gettempdir(), "/tmp"), self._folders)
        path = folder / f"{secrets.token_hex(8)}.sock"
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(path))
        path.chmod(_SOCKET_MODE)
        listening.listen(128)
        return listening


def _short_folder(places: Iterable[str], kept: ExitStack) -> Path:
    """A new folder that a socket's path fits in, until `kept` is closed.

    Raises:
        ConfigurationError: the temporary directories have too long names or can't be written.
    """
    problems = []
    for place in places:
        if len(f"{place}/aar-12345678/{'x' * 16}.sock".encode()) > LONGEST_PATH:
            problems.append(f"{place} is too long for the path of a unix socket")
            continue
        try:
            resolved = kept.enter_context(work_folder(place=Path(place)))
        except OSError as error:
            problems.append(str(error))
            continue
        folder = Path(place, resolved.name)  # without links it may be longer
        folder.chmod(_FOLDER_MODE)
        return folder
    raise ConfigurationError(
        f"no place for the gateway's unix socket: {'; '.join(problems)}; set TMPDIR to a short, writable folder"
    )
