"""The real Codex and Claude Code against the gateway and models that say what they are told to say."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from box_kinds import with_argument
from little_world import gateway, order
from model_wires import RESPONSES, USAGE
from raced_agents import raced, raced_in
from real_clis import Cli, Model, claude_stops, cli, codex_says, installed, workdir

from pytest_aar.agents import make_agent
from pytest_aar.errors import AgentCrashed, ModelUnavailable
from pytest_aar.gateway import RaceSession
from pytest_aar.trace import Finish

__all__ = ["cli", "workdir"]  # fixtures


def on(model: Model, cli: Cli, workdir: Path, **more: Any) -> tuple[Finish, RaceSession]:
    options = more.pop("options", {})
    with gateway(model) as opened:
        return raced(opened, make_agent(cli.name, options), workdir, **more)


def test_its_commands_find_only_what_the_race_gives_them(
    cli: Cli, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AAR_TEST_SECRET", "of the user's")
    model = Model(cli.says(shell="env > seen.txt; pwd >> seen.txt; ls -A"), cli.says("done"))
    on(model, cli, workdir)
    lines = (workdir / "seen.txt").read_text().splitlines()
    seen = dict(line.split("=", 1) for line in lines if "=" in line)
    assert lines[-1] == str(workdir)
    assert "AAR_TEST_SECRET" not in seen
    assert seen["AAR_GATEWAY"].startswith("http://127.0.0.1:")
    assert seen["HOME"] == str(workdir / ".agent" / "home")
    assert seen["TZ"] == "UTC"
    keys = {value for name, value in seen.items() if name.endswith(("API_KEY", "AGENT_KEY"))}
    assert keys <= {"aar-no-key"}
    result = json.dumps(model.bodies[1])
    assert "task.md" in result
    assert "tools.py" in result


def test_the_step_limit_ends_the_race_in_one_refused_call(cli: Cli, workdir: Path) -> None:
    with gateway(model="pacer") as opened:
        finish, race = raced(opened, make_agent(cli.name), workdir, step_limit=2)
    assert (finish.ending, finish.answer) == ("step-limit", None)
    assert race.used_up == "step-limit"
    assert len(race.trace().model_calls) == 2


def test_what_the_server_refuses_in_mid_race_is_no_answer(cli: Cli, workdir: Path) -> None:
    model = Model(cli.says(shell="ls"), (400, cli.error("the context is too long")))
    finish, race = on(model, cli, workdir)
    assert (finish.ending, race.problem) == ("no-answer", None)
    assert "the context is too long" in finish.detail
    assert len(model.bodies) == 2


def test_a_server_that_is_gone_ends_the_race_in_one_refused_call(cli: Cli, workdir: Path) -> None:
    model = Model(ModelUnavailable("model server x answered 401: who are you?"))
    with gateway(model) as opened, opened.open_race(order()) as race:
        with pytest.raises(AgentCrashed, match="model server x answered 401"):
            raced_in(race, opened, make_agent(cli.name), workdir)
        assert isinstance(race.problem, ModelUnavailable)
    assert len(model.bodies) == 1


def test_what_codex_itself_fails_at_is_a_crash(workdir: Path) -> None:
    broken = [{"type": "response.completed", "response": {"id": 5}}]
    with pytest.raises(AgentCrashed, match=r"Codex failed: .*ResponseCompleted"):
        on(Model(broken), installed("codex"), workdir)


@pytest.mark.parametrize("metadata", ["pinned", "own"])
def test_codex_sums_up_a_race_that_fills_the_context_window(workdir: Path, metadata: str) -> None:
    much = codex_says(shell="echo 3 > answer.txt")
    much[1]["response"]["usage"] = {**USAGE[RESPONSES], "input_tokens": 9000, "total_tokens": 9003}
    model = Model(much, codex_says("done"))
    options = {"context_window": "5000", "metadata": metadata}
    finish, _ = on(model, installed("codex"), workdir, options=options)
    assert (finish.ending, finish.answer) == ("answered", 3)
    assert "CONTEXT CHECKPOINT" in json.dumps(model.bodies[1])
    assert len(model.bodies) == 3


def test_an_answer_written_before_the_refusal_counts(cli: Cli, workdir: Path) -> None:
    model = Model(cli.says(shell="echo 4 > answer.txt"), (400, cli.error("no more")))
    finish, _ = on(model, cli, workdir)
    assert (finish.ending, finish.answer) == ("answered", 4)


def test_replies_cut_at_their_limit_are_no_answer(cli: Cli, workdir: Path) -> None:
    reason = {"codex": "max_output_tokens", "claude-code": "max_tokens"}[cli.name]
    finish, _ = on(Model(cli.stops(reason)), cli, workdir)
    assert finish.ending == "no-answer"
    assert {"codex": "max_output_tokens", "claude-code": "cut at its limit"}[
        cli.name
    ] in finish.detail


def test_claude_codes_model_may_refuse(workdir: Path) -> None:
    finish, _ = on(Model(claude_stops("refusal")), installed("claude-code"), workdir)
    assert finish.ending == "no-answer"
    assert "the model refused to go on" in finish.detail


def test_a_hanging_command_ends_with_the_races_time(cli: Cli, workdir: Path) -> None:
    model = Model(cli.says(shell="echo 6 > answer.txt; setsid sleep 61.25; sleep 61.5"))
    start = time.monotonic()
    finish, _ = on(model, cli, workdir, seconds={"codex": 4.0}.get(cli.name, 8.0))
    assert (finish.ending, finish.answer) == ("timeout", 6)
    assert time.monotonic() - start < 15
    assert with_argument("61.25") == with_argument("61.5") == []


def test_a_cli_that_its_model_kills_has_lost_its_race(cli: Cli, workdir: Path) -> None:
    model = Model(cli.says(shell="kill -9 $PPID; sleep 5"), cli.says("x"))
    finish, _ = on(model, cli, workdir)
    assert (finish.ending, finish.answer) == ("no-answer", None)
    assert re.match(r"ended by signal 9: .* ended without .*exit code -9", finish.detail)


def test_an_answer_counts_though_the_cli_is_killed(cli: Cli, workdir: Path) -> None:
    model = Model(cli.says(shell="echo 4 > answer.txt; kill -9 $PPID; sleep 5"), cli.says("x"))
    finish, _ = on(model, cli, workdir)
    assert (finish.ending, finish.answer) == ("answered", 4)


def test_wrong_arguments_are_a_crash_with_its_own_words(cli: Cli, workdir: Path) -> None:
    with pytest.raises(AgentCrashed, match="--no-such-flag"):
        on(Model(cli.says("x")), cli, workdir, options={"args": "--no-such-flag"})


@pytest.mark.parametrize(
    ("name", "options"), [("codex", {"metadata": "own"}), ("claude-code", {"mode": "full"})]
)
def test_the_makers_own_prompt_races_too(name: str, options: dict[str, str], workdir: Path) -> None:
    cli = installed(name)
    model = Model(cli.says(shell="echo 3 > answer.txt"), cli.says("done"))
    finish, _ = on(model, cli, workdir, options=options)
    assert (finish.ending, finish.answer) == ("answered", 3)
    assert len(json.dumps(model.bodies[0])) > 20_000
