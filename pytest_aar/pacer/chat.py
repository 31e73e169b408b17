"""The pacer's turns on the wire of OpenAI chat completions, plain and streamed."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .turn import Turn
from .words import arguments_json, command, list_of, tokens

#: What mini-swe-agent takes for the end, as the output of a command.
FINISHED = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


class ChatWire:
    """Chat completions."""

    def turns_taken(self, body: Mapping[str, Any]) -> int:
        """The assistant's messages."""
        return sum(said.get("role") == "assistant" for said in list_of(body, "messages"))

    def offers_tools(self, body: Mapping[str, Any]) -> bool:
        """Whether there is any function to call."""
        return bool(_offered(body))

    def aside(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """Nothing: no client of this protocol makes side calls that can be told."""
        return None

    def reply(self, turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
        """A complete chat completion."""
        said = list_of(body, "messages")
        return completion(
            turn, body, size=sum(len(str(each.get("content") or "")) for each in said)
        )

    def stream(self, reply: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[bytes]:
        """Chunks, with the usage if it was asked for."""
        wanted = bool((body.get("stream_options") or {}).get("include_usage"))
        return stream(reply, with_usage=wanted)


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
    function = {"name": name, "arguments": arguments_json(arguments)}
    call = {"id": f"call_{turn.number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def _command(turn: Turn) -> str:
    return command(turn) if turn.tool else f"{command(turn)} && echo {FINISHED}"


def _offered(body: Mapping[str, Any]) -> frozenset[str]:
    functions = [tool.get("function") for tool in list_of(body, "tools")]
    return frozenset(str(f.get("name")) for f in functions if isinstance(f, Mapping))


def _usage(size: int, message: Mapping[str, Any]) -> dict[str, int]:
    """An estimate by length: deterministic, and of the right order."""
    prompt, reply = tokens(size), tokens(len(json.dumps(message)))
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


def _event(data: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
