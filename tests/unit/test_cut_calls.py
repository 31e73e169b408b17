"""Model calls that do not come to their end: in the trace and off the budgets, whoever cut them."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from little_world import chat, events, gateway, order
from model_wires import ASKED, MESSAGES, PATHS, RESPONSES, SSE, STREAMS

from pytest_aar.cost import Ledger, RaceBudget, Spent
from pytest_aar.errors import ModelUnavailable
from pytest_aar.gateway import Gateway, RaceSession

CHAT = "openai/v1/chat/completions"
BODIES = {**ASKED, CHAT: {"messages": [{"role": "user", "content": "hi"}]}}
CHUNKS = {
    **STREAMS,
    CHAT: [
        *(events({"choices": [{"index": 0, "delta": {"content": "x"}}]})[:-14] for _ in range(3)),
        events({"choices": [], "usage": chat()["usage"]}),
    ],
}
every = pytest.mark.parametrize("path", [*PATHS, CHAT])


class Slow(httpx.AsyncBaseTransport):
    """Streams so many events, then nothing more; with none it never even answers. Its close takes time."""

    def __init__(self, path: str, said: int) -> None:
        self.path, self.said = path, said

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        if not self.said:
            await asyncio.sleep(60)
        return httpx.Response(200, headers=SSE, stream=_Stream(CHUNKS[self.path][: self.said]))


class _Stream(httpx.AsyncByteStream):
    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        await asyncio.sleep(60)

    async def aclose(self) -> None:
        await asyncio.sleep(0.3)


def child_call(race: RaceSession, path: str) -> socket.socket:
    """A child process's streamed call, sent."""
    url = urlsplit(race.url())
    assert url.hostname is not None
    connection = socket.create_connection((url.hostname, url.port or 0))
    body = json.dumps({**BODIES[path], "stream": True}).encode()
    head = f"POST {url.path}/{path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    return connection


def until(found: Callable[[], object]) -> None:
    end = time.monotonic() + 5
    while not found():
        assert time.monotonic() < end
        time.sleep(0.005)


def budgeted(gate: Gateway, ledger: Ledger) -> RaceSession:
    return gate.open_race(replace(order(), budget=RaceBudget(ledger=ledger)))


def said(connection: socket.socket, size: int = 1) -> bytes:
    """The reply, as soon as its body has so many bytes."""
    got = b""
    while len(got.partition(b"\r\n\r\n")[2]) < size:
        got += connection.recv(65536)
    return got


@every
@pytest.mark.parametrize("is_gone", [True, False], ids=["client gone", "client there"])
def test_a_stream_that_is_open_at_the_end_is_in_the_trace(
    tmp_path: Path, path: str, *, is_gone: bool
) -> None:
    ledger = Ledger(tmp_path / "spent.jsonl")
    size = sum(map(len, CHUNKS[path][:2]))
    with (
        gateway(Slow(path, 2)) as gate,
        budgeted(gate, ledger) as race,
        child_call(race, path) as connection,
    ):
        said(connection, size)
        if is_gone:
            connection.close()
        race.settle()
        (call,) = race.trace().model_calls
    assert (call.status, call.output_tokens) == (0, None)
    assert call.input_tokens == (11 if path == MESSAGES else None)
    assert ledger.spent().tokens > size // 3
    assert race.spent == ledger.spent()
    assert race.problem is None


@every
def test_a_stream_that_its_client_leaves_is_in_the_trace_before_it_is_closed(path: str) -> None:
    with gateway(Slow(path, 2)) as gate, gate.open_race(order()) as race:
        with child_call(race, path) as connection:
            said(connection, len(CHUNKS[path][0]))
        until(lambda: race.trace().model_calls)
        assert [call.status for call in race.trace().model_calls] == [0]
    assert len(race.trace().model_calls) == 1


@every
def test_a_client_that_leaves_after_the_last_event_has_had_a_whole_reply(path: str) -> None:
    with gateway(Slow(path, len(CHUNKS[path]))) as gate, gate.open_race(order()) as race:
        with child_call(race, path) as connection:
            got = b""
            while b"message_stop" not in got and b"completed" not in got and b"DONE" not in got:
                got += connection.recv(65536)
        race.settle()
        (call,) = race.trace().model_calls
    assert (call.status, call.input_tokens, call.output_tokens) == (200, 11, 3)


@every
def test_a_call_that_the_deadline_cuts_costs_its_request(tmp_path: Path, path: str) -> None:
    ledger = Ledger(tmp_path / "spent.jsonl")

    async def late(race: RaceSession) -> None:
        async with race.client() as client, asyncio.timeout(0.05):
            await client.post(path, json=BODIES[path])

    with gateway(Slow(path, 0), model="gpt-4.1-mini") as gate, budgeted(gate, ledger) as race:
        with pytest.raises(TimeoutError):
            gate.run(late(race))
        (call,) = race.trace().model_calls
    assert (call.status, call.counts_as_step) == (0, True)
    assert race.spent.tokens > 10
    assert race.spent.cost == call.cost
    assert call.cost
    assert ledger.spent() == race.spent


def test_a_server_that_is_not_there_costs_nothing() -> None:
    class Away(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            raise ModelUnavailable("no server")

    with gateway(Away()) as gate, gate.open_race(order()) as race:
        with child_call(race, RESPONSES) as connection:
            assert b"no server" in said(connection)
        assert [call.status for call in race.trace().model_calls] == [0]
    assert race.spent == Spent()


def test_after_the_end_nobody_is_served() -> None:
    with gateway(Slow(CHAT, 2)) as gate, gate.open_race(order()) as race:
        race.settle()
        with child_call(race, CHAT) as connection:
            assert b"no open race has this token" in said(connection)
    assert race.trace().model_calls == ()
