"""The TCP server for child processes: uvicorn on 127.0.0.1, in the gateway's loop."""

import asyncio
import socket
import threading
from typing import Any

import uvicorn


class TcpServer:
    """Listens on an ephemeral loopback port. asyncio sets TCP_NODELAY on each connection by itself."""

    def __init__(self, app: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._app, self._loop = app, loop
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self._stopped = False
        self._task: asyncio.Task[None] | None = None

    def url(self) -> str:
        """`http://127.0.0.1:PORT`; callable from any thread, also the loop's own.

        The socket listens at once and the kernel queues connections until uvicorn takes over, so
        nobody has to wait for the server (which the loop's own thread could not do).
        """
        with self._lock:
            if self._socket is None:
                self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
                self._loop.call_soon_threadsafe(self._start)
            return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    async def stop(self) -> None:
        """Stop listening and drop the connections."""
        if self._server is None or self._task is None:
            with self._lock:
                self._stopped = True
                if self._socket is not None:  # it listens since url(); the start was yet to come
                    self._socket.close()
            return
        self._server.should_exit = True
        await self._task

    def _start(self) -> None:
        if self._stopped:
            return
        config = uvicorn.Config(
            self._app,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        assert self._socket is not None  # url() made it before it asked for the start
        self._task = self._loop.create_task(self._server.serve(sockets=[self._socket]))
