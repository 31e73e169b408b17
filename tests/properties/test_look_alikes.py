"""Texts that look like what clients write by themselves count like any other where clients don't write it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_aar.cassettes.canonical import Canonical
from pytest_aar.secrets import Secrets

CHAT, RESPONSES, MESSAGES = (
    "openai/v1/chat/completions",
    "openai/v1/responses",
    "anthropic/v1/messages",
)
LINES = (
    "Chunk ID: {}",
    "Wall time: {} seconds",
    "Original token count: {}",
    "Process running with session ID {}",
    "Output:",
    '{{"wall_time_seconds": {}, "output": ""}}',
    "Date: {}",
    "Today's date is {}",
    "# currentDate",
    " - Platform: {}",
    "# Environment",
    "<cwd>{}</cwd>",
    "/c/tool-results/{}.txt",
    "Command running in background with ID: {}",
    "<persisted-output>",
)
lines = st.builds(str.format, st.sampled_from(LINES), st.integers(0, 3))
texts = st.lists(lines, min_size=1, max_size=5).map("\n".join)


def _responses(item: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "input": [item]}


def _messages(content: Any, **head: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": content}], **head}


def _arguments(text: str) -> dict[str, Any]:
    return {"cmd": text, "cache_control": text, "id": text, "metadata": {"user": text}}


#: Where a text is the agent's or a program's, whatever it looks like.
PLACES: dict[str, tuple[str, Callable[[str], dict[str, Any]]]] = {
    "command's output": (
        RESPONSES,
        lambda text: _responses(
            {
                "type": "function_call_output",
                "call_id": "c",
                "output": f"Chunk ID: a\nWall time: 1 seconds\nOutput:\n{text}",
            }
        ),
    ),
    "output without a head": (
        RESPONSES,
        lambda text: _responses({"type": "function_call_output", "output": f"> {text}"}),
    ),
    "prompt": (RESPONSES, lambda text: _responses({"role": "user", "content": f"Race!\n{text}"})),
    "arguments": (
        RESPONSES,
        lambda text: _responses(
            {"type": "function_call", "arguments": json.dumps(_arguments(text))}
        ),
    ),
    "said": (
        RESPONSES,
        lambda text: _responses({"role": "assistant", "content": [{"text": text}]}),
    ),
    "Claude's output": (
        MESSAGES,
        lambda text: _messages([{"type": "tool_result", "content": f"> {text}"}]),
    ),
    "Claude's input": (
        MESSAGES,
        lambda text: _messages([{"type": "tool_use", "id": "x", "input": _arguments(text)}]),
    ),
    "Claude's prompt": (MESSAGES, lambda text: _messages(f"Race!\n{text}")),
    "Claude's instructions": (
        MESSAGES,
        lambda text: _messages("hi", system=f"CWD: /a\nDate: 1\nBe quick.\n{text}"),
    ),
    "chat's tool call": (
        CHAT,
        lambda text: {"messages": [{"role": "assistant", "tool_calls": [_arguments(text)]}]},
    ),
    "chat's text": (
        CHAT,
        lambda text: {"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]},
    ),
}


def key(endpoint: str, body: dict[str, Any]) -> str:
    canonical = Canonical(secrets=Secrets(), tags={})
    data = json.dumps(body).encode()
    return canonical.asked("POST", "https://m.test/x", data, endpoint=endpoint).key


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=60, deadline=None)
@given(one=texts, other=texts)
def test_different_texts_have_different_keys(place: str, one: str, other: str) -> None:
    assume(one != other)
    endpoint, body = PLACES[place]
    assert key(endpoint, body(one)) != key(endpoint, body(other))
