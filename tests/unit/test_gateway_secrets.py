"""Keys and the gateway: not in a base URL, not in what agents get of tools, not in usage errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from little_world import LEG, OpenWorld, gateway, order, post

from pytest_aar import session
from pytest_aar.cli import main
from pytest_aar.errors import ConfigurationError
from pytest_aar.gateway import Gateway
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, Services, TransportDecides
from pytest_aar.trace import ToolCall

KEY = "planted-secret-7f3a9c"


@pytest.mark.parametrize("source", ["--aar-base-url", "OPENAI_BASE_URL"])
def test_a_base_url_with_a_password_is_refused_and_not_repeated(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"https://me:{KEY}@model.test/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    given = url if source == "--aar-base-url" else None
    with gateway(base_url=given) as gate, pytest.raises(ConfigurationError) as error:
        _ = gate.model_name
    assert f"base URL ({source}) holds a user name or password" in str(error.value)
    assert "put the key into AAR_API_KEY or OPENAI_API_KEY" in str(error.value)
    assert KEY not in str(error.value)


@asynccontextmanager
async def telling_world(name: str, settings: Settings, **_: Any) -> AsyncIterator[OpenWorld]:
    """Its search repeats the request's key in its answer."""

    def answer(request: httpx.Request) -> httpx.Response:
        told = request.headers["x-api-key"]
        link = {"title": f"key {told}", "link": "https://w.test/", "snippet": told}
        return httpx.Response(200, json={"organic": [link]})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        keys = {"SERPER_API_KEY": KEY}
        yield OpenWorld(
            name=name,
            services=Services(http=http, endpoints=LIVE, guard=TransportDecides(), keys=keys),
        )


def test_a_service_that_repeats_its_key_does_not_tell_the_agent() -> None:
    with (
        Gateway(Settings(model=None), open_world=telling_world) as gate,
        gate.open_race(order(LEG)) as race,
    ):
        reply = post(race, gate, "tools/web_search", json={"query": "norland"})
        (call,) = race.trace().events
    assert isinstance(call, ToolCall)
    for text in (reply.text, call.text):
        assert "key <redacted>" in text
        assert KEY not in text


def test_a_usage_error_quotes_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    error = session.usage_error(ConfigurationError(f"{KEY} and sk-ant-{'a1' * 20} are not valid"))
    assert str(error) == "<redacted> and <redacted> are not valid"


def test_an_error_of_a_command_quotes_no_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    monkeypatch.setattr("sys.argv", ["aar", "tool", KEY, "--schema"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "no tool is called '<redacted>'" in capsys.readouterr().err
