"""The command server's parts, without a box around them; and its forwarder."""

import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from box_kinds import STUBBORN, eventually, with_argument

from pytest_aar.box.inside import bridge, kernel
from pytest_aar.box.inside.frames import READY, frame, take_frame
from pytest_aar.box.inside.loop import Loop
from pytest_aar.box.inside.server import _limit
from pytest_aar.box.served import SERVER_FOLDER, server_argv

# Messages


@pytest.mark.parametrize("fields", [(), (b"",), (b"1", b"", b"x" * 70_000), (b"\0\xff",)])
def test_a_message_is_read_as_it_was_written(fields: tuple[bytes, ...]) -> None:
    written = frame(*fields)
    for size in (1, 3, len(written)):
        buffer, found = bytearray(), []
        for start in range(0, 2 * len(written), size):
            buffer += (written * 2)[start : start + size]
            while (taken := take_frame(buffer)) is not None:
                found.append(tuple(taken))
            if len(written) > 1000 and size < 1000:
                buffer += (written * 2)[start + size :]
                break
        while (taken := take_frame(buffer)) is not None:
            found.append(tuple(taken))
        assert (found, buffer) == ([fields, fields], bytearray())


def test_a_message_that_contradicts_itself_is_an_error() -> None:
    with pytest.raises(ValueError, match="longer than its message"):
        take_frame(bytearray(b"\0\0\0\5\0\0\0\2x"))


# Where Python or the system can't do all


def test_a_python_without_ctypes_leaves_orphans_to_the_sweep_but_serves_no_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "_ctypes", None)
    kernel.adopt_orphans()
    with pytest.raises(ImportError, match="_ctypes"):
        kernel.close_memory()


def test_a_limit_that_the_system_refuses_ends_the_server_only_where_a_sandbox_counts_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def refuses(kind: int, limits: tuple[int, int]) -> None:
        asked.append(kind)
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuses)
    _limit("NOFILE", 64)
    with pytest.raises(ValueError, match="current limit"):
        _limit("NPROC", 64)
    assert asked == [resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC]


# A server of its own


class Server:
    """A command server under a test's own hand."""

    def __init__(self, *words: str) -> None:
        self.control, theirs = socket.socketpair()
        self.control.settimeout(5)
        with theirs:
            self.process = subprocess.Popen(
                server_argv(str(SERVER_FOLDER.parent), *words), stdin=theirs.fileno(), env={}
            )
        self.received = bytearray()
        assert self.reply() == [READY]

    def ask(self, number: bytes, *argv: str, seconds: float = 5) -> None:
        words = [os.fsencode(word) for word in argv]
        path = b"PATH=" + os.fsencode(os.path.dirname(sys.executable)) + b":/usr/bin:/bin"
        head = (number, b"%f" % seconds, b"/", b"0", b"", b"%d" % len(words))
        self.control.sendall(frame(*head, *words, path))

    def reply(self) -> list[bytes]:
        while (taken := take_frame(self.received)) is None:
            chunk = self.control.recv(65_536)
            assert chunk, "the server ended"
            self.received += chunk
        return taken


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server("orphans=adopt")
    yield made
    made.control.close()
    assert made.process.wait(5) == 0


def test_results_carry_the_number_of_their_request(server: Server) -> None:
    server.ask(b"1", "sh", "-c", "sleep 0.3; echo slow")
    server.ask(b"2", "sh", "-c", "echo quick; exit 4")
    assert server.reply() == [b"2", b"4", b"0", b"0", b"quick\n", b""]
    assert server.reply() == [b"1", b"0", b"0", b"0", b"slow\n", b""]


def test_deadlines_are_kept_one_by_one(server: Server) -> None:
    start = time.monotonic()
    server.ask(b"1", "sleep", "36.25", seconds=0.6)
    server.ask(b"2", "sleep", "36.25", seconds=0.2)
    assert server.reply()[:3] == [b"2", b"-1", b"1"]
    assert server.reply()[:3] == [b"1", b"-1", b"1"]
    assert 0.5 < time.monotonic() - start < 3


@pytest.mark.parametrize("how", ["end of its input", "SIGTERM"])
def test_the_end_of_the_server_is_the_end_of_all_below_it(how: str, tmp_path: Path) -> None:
    server = Server("orphans=adopt")
    argument = f"stubborn-{tmp_path.name}"
    server.ask(b"1", sys.executable, "-c", STUBBORN, argument)
    assert eventually(lambda: len(with_argument(argument)) == 2)
    if how == "SIGTERM":
        server.process.terminate()
    else:
        server.control.close()
    assert server.process.wait(5) == 0
    assert with_argument(argument) == []
    server.control.close()


def test_limits_hold_for_commands() -> None:
    server = Server("CORE=0", "NOFILE=99", "FSIZE=1048576")
    server.ask(b"1", "sh", "-c", "ulimit -c; ulimit -n; ulimit -Hn; ulimit -f")
    assert server.reply()[4].split() == [b"0", b"99", b"99", b"2048"]
    server.control.close()
    server.process.wait(5)


# The way to the gateway


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[str]:
    """A socket whose server sends back what it gets, in upper case, when its client has said all."""
    path = f"/tmp/aar-{os.getpid()}-{tmp_path.name[-20:]}"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)

    def answer(connection: socket.socket) -> None:
        with connection, suppress(ConnectionError):
            said = b"".join(iter(lambda: connection.recv(65_536), b""))
            connection.sendall(said.upper())

    def serve() -> None:
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield path
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    os.unlink(path)


@pytest.fixture
def port(echo: str) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = int(free.getsockname()[1])
    server = Server(f"forward={number}:{echo}")
    yield number
    server.control.close()
    assert server.process.wait(5) == 0


def said_through(port: int, text: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize("size", [0, 1, 5_000_000])
def test_bytes_pass_both_ways_whole(port: int, size: int) -> None:
    assert said_through(port, b"x" * size) == b"X" * size


def test_many_connections_at_once(port: int) -> None:
    answers: dict[int, bytes] = {}

    def say(number: int) -> None:
        answers[number] = said_through(port, b"n%d" % number * 10_000)

    threads = [threading.Thread(target=say, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: b"N%d" % number * 10_000 for number in range(30)}


def test_a_client_that_leaves_harms_no_other(port: int) -> None:
    for _ in range(5):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(b"x" * 100_000)
        linger = (1).to_bytes(4, sys.byteorder) + (0).to_bytes(4, sys.byteorder)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        connection.close()  # a reset
    assert said_through(port, b"on") == b"ON"


def test_without_a_gateway_the_connection_closes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = int(free.getsockname()[1])
    server = Server(f"forward={number}:/no/such/socket")
    with socket.create_connection(("127.0.0.1", number), timeout=5) as connection:
        assert connection.recv(1) == b""
    server.control.close()
    assert server.process.wait(5) == 0


def test_a_bridge_ends_when_both_ends_have() -> None:
    loop = Loop()
    near, client = socket.socketpair()
    far, gateway = socket.socketpair()
    ended: list[int] = []
    bridge.Bridge(loop, near, far, lambda: ended.append(1))
    client.sendall(b"question")
    client.shutdown(socket.SHUT_WR)
    loop.step(1)
    loop.step(1)
    assert gateway.recv(99) == b"question"
    assert gateway.recv(99) == b""
    gateway.sendall(b"answer")
    gateway.close()
    for _ in range(4):
        loop.step(0.05)
    assert client.recv(99) == b"answer"
    assert client.recv(99) == b""
    client.close()
    assert near.fileno() == far.fileno() == -1
    assert ended == [1]


def connected(port: int, count: int) -> list[socket.socket]:
    return [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(count)]


def test_more_connections_than_there_are_bridges_wait_their_turn(port: int) -> None:
    idle = connected(port, bridge.MOST_BRIDGES)
    late = socket.create_connection(("127.0.0.1", port), timeout=5)
    late.sendall(b"late")
    late.shutdown(socket.SHUT_WR)
    late.settimeout(0.3)
    with pytest.raises(TimeoutError):
        late.recv(9)
    idle.pop().close()
    late.settimeout(5)
    assert late.recv(9) == b"LATE"
    for connection in (*idle, late):
        connection.close()
    assert said_through(port, b"on") == b"ON"


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_server_without_files_lives_and_does_not_spin(echo: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = int(free.getsockname()[1])
    server = Server("NOFILE=24", f"forward={number}:{echo}")
    idle = connected(number, 20)
    before = cpu_seconds(server.process.pid)
    time.sleep(0.7)
    assert cpu_seconds(server.process.pid) - before < 0.2
    for connection in idle:
        connection.close()
    assert said_through(number, b"on") == b"ON"
    server.ask(b"1", "echo", "on")
    assert server.reply()[4] == b"on\n"
    server.control.close()
    assert server.process.wait(5) == 0
