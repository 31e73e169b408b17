import json
import tomllib
from pathlib import Path

import pytest
from command_results import result

from pytest_aar.agents import codex_config
from pytest_aar.agents.answer import read_answer
from pytest_aar.agents.cli_agent import Ended, own_ending
from pytest_aar.agents.codex import Codex
from pytest_aar.box import CommandResult
from pytest_aar.errors import AgentCrashed
from pytest_aar.trace import Finish

STARTED = ({"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"})
DONE = {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}
NOISE = "Reading additional input from stdin..."


def finish_of(said: CommandResult, workdir: Path, *, was_refused: bool = False) -> Finish:
    ended = Ended(result=said, found=read_answer(workdir), was_refused=was_refused)
    return Codex().finish_of(ended)


def failed(message: str) -> tuple[dict[str, object], ...]:
    return (
        {"type": "error", "message": message},
        {"type": "turn.failed", "error": {"message": message}},
    )


def item(**fields: object) -> dict[str, object]:
    return {"type": "item.completed", "item": {"id": "item_0", **fields}}


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    (tmp_path / "answer.txt").write_text("7\n")
    return tmp_path


def test_a_finished_turn_is_judged_by_the_answer_file(answered: Path, tmp_path: Path) -> None:
    said = result(NOISE, *STARTED, item(type="agent_message", text="done: 8"), DONE, exit_code=0)
    assert (finish_of(said, answered).ending, finish_of(said, answered).answer) == ("answered", 7)
    (tmp_path / "answer.txt").unlink()
    assert finish_of(said, tmp_path).ending == "no-answer"


def test_a_failing_command_and_a_warning_are_no_errors(answered: Path) -> None:
    command = item(type="command_execution", command="false", exit_code=1, status="failed")
    warning = item(type="error", message="Model metadata for `x` not found.")
    assert finish_of(result(*STARTED, command, warning, DONE, exit_code=0), answered).answer == 7


@pytest.mark.parametrize(
    ("message", "ending", "detail"),
    [
        ('{"error": {"message": "used up", "code": "aar_step_limit"}}', "step-limit", "used up"),
        ('{"error": {"message": "all spent", "code": "aar_budget"}}', "budget", "all spent"),
        ("Incomplete response returned, reason: max_output_tokens", "no-answer", "max_output"),
    ],
)
def test_a_limit_or_a_cut_reply_is_known_by_its_message(
    tmp_path: Path, message: str, ending: str, detail: str
) -> None:
    finish = finish_of(result(NOISE, *STARTED, *failed(message)), tmp_path)
    assert finish.ending == ending
    assert detail in finish.detail


@pytest.mark.parametrize(
    ("message", "detail"),
    [
        ('{"error": {"message": "context too long"}}', "context too long"),
        ("We're currently experiencing high demand", "high demand"),
        ("rejected, url: http://127.0.0.1:4321/r/to-ken_9/openai", "the gateway/openai"),
    ],
)
def test_what_the_models_server_refused_is_no_answer(
    tmp_path: Path, message: str, detail: str
) -> None:
    finish = finish_of(result(NOISE, *STARTED, *failed(message)), tmp_path, was_refused=True)
    assert finish.ending == "no-answer"
    assert detail in finish.detail
    assert "127.0.0.1" not in finish.detail


@pytest.mark.parametrize(
    "message",
    [
        "stream disconnected before completion: failed to parse ResponseCompleted: missing field",
        "stream disconnected before completion",
        "unexpected status 500",
        "error sending request for url (http://127.0.0.1:9/v1/responses)",
        "Model provider `aar` not found",
        '{"error": {"code": "aar_infrastructure"}}',
        "We're currently experiencing high demand",
    ],
)
def test_a_failure_of_codexs_own_is_a_crash(answered: Path, message: str) -> None:
    with pytest.raises(AgentCrashed, match="Codex failed: ") as caught:
        finish_of(result(NOISE, *STARTED, *failed(message)), answered)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "exit_code", "shown"),
    [
        ((NOISE, "Error loading config.toml: unknown configuration field `x`"), 1, "field `x`"),
        (("error: unexpected argument '--bogus' found",), 2, "'--bogus'"),
        ((NOISE, *STARTED), 1, "turn.started"),  # SIGINT
        ((NOISE, *STARTED, "thread 'main' panicked at x.rs"), -9, "panicked"),
        ((NOISE, *STARTED, DONE), 101, "exit code 101"),
        ((), 127, "no output"),
        (("no turn",), 0, "no turn"),
    ],
)
def test_an_end_that_codex_did_not_announce_is_a_crash(
    answered: Path, lines: tuple[object, ...], exit_code: int, shown: str
) -> None:
    with pytest.raises(AgentCrashed, match="Codex ended without the end of a turn") as caught:
        finish_of(result(*lines, exit_code=exit_code), answered)
    assert shown in str(caught.value)


@pytest.mark.parametrize(
    ("exit_code", "number"), [(-9, 9), (-15, 15), (143, 15), (1, None), (127, None), (255, None)]
)
def test_only_an_end_by_a_signal_may_be_the_agents_own(
    tmp_path: Path, exit_code: int, number: int | None
) -> None:
    ended = Ended(result=result("x", exit_code=exit_code), found=read_answer(tmp_path))
    with pytest.raises(AgentCrashed) as caught:
        Codex().finish_of(ended)
    finish = own_ending(ended, caught.value)
    if number is None:
        assert finish is None
    else:
        assert finish is not None
        assert finish.ending == "no-answer"
        assert finish.detail.startswith(f"ended by signal {number}: Codex ended without")


def test_an_answer_that_stands_in_its_file_counts_after_a_crash(answered: Path) -> None:
    ended = Ended(result=result("x", exit_code=1), found=read_answer(answered))
    assert own_ending(ended, AgentCrashed("it died")) == ended.found


def test_the_configuration_is_toml_whatever_the_model_is_called() -> None:
    text = codex_config.config_toml(
        model='a "b"\\c é',
        base_url="http://127.0.0.1:8080/r/t/openai/v1",
        catalog="/race/m.json",
        seconds=1.5,
    )
    config = tomllib.loads(text)
    assert config["model"] == 'a "b"\\c é'
    assert config["model_catalog_json"] == "/race/m.json"
    assert config["sandbox_mode"] == "danger-full-access"
    provider = config["model_providers"][config["model_provider"]]
    assert provider["base_url"] == "http://127.0.0.1:8080/r/t/openai/v1"
    assert provider["stream_idle_timeout_ms"] == 1500
    assert (provider["request_max_retries"], provider["stream_max_retries"]) == (0, 0)
    assert not any(config["features"].values())
    assert codex_config.KEY_VARIABLE in config["shell_environment_policy"]["exclude"]


def test_codexs_own_metadata_have_no_catalog() -> None:
    text = codex_config.config_toml(model="m", base_url="u", catalog=None, seconds=1)
    assert "model_catalog_json" not in tomllib.loads(text)
    assert "model_context_window" not in tomllib.loads(text)
    (model,) = json.loads(codex_config.catalog_json("m"))["models"]
    assert (model["slug"], model["shell_type"]) == ("m", "unified_exec")


def test_the_context_window_stands_in_the_configuration() -> None:
    text = codex_config.config_toml(
        model="m", base_url="u", catalog="/race/m.json", seconds=1, context_window=8000
    )
    assert tomllib.loads(text)["model_context_window"] == 8000


def test_the_prompt_stands_behind_two_dashes_and_the_users_arguments() -> None:
    line = codex_config.command_line(
        Path("/x/codex"), workdir="/race", prompt="- go", extra=("-c", "a=1")
    )
    assert line[:2] == ("/x/codex", "exec")
    assert line[-6:] == ("-C", "/race", "-c", "a=1", "--", "- go")
    assert {"--strict-config", "--ephemeral", "--json", "--ignore-rules"} <= set(line)


def test_home_of_codex_lies_beside_the_folder_for_temporary_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(codex_config, "shell", lambda: "/usr/bin/sh")
    folders = {
        "home": "/race/.agent/home",
        "config": "/race/.agent/config",
        "tmp": "/race/.agent/tmp",
    }
    env = codex_config.environment(folders, tools_url="unix:/run/aar/gateway.sock:/r/t")
    assert env["SHELL"] == "/usr/bin/sh"
    assert not env["CODEX_HOME"].startswith(env["TMPDIR"])
    assert env["AAR_GATEWAY"] == "unix:/run/aar/gateway.sock:/r/t"
    assert env[codex_config.KEY_VARIABLE] == "aar-no-key"
