import asyncio
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx
import pytest

from pytest_aar.errors import ConnectionBlocked, ReplayDiverged
from pytest_aar.gateway.loop import LoopThread
from pytest_aar.gateway.socket_guard import is_loopback, offline

#: Reserved for documentation: nothing answers there, and nothing is asked when the guard works.
ELSEWHERE = "192.0.2.1"


def _connect() -> None:
    with socket.socket() as plain:
        plain.settimeout(0.2)
        plain.connect((ELSEWHERE, 80))


def _connect_ex() -> None:
    with socket.socket() as plain:
        plain.settimeout(0.2)
        plain.connect_ex((ELSEWHERE, 80))


def _connect_v6() -> None:
    with socket.socket(socket.AF_INET6) as plain:
        plain.settimeout(0.2)
        plain.connect(("2001:db8::1", 80, 0, 0))


def _in_asyncio(host: str) -> None:
    async def over() -> None:
        await asyncio.wait_for(asyncio.open_connection(host, 80), 0.5)

    asyncio.run(over())


def _async_httpx() -> None:
    async def over() -> None:
        async with httpx.AsyncClient(trust_env=False, timeout=0.5) as client:
            await client.get("http://example.invalid/")

    asyncio.run(over())


WAYS: dict[str, Callable[[], object]] = {
    "connect": _connect,
    "connect_ex": _connect_ex,
    "connect_v6": _connect_v6,
    "getaddrinfo": lambda: socket.getaddrinfo("example.invalid", 80),
    "gethostbyname": lambda: socket.gethostbyname("example.invalid"),
    "create_connection": lambda: socket.create_connection(("example.invalid", 80), 0.5),
    "asyncio name": lambda: _in_asyncio("example.invalid"),
    "asyncio address": lambda: _in_asyncio(ELSEWHERE),
    "httpx": lambda: httpx.get("http://example.invalid/", trust_env=False),
    "async httpx": _async_httpx,
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_out_is_an_error_that_names_the_caller(way: str) -> None:
    with offline() as guard, pytest.raises((ConnectionBlocked, httpx.ConnectError)):
        WAYS[way]()
    assert guard.attempts
    assert isinstance(guard.problem, ReplayDiverged)
    message = str(guard.problem)
    assert message.startswith("blocked: a connection to ")
    assert f" from {__file__}:" in message
    assert "--aar-record=off" in message
    line = int(message.partition(f"{__file__}:")[2].partition(";")[0])
    assert line > 0
    assert Path(__file__).read_text().splitlines()[line - 1].strip()


def test_the_line_is_the_callers() -> None:
    with offline() as guard, pytest.raises(ConnectionBlocked):
        socket.getaddrinfo("example.invalid", 80)  # this line
    number = next(
        number
        for number, line in enumerate(Path(__file__).read_text().splitlines(), 1)
        if line.endswith("# this line")
    )
    assert f"{__file__}:{number};" in guard.attempts[0]


def test_an_attempt_in_another_thread_is_seen() -> None:
    def swallow() -> None:
        with pytest.raises(ConnectionBlocked):
            _connect()

    with offline() as guard:
        thread = threading.Thread(target=swallow)
        thread.start()
        thread.join()
    assert len(guard.attempts) == 1


def _swallowing(done: threading.Event) -> None:
    with pytest.raises(ConnectionBlocked):
        _connect()
    done.set()


def _uploading(go: threading.Event, done: threading.Event) -> None:
    go.wait(5)
    _swallowing(done)


def _started(name: str, target: Callable[..., None], *events: threading.Event) -> threading.Thread:
    thread = threading.Thread(target=target, args=events, name=name, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("name", "is_blamed"),
    [("aar-agent-mine", True), ("aar-gateway", True), ("sentry.worker", False)],
)
def test_of_threads_that_were_there_before_only_the_races_own_are_blamed(
    name: str, is_blamed: bool
) -> None:
    go, done = threading.Event(), threading.Event()
    thread = _started(name, _uploading, go, done)
    with offline() as guard:
        go.set()
        thread.join(5)
    assert done.is_set()
    assert (len(guard.attempts), len(guard.others)) == ((1, 0) if is_blamed else (0, 1))
    assert (guard.problem is not None) is is_blamed


def test_a_thread_that_is_no_part_of_the_race_starts_another() -> None:
    go, done = threading.Event(), threading.Event()

    def grow(go: threading.Event, done: threading.Event) -> None:
        go.wait(5)
        _started("batch", _swallowing, done).join(5)

    thread = _started("uploader", grow, go, done)
    with offline() as guard:
        go.set()
        thread.join(5)
    assert done.is_set()
    assert (guard.attempts, len(guard.others)) == ([], 1)


def test_threads_of_threads_of_an_agent_are_blamed() -> None:
    go, done = threading.Event(), threading.Event()

    def grow(go: threading.Event, done: threading.Event) -> None:
        go.wait(5)
        _started("a", lambda done: _started("b", _swallowing, done).join(5), done).join(5)

    thread = _started("aar-agent-mine", grow, go, done)
    with offline() as guard:
        go.set()
        thread.join(5)
    assert done.is_set()
    assert (len(guard.attempts), guard.others) == (1, [])


def test_work_that_a_race_gives_to_an_older_thread_of_its_loop_is_blamed() -> None:
    loop = LoopThread()

    async def in_a_thread(work: Callable[[], None]) -> None:
        await asyncio.to_thread(work)

    try:
        loop.run(in_a_thread(lambda: None))
        with offline() as guard:
            done = threading.Event()
            loop.run(in_a_thread(partial(_swallowing, done)))
        assert done.is_set()
        assert (len(guard.attempts), guard.others) == (1, [])
    finally:
        loop.close()


def test_this_machine_can_be_reached(tmp_path: Path) -> None:
    async def over(port: int) -> None:
        _, writer = await asyncio.open_connection("localhost", port)
        writer.close()

    with offline() as guard, socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port)).close()
        asyncio.run(over(port))
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(str(tmp_path / "s"))
    assert guard.attempts == []
    assert guard.problem is None


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *((host, True) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST.")),
        *((host, True) for host in (None, "", b"localhost", "a.localhost", "0.0.0.0", "::")),
        *((host, True) for host in ("::ffff:127.0.0.1",)),
        *((host, False) for host in ("example.org", "10.0.0.1", "::ffff:10.0.0.1", "fe80::1%lo")),
        *((host, False) for host in ("127.0.0.1.example.org", "localhost.example.org", b"x")),
    ],
)
def test_what_is_this_machine(host: object, expected: bool) -> None:
    assert is_loopback(host) is expected


def _patched() -> list[object]:
    return [
        socket.socket.__dict__.get("connect"),
        socket.socket.__dict__.get("connect_ex"),
        socket.getaddrinfo,
        socket.gethostbyname,
        socket.gethostbyname_ex,
        asyncio.BaseEventLoop.getaddrinfo,
        threading.Thread.start,
    ]


def test_the_guard_is_gone_after_the_block_however_it_ends() -> None:
    before = _patched()
    during: list[object] = []

    def race() -> None:
        with offline():
            during.extend(_patched())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        race()
    assert all(new is not old for new, old in zip(during, before, strict=True))
    assert _patched() == before


def test_what_somebody_put_over_the_guard_stays_and_lets_pass_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", socket.getaddrinfo)  # what comes back after the test
    with offline() as guard:
        monkeypatch.setattr(socket, "getaddrinfo", partial(socket.getaddrinfo))
        theirs = socket.getaddrinfo
    assert socket.getaddrinfo is theirs
    assert socket.getaddrinfo("192.0.2.1", 80)  # an address: nobody is asked
    assert guard.attempts == []
