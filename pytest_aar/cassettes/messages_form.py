"""What counts of a request to Anthropic Messages. What varies is Claude Code's doing."""

import re
from typing import Any

from pytest_aar.cassettes.forms import (
    ModelProtocol,
    Replacements,
    in_texts,
    last_event,
    uncached,
    without,
)

#: It holds ids of user, device and session, and nothing else.
_VOLATILE = frozenset({"metadata"})
_BILLING = "x-anthropic-billing-header:"

#: The block that is all of `claude --bare`'s own prompt begins with these lines.
_BARE = re.compile(r"\ACWD: [^\n]*\nDate: [^\n]*")
_BARE_CONSTANT = "CWD: {{aar:place and day}}\nDate: {{aar:place and day}}"
#: The list of the machine's features in the full prompt, and in that of a subagent.
_ENVIRONMENT = re.compile(
    r"^# Environment\nYou have been invoked in the following environment:[^\n]*\n(?: *- [^\n]*\n?)+"
    r"|^<env>\n.*?^</env>",
    re.MULTILINE | re.DOTALL,
)
_FEATURES = Replacements(
    (
        (
            re.compile(r"^([ -]*(?:Primary working|Working) directory: ).*$", re.MULTILINE),
            r"\1{{aar:place and day}}",
        ),
        (
            re.compile(
                r"^([ -]*(?:Is a git repository|Is directory a git repo|Platform|Shell|OS Version): ).*$",
                re.MULTILINE,
            ),
            r"\1{{aar:machine}}",
        ),
        (re.compile(r"^([ -]*Today.s date(?: is|:) ).*$", re.MULTILINE), r"\1{{aar:day}}"),
    )
)
#: Claude Code's own reminder is a block of its own; its quotation mark varies with the host.
_REMINDER = "<system-reminder>\n"
_TODAY = re.compile(r"^(# currentDate\n)Today.s date is [^\n]*", re.MULTILINE)
#: What Claude Code puts into the results of its tools: whole lines, with files of its own.
_RESULT = Replacements(
    (
        (
            re.compile(
                r"\A(<persisted-output>\n[^\n]*Full output saved to: )\S+/tool-results/[\w-]+\.txt$",
                re.MULTILINE,
            ),
            r"\1{{aar:persisted}}",
        ),
        (
            re.compile(
                r"^(Output truncated \(\d+KB total\)\. Full output saved to: )\S+/tasks/[\w-]+\.output$",
                re.MULTILINE,
            ),
            r"\1{{aar:task output}}",
        ),
        (
            re.compile(
                r"^(Command (?:running in background|was manually backgrounded by user) with ID: )(\w+)"
                r"(\. Output is being written to: )\S+/tasks/\2\.output\b",
                re.MULTILINE,
            ),
            r"\1{{aar:task}}\3{{aar:task output}}",
        ),
    )
)


def _head(head: dict[str, Any]) -> dict[str, Any]:
    kept = uncached(without(head, _VOLATILE))
    if isinstance(kept.get("tools"), list):
        kept["tools"] = [uncached(tool) for tool in kept["tools"]]
    if "system" in kept:
        blocks = [in_texts(uncached(block), _system) for block in _blocks(kept["system"])]
        kept["system"] = [block for block in blocks if not _is_billing(block)]
    return dict(kept)


def _system(text: str) -> str:
    text = _BARE.sub(_BARE_CONSTANT, text)
    return _ENVIRONMENT.sub(lambda found: _FEATURES(found[0]), text)


def _is_billing(block: Any) -> bool:
    text = block.get("text") if isinstance(block, dict) else None
    return isinstance(text, str) and text.startswith(_BILLING)


def _message(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    if not isinstance(message.get("content"), str | list):
        return message
    blocks = [_block(block, message.get("role")) for block in _blocks(message["content"])]
    return {**message, "content": _results_in_order(blocks)}


def _blocks(content: Any) -> list[Any]:
    """A text alone is one block of text."""
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}]


def _block(block: Any, role: Any) -> Any:
    """Without marks of caches, which stand at blocks only: in a tool's input that name is the agent's."""
    block = uncached(block)
    if role != "user" or not isinstance(block, dict):
        return block
    if block.get("type") == "text":
        return in_texts(block, _reminder)
    if _is_result(block) and "content" in block:
        content = block["content"]
        inner = [uncached(each) for each in content] if isinstance(content, list) else content
        return {**block, "content": in_texts(inner, _RESULT)}
    return block


def _reminder(text: str) -> str:
    if not text.startswith(_REMINDER):
        return text
    return _TODAY.sub(r"\1Today is {{aar:day}}.", text, count=1)


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
