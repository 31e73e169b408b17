import asyncio
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from little_world import LEG, WIKI, envelope, gateway
from raced_agents import Scripted, calls, raced, says

from pytest_aar.agents import Agent, make_agent, needs_model, prompt_for
from pytest_aar.agents.walker import GoldenAgent
from pytest_aar.errors import (
    AgentCrashed,
    AgentNotInstalled,
    ConfigurationError,
    ModelUnavailable,
)
from pytest_aar.gateway import Gateway, RaceSession
from pytest_aar.pacer import Skills, plan
from pytest_aar.score import score
from pytest_aar.trace import Finish


@pytest.fixture(scope="module")
def gate() -> Iterator[Gateway]:
    with gateway(model="pacer") as opened:
        yield opened


# The registry


def test_unknown_names_list_the_valid_ones() -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"'golde'; valid: claude-code, codex, command, golden, mini-swe, react",
    ):
        make_agent("golde")


@pytest.mark.parametrize("name", ["golden", "react", "mini-swe"])
def test_options_that_an_agent_does_not_have_are_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="speed"):
        make_agent(name, {"speed": "9"})


def test_a_class_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "racers_a.py").write_text("class Fast: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigurationError, match=r"no 'Slow'; its classes: Fast"):
        make_agent("racers_a:Slow")
    with pytest.raises(ConfigurationError, match="no module 'racers_b'"):
        make_agent("racers_b:Fast")
    with pytest.raises(ConfigurationError, match="no `async def run"):
        make_agent("racers_a:Fast")


def test_a_class_whose_package_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "racers_c.py").write_text("import no_such_package_here\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AgentNotInstalled, match="needs the package 'no_such_package_here'"):
        make_agent("racers_c:Fast")


# golden


def test_golden_reproduces_every_value(gate: Gateway, tmp_path: Path) -> None:
    agent = GoldenAgent().for_leg(LEG)
    finish, race = raced(gate, agent, tmp_path)
    assert finish == Finish(ending="answered", answer=6)
    found = score(LEG, race.trace(), finish)
    assert (found.fa, found.pvr, found.rcr, found.rcr_strict) == (1, 1, 1, 1)
    assert not needs_model(agent)


@pytest.mark.parametrize("index", [0, 1, 3, 5, 8])
def test_golden_names_the_stop_whose_value_changed(
    gate: Gateway, tmp_path: Path, index: int
) -> None:
    changed = replace(LEG.stops[index], value=77)
    leg = replace(LEG, stops=(*LEG.stops[:index], changed, *LEG.stops[index + 1 :]))
    finish, _ = raced(gate, GoldenAgent().for_leg(leg), tmp_path, leg=leg)
    assert finish.answer is None
    assert f"stop {index} (" in finish.detail
    assert "golden value 77" in finish.detail


def test_golden_sees_results_whole(tmp_path: Path) -> None:
    with gateway(tool_characters=10) as gate:
        finish, race = raced(gate, GoldenAgent().for_leg(LEG), tmp_path)
    assert finish.answer == 6
    assert all(call.shown_characters == len(call.text) for call in race.trace().tool_calls)


def test_golden_without_its_leg_says_so(gate: Gateway, tmp_path: Path) -> None:
    with pytest.raises(AgentCrashed, match="for_leg"):
        raced(gate, make_agent("golden"), tmp_path)


# react


def test_react_with_the_pacer(gate: Gateway, tmp_path: Path) -> None:
    finish, race = raced(gate, make_agent("react"), tmp_path)
    assert finish == Finish(ending="answered", answer=6)
    found = score(LEG, race.trace(), finish)
    assert (found.fa, found.pvr, found.rcr, found.rcr_strict) == (1, 1, 1, 1)
    assert found.steps == len(plan(LEG, Skills()).actions)


def test_react_at_the_step_limit(gate: Gateway, tmp_path: Path) -> None:
    finish, race = raced(gate, make_agent("react"), tmp_path, step_limit=3)
    assert (finish.ending, finish.answer) == ("step-limit", None)
    assert race.used_up == "step-limit"
    assert race.steps == 3


def react_on(
    tmp_path: Path, *messages: Mapping[str, object]
) -> tuple[Finish, RaceSession, Scripted]:
    model = Scripted(*messages)
    with gateway(model) as gate:
        return *raced(gate, make_agent("react"), tmp_path), model


def test_react_ends_with_the_finish_tool(tmp_path: Path) -> None:
    assert react_on(tmp_path, calls("finish", '{"digit": 4}'))[0].answer == 4
    finish = react_on(tmp_path, calls("finish", '{"digit": 44}'))[0]
    assert (finish.ending, finish.answer) == ("no-answer", None)


def test_react_feeds_results_and_errors_back(tmp_path: Path) -> None:
    finish, race, model = react_on(
        tmp_path,
        calls("fetch_webpage", f'{{"url": "{WIKI}Start"}}', "c1"),
        calls("fetch_webpage", "{oops", "c2"),
        calls("no_such_tool", "{}", "c3"),
        says("5"),
    )
    assert finish.answer == 5
    assert [call.ok for call in race.trace().tool_calls] == [True, False, False]
    last = model.bodies[-1].decode()
    for part in ("Start counts 5 letters", "not JSON", "no tool is called"):
        assert part in last


def test_react_gives_up_on_a_model_that_talks(tmp_path: Path) -> None:
    finish, _, model = react_on(tmp_path, says("The answer is probably 5."))
    assert (finish.ending, finish.answer) == ("no-answer", None)
    assert len(model.bodies) == 3
    assert b"one single digit" in model.bodies[1]


def test_react_passes_a_models_refusal_on(tmp_path: Path) -> None:
    class Refusing(Scripted):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(400, json={"error": {"message": "context too long"}})

    with gateway(Refusing(says(""))) as gate:
        finish, _ = raced(gate, make_agent("react"), tmp_path)
    assert finish.ending == "no-answer"
    assert "answered 400" in finish.detail
    assert "context too long" in finish.detail


# Users' own classes

OWN = '''
import time
from pytest_aar.trace import Finish

class Twice:
    """An agent of its own in a few lines."""
    async def run(self, envelope, course, limits):
        body = {"model": course.model, "messages": [{"role": "user", "content": course.prompt}]}
        reply = await course.http.post("openai/v1/chat/completions", json=body)
        await course.http.post("tools/countries_area", json={"country": "Norland"})
        return reply.json()["choices"][0]["message"]["content"] if reply.is_success else None

class Blocks:
    async def run(self, envelope, course, limits):
        time.sleep(8)

class Sleeps:
    async def run(self, envelope, course, limits):
        import asyncio
        await asyncio.sleep(60)

class Writes:
    def __init__(self, digit="1"):
        self.digit = digit
    def version(self):
        return "2.0"
    async def run(self, envelope, course, limits):
        (course.workdir / "answer.txt").write_text(self.digit)

class Exits:
    async def run(self, envelope, course, limits):
        raise SystemExit("out of the door")

class Breaks:
    async def run(self, envelope, course, limits):
        raise RuntimeError("out of breath")
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_racers.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_racers", raising=False)
    return "own_racers"


def test_an_async_class_of_ones_own(own: str, tmp_path: Path) -> None:
    agent = make_agent(f"{own}:Twice")
    with gateway(Scripted(says("6"))) as gate:
        finish, race = raced(gate, agent, tmp_path)
    assert finish.answer == 6
    assert (agent.name, agent.version()) == ("Twice", "0")
    assert [call.name for call in race.trace().tool_calls] == ["countries_area"]


def test_the_scripted_stand_in_gives_no_digit_to_an_agent_without_tools(
    gate: Gateway, own: str, tmp_path: Path
) -> None:
    finish, race = raced(gate, make_agent(f"{own}:Twice"), tmp_path)
    assert finish.answer is None
    assert isinstance(race.problem, ModelUnavailable)
    assert "by tool calls only, and this request offers no tools" in str(race.problem)
    assert "real model (--aar-model NAME)" in str(race.problem)


def test_a_class_with_options_that_writes_the_file(gate: Gateway, own: str, tmp_path: Path) -> None:
    agent = make_agent(f"{own}:Writes", {"digit": "8"})
    assert raced(gate, agent, tmp_path)[0].answer == 8
    assert agent.version() == "2.0"
    with pytest.raises(ConfigurationError, match=r"options given \(speed\)"):
        make_agent(f"{own}:Writes", {"speed": "1"})


def test_a_blocking_class_does_not_stop_the_gateway(
    gate: Gateway, own: str, tmp_path: Path
) -> None:
    start = time.monotonic()
    finish, _ = raced(gate, make_agent(f"{own}:Blocks"), tmp_path, seconds=0.3)
    assert finish.ending == "timeout"
    assert time.monotonic() - start < 5  # the class blocks for much longer


def test_the_deadline_cancels_and_the_answer_file_counts(
    gate: Gateway, own: str, tmp_path: Path
) -> None:
    (tmp_path / "answer.txt").write_text("6\n")
    finish, _ = raced(gate, make_agent(f"{own}:Sleeps"), tmp_path, seconds=0.3)
    assert (finish.ending, finish.answer) == ("timeout", 6)
    assert "0.3 s" in finish.detail


def test_a_class_that_raises_crashed(gate: Gateway, own: str, tmp_path: Path) -> None:
    with pytest.raises(AgentCrashed, match=r"(?s)'Breaks' raised:.*RuntimeError: out of breath"):
        raced(gate, make_agent(f"{own}:Breaks"), tmp_path)


def test_a_class_that_exits_crashed_and_the_gateway_lives(
    gate: Gateway, own: str, tmp_path: Path
) -> None:
    with pytest.raises(AgentCrashed, match="SystemExit: out of the door"):
        raced(gate, make_agent(f"{own}:Exits"), tmp_path)
    assert raced(gate, make_agent(f"{own}:Writes"), tmp_path)[0].answer == 1


# command


def command(line: str, **options: str) -> Agent:
    return make_agent("command", {"command": line, **options})


def test_a_shell_program(gate: Gateway, tmp_path: Path) -> None:
    line = (
        'python3 tools.py countries_area \'{"country": "Norland"}\' > area.json; '
        'grep -q 567 area.json && printf 7 > "$AAR_ANSWER_FILE"'
    )
    finish, race = raced(gate, command(line), tmp_path)
    assert finish.answer == 7
    assert [call.ok for call in race.trace().tool_calls] == [True]


def test_a_script_on_the_openai_package(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    script = tmp_path / "asks.py"
    script.write_text(
        "import os, pathlib, openai\n"
        "task = pathlib.Path(os.environ['AAR_TASK_FILE']).read_text()\n"
        "reply = openai.OpenAI().chat.completions.create(\n"
        "    model='any', messages=[{'role': 'user', 'content': task}])\n"
        "pathlib.Path('answer.txt').write_text(reply.choices[0].message.content)\n"
    )
    with gateway(Scripted(says("6"))) as gate:
        finish, race = raced(gate, command(f"{{python}} {script}"), tmp_path / "race")
    assert finish.answer == 6
    assert race.steps == 1


def test_an_openai_client_stops_at_the_step_limit_at_once(gate: Gateway, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    script = tmp_path / "asks.py"
    script.write_text(
        "import openai\n"
        "openai.OpenAI().chat.completions.create("
        "model='any', messages=[{'role': 'user', 'content': 'x'}])\n"
    )
    start = time.monotonic()
    agent = command(f"{{python}} {script}")
    finish, race = raced(gate, agent, tmp_path / "race", step_limit=0)
    assert (finish.ending, race.used_up) == ("step-limit", "step-limit")
    assert "NotFoundError" in finish.detail
    assert time.monotonic() - start < 20


def test_the_task_on_standard_input(gate: Gateway, tmp_path: Path) -> None:
    line = "python3 -c \"import json,sys; print(len(json.load(sys.stdin)['tools']) % 10)\" > answer.txt"
    assert raced(gate, command(line, stdin="json"), tmp_path)[0].answer == 9


def test_a_relative_program_is_found_where_pytest_was_started(
    gate: Gateway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my agent" / "go"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\ntest -f "$2" && echo 3 > answer.txt\n')
    program.chmod(0o755)
    monkeypatch.chdir(program.parent)
    agent = command("./go --task {task_file}")
    monkeypatch.chdir("/")
    assert raced(gate, agent, tmp_path / "race")[0].answer == 3


_ASKS_MESSAGES = """
import json, os, urllib.request
body = {"model": "any", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}
body["tools"] = [{"name": "Bash", "input_schema": {"type": "object"}}]
request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode())
request.add_header("x-api-key", os.environ["ANTHROPIC_API_KEY"])
reply = json.load(urllib.request.urlopen(request))
open("seen", "w").write(reply["type"] + " " + reply["content"][-1]["name"])
"""


def test_a_command_reaches_the_model_by_messages(gate: Gateway, tmp_path: Path) -> None:
    (tmp_path / "ask.py").write_text(_ASKS_MESSAGES)
    raced(gate, command("{python} ask.py; echo 1 > answer.txt"), tmp_path)
    assert (tmp_path / "seen").read_text() == "message Bash"


def test_keys_stay_outside_unless_asked_for(
    gate: Gateway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    monkeypatch.setenv("MY_FLAG", "on")
    raced(gate, command("env > seen; echo 1 > answer.txt", env="MY_FLAG"), tmp_path)
    seen = (tmp_path / "seen").read_text()
    assert "sk-real" not in seen
    assert "ANTHROPIC_API_KEY=aar-no-key\n" in seen
    assert "MY_FLAG=on" in seen


def test_a_program_that_is_not_there(gate: Gateway, tmp_path: Path) -> None:
    with pytest.raises(
        AgentCrashed, match=r"(?s)exit code 127 \(the shell could not start it.*not found"
    ):
        raced(gate, command("no-such-program-here --task {task_file}"), tmp_path)


def test_a_program_that_dies_shows_its_last_lines(gate: Gateway, tmp_path: Path) -> None:
    with pytest.raises(AgentCrashed, match=r"(?s)exit code 3; its last lines:\nout of gas"):
        raced(gate, command("echo out of gas; exit 3"), tmp_path)


def test_a_program_at_the_deadline(gate: Gateway, tmp_path: Path) -> None:
    start = time.monotonic()
    finish, _ = raced(gate, command("echo 6 > answer.txt; sleep 60"), tmp_path, seconds=0.5)
    assert (finish.ending, finish.answer) == ("timeout", 6)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs the program to run"),
        ({"command": "x", "speed": "1"}, "no option speed; valid: bind, command, env, name, stdin"),
        ({"command": "x", "stdin": "xml"}, "stdin='xml' is not valid; choose json or null"),
    ],
)
def test_wrong_options_of_command(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make_agent("command", options)


def test_the_same_prompt_but_for_how_to_call(gate: Gateway) -> None:
    texts = [prompt_for(make_agent(name), envelope()) for name in ("react", "mini-swe")]
    common = [set(text.splitlines()) for text in texts]
    assert all(LEG.seed_url in text and "countries_area" in text for text in texts)
    assert len(common[0] ^ common[1]) <= 6
    assert asyncio.iscoroutinefunction(GoldenAgent().run)


def test_only_the_races_deadline_is_a_timeout(gate: Gateway, tmp_path: Path) -> None:
    class Impatient:
        name = "impatient"

        async def run(self, envelope, course, limits):
            raise TimeoutError("of the agent's own")

    with pytest.raises(TimeoutError, match="of the agent's own"):
        raced(gate, Impatient(), tmp_path)
