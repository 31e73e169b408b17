"""Clients of the gateway that are broken, slow or hostile, over real sockets: others must not notice."""

import asyncio
import gc
import json
import os
import re
import resource
import socket
import threading
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from little_world import gateway, leg_named, order

from pytest_aar.gateway import Gateway, RaceSession, connections, replies
from pytest_aar.trace import ModelCall

AREA = "tools/countries_area"
NORLAND = b'{"country": "Norland"}'
CHAT = "openai/v1/chat/completions"


@dataclass(frozen=True)
class Door:
    """A race as a child process reaches it: raw connections to the server, and the path of its routes."""

    connect: Callable[[], socket.socket]
    path: str

    def send(self, *parts: bytes, wait: float = 5, is_one: bool = True) -> bytes:
        """The first reply to these bytes, or everything until the server closes or falls silent."""
        with self.connect() as connection:
            connection.settimeout(wait)
            try:
                for part in parts:
                    connection.sendall(part)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it has refused already; what it said can be read
            return _one_reply(connection) if is_one else _all_of(connection)

    def post(self, path: str, body: bytes = NORLAND, headers: str = "") -> bytes:
        """A whole and proper request."""
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
        return self.send(head.encode() + body)

    def is_well(self) -> bool:
        """Whether another client is served at once."""
        start = time.monotonic()
        reply = self.post(f"{self.path}/{AREA}")
        return b'"area_km2": 567.0' in reply and time.monotonic() - start < 4


def _all_of(connection: socket.socket) -> bytes:
    said = b""
    try:
        while chunk := connection.recv(65_536):
            said += chunk
    except (TimeoutError, ConnectionResetError):
        pass
    return said


def _one_reply(connection: socket.socket) -> bytes:
    said = b""
    try:
        while not _is_whole(said) and (chunk := connection.recv(65_536)):
            said += chunk
    except (TimeoutError, ConnectionResetError):
        pass
    return said


def _is_whole(said: bytes) -> bool:
    head, blank, body = said.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    if blank and length:
        return len(body) >= int(length[1])
    return body.endswith(b"0\r\n\r\n")


def door_of(race: RaceSession, kind: str) -> Door:
    url = httpx.URL(race.url())
    if kind == "tcp":
        assert url.port is not None
        place = ("127.0.0.1", url.port)
        return Door(lambda: socket.create_connection(place), url.path)
    path = str(race.socket())

    def connect() -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        return connection

    return Door(connect, url.path)


@pytest.fixture(scope="module")
def gate() -> Iterator[Gateway]:
    with gateway(model=None) as opened:
        yield opened


@pytest.fixture
def race(gate: Gateway) -> Iterator[RaceSession]:
    with gate.open_race(order()) as opened:
        yield opened


@pytest.fixture(params=["tcp", "unix"])
def door(request: pytest.FixtureRequest, race: RaceSession) -> Door:
    return door_of(race, request.param)


def status(reply: bytes) -> int:
    assert reply.startswith(b"HTTP/1.1 "), reply[:200]
    return int(reply[9:12])


def message(reply: bytes) -> str:
    """The message of an error reply, which is JSON of one shape whoever refuses."""
    text: str = json.loads(reply.partition(b"\r\n\r\n")[2])["error"]["message"]
    return text


def posted(path: str, *headers: str, body: bytes = b"") -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "host: x", *headers, "", ""]).encode() + body


# Requests


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[1]", "must be a JSON object"),
        (b'{"country": ' + b"[" * 100_000, "not JSON"),
        (b'{"country": ' + b"[" * 40 + b"]" * 40 + b"}", "nested deeper"),
    ],
)
def test_malformed_json_is_a_clear_error(door: Door, body: bytes, words: str) -> None:
    reply = door.post(f"{door.path}/{AREA}", body)
    assert status(reply) == 400
    assert words in message(reply)
    assert door.is_well()


@pytest.mark.parametrize(
    "path",
    [AREA, CHAT, "openai/v1/models", "task", "openai/v1/responses", "anthropic/v1/messages"],
)
def test_a_wrong_token_and_one_of_a_closed_race_get_the_same_answer(
    gate: Gateway, race: RaceSession, path: str
) -> None:
    with gate.open_race(order(leg_named("little/closed"))) as closed:
        pass
    door = door_of(race, "tcp")
    with httpx.Client(base_url=race.url().partition("/r/")[0], trust_env=False) as client:
        method = "GET" if path in ("task", "openai/v1/models") else "POST"
        tokens = (closed.token, "A" * 22, "x", "%00", "ü", closed.token[:-1], race.token.swapcase())
        replies_ = [client.request(method, f"/r/{token}/{path}", json={}) for token in tokens]
    assert {reply.status_code for reply in replies_} == {404}
    assert len({reply.text for reply in replies_}) == 1
    assert {reply.headers.get("x-should-retry") for reply in replies_} == {"false"}
    assert race.token not in replies_[0].text
    assert door.is_well()
    assert closed.trace().events == ()


def test_races_that_are_open_together_never_see_each_other(gate: Gateway) -> None:
    with ExitStack() as stack:
        races = [
            stack.enter_context(gate.open_race(order(leg_named(f"little/{number}"))))
            for number in range(3)
        ]
        for number, race in enumerate(races):
            for _ in range(number):
                assert door_of(race, "tcp").is_well()
        assert [len(race.trace().tool_calls) for race in races] == [0, 1, 2]


def test_oversized_bodies_are_refused_however_they_announce_themselves(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "REQUEST_BYTES", 1_000_000)
    path = f"{door.path}/{AREA}"
    announced = door.send(posted(path, "content-length: 1000001"))
    chunk = b"186a0\r\n" + b" " * 100_000 + b"\r\n"
    chunked = door.send(posted(path, "transfer-encoding: chunked"), *([chunk] * 11))
    assert (status(announced), status(chunked)) == (413, 413)
    assert "the limit is 1000000" in message(announced)
    assert door.send(posted(path, "content-length: 99999999999999999999"))[9:12] in (b"400", b"413")
    assert door.is_well()


def test_many_large_bodies_at_a_time_do_not_fill_the_memory(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "ROOM_BYTES", 1_000_000)
    start = posted(f"{door.path}/{AREA}", "content-length: 800000", body=b" " * 700_000)
    with door.connect() as first:
        first.sendall(start)
        assert _soon(lambda: door.post(f"{door.path}/{AREA}", b" " * 400_000)[9:12] == b"503")
        assert door.is_well()
        first.sendall(b" " * 99_978 + NORLAND)
        first.settimeout(5)
        assert b"567" in _one_reply(first)
    assert status(door.post(f"{door.path}/{AREA}", b" " * 999_000 + NORLAND)) == 200


def test_what_comes_after_a_refusal_is_dropped(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    with door.connect() as connection:
        connection.settimeout(5)
        connection.sendall(
            posted("/r/wrong/task", "transfer-encoding: chunked", body=b"1\r\nx\r\n")
        )
        assert status(_one_reply(connection)) == 405
        connection.sendall(b"no chunk\r\n")
        assert _all_of(connection) == b""
    assert door.is_well()
    assert not caplog.records


@pytest.mark.parametrize(
    "headers",
    [
        ("content-length: 5", "content-length: 22"),
        ("content-length: -1",),
        ("content-length: 5, 22",),
        ("content-length: 0x16",),
        ("content-length: +22",),
        ("content-length : 22",),
        ("transfer-encoding: chunked", "content-length: 22"),
        ("content-length: 22", "transfer-encoding: chunked"),
        ("transfer-encoding: gzip",),
        ("transfer-encoding: chunked, identity",),
        ("transfer-encoding: chunked", "transfer-encoding: chunked"),
        ("transfer-encoding:\x0bchunked",),
        ("content-length: 22", " folded: header"),
        ("bad header",),
        ("nul: \x00",),
    ],
)
def test_requests_of_doubtful_length_are_refused_and_smuggle_nothing(
    door: Door, race: RaceSession, headers: tuple[str, ...]
) -> None:
    hidden = posted(f"{door.path}/{AREA}", "content-length: 22", body=NORLAND)
    request = posted(f"{door.path}/tools/x", *headers, body=b"0\r\n\r\n" + hidden)
    reply = door.send(request, wait=0.5, is_one=False)
    if headers == ("content-length: 22", " folded: header"):  # one header, folded: the old way
        assert status(reply) in (400, 422)
    else:
        assert status(reply) in (400, 501)
        assert message(reply)
    assert len(re.findall(rb"HTTP/1\.1 \d{3} ", reply)) == 1
    assert all(call.name != "countries_area" for call in race.trace().tool_calls)
    assert door.is_well()


def test_a_length_that_lies_takes_no_more_than_it_says(door: Door, race: RaceSession) -> None:
    path = f"{door.path}/{AREA}"
    short = door.send(
        posted(path, "connection: close", "content-length: 22", body=NORLAND + b"}}junk")
    )
    assert status(short) == 200
    assert len(race.trace().tool_calls) == 1
    with door.connect() as connection:  # announces more than it sends, and goes
        connection.sendall(posted(path, "content-length: 100", body=NORLAND))
    assert door.is_well()
    assert len(race.trace().tool_calls) == 2


@pytest.mark.parametrize(
    "head",
    [
        b"".join(b"x-%d: y\r\n" % number for number in range(5_000)),
        b"x: " + b"y" * 200_000 + b"\r\n",
        b"x" * 200_000,
    ],
)
def test_a_flood_of_headers_is_cut_off(door: Door, head: bytes) -> None:
    reply = door.send(f"POST {door.path}/{AREA} HTTP/1.1\r\nhost: x\r\n".encode() + head)
    if reply:  # a reset can overtake the refusal
        assert status(reply) == 400
        assert "too long a head" in message(reply)
    assert door.is_well()


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00" * 1_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) * 4,  # TLS says hello
        b"GET\r\n\r\n",
        b"\r\n" * 20_000,
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        "GET /ü HTTP/1.1\r\nhost: x\r\n\r\n".encode(),
    ],
)
def test_garbage_is_answered_with_400_in_json(door: Door, garbage: bytes) -> None:
    reply = door.send(garbage, wait=1)
    assert status(reply) == 400
    assert "not HTTP/1.1" in message(reply)
    assert door.is_well()


@pytest.mark.parametrize("start", [b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
def test_other_versions_are_refused(door: Door, start: bytes) -> None:
    reply = door.send(start)
    assert status(reply) == 505
    assert "use HTTP/1.1" in reply.decode()
    assert door.is_well()


def test_http_1_0_is_served_and_closed(door: Door) -> None:
    request = f"POST {door.path}/{AREA} HTTP/1.0\r\ncontent-length: 22\r\n\r\n".encode() + NORLAND
    reply = door.send(request)
    assert status(reply) == 200
    assert b"567" in reply


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/r/../r/TOKEN/tools/countries_area", 404),
        ("/r/%2e%2e/TOKEN/tools/countries_area", 404),
        ("//r/TOKEN/tools/countries_area", 404),
        ("/r/TOKEN/../OTHER/tools/countries_area", 404),
        ("/r//tools/countries_area", 404),
        ("/r/TOKEN%00/tools/countries_area", 404),
        ("/r/TOKEN/tools/..%2fcountries_area", 422),
        ("/r/TOKEN/tools/../../../../etc/passwd", 422),
        ("/r/TOKEN/tools/", 422),
        ("/r/TOKEN/tools/" + "x" * 8_000, 422),
        ("/r/TOKEN/tools/countries_area%0d%0aX: y", 400),
        ("http://elsewhere.test/r/TOKEN/tools/countries_area", 404),
        ("*", 404),
    ],
)
def test_tricks_with_paths_lead_nowhere(
    door: Door, race: RaceSession, path: str, code: int
) -> None:
    reply = door.post(path.replace("TOKEN", race.token).replace("OTHER", "x" * 22))
    assert status(reply) == code
    assert b"root:" not in reply
    assert all(call.name != "countries_area" for call in race.trace().tool_calls)
    assert door.is_well()


# Slow clients, and clients that go


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.4)
    monkeypatch.setattr(connections, "READING_SECONDS", 0.4)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("begun", ["nothing", "head", "body", "chunks"])
def test_a_slow_request_holds_up_nobody_and_has_an_end(door: Door, begun: str) -> None:
    path = f"{door.path}/{AREA}"
    starts = {
        "nothing": b"",
        "head": f"POST {path} HTTP/1.1\r\nhost:".encode(),
        "body": posted(path, "content-length: 22", body=b"{"),
        "chunks": posted(path, "transfer-encoding: chunked", body=b"1\r\n{\r\n"),
    }
    with door.connect() as slow:
        slow.settimeout(5)
        slow.sendall(starts[begun])
        start = time.monotonic()
        assert door.is_well()
        reply = _all_of(slow)
        assert 0.2 < time.monotonic() - start < 3
    assert status(reply) == 408
    assert "not complete after 0.4 s" in message(reply)


@pytest.mark.usefixtures("hasty")
def test_a_client_that_drips_gets_no_longer(door: Door) -> None:
    with door.connect() as slow:
        slow.settimeout(5)
        start = time.monotonic()
        with pytest.raises((BrokenPipeError, ConnectionResetError)):  # noqa: PT012 - whichever drip it is
            while time.monotonic() - start < 4:
                slow.sendall(b"x")
                time.sleep(0.05)
        assert time.monotonic() - start < 2
    assert door.is_well()


@pytest.mark.usefixtures("hasty")
def test_connections_kept_alive_are_served_beyond_one_requests_time(door: Door) -> None:
    request = posted(f"{door.path}/{AREA}", "content-length: 22", body=NORLAND)
    with door.connect() as connection:
        connection.settimeout(5)
        for _ in range(4):
            connection.sendall(request)
            assert b"567" in _one_reply(connection)
            time.sleep(0.2)


def test_a_pile_of_slow_clients_leaves_room(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 20)
    with ExitStack() as stack:
        pile = [stack.enter_context(door.connect()) for _ in range(60)]
        for each in pile:
            each.sendall(b"POST ")
        assert door.is_well()
        pile[0].settimeout(5)
        assert "too many connections" in message(_all_of(pile[0]))


class Thinking(httpx.AsyncBaseTransport):
    """A model that begins a stream and goes on as the test says."""

    def __init__(self, go_on: Callable[[], AsyncIterator[bytes]]) -> None:
        self._go_on = go_on
        self.closed = threading.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        kind = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=kind, stream=_Stream(self._go_on, self.closed))


class _Stream(httpx.AsyncByteStream):
    def __init__(self, go_on: Callable[[], AsyncIterator[bytes]], closed: threading.Event) -> None:
        self._go_on, self._closed = go_on, closed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._go_on():
            yield chunk

    async def aclose(self) -> None:
        self._closed.set()


_EVENT = b'data: {"choices": [{"index": 0, "delta": {"content": "7"}}]}\n\n'
_ASK = b'{"messages": [], "stream": true}'


def _asks(door: Door) -> bytes:
    return posted(f"{door.path}/{CHAT}", f"content-length: {len(_ASK)}", body=_ASK)


@pytest.mark.parametrize("kind", ["tcp", "unix"])
def test_a_client_that_leaves_its_stream_leaves_the_model_as_well(kind: str) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield _EVENT
            await asyncio.sleep(0.01)

    model = Thinking(endless)
    with gateway(model) as gate, gate.open_race(order()) as race:
        door = door_of(race, kind)
        with door.connect() as leaving:
            leaving.sendall(_asks(door))
            assert b"200" in leaving.recv(65_536)
        assert model.closed.wait(5)
        assert door.is_well()
        assert _soon(lambda: len(race.trace().model_calls) == 1)
    assert race.problem is None


@pytest.mark.usefixtures("hasty")
def test_a_client_that_does_not_read_its_reply_is_dropped() -> None:
    async def torrent() -> AsyncIterator[bytes]:
        while True:
            yield _EVENT * 1_000
            await asyncio.sleep(0)

    model = Thinking(torrent)
    with gateway(model) as gate, gate.open_race(order()) as race:
        door = door_of(race, "tcp")
        with door.connect() as deaf:
            deaf.sendall(_asks(door))
            assert model.closed.wait(10)
            assert door.is_well()


@pytest.mark.parametrize("kind", ["tcp", "unix"])
def test_a_stream_that_is_cut_upstream_is_noted_and_ends(kind: str) -> None:
    async def cut() -> AsyncIterator[bytes]:
        yield _EVENT
        raise httpx.ReadError("connection reset by peer")

    with gateway(Thinking(cut)) as gate, gate.open_race(order()) as race:
        door = door_of(race, kind)
        reply = door.send(_asks(door))
        assert status(reply) == 200
        assert door.is_well()
        assert "broke off" in str(race.problem)
        assert [call.status for call in race.trace().events if isinstance(call, ModelCall)] == [0]


def test_garbage_behind_a_request_that_is_being_answered_breaks_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def slow() -> AsyncIterator[bytes]:
        yield _EVENT
        await asyncio.sleep(0.3)
        yield b"data: [DONE]\n\n"

    with gateway(Thinking(slow)) as gate, gate.open_race(order()) as race:
        door = door_of(race, "tcp")
        reply = door.send(_asks(door) + b"\x00garbage\r\n\r\n")
        assert status(reply) == 200
        chunk = posted(f"{door.path}/{CHAT}", "transfer-encoding: chunked", body=b"zz\r\n")
        assert status(door.send(chunk)) == 400
        assert door.is_well()
    assert not caplog.records


# Many


@pytest.mark.parametrize("kind", ["tcp", "unix"])
def test_200_calls_at_a_time_get_each_its_own_result(gate: Gateway, kind: str) -> None:
    with gate.open_race(order()) as race:
        door = door_of(race, kind)

        def fetch(number: int) -> str:
            body = json.dumps({"country": f"Nowhere {number}"}).encode()
            return message(door.post(f"{door.path}/{AREA}", body))

        with ThreadPoolExecutor(200) as pool:
            told = list(pool.map(fetch, range(200)))
        assert all(f"'Nowhere {number}'" in text for number, text in enumerate(told))
        asked = sorted(str(call.arguments["country"]) for call in race.trace().tool_calls)
        assert asked == sorted(f"Nowhere {number}" for number in range(200))


def _soon(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + 5
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")


@needs_proc
def test_connections_of_all_kinds_leave_no_file_and_no_task(gate: Gateway) -> None:
    async def tasks() -> int:
        return len(asyncio.all_tasks())

    with gate.open_race(order()) as race:
        doors = [door_of(race, kind) for kind in ("tcp", "unix")]
        assert all(door.is_well() for door in doors)
        assert _soon(lambda: gate.run(tasks()) <= 3)
        files, running = _open_files(), gate.run(tasks())
        for door in doors * 20:
            path = f"{door.path}/{AREA}"
            door.post(path, b"{")
            door.send(b"\x00\r\n\r\n")
            for begun in (b"", b"POST ", posted(path, "content-length: 22", body=b"{")):
                with door.connect() as leaving:
                    leaving.sendall(begun)
        assert _soon(lambda: _open_files() <= files)
        assert _soon(lambda: gate.run(tasks()) <= running)


@needs_proc
def test_2000_races_leave_nothing_behind() -> None:
    async def calls(race: RaceSession, number: int) -> None:
        async with race.client() as client:
            await client.post(AREA, json={"contry": "Norland"})
            await client.post("tools/no_such_tool", content=b"{")
            if number % 10 == 0:  # the whole way to the services: ten times the time of the others
                await client.post(AREA, json={"country": "Norland"})

    def races(gate: Gateway, count: int) -> None:
        for number in range(count):
            with gate.open_race(order(leg_named(f"little/{number}"))) as race:
                gate.run(calls(race, number))

    with gateway(model=None) as gate:
        races(gate, 100)
        gc.collect()
        files, resident = _open_files(), _resident()
        tracemalloc.start()
        try:
            races(gate, 50)
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            races(gate, 150)
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        races(gate, 1_700)
        assert gate._races == {}
        assert grown < 150 * 100, "bytes that 150 races left"
        assert _resident() - resident < 12_000_000
        assert _open_files() == files


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@needs_proc
def test_the_end_of_a_run_waits_for_no_client() -> None:
    async def torrent() -> AsyncIterator[bytes]:
        while True:
            yield _EVENT * 1_000
            await asyncio.sleep(0)

    files = _open_files()
    with ExitStack() as clients:
        with gateway(Thinking(torrent)) as gate, gate.open_race(order()) as race:
            for door in (door_of(race, "tcp"), door_of(race, "unix")):
                for begun in (b"", b"POST ", _asks(door)):
                    clients.enter_context(door.connect()).sendall(begun)
                assert door.is_well()
            start = time.monotonic()
        assert time.monotonic() - start < 4
    gc.collect()
    assert _soon(lambda: _open_files() <= files)
