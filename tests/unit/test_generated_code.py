"""python_generate_code through the gateway: what the model is asked, and every way to get no code."""

import json
from typing import Any

import httpx
import pytest
from little_world import chat, gateway, order, post

TOOL = "tools/python_generate_code"
REFUSED = {"role": "assistant", "content": None, "refusal": "I can't help with that."}


class Model(httpx.AsyncBaseTransport):
    """A model server that gives one answer and keeps what it was asked."""

    def __init__(self, body: Any, status: int = 200) -> None:
        self.body, self.status = body, status
        self.asked: list[dict[str, Any]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(json.loads(await request.aread()))
        return httpx.Response(self.status, json=self.body)


def refused(**message: Any) -> dict[str, Any]:
    return {**chat(), "choices": [{"index": 0, "message": {**REFUSED, **message}}]}


def asked_of(server: Model | None, **arguments: Any) -> httpx.Response:
    opened = gateway(server) if server else gateway(model=None)
    with opened as gate, gate.open_race(order()) as race:
        return post(race, gate, TOOL, json={"description": "print 7", **arguments})


@pytest.mark.parametrize(
    ("extra", "wish"),
    [
        ({}, "print 7"),
        ({"extra_instructions": None}, "print 7"),
        ({"extra_instructions": "no loops"}, "print 7\n\nno loops"),
    ],
)
def test_extra_instructions_stand_below_the_description(extra: dict[str, Any], wish: str) -> None:
    model = Model(chat("print(7)"))
    assert asked_of(model, **extra).json() == {"code": "print(7)"}
    (asked,) = model.asked
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    assert "Python 3 code" in asked["messages"][0]["content"]
    assert asked["messages"][1]["content"] == wish


@pytest.mark.parametrize("message", [{}, {"content": ""}, {"content": " \n"}])
def test_a_model_that_refuses_wrote_no_code(message: dict[str, Any]) -> None:
    reply = asked_of(Model(refused(**message)))
    assert (reply.status_code, reply.headers["x-aar-ok"]) == (422, "false")
    problem = reply.json()["error"]
    assert problem["kind"] == "upstream"
    assert problem["message"].startswith("the model answered no code: ")
    assert "I can't help with that." in problem["message"]


def test_a_reply_that_is_none_of_the_protocols_is_no_code() -> None:
    problem = asked_of(Model({"odd": 1})).json()["error"]
    assert problem["kind"] == "upstream"
    assert "no code" in problem["message"]


def test_a_race_without_a_model_says_what_to_do_instead() -> None:
    problem = asked_of(None).json()["error"]
    assert problem["kind"] == "denied"
    assert "--aar-model" in problem["message"]
    assert "python_execute_code" in problem["message"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"model": ""}, "model: "),
        ({"model": 3}, "model: "),
        ({"extra_instructions": ["x"]}, "extra_instructions: "),
        ({"description": ""}, "description: "),
        ({"temperature": 0}, "it takes description, model, extra_instructions"),
    ],
)
def test_wrong_arguments_ask_no_model(wrong: dict[str, Any], said: str) -> None:
    model = Model(chat("print(7)"))
    problem = asked_of(model, **wrong).json()["error"]
    assert (problem["kind"], model.asked) == ("bad_arguments", [])
    assert said in problem["message"]
