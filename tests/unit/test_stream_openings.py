"""How a model's stream begins, over a real socket: what is held back, for how long, and what silence comes to."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from little_world import gateway, order, post
from model_wires import ASKED, PATHS, SSE, STREAMS

from pytest_aar.errors import ModelUnavailable
from pytest_aar.gateway import RaceSession, openings, retries, stalls

both = pytest.mark.parametrize("path", PATHS)


class Server(ThreadingHTTPServer):
    """Sends so many events, and the others when `go_on` is set; without `has_head` not even a reply's head."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.path, self.said, self.has_head = PATHS[0], 0, True
        self.go_on = threading.Event()
        self.calls = 0


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.calls += 1
        if not self.server.has_head:
            self.server.go_on.wait(10)
        self.send_response(200)
        for name, value in {**SSE, "connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        events = STREAMS[self.server.path]
        self.wfile.write(b"".join(events[: self.server.said]))
        self.wfile.flush()
        self.server.go_on.wait(10)
        self.wfile.write(b"".join(events[self.server.said :]))

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:  # the gateway has hung up, as it should
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield running
    running.go_on.set()
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AAR_API_KEY", "k")
    monkeypatch.setattr(stalls, "LONGEST_SILENCE", 0.3)
    monkeypatch.setattr(openings, "LONGEST_HOLD", 0.1)
    monkeypatch.setattr(retries, "ATTEMPTS", 2)


def base(server: Server) -> str:
    return f"http://127.0.0.1:{server.server_port}/v1"


@both
@pytest.mark.parametrize("has_head", [True, False], ids=["head", "no head"])
def test_a_stream_that_does_not_begin_is_a_failed_attempt(
    server: Server, path: str, *, has_head: bool
) -> None:
    server.path, server.has_head = path, has_head
    start = time.monotonic()
    with gateway(None, base_url=base(server)) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, path, json={**ASKED[path], "stream": True})
    assert time.monotonic() - start < 6
    assert reply.status_code == 400
    assert isinstance(race.problem, ModelUnavailable)
    told = "its stream did not begin within 0.3 s after 2" if has_head else "ReadTimeout after 2"
    assert told in str(race.problem)
    assert server.calls == 2


@both
def test_the_head_reaches_the_client_while_the_model_still_thinks(
    server: Server, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stalls, "LONGEST_SILENCE", 5.0)
    server.path, server.said = path, 1

    async def read(race: RaceSession) -> bytes:
        got = b""
        async with (
            httpx.AsyncClient(trust_env=False, timeout=3) as client,
            client.stream(
                "POST", f"{race.url()}/{path}", json={**ASKED[path], "stream": True}
            ) as reply,
        ):
            assert reply.status_code == 200
            async for chunk in reply.aiter_bytes():
                got += chunk
                server.go_on.set()
        return got

    with gateway(None, base_url=base(server)) as gate, gate.open_race(order()) as race:
        assert gate.run(read(race)) == b"".join(STREAMS[path])
        assert [call.status for call in race.trace().model_calls] == [200]


@both
@pytest.mark.parametrize("said", [1, 2])
def test_a_stream_that_falls_silent_is_cut(server: Server, path: str, said: int) -> None:
    server.path, server.said = path, said
    with gateway(None, base_url=base(server)) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, path, json={**ASKED[path], "stream": True})
    assert reply.content == b"".join(STREAMS[path][:said])
    assert "silent for 0.3 s and was cut" in str(race.problem)
    assert server.calls == 1


@both
def test_a_client_that_leaves_a_stream_held_back_ends_the_wait(server: Server, path: str) -> None:
    """No task is left that nobody looks at."""
    server.path, server.said = path, 1

    async def leave(race: RaceSession) -> None:
        async with (
            httpx.AsyncClient(trust_env=False) as client,
            client.stream("POST", f"{race.url()}/{path}", json=ASKED[path]) as reply,
        ):
            await anext(reply.aiter_bytes())

    with gateway(None, base_url=base(server)) as gate, gate.open_race(order()) as race:
        gate.run(leave(race))
        end = time.monotonic() + 2
        while not race.trace().model_calls and time.monotonic() < end:
            time.sleep(0.01)
        assert [call.status for call in race.trace().model_calls] == [0]
    assert race.problem is None
