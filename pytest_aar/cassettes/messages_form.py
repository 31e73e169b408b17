"""What counts of a request to Anthropic Messages. What varies is Claude Code's doing."""

import re
from typing import Any

from pytest_aar.cassettes.forms import (
    ModelProtocol,
    Replacements,
    drop_everywhere,
    in_texts,
    last_event,
    without,
)

#: It holds ids of user, device and session, and nothing else.
_VOLATILE = frozenset({"metadata"})
_BILLING = "x-anthropic-billing-header:"

_SYSTEM = Replacements(
    (
        (re.compile(r"^(CWD|Date): .*$", re.MULTILINE), r"\1: {{aar:place and day}}"),
        (
            re.compile(r"^([ -]*(?:Primary working|Working) directory: ).*$", re.MULTILINE),
            r"\1{{aar:place and day}}",
        ),
        (re.compile(r"^([ -]*Today.s date(?: is|:) ).*$", re.MULTILINE), r"\1{{aar:day}}"),
    )
)
#: Claude Code's own reminder stands in a block of its own; its quotation mark varies with the host.
_REMINDER = Replacements(
    ((re.compile(r"(# currentDate\s+)Today.s date is [^\n]*"), r"\1Today is {{aar:day}}."),)
)
_RESULT = Replacements(
    (
        (re.compile(r"\S+/tool-results/[\w-]+\.txt"), "{{aar:persisted}}"),
        (re.compile(r"\S+/tasks/[\w-]+\.output"), "{{aar:task output}}"),
        (re.compile(r"(running in background with ID: )\w+"), r"\1{{aar:task}}"),
    )
)


def _head(head: dict[str, Any]) -> dict[str, Any]:
    kept = drop_everywhere(without(head, _VOLATILE), "cache_control")
    if "system" in kept:
        kept["system"] = [in_texts(block, _SYSTEM) for block in _blocks(kept["system"])]
        kept["system"] = [block for block in kept["system"] if not _is_billing(block)]
    return dict(kept)


def _is_billing(block: Any) -> bool:
    text = block.get("text") if isinstance(block, dict) else None
    return isinstance(text, str) and text.startswith(_BILLING)


def _message(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    said = drop_everywhere(message, "cache_control")
    blocks = [_block(block) for block in _blocks(said.get("content"))]
    return {**said, "content": _results_in_order(blocks)}


def _blocks(content: Any) -> list[Any]:
    """A text alone is one block of text."""
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}]


def _block(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    if block.get("type") == "text":
        return in_texts(block, _REMINDER)
    if block.get("type") == "tool_result" and "content" in block:
        return {**block, "content": in_texts(block["content"], _RESULT)}
    return block


def _results_in_order(blocks: list[Any]) -> list[Any]:
    """Results of calls made side by side come as they end; here they stand by their calls' ids."""
    places = [place for place, block in enumerate(blocks) if _is_result(block)]
    ordered = sorted((blocks[place] for place in places), key=_use_id)
    result = list(blocks)
    for place, block in zip(places, ordered, strict=True):
        result[place] = block
    return result


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _use_id(block: dict[str, Any]) -> str:
    return str(block.get("tool_use_id"))


def _stream_ended(body: bytes) -> bool:
    return last_event(body).get("type") == "message_stop"


MESSAGES = ModelProtocol(
    messages_key="messages",
    clean_message=_message,
    clean_head=_head,
    is_complete=_stream_ended,
)
