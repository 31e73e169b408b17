"""What passes through the gateway is seen by the race's lookout, on every route and in every form."""

import json
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from little_world import events, gateway, order, post

from pytest_aar.gateway import Gateway, RaceSession
from pytest_aar.lookout import Lookout, guid_needle

CANARY = "8c224261-a9b4-5810-8663-9deb374ec5dc"
ROUTES = {
    "openai/v1/chat/completions": {"messages": [{"role": "user", "content": "hi"}]},
    "openai/v1/responses": {"input": "hi"},
    "anthropic/v1/messages": {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 9},
}
#: The text of a reply in pieces, as each protocol streams it.
PIECES = {
    "openai/v1/chat/completions": lambda part: {
        "choices": [{"index": 0, "delta": {"content": part}}]
    },
    "openai/v1/responses": lambda part: {"type": "response.output_text.delta", "delta": part},
    "anthropic/v1/messages": lambda part: {
        "type": "content_block_delta",
        "delta": {"type": "text_delta", "text": part},
    },
}
each_route = pytest.mark.parametrize("route", ROUTES)


class Model(httpx.AsyncBaseTransport):
    """Answers all calls with the same reply."""

    def __init__(self) -> None:
        self.reply = httpx.Response(200, json={})

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        return httpx.Response(200, headers=self.reply.headers, content=self.reply.content)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def gate(model: Model) -> Iterator[Gateway]:
    with gateway(model) as opened:
        yield opened


@pytest.fixture
def race(gate: Gateway) -> Iterator[RaceSession]:
    needle = guid_needle(CANARY, "the canary")
    assert needle is not None
    lookout = Lookout([needle], watches_web=True)
    with gate.open_race(replace(order(), lookout=lookout)) as opened:
        yield opened


def seen(race: RaceSession) -> tuple[str, ...]:
    return race.order.lookout.contaminated


@each_route
def test_requests_to_the_model_are_seen(gate: Gateway, race: RaceSession, route: str) -> None:
    post(race, gate, route, json=ROUTES[route])
    assert seen(race) == ()
    post(race, gate, route, json={**ROUTES[route], "note": {"of": [f"read {CANARY}"]}})
    assert seen(race) == ("the canary in what was sent to the model",)


@each_route
def test_whole_replies_are_seen(gate: Gateway, race: RaceSession, model: Model, route: str) -> None:
    model.reply = httpx.Response(200, json={"said": CANARY.upper()})
    post(race, gate, route, json=ROUTES[route])
    assert seen(race) == ("the canary in a reply of the model",)


@each_route
def test_streams_are_put_together(
    gate: Gateway, race: RaceSession, model: Model, route: str
) -> None:
    parts = [CANARY[at : at + 5] for at in range(0, len(CANARY), 5)]
    model.reply = httpx.Response(
        200,
        headers={"content-type": "text/event-stream"},
        content=events(*(PIECES[route](part) for part in parts)),
    )
    post(race, gate, route, json={**ROUTES[route], "stream": True})
    assert seen(race) == ("the canary in a reply of the model",)


def test_tools_are_seen(gate: Gateway, race: RaceSession) -> None:
    post(race, gate, "tools/countries_population", json={"country": CANARY})
    assert seen(race)[0] == "the canary in the arguments of the tool countries_population"
    assert "8c22" not in " ".join(seen(race))


def test_commands_in_a_reply_are_seen(gate: Gateway, race: RaceSession, model: Model) -> None:
    call = {
        "function": {"name": "bash", "arguments": json.dumps({"command": "curl https://a.org"})}
    }
    race.order.lookout.ran("none")  # a CLI that runs its commands itself
    model.reply = httpx.Response(200, json={"choices": [{"message": {"tool_calls": [call]}}]})
    post(race, gate, "openai/v1/chat/completions", json=ROUTES["openai/v1/chat/completions"])
    assert race.order.lookout.unobserved == ("curl to a.org in a command of the model's",)


def test_a_race_without_a_lookout_of_its_own_is_not_watched(gate: Gateway) -> None:
    with gate.open_race(order()) as race:
        post(race, gate, "tools/countries_population", json={"country": CANARY})
        assert race.order.lookout.contaminated == ()
