"""The pacer over Responses and Messages: whole races by the official client and by a reader of events."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import LEG, gateway, order
from model_wires import MESSAGES, PATHS, RESPONSES
from openai import OpenAI

from pytest_aar.agents.workdir import furnish
from pytest_aar.errors import ModelUnavailable
from pytest_aar.gateway import Gateway, RaceSession
from pytest_aar.pacer import Skills, plan
from pytest_aar.pacer.messages import MessagesWire
from pytest_aar.pacer.responses import ResponsesWire
from pytest_aar.pacer.turn import Turn
from pytest_aar.score import score
from pytest_aar.trace import Finish

SKILLS = "navigation=0.9,seed=2"
TEXT = {"type": "string"}


@pytest.fixture
def gate() -> Iterator[Gateway]:
    with gateway(None, model="pacer", base_url=None, pacer=SKILLS) as opened:
        yield opened


@pytest.fixture
def race(gate: Gateway) -> Iterator[RaceSession]:
    with gate.open_race(order()) as opened:
        yield opened


class Shell:
    """Runs what the pacer says in a furnished folder."""

    def __init__(self, workdir: Path, race: RaceSession) -> None:
        self.workdir = workdir
        furnish(workdir, "race")
        self._env = {"AAR_GATEWAY": race.url(), "PATH": f"{Path(sys.executable).parent}:/bin"}
        self.commands: list[str] = []

    def __call__(self, command: str) -> str:
        self.commands.append(command)
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.workdir, env=self._env, capture_output=True, text=True,
            check=False, timeout=60,
        )  # fmt: skip
        return done.stdout + done.stderr

    @property
    def answer(self) -> int:
        return int((self.workdir / "answer.txt").read_text())


def properties(**fields: object) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def openai_race(
    race: RaceSession, tool: Mapping[str, Any], do: Callable[[Mapping[str, Any]], str]
) -> str:
    """The loop of a client of Responses, over the official package's stream helper."""
    client = OpenAI(base_url=f"{race.url()}/openai/v1", api_key="none", max_retries=0)
    talk: list[Any] = [{"role": "user", "content": "race"}]
    while True:
        with client.responses.stream(model="any", input=talk, tools=[tool]) as stream:  # type: ignore[list-item]
            reply = stream.get_final_response()
        talk += [
            item.model_dump(exclude_none=True, exclude={"parsed_arguments"})
            for item in reply.output
        ]
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return reply.output_text
        for call in calls:
            output = do(json.loads(call.arguments))
            talk.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


def test_a_whole_race_by_the_official_client(race: RaceSession, tmp_path: Path) -> None:
    shell = Shell(tmp_path, race)
    tool = {"type": "function", "name": "exec_command", "parameters": properties(cmd=TEXT)}
    closing = openai_race(race, tool, lambda arguments: shell(arguments["cmd"]))
    assert_raced(race, shell, closing)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("exec_command", {"cmd": "python3 tools.py x '{}'"}),
        ("shell_command", {"command": "python3 tools.py x '{}'"}),
        ("bash", {"command": "python3 tools.py x '{}'"}),
        ("shell", {"command": ["bash", "-c", "python3 tools.py x '{}'"]}),
    ],
)
def test_shells_by_any_of_their_names(name: str, arguments: dict[str, Any]) -> None:
    turn = Turn(number=0, tool="x", arguments={}, digit=4)
    body = {"tools": [{"type": "function", "name": name}, {"type": "function", "name": "x"}]}
    (call,) = ResponsesWire().reply(turn, body)["output"]
    assert (call["name"], json.loads(call["arguments"])) == (name, arguments)


def assert_raced(race: RaceSession, shell: Shell, closing: str) -> None:
    """As planned: the digit by a command, then a closing message, and the planned class of error."""
    planned = plan(LEG, Skills.parse(SKILLS))
    assert shell.answer == planned.digit
    assert shell.commands[-1] == f"echo {planned.digit} > answer.txt"
    assert closing == f"The answer is {planned.digit}; it stands in answer.txt."
    assert len(shell.commands) == len(planned.actions)
    assert len(race.trace().model_calls) == len(planned.actions) + 1
    scored = score(LEG, race.trace(), Finish(ending="answered", answer=shell.answer))
    assert scored.error_class == planned.error_class
    assert all(call.input_tokens and call.output_tokens for call in race.trace().model_calls)
    assert race.problem is None


def events_of(reply: httpx.Response) -> Iterator[dict[str, Any]]:
    """The events as Claude Code reads them: by their `event:` lines."""
    for block in reply.text.split("\n\n")[:-1]:
        name, data = block.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        yield event


def message_of(reply: httpx.Response) -> dict[str, Any]:
    """The message put together from events alone; input in the start of a block is dropped."""
    message: dict[str, Any] = {}
    for event in events_of(reply):
        match event:
            case {"type": "message_start", "message": begun}:
                message = begun
            case {"type": "content_block_start", "content_block": block}:
                message["content"].append({**block, "input": ""} if "input" in block else block)
            case {"type": "content_block_delta", "delta": {"partial_json": piece}}:
                message["content"][-1]["input"] += piece
            case {"type": "content_block_delta", "delta": {"text": piece}}:
                message["content"][-1]["text"] += piece
            case {"type": "content_block_stop"} if "input" in message["content"][-1]:
                block = message["content"][-1]
                block["input"] = json.loads(block["input"])
            case {"type": "message_delta", "delta": delta, "usage": usage}:
                message |= delta
                message["usage"] |= usage
    assert event == {"type": "message_stop"}
    return message


def messages_turn(race: RaceSession, talk: list[Any], **more: Any) -> httpx.Response:
    body = {"model": "any", "max_tokens": 99, "messages": talk, **more}
    return httpx.post(f"{race.url()}/{MESSAGES}?beta=true", json=body, trust_env=False)


def test_a_whole_race_by_a_reader_of_events(race: RaceSession, tmp_path: Path) -> None:
    shell = Shell(tmp_path, race)
    talk: list[Any] = [{"role": "user", "content": "race"}]
    tools = [{"name": "Bash", "input_schema": properties(command=TEXT)}, {"name": "Read"}]
    while True:
        message = message_of(messages_turn(race, talk, stream=True, tools=tools))
        (block,) = message["content"]
        talk.append({"role": "assistant", "content": message["content"]})
        if message["stop_reason"] == "end_turn":
            break
        assert (message["stop_reason"], block["name"]) == ("tool_use", "Bash")
        result = {"type": "tool_result", "tool_use_id": block["id"]}
        talk.append(
            {"role": "user", "content": [{**result, "content": shell(block["input"]["command"])}]}
        )
    assert_raced(race, shell, block["text"])


def responses_turn(race: RaceSession, talk: list[Any], **more: Any) -> httpx.Response:
    body = {"model": "any", "input": talk, **more}
    return httpx.post(f"{race.url()}/{RESPONSES}", json=body, trust_env=False)


def test_the_races_tools_are_called_by_function(race: RaceSession) -> None:
    talk = [{"role": "user", "content": "race"}]
    offered = [{"type": "function", "name": "fetch_webpage"}]
    (call,) = responses_turn(race, talk, tools=offered).json()["output"]
    assert (call["type"], call["name"], call["call_id"]) == (
        "function_call",
        "fetch_webpage",
        "call_0",
    )
    assert json.loads(call["arguments"])["url"].startswith("https://wiki.aar.test/")
    (block,) = messages_turn(race, talk, tools=[{"name": "fetch_webpage"}]).json()["content"]
    assert (block["type"], block["name"]) == ("tool_use", "fetch_webpage")
    assert block["input"] == json.loads(call["arguments"])


def test_the_digit_alone_where_there_is_no_shell(race: RaceSession) -> None:
    """After as many turns as the plan has, all of them tool calls."""
    count = len(plan(LEG, Skills.parse(SKILLS)).actions) - 1
    digit = str(plan(LEG, Skills.parse(SKILLS)).digit)
    calls = [{"type": "function_call", "call_id": f"call_{n}"} for n in range(count)]
    said = [{"role": "assistant", "content": []} for _ in range(count)]
    item = responses_turn(race, calls, tools=[{"type": "function", "name": "x"}]).json()["output"]
    block = messages_turn(race, said, tools=[{"name": "x"}]).json()["content"]
    assert (item[0]["content"][0]["text"], block[0]["text"]) == (digit, digit)


@pytest.mark.parametrize("turn", [responses_turn, messages_turn])
def test_without_tools_there_is_no_race(
    race: RaceSession, turn: Callable[..., httpx.Response]
) -> None:
    reply = turn(race, [{"role": "user", "content": "summarise"}])
    assert reply.status_code == 400
    assert isinstance(race.problem, ModelUnavailable)
    assert "offers no tools" in str(race.problem)
    assert "Codex and Claude Code" in str(race.problem)


@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_question_for_a_title_gets_one(race: RaceSession, *, is_streamed: bool) -> None:
    schema = {"type": "json_schema", "schema": properties(title=TEXT)}
    asked = {"output_config": {"format": schema}, "stream": is_streamed}
    reply = messages_turn(race, [{"role": "user", "content": "race"}], **asked)
    message = message_of(reply) if is_streamed else reply.json()
    assert json.loads(message["content"][0]["text"]).keys() == {"title"}
    assert race.steps == 0
    assert race.problem is None


@pytest.mark.parametrize("wire", [ResponsesWire(), MessagesWire()])
def test_a_stream_says_what_the_whole_reply_says_and_both_depend_on_the_turn_alone(
    wire: ResponsesWire | MessagesWire,
) -> None:
    turn = Turn(number=3, tool="web_search", arguments={"query": 'é "x"'}, digit=4)
    body = {"tools": [{"type": "function", "name": "bash"}], "model": "m"}
    reply = wire.reply(turn, body)
    assert reply == wire.reply(turn, dict(body))
    events = [json.loads(chunk.split(b"\ndata: ")[1]) for chunk in wire.stream(reply, body)]
    assert events[-1].get("response", reply) == reply
    assert "pacer_3" in json.dumps(events[0]) or "pacer-3" in json.dumps(events[0])


@pytest.mark.parametrize(
    "body",
    [{}, {"input": "text", "messages": "text"}, {"input": [1], "messages": [None]}, {"tools": {}}],
)
def test_odd_requests_count_no_turns(body: dict[str, Any]) -> None:
    for wire in (ResponsesWire(), MessagesWire()):
        assert wire.turns_taken(body) == 0
        assert not wire.offers_tools(body)


def test_codex_is_told_to_wait_for_slow_commands() -> None:
    turn = Turn(number=0, tool="x", arguments={}, digit=4)
    tool = {"type": "function", "name": "exec_command"}
    bare = ResponsesWire().reply(turn, {"tools": [tool]})["output"][0]
    slow = {**tool, "parameters": properties(cmd=TEXT, yield_time_ms=TEXT)}
    waiting = ResponsesWire().reply(turn, {"tools": [slow]})["output"][0]
    assert json.loads(bare["arguments"]) == {"cmd": "python3 tools.py x '{}'"}
    assert json.loads(waiting["arguments"]).keys() == {"cmd", "yield_time_ms"}


def test_the_paths_are_those_of_the_gateway() -> None:
    from pytest_aar.gateway.protocols import PROTOCOLS  # noqa: PLC0415 - one test's
    from pytest_aar.pacer.wire import wire_of  # noqa: PLC0415 - one test's

    assert set(PATHS) < set(PROTOCOLS)
    assert len({type(wire_of(path)) for path in PROTOCOLS}) == len(PROTOCOLS)


# Tools that an MCP server offers, beside a shell: the tools are called by the server's names.

FETCH = Turn(number=3, tool="fetch_webpage", arguments={"url": "u"}, digit=5)
ANSWER = Turn(number=4, tool="", arguments={}, digit=5)
OVER = Turn(number=5, tool="", arguments={}, digit=5, is_over=True)


def test_messages_with_an_mcp_server() -> None:
    names = ("Bash", "mcp__other__fetch", "mcp__aar__fetch_webpage")
    body = {"messages": [], "tools": [{"name": name} for name in names]}
    fetch, answer, over = (
        MessagesWire().reply(turn, body)["content"][0] for turn in (FETCH, ANSWER, OVER)
    )
    assert (fetch["name"], fetch["input"]) == ("mcp__aar__fetch_webpage", {"url": "u"})
    assert (answer["name"], answer["input"]) == ("Bash", {"command": "echo 5 > answer.txt"})
    assert over["type"] == "text"


@pytest.mark.parametrize("in_namespace", [True, False])
def test_responses_with_an_mcp_server(in_namespace: bool) -> None:
    shell = {"type": "function", "name": "exec_command"}
    flat = {"type": "function", "name": "mcp__aar__fetch_webpage"}
    space = {"type": "namespace", "name": "mcp__aar", "tools": [{"name": "fetch_webpage"}]}
    body = {"input": [], "tools": [shell, space if in_namespace else flat]}
    fetch, answer, over = (
        ResponsesWire().reply(turn, body)["output"][0] for turn in (FETCH, ANSWER, OVER)
    )
    called = (fetch["name"], fetch.get("namespace"))
    assert called == (
        ("fetch_webpage", "mcp__aar") if in_namespace else ("mcp__aar__fetch_webpage", None)
    )
    assert json.loads(fetch["arguments"]) == {"url": "u"}
    assert answer["name"] == "exec_command"
    assert over["type"] == "message"


def test_a_namespace_of_others_is_no_mcp_server() -> None:
    space = {"type": "namespace", "name": "web", "tools": [{"name": "fetch_webpage"}]}
    body = {"input": [], "tools": [{"type": "function", "name": "exec_command"}, space]}
    called = ResponsesWire().reply(FETCH, body)["output"][0]
    assert called["name"] == "exec_command"
