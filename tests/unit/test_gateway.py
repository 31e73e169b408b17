import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from urllib.parse import unquote

import httpx
import pytest
from little_world import LEG, chat, events, gateway, leg_named, order, post

from pytest_aar.errors import InfrastructureError, ModelUnavailable, ReplayDiverged
from pytest_aar.gateway import Gateway, RaceSession, replies
from pytest_aar.trace import ModelCall, ToolCall

CHAT = "openai/v1/chat/completions"
BODY = {"model": "whatever", "messages": [{"role": "user", "content": "hi"}]}


class Upstream(httpx.AsyncBaseTransport):
    """Answers with what it was given and keeps the requests."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers) or [httpx.Response(200, json=chat())]
        self.bodies: list[dict[str, object]] = []
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.bodies.append(json.loads(await request.aread()))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)


@pytest.fixture
def upstream() -> Upstream:
    return Upstream()


@pytest.fixture
def gate(upstream: Upstream) -> Iterator[Gateway]:
    with gateway(upstream) as opened:
        yield opened


@pytest.fixture
def race(gate: Gateway) -> Iterator[RaceSession]:
    with gate.open_race(order()) as opened:
        yield opened


def test_a_tool_call_is_answered_and_traced(gate: Gateway, race: RaceSession) -> None:
    reply = post(race, gate, "tools/countries_population", json={"country": "Norland"})
    assert (reply.status_code, reply.json()["population"]) == (200, 1234)
    (event,) = race.trace().events
    assert isinstance(event, ToolCall)
    assert (event.name, event.arguments, event.ok) == (
        "countries_population",
        {"country": "Norland"},
        True,
    )
    assert event.text == reply.text
    assert event.shown_characters == len(reply.text)
    assert event.started_at > 1e9
    assert event.duration_seconds > 0


def test_a_page_fetch_keeps_its_final_address(gate: Gateway, race: RaceSession) -> None:
    post(race, gate, "tools/fetch_webpage", json={"url": "https://wiki.aar.test/wiki/Start#x"})
    call = race.trace().tool_calls[0]
    assert (call.title, call.final_url) == ("Start", "https://wiki.aar.test/wiki/Start")


def test_the_agent_gets_a_cut_text_and_the_trace_the_full_one() -> None:
    with gateway(tool_characters=20) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, "tools/countries_area", json={"country": "Norland"})
        call = race.trace().tool_calls[0]
    assert "[cut: characters 0 to 20" in reply.text
    assert json.loads(call.text)["area_km2"] == 567
    assert call.shown_characters == len(reply.text)


def test_an_error_result_is_a_result(gate: Gateway, race: RaceSession) -> None:
    reply = post(race, gate, "tools/countries_area", json={"contry": "Norland"})
    assert (reply.status_code, reply.headers["x-aar-ok"]) == (422, "false")
    assert reply.json()["error"]["kind"] == "bad_arguments"
    assert race.trace().tool_calls[0].error_kind == "bad_arguments"


def test_an_unknown_tool_is_an_error_result_too(gate: Gateway, race: RaceSession) -> None:
    reply = post(race, gate, "tools/fetch_web", json={})
    assert "did you mean fetch_webpage?" in reply.text
    assert race.trace().tool_calls[0].name == "fetch_web"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"{oops", "not JSON"), (b"[1]", "must be a JSON object, not list"), (b"\xff", "not JSON")],
)
def test_arguments_that_are_no_object(
    gate: Gateway, race: RaceSession, content: bytes, message: str
) -> None:
    reply = post(race, gate, "tools/countries_area", content=content)
    assert reply.status_code == 400
    assert message in reply.json()["error"]["message"]
    assert [call.error_kind for call in race.trace().tool_calls] == ["bad_arguments"]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"[" * 100_000, "not JSON"), (b'{"a": ' + b"[" * 99 + b"]" * 99 + b"}", "deeper than 32")],
)
def test_arguments_nested_too_deeply(
    gate: Gateway, race: RaceSession, content: bytes, message: str
) -> None:
    reply = post(race, gate, "tools/countries_area", content=content)
    assert (reply.status_code, race.problem) == (400, None)
    assert message in reply.json()["error"]["message"]
    assert [call.error_kind for call in race.trace().tool_calls] == ["bad_arguments"]


def test_a_model_call_nested_too_deeply_is_bad_json(gate: Gateway, race: RaceSession) -> None:
    reply = post(race, gate, CHAT, content=b'{"messages": ' + b"[" * 100_000)
    assert (reply.status_code, race.problem) == (400, None)


@pytest.mark.parametrize("path", ["functions/fetch", "a%0Ab", "x%0A", "", "/"])
def test_what_fits_no_tools_route_is_an_invalid_call_all_the_same(
    gate: Gateway, race: RaceSession, path: str
) -> None:
    reply = httpx.post(f"{race.url()}/tools/{path}", json={}, trust_env=False)
    assert (reply.status_code, reply.headers["x-aar-ok"]) == (422, "false")
    (call,) = race.trace().tool_calls
    assert (call.name, call.error_kind) == (unquote(path), "bad_arguments")


def test_a_message_that_quotes_lone_surrogates_can_be_sent() -> None:
    upstream = Upstream(ReplayDiverged("message 3 differs: \ud800"))
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, CHAT, json=BODY)
    assert reply.json()["error"]["message"].endswith("\ud800")


def test_a_model_call_goes_up_with_the_runs_model_and_options(upstream: Upstream) -> None:
    options = {"seed": "7", "reasoning_effort": "low"}
    with gateway(upstream, model_options=options) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, CHAT, json=BODY)
    assert reply.json()["choices"][0]["message"]["content"] == "7"
    assert upstream.bodies == [
        {**BODY, "model": "some-model", "seed": 7, "reasoning_effort": "low", "temperature": 0}
    ]
    (call,) = race.trace().events
    assert isinstance(call, ModelCall)
    assert (call.protocol, call.model, call.status) == ("openai-chat", "some-model", 200)
    assert (call.input_tokens, call.output_tokens, call.cached_tokens) == (11, 3, 4)
    seen = race.trace()
    assert (seen.input_tokens, seen.output_tokens) == (11, 3)


@pytest.mark.parametrize(
    ("model", "expected"), [("gpt-4.1", 0), ("gpt-5-mini", None), ("openai/o3", None)]
)
def test_temperature_zero_where_the_model_takes_one(
    upstream: Upstream, model: str, expected: int | None
) -> None:
    with gateway(upstream, model=model) as gate, gate.open_race(order()) as race:
        post(race, gate, CHAT, json=BODY)
    assert upstream.bodies[0].get("temperature") == expected


def test_the_agents_key_goes_nowhere(gate: Gateway, race: RaceSession, upstream: Upstream) -> None:
    post(race, gate, CHAT, json=BODY, headers={"authorization": "Bearer aar-no-key"})
    assert "authorization" not in upstream.requests[0].headers


def test_the_step_limit_is_refused_for_good(upstream: Upstream) -> None:
    with gateway(upstream) as gate, gate.open_race(order(step_limit=2)) as race:
        replies_ = [post(race, gate, CHAT, json=BODY) for _ in range(3)]
    assert [reply.status_code for reply in replies_] == [200, 200, 404]
    assert replies_[2].json()["error"]["code"] == "aar_step_limit"
    assert "step budget of 2 model calls" in replies_[2].text
    assert replies_[2].headers["x-should-retry"] == "false"
    assert race.used_up == "step-limit"
    assert len(race.trace().model_calls) == len(upstream.requests) == 2


CHUNKS = (
    {"choices": [{"index": 0, "delta": {"content": "7"}}]},
    {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}},
)


def streamed() -> httpx.Response:
    return httpx.Response(
        200, headers={"content-type": "text/event-stream"}, content=events(*CHUNKS)
    )


def test_a_stream_passes_and_its_usage_is_counted() -> None:
    upstream = Upstream(streamed())
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, CHAT, json={**BODY, "stream": True})
    assert upstream.bodies[0]["stream_options"] == {"include_usage": True}
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.content == events(
        CHUNKS[0]
    )  # the usage event was the gateway's wish, not the agent's
    seen = race.trace()
    assert (seen.input_tokens, seen.output_tokens) == (5, 1)


class Breaking(httpx.AsyncBaseTransport):
    """A model whose replies break off."""

    def __init__(self, content_type: str, start: bytes) -> None:
        self._type, self._start = content_type, start

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        async def body() -> AsyncIterator[bytes]:
            yield self._start
            raise httpx.RemoteProtocolError("peer closed connection")

        return httpx.Response(200, headers={"content-type": self._type}, content=body())


@pytest.mark.parametrize("is_child", [True, False], ids=["child", "in-process"])
def test_a_reply_that_breaks_off_is_a_model_that_is_unavailable(is_child: bool) -> None:
    with gateway(Breaking("application/json", b'{"id')) as gate, gate.open_race(order()) as race:
        if is_child:
            reply = httpx.post(f"{race.url()}/{CHAT}", json=BODY, trust_env=False)
        else:
            reply = post(race, gate, CHAT, json=BODY)
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "aar_infrastructure")
    assert isinstance(race.problem, ModelUnavailable)
    assert "broke off (RemoteProtocolError: peer closed connection)" in str(race.problem)
    assert [call.status for call in race.trace().model_calls] == [0]


def test_a_stream_that_breaks_off_is_a_model_that_is_unavailable() -> None:
    start = events(CHUNKS[0]).removesuffix(b"data: [DONE]\n\n")
    model = Breaking("text/event-stream", start)
    with gateway(model) as gate, gate.open_race(order()) as race:
        asked = {**BODY, "stream": True}
        reply = httpx.post(f"{race.url()}/{CHAT}", json=asked, trust_env=False)
    assert reply.content == start
    assert isinstance(race.problem, ModelUnavailable)
    assert [call.status for call in race.trace().model_calls] == [0]


@pytest.mark.parametrize("is_child", [True, False], ids=["child", "in-process"])
def test_a_fault_of_the_gateway_is_the_races_problem(is_child: bool) -> None:
    with gateway(Upstream(KeyError("oops"))) as gate, gate.open_race(order()) as race:
        if is_child:
            reply = httpx.post(f"{race.url()}/{CHAT}", json=BODY, trust_env=False)
        else:
            reply = post(race, gate, CHAT, json=BODY)
    assert reply.status_code == 500
    assert "KeyError: 'oops'" in reply.json()["error"]["message"]
    assert type(race.problem) is InfrastructureError
    assert "the gateway failed" in str(race.problem)


def test_a_client_that_asks_for_usage_gets_it() -> None:
    with gateway(Upstream(streamed())) as gate, gate.open_race(order()) as race:
        asked = {**BODY, "stream": True, "stream_options": {"include_usage": True}}
        assert post(race, gate, CHAT, json=asked).content == events(*CHUNKS)


def test_a_lost_model_is_the_races_problem_and_not_retried() -> None:
    upstream = Upstream(ModelUnavailable("model server x answered 401"))
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        first = post(race, gate, CHAT, json=BODY)
        second = post(race, gate, CHAT, json=BODY)
    assert (first.status_code, first.json()["error"]["code"]) == (404, "aar_infrastructure")
    assert second.status_code == 404
    assert isinstance(race.problem, ModelUnavailable)
    assert len(upstream.requests) == 1
    assert [call.status for call in race.trace().model_calls] == [0]


def test_a_diverged_replay_is_the_races_problem() -> None:
    with (
        gateway(Upstream(ReplayDiverged("message 3 differs"))) as gate,
        gate.open_race(order()) as race,
    ):
        reply = post(race, gate, CHAT, json=BODY)
    assert "message 3 differs" in reply.text
    assert isinstance(race.problem, ReplayDiverged)


def test_a_models_later_refusal_is_the_agents_to_hear() -> None:
    too_long = httpx.Response(400, json={"error": {"message": "context too long"}})
    upstream = Upstream(httpx.Response(200, json=chat()), too_long)
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        post(race, gate, CHAT, json=BODY)
        reply = post(race, gate, CHAT, json=BODY)
    assert (reply.status_code, reply.json()["error"]["message"]) == (400, "context too long")
    assert race.problem is None


@pytest.mark.parametrize("status", [400, 422])
def test_a_refusal_of_the_races_first_call_is_no_loss_of_the_agents(status: int) -> None:
    unsupported = {"error": {"message": "temperature is not supported"}}
    with (
        gateway(Upstream(httpx.Response(status, json=unsupported))) as gate,
        gate.open_race(order()) as race,
    ):
        assert post(race, gate, CHAT, json=BODY).status_code == 404
    assert isinstance(race.problem, ModelUnavailable)
    for part in (f"answered {status}", "temperature is not supported", '"temperature": 0'):
        assert part in str(race.problem)
    assert "--aar-model-option NAME=VALUE" in str(race.problem)
    assert [call.status for call in race.trace().model_calls] == [status]


def test_a_run_without_a_model_says_so() -> None:
    with gateway(Upstream(), model=None) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, CHAT, json=BODY)
        assert gate.model_name is None
    assert reply.status_code == 404
    assert "--aar-model" in str(race.problem)


def test_models_and_task(gate: Gateway, race: RaceSession) -> None:
    async def get() -> list[httpx.Response]:
        async with race.client() as client:
            return [await client.get(path) for path in ("openai/v1/models", "task")]

    models, task = gate.run(get())
    assert [model["id"] for model in models.json()["data"]] == ["some-model"]
    assert task.json().keys() == {"seed_url", "clues", "step_budget", "tools"}
    assert len(task.json()["tools"]) == 19


def test_races_do_not_see_each_other(gate: Gateway) -> None:
    with gate.open_race(order()) as one, gate.open_race(order(leg_named("little/two"))) as two:
        assert one.token != two.token
        post(one, gate, "tools/countries_area", json={"country": "Norland"})
        post(two, gate, CHAT, json=BODY)
    assert [type(event) for event in one.trace().events] == [ToolCall]
    assert [type(event) for event in two.trace().events] == [ModelCall]


def test_a_closed_races_token_fits_no_longer(gate: Gateway) -> None:
    with gate.open_race(order()) as race:
        pass
    reply = post(race, gate, "tools/countries_area", json={"country": "Norland"})
    assert reply.status_code == 404
    assert "no open race has this token" in reply.json()["error"]["message"]
    assert race.trace().events == ()


def test_the_token_stands_in_no_event(gate: Gateway, race: RaceSession) -> None:
    post(race, gate, "tools/countries_area", json={"country": "Norland"})
    post(race, gate, CHAT, json=BODY)
    assert race.token not in repr(race.trace())


# Over loopback


def test_child_processes_reach_the_same_race(gate: Gateway, race: RaceSession) -> None:
    reply = httpx.post(
        f"{race.url()}/tools/countries_area", json={"country": "Norland"}, trust_env=False
    )
    assert reply.json()["area_km2"] == 567
    assert len(race.trace().tool_calls) == 1
    assert race.url() == race.url()


def test_the_url_can_be_asked_for_on_the_loop_itself(gate: Gateway, race: RaceSession) -> None:
    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(trust_env=False) as client:
            return await client.get(f"{race.url()}/openai/v1/models")

    assert gate.run(ask()).status_code == 200


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/r/wrong/tools/countries_area", "no open race has this token"),
        ("/tools/countries_area", "nothing is served at this path"),
        ("/r/TOKEN/anthropic/v1/messages/count_tokens", "nothing is served at this path"),
    ],
)
def test_what_fits_no_race_is_404_in_json(race: RaceSession, path: str, message: str) -> None:
    base = race.url().partition("/r/")[0]
    reply = httpx.post(base + path.replace("TOKEN", race.token), json={}, trust_env=False)
    assert reply.status_code == 404
    assert message in reply.json()["error"]["message"]


def test_a_wrong_method_says_which_fits(race: RaceSession) -> None:
    reply = httpx.get(f"{race.url()}/tools/countries_area", trust_env=False)
    assert (reply.status_code, "POST" in reply.json()["error"]["message"]) == (405, True)


def test_oversized_requests_are_refused(race: RaceSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def pieces() -> Iterator[bytes]:
        yield from [b" " * 1_000_000] * 33

    announced = httpx.post(
        f"{race.url()}/tools/countries_area",
        content=b" " * (replies.REQUEST_BYTES + 1),
        trust_env=False,
    )
    unannounced = httpx.post(
        f"{race.url()}/tools/countries_area", content=pieces(), trust_env=False
    )
    assert (announced.status_code, unannounced.status_code) == (413, 413)
    assert "the limit is" in announced.text


def test_a_dropped_connection_leaves_the_gateway_well(race: RaceSession) -> None:
    host, port = httpx.URL(race.url()).host, httpx.URL(race.url()).port
    with socket.create_connection((host, port)) as half:
        half.sendall(
            f"POST /r/{race.token}/tools/countries_area HTTP/1.1\r\nHost: x\r\n"
            "Content-Length: 100\r\n\r\n{".encode()
        )
    reply = httpx.post(f"{race.url()}/tools/countries_area", json={}, trust_env=False)
    assert reply.status_code == 422


def test_a_slow_client_does_not_hold_up_others(race: RaceSession) -> None:
    host, port = httpx.URL(race.url()).host, httpx.URL(race.url()).port
    with socket.create_connection((host, port)) as slow:
        slow.sendall(b"POST /r/x/tools/y HTTP/1.1\r\n")
        reply = httpx.get(f"{race.url()}/openai/v1/models", trust_env=False, timeout=5)
    assert reply.status_code == 200


def test_a_stream_arrives_as_it_comes() -> None:
    """The first event is on the wire while the model still thinks about the second."""
    go_on = asyncio.Event()

    class Slow(httpx.AsyncByteStream):
        async def __aiter__(self):  # type: ignore[no-untyped-def]
            yield events(CHUNKS[0]).removesuffix(b"data: [DONE]\n\n")
            await asyncio.wait_for(go_on.wait(), 10)
            yield events(CHUNKS[1])

    class Thinking(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            kind = {"content-type": "text/event-stream"}
            return httpx.Response(200, headers=kind, stream=Slow())

    with (
        gateway(Thinking()) as gate,
        gate.open_race(order()) as race,
        httpx.stream(
            "POST", f"{race.url()}/{CHAT}", json={**BODY, "stream": True}, trust_env=False
        ) as reply,
    ):
        pieces = reply.iter_raw()
        first = next(pieces)
        gate.run(asyncio.sleep(0))
        gate._threads.loop.call_soon_threadsafe(go_on.set)
        rest = b"".join(pieces)
    assert b'"content": "7"' in first
    assert rest == b"data: [DONE]\n\n"
    seen = race.trace()
    assert (seen.input_tokens, seen.output_tokens) == (5, 1)


def test_the_world_is_chosen_by_the_seed(gate: Gateway) -> None:
    assert gate.world_name(LEG) == "sandbox"
    assert gate.world_hash(LEG) == "little"


def test_generated_code_is_a_model_call_that_is_no_step() -> None:
    upstream = Upstream(httpx.Response(200, json=chat("print(7)")))
    with gateway(upstream) as gate, gate.open_race(order(step_limit=1)) as race:
        reply = post(race, gate, "tools/python_generate_code", json={"description": "print 7"})
    assert "print(7)" in reply.text
    assert race.steps == 0
    assert [call.counts_as_step for call in race.trace().model_calls] == [False]
    assert [type(event) for event in race.trace().events] == [ModelCall, ToolCall]


CODE = "tools/python_generate_code"


@pytest.mark.parametrize("named", [None, "code-writer"])
def test_code_is_asked_of_the_model_that_the_call_names(named: str | None) -> None:
    upstream = Upstream(httpx.Response(200, json=chat("print(7)")))
    arguments = {"description": "print 7", "model": named}
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        assert post(race, gate, CODE, json=arguments).status_code == 200
    assert upstream.bodies[0]["model"] == (named or "some-model")
    assert [call.model for call in race.trace().model_calls] == [named or "some-model"]


def test_a_model_that_is_none_is_an_error_result_and_no_problem_of_the_race() -> None:
    upstream = Upstream(httpx.Response(404, json={"error": {"message": "no such model"}}))
    with gateway(upstream) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, CODE, json={"description": "print 7", "model": "nobody"})
    assert reply.json()["error"]["kind"] == "upstream"
    assert "answered 404" in reply.text
    assert "no such model" in reply.text
    assert race.problem is None


def test_the_scripted_stand_in_writes_no_code() -> None:
    with gateway(model="pacer") as gate, gate.open_race(order()) as race:
        reply = post(race, gate, CODE, json={"description": "print 7"})
    assert reply.json()["error"]["kind"] == "denied"
    assert "scripted stand-in" in reply.text
    assert race.trace().model_calls == ()
    assert race.problem is None


def test_the_in_process_client_is_an_httpx_client_in_all_its_forms(
    gate: Gateway, race: RaceSession
) -> None:
    country = {"country": "Norland"}

    async def ask() -> list[str]:
        async with race.client() as client:
            usual = await client.post("tools/countries_area", json=country)
            raw = await client.post("tools/countries_area", content=json.dumps(country).encode())
            query = await client.post("tools/countries_area", json=country, params={"x": "1"})
            async with client.stream("POST", "tools/countries_area", json=country) as streamed_:
                read = (await streamed_.aread()).decode()
            built = await client.send(client.build_request("GET", httpx.URL("openai/v1/models")))
            built.raise_for_status()
            return [usual.text, raw.text, query.text, read]

    texts = gate.run(ask())
    assert len(set(texts)) == 1
    assert len(race.trace().tool_calls) == 4
