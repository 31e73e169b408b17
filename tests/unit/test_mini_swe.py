import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from little_world import LEG, gateway, leg_named
from raced_agents import Scripted, calls, raced, says

from pytest_aar.agents import make_agent
from pytest_aar.agents.mini_swe import ENDINGS, MiniSweAgent, _finish, _Status, load
from pytest_aar.errors import AgentCrashed, ConfigurationError
from pytest_aar.gateway import Gateway
from pytest_aar.pacer import Skills, plan
from pytest_aar.score import score

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("minisweagent") is None,
    reason="mini-swe-agent is not installed: aar install mini-swe",
)


@pytest.fixture(scope="module")
def gate() -> Iterator[Gateway]:
    with gateway(model="pacer") as opened:
        yield opened


def bash(command: str) -> dict[str, object]:
    return calls("bash", json.dumps({"command": command}))


def on(model: httpx.AsyncBaseTransport, workdir: Path, **more: object):  # type: ignore[no-untyped-def]
    with gateway(model) as opened:
        return raced(opened, make_agent("mini-swe"), workdir, **more)  # type: ignore[arg-type]


def test_the_real_agent_with_the_pacer(gate: Gateway, tmp_path: Path) -> None:
    finish, race = raced(gate, make_agent("mini-swe"), tmp_path)
    assert (finish.ending, finish.answer) == ("answered", 6)
    found = score(LEG, race.trace(), finish)
    assert (found.fa, found.pvr, found.rcr, found.rcr_strict) == (1, 1, 1, 1)
    assert found.steps == len(plan(LEG, Skills()).actions)
    assert "litellm" not in sys.modules
    assert make_agent("mini-swe").version() == "2.4.6"


def test_litellm_is_never_imported_nor_does_the_environment_leak(tmp_path: Path) -> None:
    code = (
        "import os, sys; before = dict(os.environ)\n"
        "from pytest_aar.agents.mini_swe import load\n"
        "load(); import minisweagent.agents.default\n"
        "assert 'litellm' not in sys.modules, 'litellm'\n"
        "assert dict(os.environ) == before, set(os.environ) ^ set(before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_two_races_send_the_same_bytes(tmp_path: Path) -> None:
    sent = []
    for name in ("one", "two"):
        model = Scripted(bash("echo $HOME > /dev/null; ls"), bash("echo 6 > answer.txt"), says(""))
        on(model, tmp_path / name)
        sent.append(model.bodies)
    assert sent[0] == sent[1]
    assert os.uname().release.encode() not in sent[0][0]


def test_the_submit_command_ends_the_race(tmp_path: Path) -> None:
    line = "echo 4 > answer.txt && echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    finish, race = on(Scripted(bash(line)), tmp_path)
    assert (finish.ending, finish.answer, race.steps) == ("answered", 4, 1)


def test_submitting_without_an_answer_is_no_answer(tmp_path: Path) -> None:
    finish, _ = on(Scripted(bash("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")), tmp_path)
    assert (finish.ending, finish.answer) == ("no-answer", None)
    assert "no answer.txt" in finish.detail


def test_a_failed_submit_goes_on(tmp_path: Path) -> None:
    failed = bash("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; exit 1")
    good = bash("echo 5 > answer.txt && echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
    finish, race = on(Scripted(failed, good), tmp_path)
    assert (finish.answer, race.steps) == (5, 2)


def test_observations_hold_output_and_return_code(tmp_path: Path) -> None:
    model = Scripted(
        bash("echo out; exit 3"), bash("head -c 30000 /dev/zero | tr '\\0' x"), says("")
    )
    on(model, tmp_path)
    seen = [m["content"] for m in json.loads(model.bodies[2])["messages"] if m["role"] == "tool"]
    assert json.loads(seen[0]) == {"returncode": 3, "output": "out\n"}
    long = json.loads(seen[1])
    assert (len(long["output_head"]), len(long["output_tail"])) == (15_000, 5_000)
    assert long["elided_characters"] == 10_000


def test_a_command_past_its_time_is_an_observation(tmp_path: Path) -> None:
    model = Scripted(bash("sleep 30"), bash("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"))
    with gateway(model) as opened:
        agent = make_agent("mini-swe", {"command_timeout": "0.3"})
        raced(opened, agent, tmp_path)
    seen = json.loads(json.loads(model.bodies[1])["messages"][-1]["content"])
    assert seen["returncode"] == -1
    assert seen["problem"] == "the command was stopped after 0.3 seconds"


def test_three_format_errors_end_the_race(tmp_path: Path) -> None:
    finish, race = on(Scripted(says("let me think")), tmp_path)
    assert (finish.ending, race.steps) == ("no-answer", 3)
    assert finish.detail.startswith("RepeatedFormatError")


@pytest.mark.parametrize("content", [b"{}", b'{"choices": []}', b"[]"])
def test_replies_that_are_none_are_format_errors(tmp_path: Path, content: bytes) -> None:
    class Odd(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, content=content)

    assert on(Odd(), tmp_path)[0].detail.startswith("RepeatedFormatError")


def test_the_step_limit_stops_the_agent_at_once(gate: Gateway, tmp_path: Path) -> None:
    finish, race = raced(gate, make_agent("mini-swe"), tmp_path, step_limit=2)
    assert (finish.ending, finish.answer) == ("step-limit", None)
    assert (race.used_up, race.steps) == ("step-limit", 2)


def test_a_models_refusal_ends_the_race(tmp_path: Path) -> None:
    class Refusing(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(400, json={"error": {"message": "context too long"}})

    finish, race = on(Refusing(), tmp_path)
    assert finish.ending == "no-answer"
    assert "answered 400" in finish.detail
    assert race.steps == 1


def test_the_deadline_stops_command_and_thread(tmp_path: Path) -> None:
    model = Scripted(bash("echo 6 > answer.txt; echo $$ > pid; sleep 60"))
    start = time.monotonic()
    finish, _ = on(model, tmp_path, seconds=1.0)
    assert (finish.ending, finish.answer) == ("timeout", 6)
    assert time.monotonic() - start < 10
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_every_exit_status_is_mapped(tmp_path: Path) -> None:
    theirs = importlib.import_module("minisweagent.exceptions")

    flow = {
        name
        for name, kind in vars(theirs).items()
        if isinstance(kind, type) and issubclass(kind, theirs.InterruptAgentFlow)
    }
    # FormatError goes on (repeated: RepeatedFormatError), the other two are never seen here.
    assert flow - {"FormatError", "InterruptAgentFlow", "UserInterruption"} <= set(ENDINGS)
    course = type("Course", (), {"workdir": tmp_path})()
    with pytest.raises(AgentCrashed, match="exit status 'Unheard'; known: Submitted"):
        _finish(_Status(exit_status="Unheard"), course)


def test_wrong_options(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="command_timeout='soon' is not a number"):
        make_agent("mini-swe", {"command_timeout": "soon"})
    assert make_agent("mini-swe") == MiniSweAgent()
    assert load() is load()


def test_faults_show_in_the_real_agents_races_too(tmp_path: Path) -> None:
    with gateway(model="pacer", pacer="navigation=0.5,tools=0.5,arithmetic=0.5,seed=2") as opened:
        for number in range(6):
            leg = leg_named(f"little/{number}")
            skills = Skills.parse("navigation=0.5,tools=0.5,arithmetic=0.5,seed=2")
            finish, race = raced(opened, make_agent("mini-swe"), tmp_path / str(number), leg=leg)
            assert score(leg, race.trace(), finish).error_class == plan(leg, skills).error_class
