"""Reading a chat completion: a server or a model may have put anything in any of its places."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """One well-formed call; `arguments` is the text that the model wrote."""

    call_id: Any
    name: str
    arguments: str


def first_choice(content: bytes) -> Mapping[str, Any]:
    """The first choice; {} when the content holds none."""
    try:
        choice = json.loads(content)["choices"][0]
    # RecursionError: a few kilobytes of brackets nest deeper than the parser goes.
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}
    return choice if isinstance(choice, Mapping) else {}


def message_of(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """The choice's message; {} when it holds none."""
    message = choice.get("message")
    return message if isinstance(message, Mapping) else {}


def calls_of(message: Mapping[str, Any]) -> tuple[FunctionCall, ...] | None:
    """The message's function calls, () without any; None when one of them is malformed."""
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        return None
    read = [_call(call) for call in calls]
    found = tuple(call for call in read if call is not None)
    return found if len(found) == len(read) else None


def _call(call: Any) -> FunctionCall | None:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        return None
    arguments = function.get("arguments") or "{}"
    if not isinstance(arguments, str):
        return None
    return FunctionCall(call_id=call.get("id"), name=function["name"], arguments=arguments)
