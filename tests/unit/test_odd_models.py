"""Models and agents that say or do what nobody expects: the race ends as theirs, never as a crash of ours."""

import asyncio
import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from little_world import gateway
from raced_agents import Scripted, calls, raced, says

from pytest_aar.agents import make_agent
from pytest_aar.errors import ModelUnavailable
from pytest_aar.gateway import RaceSession
from pytest_aar.results.folder import read_trace, write_trace
from pytest_aar.trace import Finish

needs_mini_swe = pytest.mark.skipif(
    importlib.util.find_spec("minisweagent") is None,
    reason="mini-swe-agent is not installed: aar install mini-swe",
)
BOTH = pytest.mark.parametrize("agent", ["react", pytest.param("mini-swe", marks=needs_mini_swe)])
LONE = "\ud800"


def on(
    agent: str, model: httpx.AsyncBaseTransport, workdir: Path, seconds: float = 60
) -> tuple[Finish, RaceSession]:
    with gateway(model) as gate:
        return raced(gate, make_agent(agent), workdir, seconds=seconds)


def bash(command: str) -> dict[str, object]:
    return calls("bash", json.dumps({"command": command}))


SUBMIT = bash("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")


@BOTH
@pytest.mark.parametrize(
    "tool_calls",
    [
        ["x"],
        "x",
        [{"function": "x"}],
        [{"function": {"name": 5, "arguments": "{}"}}],
        [{"function": {"name": "web_search", "arguments": {"query": "x"}}}],
    ],
)
def test_malformed_tool_calls_are_format_errors(
    agent: str, tool_calls: object, tmp_path: Path
) -> None:
    model = Scripted({"role": "assistant", "content": None, "tool_calls": tool_calls})
    finish, race = on(agent, model, tmp_path)
    assert (finish.ending, finish.answer, len(model.bodies)) == ("no-answer", None, 3)
    assert race.problem is None
    assert race.trace().tool_calls == ()


@pytest.mark.parametrize("message", ["x", ["x"], 5])
@BOTH
def test_a_message_that_is_none_is_a_format_error(
    agent: str, message: Mapping[str, object], tmp_path: Path
) -> None:
    finish, race = on(agent, Scripted(message), tmp_path)
    assert (finish.ending, race.problem) == ("no-answer", None)


@BOTH
def test_a_reply_nested_too_deeply_is_a_format_error(agent: str, tmp_path: Path) -> None:
    class Deep(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, content=b'{"choices": ' + b"[" * 100_000)

    finish, race = on(agent, Deep(), tmp_path)
    assert (finish.ending, race.problem) == ("no-answer", None)


@pytest.mark.parametrize("body", [b"<html>Please sign in</html>", b""])
@BOTH
def test_a_success_that_is_no_json_is_the_servers_failure(
    agent: str, body: bytes, tmp_path: Path
) -> None:
    class Site(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, content=body, headers={"content-type": "text/html"})

    _, race = on(agent, Site(), tmp_path)
    assert isinstance(race.problem, ModelUnavailable)
    said = body.decode() or "an empty body"
    assert f"answered 200 with text/html that is no JSON: {said}" in str(race.problem)
    assert "--aar-base-url" in str(race.problem)


@pytest.mark.parametrize(
    "name", ["a\nb", "functions/fetch", "../task", "..", "", "a?b#c", "käse", "x" * 70_000]
)
def test_a_tools_name_may_be_anything_and_counts_as_an_invalid_call(
    name: str, tmp_path: Path
) -> None:
    model = Scripted(calls(name, "{}"), says("5"))
    finish, race = on("react", model, tmp_path)
    assert finish.answer == 5
    (call,) = race.trace().tool_calls
    assert (call.name, call.ok, call.error_kind) == (name[:200], False, "bad_arguments")


def test_lone_surrogates_pass_and_are_kept(tmp_path: Path) -> None:
    model = Scripted(
        says(LONE),
        calls("web_search", json.dumps({"query": LONE})),
        calls("web_search", f'{{"query": "{LONE}"}}'),
        calls(LONE, "{}"),
        says("5"),
    )
    finish, race = on("react", model, tmp_path)
    assert finish.answer == 5
    assert json.loads(model.bodies[1])["messages"][2]["content"] == LONE
    trace = race.trace()
    assert [call.arguments for call in trace.tool_calls[:2]] == [{"query": LONE}] * 2
    write_trace(tmp_path / "traces" / "t.jsonl", trace)
    assert read_trace(tmp_path / "traces" / "t.jsonl") == trace


@needs_mini_swe
def test_lone_surrogates_in_commands_are_told_to_the_agent(tmp_path: Path) -> None:
    model = Scripted(bash(f"echo {LONE}"), {**SUBMIT, "content": LONE})
    finish, _ = on("mini-swe", model, tmp_path)
    seen = json.loads(json.loads(model.bodies[1])["messages"][-1]["content"])
    assert seen["returncode"] == 126
    assert finish.ending == "no-answer"


@needs_mini_swe
@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("echo \0", "null byte"),
        (f": {'x' * 200_000}", "Argument list too long"),
    ],
)
def test_commands_that_can_not_be_started_are_told_to_the_agent(
    command: str, told: str, tmp_path: Path
) -> None:
    model = Scripted(bash(command), SUBMIT)
    finish, _ = on("mini-swe", model, tmp_path)
    seen = json.loads(json.loads(model.bodies[1])["messages"][-1]["content"])
    assert seen["returncode"] == 126
    assert told in seen["output"]
    assert finish.ending == "no-answer"


@needs_mini_swe
def test_an_agent_that_deletes_its_folder_stays_in_the_race(tmp_path: Path) -> None:
    model = Scripted(bash('rm -rf "$PWD"'), bash("echo 1"), says("sorry"))
    finish, race = on("mini-swe", model, tmp_path / "race")
    seen = json.loads(json.loads(model.bodies[2])["messages"][-1]["content"])
    assert "the working directory is gone" in seen["output"]
    assert (finish.ending, race.problem) == ("no-answer", None)


class Refusing(Scripted):
    """Says its messages, then refuses."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not self.messages:
            return httpx.Response(400, json={"error": {"message": "context too long"}})
        self.bodies.append(await request.aread())
        message = self.messages.pop(0)
        return httpx.Response(200, json={"choices": [{"message": message}]})


@needs_mini_swe
def test_a_digit_that_was_written_before_the_refusal_is_the_answer(tmp_path: Path) -> None:
    finish, _ = on("mini-swe", Refusing(bash("echo 6 > answer.txt")), tmp_path)
    assert (finish.ending, finish.answer) == ("answered", 6)
    assert "context too long" in finish.detail


@needs_mini_swe
def test_a_digit_that_was_written_before_the_agent_gave_up_is_the_answer(tmp_path: Path) -> None:
    finish, _ = on("mini-swe", Scripted(bash("echo 6 > answer.txt"), says("done")), tmp_path)
    assert (finish.ending, finish.answer) == ("answered", 6)


@BOTH
def test_a_model_call_ends_with_its_race(agent: str, tmp_path: Path) -> None:
    class Thinking(httpx.AsyncBaseTransport):
        ended = False

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            try:
                await asyncio.sleep(60)
            finally:
                self.ended = True
            raise AssertionError("nobody waits that long")

    model = Thinking()
    with gateway(model) as gate:
        finish, _ = raced(gate, make_agent(agent), tmp_path, seconds=1)
        gate.run(asyncio.sleep(0.1))
        assert model.ended  # before the gateway cancels what is left
    assert finish.ending == "timeout"
