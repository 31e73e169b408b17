"""How the gateway ends, also when something in it does not end well."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from little_world import LEG, Settings, open_world, order

from pytest_aar.gateway import Gateway, loop
from pytest_aar.gateway.loop import LoopThread
from pytest_aar.gateway.server import TcpServer


def gateway_threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "aar-gateway"]


class Upstream(httpx.AsyncBaseTransport):
    closed = False

    async def aclose(self) -> None:
        self.closed = True


def test_a_world_that_fails_to_close_keeps_nothing_else_open() -> None:
    @asynccontextmanager
    async def stuck(name: str, settings: Settings, **more: Any) -> AsyncIterator[Any]:
        async with open_world(name, settings, **more) as world:
            yield world
        raise OSError("the world's door is stuck")

    before, upstream = len(gateway_threads()), Upstream()
    gate = Gateway(Settings(model="m"), upstream=upstream, open_world=stuck)
    with gate.open_race(order(LEG)) as race:
        url = httpx.URL(race.url())
    with pytest.raises(OSError, match="the world's door is stuck"):
        gate.close()
    assert len(gateway_threads()) == before
    assert upstream.closed
    with pytest.raises(ConnectionRefusedError), socket.create_connection((url.host, url.port)):
        pass


def test_a_task_that_swallows_its_cancellation_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if end.is_set():
                    raise

    end = threading.Event()
    threads = LoopThread()
    asyncio.run_coroutine_threadsafe(stubborn(), threads.loop)
    running = threads.loop
    threads.run(asyncio.sleep(0.01))
    monkeypatch.setattr(loop, "_GRACE", 0.2)
    start = time.monotonic()
    threads.close()
    assert time.monotonic() - start < 3
    assert running.is_closed()
    end.set()


def test_a_server_that_is_stopped_before_its_start_leaves_no_socket() -> None:
    async def app(*_: Any) -> None:
        """Never asked."""

    async def opened_and_stopped() -> int:
        server = TcpServer(app, asyncio.get_running_loop())
        port = httpx.URL(server.url()).port
        assert port is not None
        await server.stop()
        await asyncio.sleep(0.05)  # the start that was asked for must not happen any more
        return port

    port = asyncio.run(opened_and_stopped())
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        pass
