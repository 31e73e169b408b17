"""What of a request counts: one entry per model protocol, and a generic one for tools and the rest.

A further protocol (Responses, Messages) is one more `Protocol` in `_BY_ENDPOINT`.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProtocol:
    """How to read a model request.

    `messages_key` names the array that grows from call to call; `clean_message` and `clean_head`
    drop what differs between equal runs; `is_complete` tells from a stream's bytes that nothing
    follows.
    """

    messages_key: str
    clean_message: Callable[[Any], Any]
    clean_head: Callable[[dict[str, Any]], dict[str, Any]]
    is_complete: Callable[[bytes], bool]


def protocol_of(endpoint: str) -> ModelProtocol | None:
    """The protocol behind "openai/v1/chat/completions" etc.; None: canonical JSON will do."""
    return _BY_ENDPOINT.get(endpoint.strip("/"))


_DELTA = re.compile(rb'"(?:content|arguments|text|partial_json|delta)":\s*"((?:[^"\\]|\\.)*)"')


def joined_deltas(body: bytes) -> bytes:
    """The text of an event stream in one piece: a secret may come in several events."""
    if not body.startswith((b"data:", b"event:", b":")):
        return b""
    return b"".join(_DELTA.findall(body))


def canonical_json(value: object) -> str:
    """One text per JSON value, whatever its key order and spaces were."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _without(names: frozenset[str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda fields: {name: value for name, value in fields.items() if name not in names}


def _drop_everywhere(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _drop_everywhere(each, name) for key, each in value.items() if key != name}
    if isinstance(value, list):
        return [_drop_everywhere(each, name) for each in value]
    return value


def _chat_message(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    # Some clients send "content": null beside tool calls, others leave it out.
    said = {name: value for name, value in message.items() if value is not None}
    return _drop_everywhere(said, "cache_control")


def _chat_stream_ended(body: bytes) -> bool:
    return body.rstrip().endswith(b"data: [DONE]")


#: Fields that name the caller, the session or a cache: they never change an answer.
_CHAT_VOLATILE = frozenset(
    {"user", "metadata", "prompt_cache_key", "safety_identifier", "session_id", "client_metadata"}
)

CHAT_COMPLETIONS = ModelProtocol(
    messages_key="messages",
    clean_message=_chat_message,
    clean_head=_without(_CHAT_VOLATILE),
    is_complete=_chat_stream_ended,
)

_BY_ENDPOINT: Mapping[str, ModelProtocol] = {"openai/v1/chat/completions": CHAT_COMPLETIONS}
