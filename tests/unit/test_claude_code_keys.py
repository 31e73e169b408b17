"""Of Claude Code's requests: what it says of the machine and the day does not count, what anybody else says does."""

import json
from typing import Any

import pytest
from model_wires import ASKED, MESSAGES
from recorded_race import NO_SECRETS

from pytest_aar.cassettes.canonical import Canonical

FULL = """
You are an interactive agent that helps users with software engineering tasks.

# Harness
 - Platform: what the tests run on is their matter.

# Environment
You have been invoked in the following environment:\x20
 - Primary working directory: /race
 - Is a git repository: false
 - Platform: linux
 - Shell: bash
 - OS Version: Linux 6.1.0
 - You are powered by the model m.

# Context management
 - Platform: any
When the conversation grows long, some of it is summarized."""
SUBAGENT = """You are an agent for Claude Code.
<env>
Working directory: /race
Is directory a git repo: No
Platform: linux
OS Version: Linux 6.1.0
Today's date: 2026-11-30
</env>
Platform: linux"""
BARE = "CWD: /race\nDate: 2026-11-30"
TASK = "ID: b8m. Output is being written to: /tmp/claude-0/x/tasks/b8m.output. You will be notified"
KEPT = "<persisted-output>\nOutput too large (99KB). Full output saved to: /c/tool-results/ab-1.txt\n\nx"


def key(*contents: Any, **head: Any) -> str:
    messages = [{"role": "user", "content": content} for content in contents or ("hi",)]
    body = {**ASKED[MESSAGES], "messages": messages, **head}
    canonical = Canonical(secrets=NO_SECRETS, tags={})
    data = json.dumps(body).encode()
    return canonical.asked("POST", "https://m.test/x", data, endpoint=MESSAGES).key


def system(text: str) -> str:
    return key(system=[{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}])


def result(text: str) -> str:
    return key([{"type": "tool_result", "tool_use_id": "t", "content": text}])


@pytest.mark.parametrize(
    ("prompt", "varying", "other"),
    [
        (FULL, "directory: /race", "directory: /tmp/elsewhere"),
        (FULL, "repository: false", "repository: true"),
        (FULL, "Platform: linux", "Platform: darwin"),
        (FULL, "Shell: bash", "Shell: zsh"),
        (FULL, "Linux 6.1.0", "Darwin 25.1.0"),
        (SUBAGENT, "directory: /race", "directory: /tmp/elsewhere"),
        (SUBAGENT, "repo: No", "repo: Yes"),
        (SUBAGENT, "Platform: linux\nOS Version: Linux 6.1.0", "Platform: darwin\nOS Version: x"),
        (SUBAGENT, "2026-11-30", "2027-01-02"),
        (BARE, "CWD: /race", "CWD: /tmp/elsewhere"),
        (BARE, "2026-11-30", "2027/01/02"),
    ],
)
def test_the_machine_and_the_day_do_not_count(prompt: str, varying: str, other: str) -> None:
    assert prompt.count(varying) == 1
    assert system(prompt) == system(prompt.replace(varying, other))


@pytest.mark.parametrize(
    ("prompt", "said", "other"),
    [
        (FULL, "You are powered by the model m", "You are powered by the model n"),
        (FULL, "Platform: what", "Platform: that"),
        (FULL, "Platform: any", "Platform: none"),
        (SUBAGENT, "</env>\nPlatform: linux", "</env>\nPlatform: darwin"),
        (BARE, "2026-11-30", "2026-11-30\nDate: 2027-01-01"),
        (f"Answer for the day.\n{BARE}", "2026-11-30", "2027-01-01"),
        (f"{BARE}\nToday's date is Monday", "Monday", "Tuesday"),
        (f"{BARE}\nPlatform: a", "Platform: a", "Platform: b"),
    ],
)
def test_what_else_the_system_prompt_says_counts(prompt: str, said: str, other: str) -> None:
    assert prompt.count(said) == 1
    assert system(prompt) != system(prompt.replace(said, other))


def test_the_day_counts_except_in_claude_codes_reminder() -> None:
    def told(text: str, day: str) -> str:
        return key([{"type": "text", "text": text.format(f"Today's date is {day}.")}])

    own = "<system-reminder>\n# currentDate\n{}\n</system-reminder>"
    assert told(own, "2026-11-30") == told(own, "2027-01-02")
    for text in ("# currentDate\n{}", "{}", f"{own}".replace("# currentDate\n", "# x\n")):
        assert told(text, "2026-11-30") != told(text, "2027-01-02")


@pytest.mark.parametrize(
    ("text", "varying", "other"),
    [
        (KEPT, "/c/tool-results/ab-1.txt", "/d/e/tool-results/cd-2.txt"),
        (f"x\nCommand running in background with {TASK}", "b8m", "c9n"),
        (f"x\nCommand was manually backgrounded by user with {TASK}", "/tmp/claude-0", "/tmp/y"),
        (
            "x\nOutput truncated (99KB total). Full output saved to: /c/tasks/b8m.output",
            "b8m",
            "c9n",
        ),
    ],
)
def test_files_and_ids_of_claude_code_do_not_count(text: str, varying: str, other: str) -> None:
    assert result(text) == result(text.replace(varying, other))
    assert result(f"{text}\nx") != result(f"{text}\ny")


@pytest.mark.parametrize(
    ("text", "said", "other"),
    [
        ("wrote /a/tasks/one.output", "one", "two"),
        (f"> Command running in background with {TASK}", "b8m", "c9n"),
        ("Command running in background with ID: a", "ID: a", "ID: b"),
        (f"x\n{KEPT}", "ab-1", "cd-2"),
        (f"{KEPT}\nFull output saved to: /c/tool-results/y.txt", "y.txt", "z.txt"),
    ],
)
def test_the_same_words_in_a_commands_output_count(text: str, said: str, other: str) -> None:
    assert result(text) != result(text.replace(said, other))


def test_a_mark_of_caches_counts_where_it_is_an_argument() -> None:
    def used(given: dict[str, str]) -> str:
        return key([{"type": "tool_use", "id": "x", "name": "n", "input": given}])

    def offered(**fields: Any) -> str:
        schema = {"properties": {"cache_control": fields.pop("schema", {})}}
        return key(tools=[{"name": "n", "input_schema": schema, **fields}])

    assert used({"cache_control": "no-cache"}) != used({"cache_control": "max"})
    assert used({"cache_control": "no-cache"}) != used({})
    assert offered(schema={"type": "string"}) != offered()
    assert offered(cache_control={"type": "ephemeral"}) == offered()
    inner = [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]
    assert key([{"type": "tool_result", "content": inner}]) == key(
        [{"type": "tool_result", "content": [{"type": "text", "text": "x"}]}]
    )


def test_a_message_without_content_is_none_with_null() -> None:
    def said(message: dict[str, Any]) -> str:
        body = {**ASKED[MESSAGES], "messages": [message]}
        canonical = Canonical(secrets=NO_SECRETS, tags={})
        data = json.dumps(body).encode()
        return canonical.asked("POST", "https://m.test/x", data, endpoint=MESSAGES).key

    assert said({"role": "user"}) != said({"role": "user", "content": None})
