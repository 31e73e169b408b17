"""Servers of Responses and Messages behind the gateway: keys, failures that pass, failures that don't."""

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from little_world import gateway, order, post
from model_wires import (
    ASKED,
    MESSAGES,
    PATHS,
    RESPONSES,
    SSE,
    STREAMS,
    Upstream,
    error_event,
    plain,
    streamed,
)

from pytest_aar.errors import ModelUnavailable
from pytest_aar.gateway.protocols import PROTOCOLS
from pytest_aar.gateway.retries import ATTEMPTS, PROTOCOL, ModelServer
from pytest_aar.trace import ModelCall

both = pytest.mark.parametrize("path", PATHS)
KEYS = {"OPENAI_API_KEY": "sk-openai", "ANTHROPIC_API_KEY": "sk-anthropic"}


def ask(
    network: httpx.AsyncBaseTransport,
    path: str,
    *,
    url: str = "https://model.test/v1/x",
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """One call over a server's road, its reply read to the end."""

    async def once() -> bytes:
        server = ModelServer(environment=environment or {}, network=network, fixed_wait=0.0)
        extensions = {PROTOCOL: PROTOCOLS[path]}
        request = httpx.Request("POST", url, content=b"{}", extensions=extensions)
        reply = await server.handle_async_request(request)
        return await reply.aread()

    return asyncio.run(once())


def whole(path: str) -> bytes:
    return b"".join(STREAMS[path])


@both
def test_an_error_before_anything_was_said_is_retried(path: str) -> None:
    failing = streamed(STREAMS[path][0], error_event(path, "overloaded_error"))
    network = Upstream(failing, streamed(*STREAMS[path]))
    assert ask(network, path) == whole(path)
    assert len(network.requests) == 2
    stream = failing.stream
    assert getattr(stream, "closed", False)


@both
def test_a_stream_that_breaks_before_anything_was_said_is_retried(path: str) -> None:
    broken = streamed(STREAMS[path][0], httpx.ReadError("reset"))
    network = Upstream(broken, streamed(*STREAMS[path]))
    assert ask(network, path) == whole(path)


@both
def test_an_overloaded_server_is_asked_again(path: str) -> None:
    busy = httpx.Response(529, json={"type": "error", "error": {"type": "overloaded_error"}})
    network = Upstream(busy, busy, plain(path))
    assert json.loads(ask(network, path))["id"]
    assert len(network.requests) == 3


@both
def test_errors_at_every_attempt_are_a_model_that_is_unavailable(path: str) -> None:
    network = Upstream(
        *(streamed(error_event(path, "overloaded_error")) for _ in range(ATTEMPTS + 1))
    )
    with pytest.raises(ModelUnavailable, match="overloaded_error: said the server after 6"):
        ask(network, path)


def test_a_used_up_account_is_not_asked_again() -> None:
    network = Upstream(streamed(error_event(RESPONSES, "insufficient_quota")))
    with pytest.raises(ModelUnavailable, match="quota is used up"):
        ask(network, RESPONSES)
    assert len(network.requests) == 1


@both
def test_an_error_after_something_was_said_is_handed_on(path: str) -> None:
    said = (*STREAMS[path][:2], error_event(path, "overloaded_error"))
    network = Upstream(streamed(*said))
    assert ask(network, path) == b"".join(said)


@pytest.mark.parametrize(
    ("path", "kind"),
    [(RESPONSES, "context_length_exceeded"), (MESSAGES, "invalid_request_error")],
)
def test_an_error_that_speaks_of_the_request_is_handed_on(path: str, kind: str) -> None:
    said = (STREAMS[path][0], error_event(path, kind))
    network = Upstream(streamed(*said))
    assert ask(network, path) == b"".join(said)


@pytest.mark.parametrize(
    ("path", "url", "variable"),
    [
        (RESPONSES, "https://api.openai.com/v1/responses", "AAR_API_KEY or OPENAI_API_KEY"),
        (MESSAGES, "https://api.anthropic.com/v1/messages", "AAR_API_KEY or ANTHROPIC_API_KEY"),
    ],
)
def test_messages_name_the_vendors_variables(path: str, url: str, variable: str) -> None:
    network = Upstream(httpx.Response(401, text="no"))
    with pytest.raises(ModelUnavailable, match=f"variable {variable}"):
        ask(network, path, url=url)
    assert network.requests == []
    with pytest.raises(ModelUnavailable, match=rf"Set the key in the environment \({variable}\)"):
        ask(network, path, url=url, environment=KEYS)
    with pytest.raises(ModelUnavailable, match="check --aar-model and --aar-base-url"):
        ask(Upstream(httpx.Response(404)), path)


class Server(ThreadingHTTPServer):
    """A model's server on a real socket: overloaded once, then streams."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.heads: list[dict[str, str]] = []
        self.paths: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.heads.append({name.lower(): value for name, value in self.headers.items()})
        self.server.paths.append(self.path)
        if len(self.server.heads) == 1:
            self._reply(529, {"retry-after": "0.05"}, b"{}")
        else:
            self._reply(200, SSE, whole(MESSAGES if "messages" in self.path else RESPONSES))

    def _reply(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("path", "header", "value"),
    [(RESPONSES, "authorization", "Bearer sk-openai"), (MESSAGES, "x-api-key", "sk-anthropic")],
)
@pytest.mark.parametrize("is_common", [False, True], ids=["own key", "AAR_API_KEY"])
def test_over_a_real_socket(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    *,
    path: str,
    header: str,
    value: str,
    is_common: bool,
) -> None:
    monkeypatch.delenv("AAR_API_KEY", raising=False)
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    if is_common:
        monkeypatch.setenv("AAR_API_KEY", "sk-common")
        value = value.replace(value.rpartition(" ")[2], "sk-common")
    base = f"http://127.0.0.1:{server.server_port}/v1"
    with gateway(None, base_url=base) as gate, gate.open_race(order()) as race:
        fake = {"x-api-key": "sk-fake", "authorization": "Bearer sk-fake"}
        reply = post(race, gate, path, json={**ASKED[path], "stream": True}, headers=fake)
    assert reply.content == whole(path)
    assert server.paths == [f"/v1/{'messages' if path == MESSAGES else 'responses'}"] * 2
    for head in server.heads:
        assert head[header] == value
        assert "sk-fake" not in str(head)
        assert len({"authorization", "x-api-key"} & head.keys()) == 1
    (call,) = race.trace().events
    assert isinstance(call, ModelCall)
    assert (call.status, call.input_tokens) == (200, 11)
