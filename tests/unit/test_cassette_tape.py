"""Recording and replaying through the transport."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from pytest_aar.cassettes import (
    ENDPOINT,
    Metadata,
    Tape,
    TapeOptions,
    TapeTransport,
    open_tape,
)
from pytest_aar.cassettes.paths import bodies_path, partial_path
from pytest_aar.errors import (
    CassetteMissing,
    InfrastructureError,
    ReplayDiverged,
)
from pytest_aar.secrets import Secrets

CHAT = "openai/v1/chat/completions"
NO_SECRETS = Secrets()
MODEL = TapeOptions(secrets=NO_SECRETS)
TOOLS = TapeOptions(kind="tools", secrets=NO_SECRETS)

Handler = Callable[[httpx.Request], httpx.Response]


def refuse(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"replay went to the network: {request.url}")


def counting() -> Handler:
    """Answers 1, 2, 3, ... whatever is asked."""
    count = iter(range(1, 1000))
    return lambda request: httpx.Response(200, json={"answer": next(count)})


def conversation(*contents: str, **fields: Any) -> dict[str, Any]:
    roles = ["system"] + ["user", "assistant"] * len(contents)
    messages = [
        {"role": role, "content": text} for role, text in zip(roles, contents, strict=False)
    ]
    return {"model": "m", "messages": messages, **fields}


async def ask(
    client: httpx.AsyncClient, body: dict[str, Any], *, host: str = "https://api.test"
) -> httpx.Response:
    return await client.post(f"{host}/v1/chat/completions", json=body, extensions={ENDPOINT: CHAT})


async def asked_all(
    tape: Tape | None, handler: Handler, bodies: list[dict[str, Any]], **options: Any
) -> list[Any]:
    transport = TapeTransport(httpx.MockTransport(handler), tape=tape)
    async with httpx.AsyncClient(transport=transport) as client:
        return [(await ask(client, body, **options)).json() for body in bodies]


async def got_all(tape: Tape | None, handler: Handler, urls: list[str]) -> list[httpx.Response]:
    transport = TapeTransport(httpx.MockTransport(handler), tape=tape)
    async with httpx.AsyncClient(transport=transport) as client:
        return [await client.get(url) for url in urls]


def record(path: Path, bodies: list[dict[str, Any]], handler: Handler | None = None) -> list[Any]:
    tape = open_tape(path, mode="all", options=MODEL)
    answers = asyncio.run(asked_all(tape, handler or counting(), bodies))
    tape.save()
    tape.close()
    return answers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dag/easy/001/react--m.json"


def test_replay_gives_the_recorded_answers_offline(path: Path) -> None:
    bodies = [conversation("s"), conversation("s", "u"), conversation("s", "u", "a")]
    recorded = record(path, bodies)
    tape = open_tape(path, mode="none", options=MODEL)
    replayed = asyncio.run(asked_all(tape, refuse, bodies, host="http://127.0.0.1:9"))
    assert replayed == recorded == [{"answer": 1}, {"answer": 2}, {"answer": 3}]
    assert (tape.hits, tape.misses, tape.unplayed, tape.problem) == (3, (), (), None)


def test_equal_model_calls_replay_in_recorded_order_and_no_more(path: Path) -> None:
    body = conversation("s", "same")
    record(path, [body] * 3)
    tape = open_tape(path, mode="none", options=MODEL)
    assert asyncio.run(asked_all(tape, refuse, [body] * 3)) == [{"answer": n} for n in (1, 2, 3)]
    with pytest.raises(ReplayDiverged, match="recorded three times, asked a fourth time"):
        asyncio.run(asked_all(tape, refuse, [body]))
    assert len(tape.misses) == 1


def test_tools_replay_any_number_of_times(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    tape = open_tape(path, mode="extend", options=TOOLS)
    url = "https://maps.test/geocode?address=Oslo"
    first = asyncio.run(got_all(tape, counting(), [url, url]))
    assert [each.json()["answer"] for each in first] == [1, 1]
    tape.save()
    tape.close()
    replay = open_tape(path, mode="none", options=TOOLS)
    again = asyncio.run(got_all(replay, refuse, [url] * 5))
    assert [each.json()["answer"] for each in again] == [1] * 5
    assert replay.unplayed == ()


def test_a_blank_query_is_part_of_the_key(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    tape = open_tape(path, mode="extend", options=TOOLS)
    asyncio.run(got_all(tape, counting(), ["https://w.test/?Berlin"]))
    tape.save()
    tape.close()
    replay = open_tape(path, mode="none", options=TOOLS)
    with pytest.raises(ReplayDiverged, match="the URL differs"):
        asyncio.run(got_all(replay, refuse, ["https://w.test/?Paris"]))


def test_a_missing_cassette_says_how_to_record(path: Path) -> None:
    with pytest.raises(CassetteMissing, match=r"no cassette; record it with --aar-record=once"):
        open_tape(path, mode="none", options=MODEL)
