"""The pacer's turns on the wire of OpenAI Responses, plain and streamed."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .turn import Turn
from .words import arguments_json, closing, command, event, list_of, mcp_name, tokens

_TURNS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
#: Milliseconds that Codex waits for a command before it tells the model that it still runs.
_YIELD = "yield_time_ms"
_LONGEST_YIELD = 30_000


class ResponsesWire:
    """Responses, as Codex and the openai package speak it."""

    def turns_taken(self, body: Mapping[str, Any]) -> int:
        """Calls and the assistant's messages: each reply of the pacer holds one of them."""
        return sum(
            item.get("type") in _TURNS or item.get("role") == "assistant"
            for item in list_of(body, "input")
        )

    def offers_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether there is any function to call."""
        return bool(_offered(body))

    def aside(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """Nothing: Codex makes no side calls."""
        return None

    def reply(self, turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
        """A complete response with one item."""
        item = _mcp_call(turn, body) or _item(turn, _offered(body))
        size = len(json.dumps(body.get("input", ""), ensure_ascii=False))
        return {**_head(turn, body), "status": "completed", "output": [item]} | {
            "usage": _usage(size, item)
        }

    def stream(self, reply: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[bytes]:
        """All events of a real server, each part in one delta."""
        begun = {**reply, "status": "in_progress", "output": [], "usage": None}
        (item,) = reply["output"]
        events = [
            {"type": "response.created", "response": begun},
            {"type": "response.in_progress", "response": begun},
            *_item_events(item),
            {"type": "response.completed", "response": reply},
        ]
        for number, each in enumerate(events):
            yield event({**each, "sequence_number": number})


def _offered(body: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Parameters by the function's name."""
    functions = [tool for tool in list_of(body, "tools") if tool.get("type") == "function"]
    return {str(tool.get("name")): _properties(tool) for tool in functions}


def _properties(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    parameters = tool.get("parameters")
    found = parameters.get("properties") if isinstance(parameters, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _mcp_call(turn: Turn, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The turn as a call of an MCP server's tool, which Codex offers in a namespace; None where none has it."""
    for space in list_of(body, "tools"):
        names = [tool.get("name") for tool in list_of(space, "tools")]
        if str(space.get("name")).startswith("mcp__") and turn.tool in names:
            return {**_call(turn, turn.tool, turn.arguments), "namespace": space["name"]}
    served = mcp_name(turn.tool, _offered(body))
    return None if served is None else _call(turn, served, turn.arguments)


def _item(turn: Turn, offered: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    shell = _shell_call(turn, offered)
    if shell is None:
        return _call(turn, turn.tool, turn.arguments) if turn.tool else _says(turn, str(turn.digit))
    return _says(turn, closing(turn)) if turn.is_over else _call(turn, *shell)


def _shell_call(
    turn: Turn, offered: Mapping[str, Mapping[str, Any]]
) -> tuple[str, dict[str, Any]] | None:
    """The turn by the shell that is offered, None without one."""
    line = command(turn)
    if "exec_command" in offered:
        waits = _YIELD in offered["exec_command"]
        return "exec_command", {"cmd": line} | ({_YIELD: _LONGEST_YIELD} if waits else {})
    for name in ("shell_command", "bash"):
        if name in offered:
            return name, {"command": line}
    if "shell" in offered:
        return "shell", {"command": ["bash", "-c", line]}
    return None


def _call(turn: Turn, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_pacer_{turn.number}",
        "call_id": f"call_{turn.number}",
        "name": name,
        "arguments": arguments_json(arguments),
        "status": "completed",
    }


def _says(turn: Turn, text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"msg_pacer_{turn.number}",
        "role": "assistant",
        "status": "completed",
        "content": [_text(text)],
    }


def _text(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _head(turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"resp_pacer_{turn.number}",
        "object": "response",
        "created_at": 0,
        "model": body.get("model", "pacer"),
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": False,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
    }


def _usage(size: int, item: Mapping[str, Any]) -> dict[str, Any]:
    asked, said = tokens(size), tokens(len(json.dumps(item)))
    return {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": asked + said,
    }


def _item_events(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    inner = _message_events if item["type"] == "message" else _call_events
    empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
    begun = {**item, "status": "in_progress", **empty}
    yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
    for each in inner(item):
        yield {**each, "output_index": 0, "item_id": item["id"]}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}


def _message_events(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    (part,) = item["content"]
    text, at = part["text"], {"content_index": 0}
    yield {"type": "response.content_part.added", "part": _text(""), **at}
    yield {"type": "response.output_text.delta", "delta": text, "logprobs": [], **at}
    yield {"type": "response.output_text.done", "text": text, "logprobs": [], **at}
    yield {"type": "response.content_part.done", "part": part, **at}


def _call_events(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    arguments = item["arguments"]
    yield {"type": "response.function_call_arguments.delta", "delta": arguments}
    yield {
        "type": "response.function_call_arguments.done",
        "arguments": arguments,
        "name": item["name"],
    }
