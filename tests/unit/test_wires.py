"""Responses and Messages on the gateway: what goes up, what comes down, what is counted and refused."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from little_world import chat, events, gateway, order, post
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
from pytest_aar.gateway import RaceSession, stalls
from pytest_aar.gateway.retries import ModelServer
from pytest_aar.trace import ModelCall

CHAT = "openai/v1/chat/completions"
both = pytest.mark.parametrize("path", PATHS)


def asked_once(
    upstream: httpx.AsyncBaseTransport, path: str, body: dict[str, Any] | None = None, **more: Any
) -> tuple[httpx.Response, RaceSession]:
    with gateway(upstream, **more) as gate, gate.open_race(order()) as race:
        return post(race, gate, path, json=body or ASKED[path]), race


@both
def test_a_plain_call_goes_up_and_is_counted(path: str) -> None:
    upstream = Upstream(plain(path))
    reply, race = asked_once(upstream, path, model_options={"max_tokens": "9"})
    assert "7" in reply.text
    assert upstream.bodies == [
        {**ASKED[path], "model": "some-model", "max_tokens": 9, "temperature": 0}
    ]
    (call,) = race.trace().events
    assert isinstance(call, ModelCall)
    assert (call.model, call.status, call.counts_as_step) == ("some-model", 200, True)
    assert (call.input_tokens, call.output_tokens, call.cached_tokens) == (11, 3, 4)
    assert call.cache_write_tokens == (2 if path == MESSAGES else None)


def test_calls_are_named_by_their_protocol() -> None:
    names = [asked_once(Upstream(plain(p)), p)[1].trace().model_calls[0].protocol for p in PATHS]
    assert names == ["openai-responses", "anthropic-messages"]


@both
def test_a_stream_passes_unchanged_and_is_counted(path: str) -> None:
    upstream = Upstream(streamed(*STREAMS[path]))
    reply, race = asked_once(upstream, path, {**ASKED[path], "stream": True})
    assert reply.headers["content-type"] == "text/event-stream"
    assert reply.content == b"".join(STREAMS[path])
    (call,) = race.trace().model_calls
    assert (call.status, call.input_tokens, call.output_tokens) == (200, 11, 3)
    assert call.cached_tokens == 4
    assert race.problem is None


@both
def test_a_stream_may_be_cut_anywhere_into_chunks(path: str) -> None:
    whole = b"".join(STREAMS[path])
    pieces = [whole[at : at + 7] for at in range(0, len(whole), 7)]
    reply, race = asked_once(Upstream(streamed(*pieces)), path)
    assert reply.content == whole
    assert [call.output_tokens for call in race.trace().model_calls] == [3]
    assert race.problem is None


@pytest.mark.parametrize("path", [*PATHS, CHAT])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 11])
def test_a_stream_with_other_line_ends_may_be_cut_anywhere(path: str, size: int) -> None:
    chat_events = events({"choices": [{"delta": {"content": "7"}}]}, {"usage": chat()["usage"]})
    lines = b"".join(STREAMS.get(path, [chat_events]))
    whole = lines.replace(b"\n", b"\r\n")
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    body = {**ASKED.get(path, {"messages": []}), "stream_options": {"include_usage": True}}
    reply, race = asked_once(Upstream(streamed(*pieces)), path, body)
    assert reply.content == (lines if path == CHAT else whole)
    (call,) = race.trace().model_calls
    assert (call.status, call.input_tokens, call.output_tokens) == (200, 11, 3)


@both
def test_a_stream_is_handed_on_as_it_comes(path: str) -> None:
    """The first event reaches the client while the server still holds the last one back."""
    seen_first = asyncio.Event()

    class Waiting(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            *first, last = STREAMS[path]
            for chunk in first:
                yield chunk
            await asyncio.wait_for(seen_first.wait(), 5)
            yield last

    upstream = Upstream(httpx.Response(200, headers=SSE, stream=Waiting()))

    async def read(race: RaceSession) -> bytes:
        got = b""
        async with (
            httpx.AsyncClient(trust_env=False) as client,
            client.stream("POST", f"{race.url()}/{path}", json=ASKED[path]) as reply,
        ):
            async for chunk in reply.aiter_bytes():
                got += chunk
                seen_first.set()
        return got

    with gateway(upstream) as gate, gate.open_race(order()) as race:
        assert gate.run(read(race)) == b"".join(STREAMS[path])


@both
@pytest.mark.parametrize("is_broken", [True, False], ids=["breaks off", "ends early"])
def test_a_cut_stream_is_the_races_problem(path: str, is_broken: bool) -> None:
    cut = (httpx.ReadError("reset"),) if is_broken else ()
    reply, race = asked_once(Upstream(streamed(*STREAMS[path][:2], *cut)), path)
    assert reply.content == b"".join(STREAMS[path][:2])
    assert isinstance(race.problem, ModelUnavailable)
    end = "response.completed" if path == RESPONSES else "message_stop"
    assert ("broke off (ReadError: reset)" if is_broken else end) in str(race.problem)
    assert [call.status for call in race.trace().model_calls] == [0]


@both
def test_a_silent_stream_is_cut(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield STREAMS[path][0]
            await asyncio.sleep(60)

    monkeypatch.setattr(stalls, "LONGEST_SILENCE", 0.05)
    upstream = Upstream(httpx.Response(200, headers=SSE, stream=Silent()))
    reply, race = asked_once(upstream, path)
    assert reply.content == STREAMS[path][0]
    assert "silent for 0.05 s and was cut" in str(race.problem)


@both
def test_an_error_in_a_stream_is_the_races_problem(path: str) -> None:
    failing = streamed(*STREAMS[path][:2], error_event(path, "server_error"))
    reply, race = asked_once(Upstream(failing), path)
    assert b"said the server" in reply.content
    assert isinstance(race.problem, ModelUnavailable)
    assert "server_error: said the server" in str(race.problem)


@pytest.mark.parametrize(
    ("path", "kind"),
    [(RESPONSES, "context_length_exceeded"), (MESSAGES, "invalid_request_error")],
)
def test_an_error_that_speaks_of_the_request_is_the_agents(path: str, kind: str) -> None:
    _, race = asked_once(Upstream(streamed(*STREAMS[path][:2], error_event(path, kind))), path)
    assert race.problem is None


@both
def test_the_step_limit_stops_the_client_for_good(path: str) -> None:
    upstream = Upstream(plain(path))
    with gateway(upstream) as gate, gate.open_race(order(step_limit=1)) as race:
        replies = [post(race, gate, path, json=ASKED[path]) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [200, 400]
    error = replies[1].json()["error"]
    assert "aar_step_limit" in (error.get("code"), error["type"])
    assert "step budget of 1 model calls" in error["message"]
    assert replies[1].headers["x-should-retry"] == "false"
    assert replies[1].json().get("type") == ("error" if path == MESSAGES else None)
    assert race.used_up == "step-limit"


@both
def test_a_lost_model_is_told_in_the_protocols_own_form(path: str) -> None:
    reply, race = asked_once(Upstream(ModelUnavailable("model server x is gone")), path)
    error = reply.json()["error"]
    assert reply.status_code == 400
    assert "aar_infrastructure" in (error.get("code"), error["type"])
    assert isinstance(race.problem, ModelUnavailable)


def gone() -> ModelUnavailable:
    return ModelUnavailable("model.test needs a key and none is set", final=True)


@both
def test_a_call_aside_does_not_void_a_race_whose_model_answers(path: str) -> None:
    """A shell reaches every route; what another protocol lacks was no hindrance so far."""
    aside = RESPONSES if path == MESSAGES else MESSAGES
    upstream = Upstream(plain(path), gone(), plain(path))
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        asked = [post(race, gate, each, json=ASKED[each]) for each in (path, aside, path)]
    assert [reply.status_code for reply in asked] == [200, 400, 200]
    assert "needs a key and none is set" in asked[1].text
    assert race.problem is None
    assert [call.status for call in race.trace().model_calls] == [200, 0, 200]


@both
def test_a_call_aside_leaves_the_code_to_the_agents_own_protocol(path: str) -> None:
    aside = RESPONSES if path == MESSAGES else MESSAGES
    upstream = Upstream(plain(path), gone(), plain(path))
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        for asked in (path, aside):
            post(race, gate, asked, json=ASKED[asked])
        code = post(race, gate, "tools/python_generate_code", json={"description": "seven"})
    assert ("7" in code.text, race.problem) == (True, None)
    assert upstream.requests[2].url == upstream.requests[0].url


@both
def test_a_model_that_goes_away_is_a_problem_in_each_protocol_that_it_has_answered(
    path: str,
) -> None:
    aside = RESPONSES if path == MESSAGES else MESSAGES
    upstream = Upstream(plain(path), plain(aside), gone())
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        for asked in (path, aside, aside):
            post(race, gate, asked, json=ASKED[asked])
    assert isinstance(race.problem, ModelUnavailable)


def test_a_server_that_fails_aside_is_none_that_the_race_waits_for() -> None:
    def network(request: httpx.Request) -> httpx.Response:
        is_own = request.url.path == "/v1/responses"
        return plain(RESPONSES) if is_own else httpx.Response(503, text="busy")

    server = ModelServer(environment={}, network=httpx.MockTransport(network), fixed_wait=0.0)
    with gateway(server) as gate, gate.open_race(order()) as race:
        for path in (RESPONSES, MESSAGES):
            post(race, gate, path, json=ASKED[path])
    assert (race.problem, race.waits_for) == (None, None)


@both
@pytest.mark.parametrize("status", [400, 422])
def test_a_refusal_of_the_first_call_is_no_loss_of_the_agents(path: str, status: int) -> None:
    refused = httpx.Response(status, json={"error": {"message": "no such parameter"}})
    reply, race = asked_once(Upstream(refused), path)
    assert reply.status_code == 400
    assert "no such parameter" in str(race.problem)
    assert "--aar-model-option NAME=VALUE" in str(race.problem)


@pytest.mark.parametrize(
    ("path", "model", "more", "expected"),
    [
        (RESPONSES, "gpt-4.1", {}, 0),
        (RESPONSES, "gpt-5.5", {}, None),
        (RESPONSES, "openai/o3", {}, None),
        (MESSAGES, "claude-sonnet-4-5-20250929", {}, 0),
        (MESSAGES, "claude-sonnet-4-5-20250929", {"thinking": {"type": "enabled"}}, None),
        (MESSAGES, "claude-sonnet-4-5-20250929", {"thinking": {"type": "disabled"}}, 0),
        (MESSAGES, "claude-sonnet-4-5-20250929", {"top_p": 0.9}, None),
        (MESSAGES, "claude-sonnet-4-5-20250929", {"temperature": 1}, 1),
        (MESSAGES, "claude-opus-4-8", {}, None),
        (MESSAGES, "local/qwen", {}, 0),
    ],
)
def test_temperature_zero_where_the_model_takes_one(
    path: str, model: str, more: dict[str, Any], expected: int | None
) -> None:
    upstream = Upstream(plain(path))
    asked_once(upstream, path, {**ASKED[path], **more}, model=model)
    assert upstream.bodies[0].get("temperature") == expected


TITLE = {
    **ASKED[MESSAGES],
    "output_config": {"format": {"type": "json_schema", "schema": {}}},
}


def test_a_question_for_a_title_is_no_step() -> None:
    upstream = Upstream(plain(MESSAGES))
    with gateway(upstream) as gate, gate.open_race(order(step_limit=1)) as race:
        replies = [post(race, gate, MESSAGES, json=body) for body in (TITLE, ASKED[MESSAGES])]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert [call.counts_as_step for call in race.trace().model_calls] == [False, True]
    with_tools = {**TITLE, "tools": [{"name": "Bash"}]}
    _, other = asked_once(upstream, MESSAGES, with_tools)
    assert other.trace().model_calls[0].counts_as_step


def test_only_the_vendors_headers_go_up() -> None:
    upstream = Upstream(plain(MESSAGES), plain(RESPONSES), plain(MESSAGES))
    given = {
        "anthropic-beta": "a-1,b-2",
        "anthropic-version": "2024-01-01",
        "openai-beta": "x",
        "x-api-key": "sk-fake",
        "authorization": "Bearer fake",
        "cookie": "c",
        "user-agent": "claude-cli",
    }
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        for path in (MESSAGES, RESPONSES):
            post(race, gate, path, json=ASKED[path], headers=given)
        post(race, gate, MESSAGES, json=ASKED[MESSAGES])
    heads = [dict(request.headers) for request in upstream.requests]
    kind = {"content-type": "application/json"}
    assert [{k: v for k, v in head.items() if k != "transfer-encoding"} for head in heads] == [
        {**kind, "anthropic-beta": "a-1,b-2", "anthropic-version": "2024-01-01"},
        {**kind, "openai-beta": "x"},
        {**kind, "anthropic-version": "2023-06-01"},
    ]


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("https://m.test", MESSAGES, "https://m.test/v1/messages"),
        ("https://m.test/v1/", MESSAGES, "https://m.test/v1/messages"),
        ("https://m.test/v1", RESPONSES, "https://m.test/v1/responses"),
        (None, MESSAGES, "https://api.anthropic.com/v1/messages"),
        (None, RESPONSES, "https://api.openai.com/v1/responses"),
    ],
)
def test_where_calls_go(
    base: str | None, path: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    upstream = Upstream(plain(path))
    asked_once(upstream, path, base_url=base)
    assert str(upstream.requests[0].url) == url


def test_each_vendors_variable_names_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://one.test/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://two.test")
    upstream = Upstream(plain(RESPONSES), plain(MESSAGES))
    with gateway(upstream, base_url=None) as gate, gate.open_race(order()) as race:
        for path in PATHS:
            post(race, gate, path, json=ASKED[path])
    assert [str(request.url) for request in upstream.requests] == [
        "http://one.test/v1/responses",
        "http://two.test/v1/messages",
    ]


def test_claude_codes_knock_and_codexs_websocket() -> None:
    with gateway(Upstream(plain(RESPONSES))) as gate, gate.open_race(order()) as race:
        head = httpx.head(f"{race.url()}/anthropic", trust_env=False)
        upgrade = {"upgrade": "websocket", "connection": "upgrade"}
        websocket = httpx.get(f"{race.url()}/{RESPONSES}", headers=upgrade, trust_env=False)
        get = httpx.get(f"{race.url()}/{RESPONSES}", trust_env=False)
    assert (head.status_code, websocket.status_code, get.status_code) == (200, 426, 405)
    assert race.trace().events == ()
    assert race.problem is None


@both
def test_the_runs_model_writes_code_in_the_agents_protocol(path: str) -> None:
    """The tool python_generate_code asks the same server as the agent."""
    upstream = Upstream(plain(path))
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        post(race, gate, path, json=ASKED[path])
        reply = post(race, gate, "tools/python_generate_code", json={"description": "seven"})
    assert "7" in reply.text
    assert [call.counts_as_step for call in race.trace().model_calls] == [True, False]
    assert upstream.requests[1].url == upstream.requests[0].url
    assert "seven" in str(upstream.bodies[1])
