"""A server on this machine that notes when requests come and go, for tests of limits."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class StrictServer:
    """Answers each request after `takes` seconds with `head`; `most` is how many were there at once."""

    def __init__(self, takes: float = 0.01, head: bytes = b"HTTP/1.1 200 OK\r\n") -> None:
        self.takes, self.head = takes, head
        self.arrived: list[float] = []
        self.most = self._there = 0
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def most_in(self, window: float) -> int:
        """The most requests that arrived within any time of that length."""
        times = sorted(self.arrived)
        return max(
            (sum(start <= each < start + window for each in times) for start in times), default=0
        )

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                self.arrived.append(time.monotonic())
                self._there += 1
                self.most = max(self.most, self._there)
                await asyncio.sleep(self.takes)
                self._there -= 1
                writer.write(self.head + b"content-length: 2\r\n\r\nok")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is gone
        finally:
            writer.close()

    @contextmanager
    def running(self) -> Iterator["StrictServer"]:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()

        async def start() -> asyncio.Server:
            return await asyncio.start_server(self._serve, "127.0.0.1", 0)

        server = asyncio.run_coroutine_threadsafe(start(), loop).result()
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(_stopped(server), loop).result(5)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(5)
            loop.close()


async def _stopped(server: asyncio.Server) -> None:
    server.close()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
