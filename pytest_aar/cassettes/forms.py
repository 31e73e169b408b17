"""What a protocol's form says of its requests, and the tools that forms are made of."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Fields of OpenAI's protocols that name the caller, the session or a cache: they never change an answer.
OF_THE_CALLER = frozenset(
    {"user", "metadata", "prompt_cache_key", "safety_identifier", "session_id", "client_metadata"}
)


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


def canonical_json(value: object) -> str:
    """One text per JSON value, whatever its key order and spaces were."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def without(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The other fields."""
    return {name: value for name, value in fields.items() if name not in names}


def uncached(block: Any) -> Any:
    """A block, message or tool without the mark that a provider's cache ends with it."""
    return without(block, ("cache_control",)) if isinstance(block, dict) else block


def in_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A content, changed: the text itself, or the `text` of each of its parts."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [in_texts(each, change) for each in value]
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return {**value, "text": change(value["text"])}
    return value


@dataclass(frozen=True, slots=True)
class Replacements:
    """Texts that vary, by pattern, each with the constant that stands for it."""

    pairs: Sequence[tuple[re.Pattern[str], str]]

    def __call__(self, text: str) -> str:
        """`text` with the constants."""
        for pattern, constant in self.pairs:
            text = pattern.sub(constant, text)
        return text


def last_event(body: bytes) -> dict[str, Any]:
    """The data of a stream's last event; {} when it is no JSON object."""
    event = body.replace(b"\r\n", b"\n").rstrip().rpartition(b"\n\n")[2]
    lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
    try:
        data = json.loads(b"\n".join(lines))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
