"""The client in an agent's folder, run as agents run it, against a little HTTP server."""

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_aar.tools import TOOL_NAMES, client_source
from pytest_aar.tools.python_runner import base_interpreter

OK = b'HTTP/1.1 200 OK\r\nx-aar-ok: true\r\ncontent-length: 11\r\n\r\n{"a": "\xc3\xa9"}'
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
)
ERROR = b'HTTP/1.1 422 Unprocessable\r\nX-AAR-Ok: false\r\n\r\n{"error": {}}'
CUT = b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nabc"


class Gateway:
    """Answers every connection with one reply and keeps what was asked."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener, self.reply, self.asked = listener, OK, b""
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self.asked = connection.recv(65536)
                connection.sendall(self.reply)


@pytest.fixture
def client(tmp_path: Path) -> Path:
    path = tmp_path / "tools.py"
    path.write_text(client_source())
    return path


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    listener = socket.create_server(("127.0.0.1", 0))
    served = Gateway(listener)
    yield served
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    served.thread.join(5)


def run(
    client: Path, *words: str, url: str = "", text: str = ""
) -> "subprocess.CompletedProcess[str]":
    command = [base_interpreter(), "-I", "-S", str(client), *words]
    return subprocess.run(
        command, env={"AAR_GATEWAY": url}, input=text, capture_output=True, text=True, check=False
    )


def url_of(gateway: Gateway) -> str:
    return f"http://127.0.0.1:{gateway.listener.getsockname()[1]}/r/TOKEN"


def test_without_words_it_lists_the_tools(client: Path) -> None:
    for words in ((), ("list",), ("--help",)):
        done = run(client, *words)
        assert done.returncode == 0
        assert all(name in done.stdout for name in TOOL_NAMES)
    assert "maps_directions {origin, destination, mode?}" in done.stdout


def test_help_of_a_tool_is_its_schema(client: Path) -> None:
    done = run(client, "maps_geocode", "--help")
    assert done.returncode == 0
    assert json.loads(done.stdout.split("(JSON Schema):")[1])["required"] == ["address"]
    assert run(client, "no_such", "--help").returncode == 2


def test_only_the_races_tools_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "tools.py"
    path.write_text(client_source(["web_search"]))
    done = run(path)
    assert "web_search" in done.stdout
    assert "maps_geocode" not in done.stdout


def test_a_call_posts_the_json_and_prints_the_body(client: Path, gateway: Gateway) -> None:
    done = run(client, "web_search", '{"query": "é"}', url=url_of(gateway))
    assert (done.returncode, done.stdout) == (0, '{"a": "é"}\n')
    head, body = gateway.asked.split(b"\r\n\r\n", 1)
    assert head.startswith(b"POST /r/TOKEN/tools/web_search HTTP/1.1\r\n")
    assert body.decode() == '{"query": "é"}'


def test_arguments_may_come_from_standard_input(client: Path, gateway: Gateway) -> None:
    done = run(client, "web_search", "-", url=url_of(gateway), text='{"query": "from stdin"}')
    assert done.returncode == 0
    assert b"from stdin" in gateway.asked


def test_an_error_result_is_exit_code_one(client: Path, gateway: Gateway) -> None:
    gateway.reply = ERROR
    done = run(client, "web_search", "{}", url=url_of(gateway))
    assert (done.returncode, done.stdout) == (1, '{"error": {}}\n')


def test_chunks_are_put_together(client: Path, gateway: Gateway) -> None:
    gateway.reply = CHUNKED
    assert run(client, "web_search", "{}", url=url_of(gateway)).stdout == "abcde\n"


def test_a_reply_that_broke_off_is_no_result(client: Path, gateway: Gateway) -> None:
    for gateway.reply in (CUT, b"HTT", b""):
        done = run(client, "web_search", "{}", url=url_of(gateway))
        assert done.returncode == 2
        assert "did not answer" in done.stderr


def test_it_speaks_over_a_unix_socket(client: Path, tmp_path: Path) -> None:
    path = tmp_path / "gw.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        served = Gateway(listener)
        done = run(client, "web_search", "{}", url=f"unix:{path}:/r/TOKEN")
        listener.shutdown(socket.SHUT_RDWR)
        served.thread.join(5)
    assert done.returncode == 0
    assert served.asked.startswith(b"POST /r/TOKEN/tools/web_search ")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("web_search", "{bad"), "are not JSON"),
        (("web_search", "{}", "more"), "one JSON text"),
        (("--what",), "NAME"),
    ],
)
def test_wrong_usage_is_exit_code_two(client: Path, words: tuple[str, ...], part: str) -> None:
    done = run(client, *words)
    assert done.returncode == 2
    assert part in done.stderr


@pytest.mark.parametrize(
    "url", ["", "https://x/r/T", "http://127.0.0.1:1/r/T", "unix:/no/such:/r/T"]
)
def test_no_gateway_is_exit_code_two(client: Path, url: str) -> None:
    done = run(client, "web_search", "{}", url=url)
    assert done.returncode == 2
    assert "tools.py:" in done.stderr


def test_a_name_can_not_break_out_of_its_path(client: Path, gateway: Gateway) -> None:
    run(client, "a/../b c\r\nX: y", "{}", url=url_of(gateway))
    assert gateway.asked.startswith(
        b"POST /r/TOKEN/tools/a%2F..%2Fb%20c%0D%0AX%3A%20y HTTP/1.1\r\n"
    )
