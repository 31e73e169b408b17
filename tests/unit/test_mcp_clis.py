"""Codex and Claude Code with the race's tools by MCP: what they are told, and the real ones."""

import json
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from command_results import result
from little_world import OpenWorld, answer, envelope, gateway
from raced_agents import raced
from real_clis import Cli, Events, Model, cli, workdir

from pytest_aar.agents import claude_code_start, codex_config, make_agent, prompt_for
from pytest_aar.agents.answer import read_answer
from pytest_aar.agents.claude_code import ClaudeCode
from pytest_aar.agents.cli_agent import CliAgent, Ended, Place, Start
from pytest_aar.agents.codex import Codex
from pytest_aar.box import CommandResult
from pytest_aar.errors import (
    AgentCrashed,
    AgentNotInstalled,
    ConfigurationError,
    InfrastructureError,
)
from pytest_aar.gateway import Gateway
from pytest_aar.settings import Settings
from pytest_aar.tools import SANDBOX, Services, TransportDecides
from pytest_aar.trace import Finish

__all__ = ["cli", "workdir"]  # fixtures

URL = "http://127.0.0.1:4321/r/to-ken/mcp"
BY_MCP = {"tools": "mcp"}
NAMES = ("claude-code", "codex")


def test_codex_finds_the_server_in_its_configuration() -> None:
    (name,) = tomllib.loads(codex_config.server_toml(URL, seconds=600.5))["mcp_servers"].items()
    assert name == (
        "aar",
        {
            "url": URL,
            "required": True,
            "default_tools_approval_mode": "approve",
            "startup_timeout_sec": 60,
            "tool_timeout_sec": 600,
        },
    )


def test_codex_cuts_a_commands_output_and_no_tools_result() -> None:
    shell, mcp = (
        json.loads(codex_config.catalog_json("m", whole_results=whole))["models"][0]
        for whole in (False, True)
    )
    assert shell.pop("truncation_policy") == {"mode": "bytes", "limit": 10_000}
    assert mcp.pop("truncation_policy")["limit"] >= 4 * 100_000  # UTF-8 has up to four bytes
    assert shell == mcp


def test_claude_code_finds_the_server_in_a_file_and_no_other() -> None:
    servers = json.loads(claude_code_start.servers_json(URL))
    assert servers == {"mcpServers": {"aar": {"type": "http", "url": URL}}}
    line = claude_code_start.command_line(
        Path("claude"), model="m", prompt="P", full=False, servers="f.json", extra=("--x",)
    )
    assert line[line.index("--mcp-config") + 1] == "f.json"
    assert "--strict-mcp-config" in line
    assert line[-5:] == ("--model", "m", "--x", "--", "P")


@pytest.mark.parametrize("name", NAMES)
def test_the_prompt_says_how(name: str) -> None:
    by_mcp, by_shell = (
        prompt_for(make_agent(name, options), envelope()) for options in (BY_MCP, {})
    )
    assert "Call the tools of the MCP server aar." in by_mcp
    assert "tools.py" not in by_mcp
    assert "answer.txt" in by_mcp
    assert by_shell == prompt_for(make_agent(name, {"tools": "shell"}), envelope())
    assert "python3 tools.py" in by_shell


@pytest.mark.parametrize("name", NAMES)
def test_races_by_mcp_and_by_shell_have_cassettes_of_their_own(name: str) -> None:
    by_mcp, by_shell = (make_agent(name, options) for options in (BY_MCP, {"tools": "shell"}))
    assert (by_mcp.name, getattr(by_mcp, "recorded_as", None)) == (name, f"{name}-mcp")
    assert getattr(by_shell, "recorded_as", None) == name


@pytest.mark.parametrize("name", NAMES)
def test_another_way_is_refused_with_the_choices(name: str) -> None:
    with pytest.raises(ConfigurationError, match="tools='http' is not valid; choose shell or mcp"):
        make_agent(name, {"tools": "http"})


@pytest.mark.parametrize("name", NAMES)
def test_without_the_sdk_the_agent_is_not_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(AgentNotInstalled, match=r"tools=mcp needs .* pip install 'pytest-aar\[mcp"):
        make_agent(name, BY_MCP)
    make_agent(name)


def ended(servers: list[dict[str, str]], tmp_path: Path) -> Ended:
    done = {"type": "result", "subtype": "success", "is_error": False, "result": "Done."}
    begun = {"type": "system", "subtype": "init", "mcp_servers": servers}
    hook = {"type": "system", "subtype": "hook_started"}
    said: CommandResult = result("a warning", hook, begun, done, exit_code=0)
    return Ended(result=said, found=read_answer(tmp_path))


def test_claude_code_without_the_server_did_not_race(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("7\n")
    lost = ended([{"name": "aar", "status": "failed"}], tmp_path)
    with pytest.raises(InfrastructureError, match=r"it says: failed\. .*tools=shell"):
        ClaudeCode(by_mcp=True).finish_of(lost)
    assert ClaudeCode().finish_of(lost).answer == 7
    found = ended([{"name": "aar", "status": "connected"}], tmp_path)
    assert ClaudeCode(by_mcp=True).finish_of(found).answer == 7


@pytest.mark.parametrize("others", [[], [{"name": "own", "status": "connected"}]])
def test_a_server_that_claude_code_does_not_name_was_not_reached(
    others: list[dict[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "answer.txt").write_text("7\n")
    with pytest.raises(InfrastructureError, match="it says: nothing of it"):
        ClaudeCode(by_mcp=True).finish_of(ended(others, tmp_path))


def test_claude_code_that_said_nothing_at_all_crashed(tmp_path: Path) -> None:
    crashed = Ended(result=result("out of memory", exit_code=1), found=read_answer(tmp_path))
    with pytest.raises(AgentCrashed, match=r"without a result .*\n.*out of memory"):
        ClaudeCode(by_mcp=True).finish_of(crashed)


# The real ones, with a model that says what it is told to say.


@asynccontextmanager
async def world_with_a_long_page(*_: Any, **__: Any) -> AsyncIterator[OpenWorld]:
    def reply(request: httpx.Request) -> httpx.Response:
        if request.url.params.get("page") != "Long":
            return answer(request)
        page = {"title": "Long", "text": f"<p>{'x' * 200_000}</p>", "langlinks": []}
        return httpx.Response(200, json={"parse": page})

    async with httpx.AsyncClient(transport=httpx.MockTransport(reply)) as http:
        services = Services(http=http, endpoints=SANDBOX, guard=TransportDecides())
        yield OpenWorld(name="little", services=services)


def calls(cli: Cli, name: str, arguments: dict[str, Any], number: int) -> Events:
    """A model's call of one of the server's tools, as the CLI's protocol has it."""
    events = cli.says(shell="SHELL", number=number)
    if cli.name == "codex":
        events[0]["item"] |= {"name": name, "namespace": "mcp__aar"}
        events[0]["item"]["arguments"] = json.dumps(arguments)
        return events
    events[1]["content_block"]["name"] = f"mcp__aar__{name}"
    events[2]["delta"]["partial_json"] = json.dumps(arguments)
    return events


class Patient(ClaudeCode):
    """Waits for its servers, however slow the machine is just now."""

    def start(self, place: Place) -> Start:
        start = super().start(place)
        patience = claude_code_start.server_environment(seconds=place.limits.seconds)
        return Start(argv=start.argv, env={**start.env, **patience})


def starting_aar_mcp(cli: Cli) -> CliAgent:
    """The agent with `aar mcp` as a server that it starts itself, by further arguments."""
    words = ["-c", "from pytest_aar.cli import main; main()", "mcp"]
    agent = make_agent(cli.name)
    assert isinstance(agent, CliAgent)
    if cli.name == "codex":
        server = {
            "command": sys.executable,
            "args": words,
            "required": True,
            "startup_timeout_sec": 60,
        }
        # a JSON text in ASCII is TOML, too
        given = [f"mcp_servers.aar.{key}={json.dumps(value)}" for key, value in server.items()]
        return replace(agent, cli=Codex(extra=tuple(w for each in given for w in ("-c", each))))
    servers = {"mcpServers": {"aar": {"command": sys.executable, "args": words}}}
    return replace(agent, cli=Patient(extra=("--mcp-config", json.dumps(servers))))


def tools_offered(cli: Cli, body: Any) -> set[str]:
    if cli.name == "codex":
        (space,) = [tool for tool in body["tools"] if tool["type"] == "namespace"]
        return {f"{space['name']}__{tool['name']}" for tool in space["tools"]}
    return {tool["name"] for tool in body["tools"] if tool["name"].startswith("mcp__")}


def test_the_model_is_offered_the_tools_and_gets_their_results_whole(
    cli: Cli, workdir: Path
) -> None:
    model = Model(
        calls(cli, "countries_area", {"country": "Norland"}, 1),
        calls(cli, "countries_area", {"contry": "Norland"}, 2),
        calls(cli, "fetch_webpage", {"url": "https://wiki.aar.test/wiki/Long"}, 3),
        cli.says(shell="ls -A; printf 7 > answer.txt", number=4),
        cli.says("done"),
    )
    settings = Settings(model="some-model", base_url="https://model.test/v1")
    with Gateway(settings, upstream=model, open_world=world_with_a_long_page) as gate:
        finish, session = raced(gate, make_agent(cli.name, BY_MCP), workdir, seconds=120)
    assert finish == Finish(ending="answered", answer=7)
    assert (
        len({name.removeprefix("mcp__aar__") for name in tools_offered(cli, model.bodies[0])}) == 19
    )
    said = json.dumps(model.bodies[-1])
    assert "567" in said
    assert "unknown argument 'contry'" in said
    assert "x" * 99_000 in said
    assert "characters 0 to 100000" in said
    assert "tools.py" not in said
    assert [(call.name, call.ok) for call in session.trace().tool_calls] == [
        ("countries_area", True),
        ("countries_area", False),
        ("fetch_webpage", True),
    ]


def test_it_starts_aar_mcp_as_any_client_does(cli: Cli, workdir: Path) -> None:
    model = Model(
        calls(cli, "countries_area", {"country": "Peru"}, 1),
        cli.says(shell="printf 7 > answer.txt", number=2),
        cli.says("done"),
    )
    with gateway(model) as gate:
        finish, session = raced(gate, starting_aar_mcp(cli), workdir, seconds=120)
    assert finish.answer == 7
    said = json.dumps(model.bodies[-1])
    assert "area_km2" in said
    assert "1285216" in said
    assert session.trace().tool_calls == ()  # it is a world of its own, and no race's
