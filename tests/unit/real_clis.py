"""The real Codex and Claude Code where they are installed, and models that say what they are told to say."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from box_kinds import with_argument
from model_wires import MESSAGES, RESPONSES, SSE, USAGE, sse

from pytest_aar.agents import make_agent
from pytest_aar.errors import AgentNotInstalled, ModelUnavailable

Events = list[dict[str, Any]]


def codex_says(text: str = "", *, shell: str = "", number: int = 0) -> Events:
    item: dict[str, Any] = {"type": "message", "role": "assistant"}
    item["content"] = [{"type": "output_text", "text": text}]
    if shell:
        arguments = json.dumps({"cmd": shell, "yield_time_ms": 30_000})
        item = {"type": "function_call", "call_id": f"c{number}", "name": "exec_command"}
        item["arguments"] = arguments
    done = {"id": f"r{number}", "usage": {**USAGE[RESPONSES], "total_tokens": 14}}
    return [
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": done},
    ]


def codex_stops(reason: str) -> Events:
    why = {"id": "r", "incomplete_details": {"reason": reason}}
    return [*codex_says("part of")[:1], {"type": "response.incomplete", "response": why}]


def claude_says(
    text: str = "", *, shell: str = "", number: int = 0, stop: str = "end_turn"
) -> Events:
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": text}
    if shell:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps({"command": shell})}
        stop = "tool_use"
    message = {"id": f"m{number}", "type": "message", "role": "assistant", "content": []}
    return [
        {"type": "message_start", "message": {**message, "usage": USAGE[MESSAGES]}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]


def claude_stops(reason: str) -> Events:
    return claude_says("part of", stop=reason)


@dataclass(frozen=True)
class Cli:
    """One of the two, and how its model speaks."""

    name: str
    says: Callable[..., Events]
    stops: Callable[[str], Events]

    def error(self, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


_CLIS = {
    "codex": Cli("codex", codex_says, codex_stops),
    "claude-code": Cli("claude-code", claude_says, claude_stops),
}


def installed(name: str) -> Cli:
    """The CLI of that name; the test is skipped where it is not installed."""
    try:
        make_agent(name).version()
    except AgentNotInstalled as missing:
        if os.environ.get("AAR_CI_REQUIRE") == "1":
            pytest.fail(f"{missing} (AAR_CI_REQUIRE=1)", pytrace=False)
        pytest.skip(str(missing))
    return _CLIS[name]


@pytest.fixture(params=_CLIS)
def cli(request: pytest.FixtureRequest) -> Cli:
    """Each of the two that is installed."""
    return installed(request.param)


class Model(httpx.AsyncBaseTransport):
    """Gives its replies in order, and then the last again: events of a stream, (status, error), or a problem."""

    def __init__(self, *replies: Events | tuple[int, Mapping[str, Any]] | ModelUnavailable) -> None:
        self._replies = list(replies)
        self.bodies: list[Any] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(json.loads(await request.aread()))
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, ModelUnavailable):
            raise reply
        if isinstance(reply, tuple):
            return httpx.Response(reply[0], json=reply[1])
        return httpx.Response(200, content=b"".join(sse(reply)), headers=SSE)


@pytest.fixture
def workdir(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "race"
    folder.mkdir()
    yield folder
    assert with_argument(str(folder)) == []
