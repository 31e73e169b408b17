"""The pacer's turns on the wire of Anthropic Messages, plain and streamed."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .turn import Turn
from .words import arguments_json, closing, command, event, list_of, mcp_name, tokens

_SHELLS = ("Bash", "bash")
_TITLE = '{"title": "A leg of the race"}'


class MessagesWire:
    """Messages, as Claude Code speaks it."""

    def turns_taken(self, body: Mapping[str, Any]) -> int:
        """The assistant's messages."""
        return sum(said.get("role") == "assistant" for said in list_of(body, "messages"))

    def offers_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether there is any tool to use."""
        return bool(_offered(body))

    def aside(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """A title for Claude Code's session, which it asks for by a JSON schema and without tools."""
        config = body.get("output_config")
        wanted = config.get("format") if isinstance(config, Mapping) else None
        if body.get("tools") or not isinstance(wanted, Mapping):
            return None
        return _message("title", body, [{"type": "text", "text": _TITLE}])

    def reply(self, turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
        """A complete message with one block."""
        return _message(turn.number, body, [_block(turn, _offered(body))])

    def stream(self, reply: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[bytes]:
        """All events of a real server, each block in one delta."""
        usage = {**reply["usage"], "output_tokens": 1}
        begun = {**reply, "content": [], "stop_reason": None, "usage": usage}
        yield event({"type": "message_start", "message": begun})
        for index, block in enumerate(reply["content"]):
            yield from _block_events(index, block)
        stop = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
        said = {"output_tokens": reply["usage"]["output_tokens"]}
        yield event({"type": "message_delta", "delta": stop, "usage": said})
        yield event({"type": "message_stop"})


def _offered(body: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(str(tool.get("name")) for tool in list_of(body, "tools"))


def _block(turn: Turn, offered: frozenset[str]) -> dict[str, Any]:
    served = mcp_name(turn.tool, offered)
    if served is not None:
        return _use(turn, served, turn.arguments)
    shell = next((name for name in _SHELLS if name in offered), None)
    if shell is None:
        return _use(turn, turn.tool, turn.arguments) if turn.tool else _says(str(turn.digit))
    return _says(closing(turn)) if turn.is_over else _use(turn, shell, {"command": command(turn)})


def _use(turn: Turn, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    identity = f"toolu_pacer_{turn.number}"
    return {"type": "tool_use", "id": identity, "name": name, "input": dict(arguments)}


def _says(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _message(
    number: int | str, body: Mapping[str, Any], content: list[dict[str, Any]]
) -> dict[str, Any]:
    size = len(json.dumps(body.get("messages", ""), ensure_ascii=False))
    uses_tool = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_pacer_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "pacer"),
        "content": content,
        "stop_reason": "tool_use" if uses_tool else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens(size),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": max(1, tokens(len(json.dumps(content)))),
        },
    }


def _block_events(index: int, block: Mapping[str, Any]) -> Iterator[bytes]:
    if block["type"] == "text":
        begun: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:  # clients read the input from deltas alone
        begun = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": arguments_json(block["input"])}
    yield event({"type": "content_block_start", "index": index, "content_block": begun})
    yield event({"type": "content_block_delta", "index": index, "delta": delta})
    yield event({"type": "content_block_stop", "index": index})
