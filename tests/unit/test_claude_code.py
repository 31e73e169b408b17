from pathlib import Path

import pytest
from command_results import result

from pytest_aar.agents import claude_code_start
from pytest_aar.agents.answer import read_answer
from pytest_aar.agents.claude_code import ClaudeCode
from pytest_aar.agents.cli_agent import Ended
from pytest_aar.box import CommandResult
from pytest_aar.errors import AgentCrashed
from pytest_aar.trace import Finish


def finish_of(said: CommandResult, workdir: Path, *, was_refused: bool = False) -> Finish:
    ended = Ended(result=said, found=read_answer(workdir), was_refused=was_refused)
    return ClaudeCode().finish_of(ended)


def said(**fields: object) -> dict[str, object]:
    return {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", **fields}


def api_error(status: int | None, text: str, **more: object) -> dict[str, object]:
    fields = {"stop_reason": "stop_sequence", "api_error_status": status, **more}
    return said(is_error=True, result=text, **fields)


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    (tmp_path / "answer.txt").write_text("7\n")
    return tmp_path


def test_a_result_without_error_is_judged_by_the_answer_file(answered: Path) -> None:
    finish = finish_of(result("a warning", said(), exit_code=0), answered)
    assert (finish.ending, finish.answer, finish.detail) == ("answered", 7, "")


def test_an_empty_result_without_an_answer_is_no_answer(tmp_path: Path) -> None:
    finish = finish_of(result(said(result=""), exit_code=0), tmp_path)
    assert (finish.ending, finish.answer) == ("no-answer", None)
    assert finish.detail == "no answer.txt: No such file or directory"


def test_refused_permissions_are_named_where_the_answer_is_missing(tmp_path: Path) -> None:
    denied = [{"tool_name": "Bash"}, {"tool_name": "Edit"}, {"tool_name": "Bash"}]
    finish = finish_of(result(said(permission_denials=denied), exit_code=0), tmp_path)
    assert finish.ending == "no-answer"
    assert finish.detail.endswith("Claude Code permitted no use of Bash, Edit")
    (tmp_path / "answer.txt").write_text("3")
    finish = finish_of(result(said(permission_denials=denied), exit_code=0), tmp_path)
    assert (finish.ending, finish.answer, finish.detail) == ("answered", 3, "")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 529])
def test_an_api_error_is_told_with_its_status(tmp_path: Path, status: int) -> None:
    text = f"API Error: {status} why. Check your inference gateway (127.0.0.1:38435)."
    finish = finish_of(result(api_error(status, text)), tmp_path, was_refused=True)
    assert finish.ending == "no-answer"
    assert finish.detail.startswith(
        f"the model call was answered {status}: API Error: {status} why"
    )
    assert "127.0.0.1" not in finish.detail


@pytest.mark.parametrize(
    ("code", "ending"), [("aar_step_limit", "step-limit"), ("aar_budget", "budget")]
)
def test_a_limit_of_the_race_is_known_where_the_text_holds_its_code(
    tmp_path: Path, code: str, ending: str
) -> None:
    assert finish_of(result(api_error(400, f"API Error: 400 {code}")), tmp_path).ending == ending


@pytest.mark.parametrize(
    ("fields", "ending", "detail"),
    [
        ({"stop_reason": "refusal"}, "no-answer", "the model refused to go on: API Error"),
        ({"stop_reason": "max_tokens"}, "no-answer", "cut at its limit of tokens"),
        (
            {"result": "API Error: Claude's response exceeded the 32000 output token maximum. To"},
            "no-answer",
            "cut at its limit of tokens",
        ),
    ],
)
def test_reasons_of_the_model_are_its_own_endings(
    tmp_path: Path, fields: dict[str, object], ending: str, detail: str
) -> None:
    finish = finish_of(result({**api_error(None, "API Error: no"), **fields}), tmp_path)
    assert finish.ending == ending
    assert detail in finish.detail


@pytest.mark.parametrize("subtype", ["error_max_turns", "error_max_budget_usd"])
def test_limits_set_by_the_user_end_the_race(tmp_path: Path, subtype: str) -> None:
    fields = {
        "subtype": subtype,
        "is_error": True,
        "errors": ["Reached maximum number of turns (3)"],
    }
    finish = finish_of(result({"type": "result", **fields}), tmp_path)
    assert finish.ending == "step-limit"
    assert "a limit of its own: ['Reached maximum number of turns (3)']" in finish.detail


@pytest.mark.parametrize(
    ("line", "exit_code", "shown"),
    [
        (api_error(None, "Unable to connect to API (ConnectionRefused)"), 1, "ConnectionRefused"),
        (api_error(500, "API Error: 500 of nobody"), 1, "of nobody"),
        (api_error(400, "API Error: 400 aar_infrastructure"), 1, "aar_infrastructure"),
        (api_error(None, "Request timed out"), 1, "Request timed out"),
        (api_error(None, "Not logged in", stop_reason=None), 1, "Not logged in"),
        (said(subtype="error_during_execution", is_error=True, result=None), 0, "error_during"),
        (said(), 3, "exit code 3"),
        ("error: unknown option '--bogus'", 1, "'--bogus'"),
        ("", 143, "exit code 143"),
        ("", 0, "ended without a result"),
    ],
)
def test_all_other_ends_are_crashes(
    answered: Path, line: object, exit_code: int, shown: str
) -> None:
    with pytest.raises(AgentCrashed, match="Claude Code") as caught:
        finish_of(result(line, exit_code=exit_code), answered)
    assert shown in str(caught.value)


def test_the_command_line_keeps_prompt_and_users_arguments_apart() -> None:
    bare, full = (
        claude_code_start.command_line(
            Path("/x/claude"), model="m", prompt="- go", full=full, extra=("--allowedTools", "Bash")
        )
        for full in (False, True)
    )
    assert bare[-6:] == ("--model", "m", "--allowedTools", "Bash", "--", "- go")
    assert "--bare" in bare
    assert "--bare" not in full
    assert full[full.index("--tools") + 1].startswith("Bash,Read,Edit")
    assert bare[bare.index("--setting-sources") + 1] == ""


def test_the_environment_is_quiet_and_points_at_the_gateway(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claude_code_start, "shell", lambda: "/usr/bin/sh")
    folders = {
        "home": "/race/.agent/home",
        "config": "/race/.agent/config",
        "tmp": "/race/.agent/tmp",
    }

    def made(*, full: bool) -> dict[str, str]:
        return claude_code_start.environment(
            folders,
            gateway_url="http://127.0.0.1:8080/r/t",
            tools_url="unix:s:/r/t",
            full=full,
            seconds=600,
        )

    env = made(full=False)
    assert env["SHELL"] == "/usr/bin/sh"
    assert env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:8080/r/t/anthropic"
    assert (env["ANTHROPIC_API_KEY"], env["AAR_GATEWAY"]) == ("aar-no-key", "unix:s:/r/t")
    assert (env["CLAUDE_CODE_MAX_RETRIES"], env["API_TIMEOUT_MS"]) == ("0", "600000")
    assert env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"
    assert set(made(full=True)) - set(env) == {
        "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS",
    }
