"""MCP on the gateway, spoken by the SDK's own client and, where that is too polite, by hand."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import OpenWorld, answer, gateway, order, post

from pytest_aar.cassettes import open_tape
from pytest_aar.gateway import Gateway, RaceSession, Tapes, mcp_road
from pytest_aar.gateway.tool_road import TapedRoad
from pytest_aar.settings import Settings
from pytest_aar.tools import (
    SANDBOX,
    TOOL_NAMES,
    Services,
    TransportDecides,
    schema,
    tool_named,
)

mcp_client = pytest.importorskip("mcp.client.client", reason="needs the extra mcp")
httpx2 = pytest.importorskip("httpx2")

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
BOTH = {"accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def gate() -> Iterator[Gateway]:
    with gateway() as opened:
        yield opened


@pytest.fixture
def race(gate: Gateway) -> Iterator[RaceSession]:
    with gate.open_race(order()) as opened:
        yield opened


def talk(
    race: RaceSession,
    say: Callable[[Any], Awaitable[Any]],
    *,
    mode: str = "auto",
    by_socket: bool = False,
) -> Any:
    """What `say` gives, told to the race by the SDK's client."""

    async def said() -> Any:
        async with AsyncExitStack() as stack:
            target: Any = f"{race.url()}/mcp"
            if by_socket:
                from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

                road = httpx2.AsyncHTTPTransport(uds=str(race.socket()))
                http = await stack.enter_async_context(httpx2.AsyncClient(transport=road))
                url = f"http://localhost/r/{race.token}/mcp"
                target = streamable_http_client(url, http_client=http)
            client = await stack.enter_async_context(mcp_client.Client(target, mode=mode))
            return await say(client)

    return asyncio.run(said())


def calling(name: str, **arguments: Any) -> Callable[[Any], Awaitable[tuple[bool, str]]]:
    async def called(client: Any) -> tuple[bool, str]:
        result = await client.call_tool(name, arguments)
        assert result.structured_content is None
        (content,) = result.content
        return not result.is_error, content.text

    return called


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("by_socket", [False, True], ids=["tcp", "socket"])
def test_a_client_finds_the_tools_and_calls_them(
    race: RaceSession, mode: str, by_socket: bool
) -> None:
    async def say(client: Any) -> Any:
        listed = await client.list_tools()
        return listed.tools, await calling("countries_area", country="Norland")(client)

    tools, (ok, text) = talk(race, say, mode=mode, by_socket=by_socket)
    assert [tool.name for tool in tools] == list(TOOL_NAMES)
    for tool in tools:
        ours = tool_named(tool.name)
        assert ours is not None
        assert (tool.description, tool.input_schema) == (ours.description, schema(ours))
        assert tool.annotations.read_only_hint is (tool.name != "python_execute_code")
    assert (ok, json.loads(text)["area_km2"]) == (True, 567)


def test_only_the_tools_of_the_race_are_listed(gate: Gateway) -> None:
    few = ("web_search", "fetch_webpage")
    asked = order()
    with gate.open_race(replace(asked, envelope=replace(asked.envelope, tools=few))) as race:
        listed = talk(race, lambda client: client.list_tools())
    assert [tool.name for tool in listed.tools] == ["fetch_webpage", "web_search"]


def test_a_call_stands_in_the_trace_as_one_by_http(gate: Gateway, race: RaceSession) -> None:
    _, by_mcp = talk(race, calling("fetch_webpage", url="https://wiki.aar.test/wiki/Start"))
    reply = post(
        race, gate, "tools/fetch_webpage", json={"url": "https://wiki.aar.test/wiki/Start"}
    )
    assert by_mcp == reply.text
    first, second = (
        replace(call, started_at=0.0, duration_seconds=0.0) for call in race.trace().tool_calls
    )
    assert first == second
    assert first.title == "Start"


def test_an_alias_is_taken_for_the_tool_that_it_means(race: RaceSession) -> None:
    ok, text = talk(race, calling("serper_search", query="Alpha"))
    assert ok
    assert json.loads(text)["results"][0]["title"] == "Start"


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("countries_area", {"contry": "Norland"}, "unknown argument 'contry'; it takes country"),
        ("countries_area", {}, "country: missing, it is required"),
        ("fetch_web", {}, "no tool is called 'fetch_web' (did you mean fetch_webpage?)"),
        ("web_search", {"query": json.loads("[" * 40 + "]" * 40)}, "nested deeper than 32 levels"),
    ],
)
def test_what_is_wrong_with_a_call_is_told_as_the_tools_result(
    race: RaceSession, name: str, arguments: dict[str, Any], message: str
) -> None:
    ok, text = talk(race, calling(name, **arguments))
    assert not ok
    assert message in json.loads(text)["error"]["message"]
    (call,) = race.trace().tool_calls
    assert (call.name, call.error_kind) == (name, "bad_arguments")


def test_a_long_result_is_cut_and_says_so() -> None:
    with gateway(tool_characters=20) as gate, gate.open_race(order()) as race:
        ok, text = talk(race, calling("countries_area", country="Norland"))
        (call,) = race.trace().tool_calls
    assert ok
    assert text.startswith('{"country": "Norland\n[cut: characters 0 to 20')
    assert json.loads(call.text)["area_km2"] == 567


def taped_gateway(network: Callable[[httpx.Request], httpx.Response]) -> Gateway:
    """A gateway whose tools' traffic goes to the calling race's tape, as a live world's does."""

    @asynccontextmanager
    async def opened(*_: Any, **__: Any) -> AsyncIterator[OpenWorld]:
        road = TapedRoad(httpx.MockTransport(network))
        async with httpx.AsyncClient(transport=road) as http:
            services = Services(http=http, endpoints=SANDBOX, guard=TransportDecides())
            yield OpenWorld(name="little", services=services)

    return Gateway(Settings(), open_world=opened)


def test_what_a_call_fetched_is_recorded_and_replays_by_another_way(tmp_path: Path) -> None:
    def nobody(request: httpx.Request) -> httpx.Response:
        raise AssertionError(f"a replay asked the network: {request.url}")

    path = tmp_path / "tools.json"
    tape = open_tape(path, mode="all")
    with taped_gateway(answer) as gate, gate.open_race(order(tapes=Tapes(tools=tape))) as race:
        by_mcp = talk(race, calling("countries_area", country="Norland"))
    tape.save()
    tape.close()
    tape = open_tape(path, mode="none")
    with taped_gateway(nobody) as gate, gate.open_race(order(tapes=Tapes(tools=tape))) as race:
        by_http = post(race, gate, "tools/countries_area", json={"country": "Norland"})
    tape.close()
    assert by_mcp == (True, by_http.text)
    assert (tape.hits, tape.misses) == (1, ())


def test_a_fault_of_the_gateways_own_is_the_races_problem(race: RaceSession) -> None:
    async def say(client: Any) -> str:
        race.order.lookout.tool = None  # type: ignore[method-assign,assignment]
        with pytest.raises(mcp_client.MCPError) as info:
            await client.call_tool("countries_area", {"country": "Norland"})
        return str(info.value)

    assert talk(race, say) == "Internal server error"
    assert "the gateway failed" in str(race.problem)


def sent(
    race: RaceSession, *, headers: dict[str, str] | None = None, **more: Any
) -> httpx.Response:
    """One message by hand."""
    given = {"json": PING, **more}
    return httpx.post(
        f"{race.url()}/mcp", headers={**BOTH, **(headers or {})}, trust_env=False, **given
    )


def test_each_message_stands_alone(race: RaceSession) -> None:
    reply = sent(race)
    assert reply.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert "mcp-session-id" not in reply.headers


def test_there_is_no_stream_to_wait_at(race: RaceSession) -> None:
    reply = httpx.get(f"{race.url()}/mcp", headers=BOTH, trust_env=False)
    assert reply.status_code == 405
    assert "mcp: POST" in reply.json()["error"]["message"]


def test_when_the_race_is_over_nothing_is_served(race: RaceSession) -> None:
    async def say(client: Any) -> None:
        race.close()
        with pytest.raises(mcp_client.MCPError):
            await client.call_tool("countries_area", {"country": "Norland"})

    talk(race, say, mode="legacy")
    reply = sent(race)
    assert reply.status_code == 404
    assert "the race has ended" in reply.json()["error"]["message"]
    assert race.trace().tool_calls == ()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "rebound.example"}, 421),
        ({"host": "127.0.0.1.rebound.example"}, 421),
        ({"origin": "https://rebound.example"}, 403),
        ({"host": "localhost"}, 200),
        ({"origin": "http://127.0.0.1:9"}, 200),
    ],
)
def test_a_page_that_a_browser_was_led_here_by_is_refused(
    race: RaceSession, headers: dict[str, str], status: int
) -> None:
    assert sent(race, headers=headers).status_code == status


def test_a_body_may_be_as_long_as_any_other(
    race: RaceSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_road, "REQUEST_BYTES", 1000)
    reply = sent(race, json={**PING, "params": {"_meta": {"x": "x" * 1000}}})
    assert reply.status_code == 413
    assert "the limit is 1000" in reply.json()["error"]["message"]


@pytest.mark.parametrize("content", [b"{oops", b"[" * 100_000, b"\xff", b"", b"[]", b"7"])
def test_what_is_no_message_is_refused_and_no_problem(race: RaceSession, content: bytes) -> None:
    for version in ("2025-06-18", "2026-07-28"):
        headers = {"content-type": "application/json", "mcp-protocol-version": version}
        reply = sent(race, json=None, content=content, headers=headers)
        assert reply.status_code == 400, (version, reply.text)
    assert race.problem is None
    assert race.trace().tool_calls == ()


@pytest.mark.parametrize("given", [[1], "{}", 7])
def test_arguments_that_are_no_object_are_an_invalid_call(race: RaceSession, given: object) -> None:
    asked = {"name": "countries_area", "arguments": given}
    reply = sent(race, json={**PING, "method": "tools/call", "params": asked})
    assert reply.json()["error"]["code"] == -32602
    (call,) = race.trace().tool_calls
    assert (call.name, call.ok, call.error_kind) == ("countries_area", False, "bad_arguments")


@pytest.mark.parametrize(
    "asked", [{"method": "tools/list", "params": {"cursor": 7}}, {"method": "no/such"}]
)
def test_another_message_that_is_refused_is_no_call(
    race: RaceSession, asked: dict[str, Any]
) -> None:
    assert "error" in sent(race, json={**PING, **asked}).json()
    assert race.trace().tool_calls == ()


def test_without_the_sdk_the_route_says_what_to_install(
    race: RaceSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "pytest_aar.tools.mcp_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    reply = sent(race)
    assert reply.status_code == 501
    assert "pip install 'pytest-aar[mcp]'" in reply.json()["error"]["message"]
    assert race.problem is None


def test_a_race_that_speaks_no_mcp_does_not_load_the_sdk() -> None:
    code = (
        "import sys; from little_world import gateway, order, post\n"
        "with gateway() as gate, gate.open_race(order()) as race:\n"
        "    assert post(race, gate, 'tools/countries_area', json={'country': 'Norland'}).is_success\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('mcp', 'mcp_types')])"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=here
    )
    assert done.stdout.strip() == "[]", done.stderr
