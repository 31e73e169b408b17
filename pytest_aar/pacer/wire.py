"""The pacer's turns on the wire of OpenAI chat completions, plain and streamed."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from .turn import Turn

_CHARACTERS_PER_TOKEN = 4
FINISHED = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def turns_taken(body: Mapping[str, Any]) -> int:
    """How many turns the model has had in this conversation."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return 0
    return sum(isinstance(m, Mapping) and m.get("role") == "assistant" for m in messages)


def offers_tools(body: Mapping[str, Any]) -> bool:
    """Whether the request offers the model any function to call."""
    return bool(_offered(body))


def size_of(body: Mapping[str, Any]) -> int:
    """Characters of the conversation: the measure of the token estimate."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return 0
    return sum(len(str(m.get("content") or "")) for m in messages if isinstance(m, Mapping))


def completion(turn: Turn, body: Mapping[str, Any], *, size: int) -> dict[str, Any]:
    """The reply to `body`, whose conversation has `size` characters.

    Ids depend on the turn alone: replays must be equal.
    """
    message, reason = _message(turn, _offered(body))
    return {
        "id": f"chatcmpl-pacer-{turn.number}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "pacer"),
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": _usage(size, message),
    }


def stream(reply: Mapping[str, Any], *, with_usage: bool) -> Iterator[bytes]:
    """The same reply as server-sent events."""
    shared = {key: reply[key] for key in ("id", "created", "model")} | {
        "object": "chat.completion.chunk"
    }
    choice = reply["choices"][0]
    delta = dict(choice["message"])
    if "tool_calls" in delta:
        delta["tool_calls"] = [
            {"index": place, **call} for place, call in enumerate(delta["tool_calls"])
        ]
    for part, reason in ((delta, None), ({}, choice["finish_reason"])):
        yield _event({**shared, "choices": [{"index": 0, "delta": part, "finish_reason": reason}]})
    if with_usage:
        yield _event({**shared, "choices": [], "usage": reply["usage"]})
    yield b"data: [DONE]\n\n"


def _message(turn: Turn, offered: frozenset[str]) -> tuple[dict[str, Any], str]:
    if "bash" in offered:
        return _call(turn, "bash", {"command": _command(turn)})
    if turn.tool:
        return _call(turn, turn.tool, turn.arguments)
    return {"role": "assistant", "content": str(turn.digit)}, "stop"


def _call(turn: Turn, name: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    text = json.dumps(arguments, ensure_ascii=False)
    function = {"name": name, "arguments": text}
    call = {"id": f"call_{turn.number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def _command(turn: Turn) -> str:
    if not turn.tool:
        return f"echo {turn.digit} > answer.txt && echo {FINISHED}"
    arguments = json.dumps(turn.arguments, ensure_ascii=False)
    return f"python3 tools.py {turn.tool} {shlex.quote(arguments)}"


def _offered(body: Mapping[str, Any]) -> frozenset[str]:
    tools = body.get("tools")
    if not isinstance(tools, list):
        return frozenset()
    functions = [tool.get("function") for tool in tools if isinstance(tool, Mapping)]
    return frozenset(str(f.get("name")) for f in functions if isinstance(f, Mapping))


def _usage(size: int, message: Mapping[str, Any]) -> dict[str, int]:
    """An estimate by length: deterministic, and of the right order."""
    prompt = size // _CHARACTERS_PER_TOKEN
    reply = len(json.dumps(message)) // _CHARACTERS_PER_TOKEN
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


def _event(data: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
