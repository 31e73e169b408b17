"""What counts of a request to OpenAI Responses. What varies is Codex's doing."""

import json
import re
from typing import Any

from pytest_aar.cassettes.forms import (
    OF_THE_CALLER,
    ModelProtocol,
    Replacements,
    canonical_json,
    in_texts,
    last_event,
    without,
)

#: Their id says what is meant; every other item's is made up by client or server and says nothing.
_KNOWN_BY_ID = frozenset({"item_reference", "reasoning"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})

#: How Codex begins the result of a command, of an MCP tool and of a script, whole lines up to the output.
_HEAD = re.compile(
    r"""
    (?: (?:Chunk\ ID:\ \w+\n)?
        (?:Exit\ code:\ -?\d+\n)?
        Wall\ time:\ [\d.]+\ seconds\n
        (?:Process\ exited\ with\ code\ -?\d+\n)?
        (?:Process\ running\ with\ session\ ID\ \d+\n)?
        (?:Original\ token\ count:\ \d+\n)?
        (?:Total\ output\ lines:\ \d+\n)?
      | Script\ [^\n]+\n
        Wall\ time\ [\d.]+\ seconds\n
    )
    Output:(?:\n|\Z)
    """,
    re.VERBOSE,
)
_IN_HEAD = Replacements(
    (
        (re.compile(r"^Chunk ID: \w+$", re.MULTILINE), "Chunk ID: {{aar:chunk}}"),
        (re.compile(r"^Wall time:? [\d.]+ seconds$", re.MULTILINE), "Wall time: {{aar:seconds}}"),
        (
            re.compile(r"^Original token count: \d+$", re.MULTILINE),
            "Original token count: {{aar:count}}",
        ),
        (re.compile(r"\bsession ID \d+$", re.MULTILINE), "session ID {{aar:session}}"),
    )
)
#: A command's result as a script of Codex's code mode gets and shows it: fields that vary, and all that there are.
_VARYING = {
    "chunk_id": "{{aar:chunk}}",
    "wall_time_seconds": "{{aar:seconds}}",
    "original_token_count": "{{aar:count}}",
    "session_id": "{{aar:session}}",
}
_OF_RESULT = frozenset({*_VARYING, "exit_code", "output"})
_MUST_OF_RESULT = frozenset({"wall_time_seconds", "output"})
#: Where Codex's configuration lies, in its list of skills.
_SKILL_ROOTS = re.compile(r"^(- `r\d+` = )`[^`\n]+`$", re.MULTILINE)
_ENVIRONMENT = re.compile(r"<environment_context>.*?</environment_context>", re.DOTALL)
_SURROUNDINGS = Replacements(
    tuple(
        (re.compile(f"<{name}>.*?</{name}>", re.DOTALL), f"<{name}/>")
        for name in ("cwd", "current_date", "timezone", "workspace_roots", "writable_roots")
    )
)


def _item(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    kind = item.get("type")
    said = {name: value for name, value in item.items() if value is not None}
    if kind not in _KNOWN_BY_ID:
        said.pop("id", None)
    if kind in _OUTPUTS and "output" in said:
        is_scripts = kind == "custom_tool_call_output"
        said["output"] = in_texts(said["output"], _of_script if is_scripts else _of_command)
    if said.get("role") in ("user", "developer") and "content" in said:
        said["content"] = in_texts(said["content"], _surroundings)
    return said


def _of_command(text: str) -> str:
    """Without what varies in Codex's words before the output; all else is the command's."""
    head = _HEAD.match(text)
    return text if head is None else _IN_HEAD(head[0]) + text[head.end() :]


def _of_script(text: str) -> str:
    return _of_command(text) if (result := _json_result(text)) is None else result


def _json_result(text: str) -> str | None:
    """A whole text that is a command's result as an object, without what varies."""
    if not text.startswith("{"):
        return None
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not _MUST_OF_RESULT <= result.keys() <= _OF_RESULT:
        return None
    varying = {name: constant for name, constant in _VARYING.items() if name in result}
    return canonical_json({**result, **varying})


def _surroundings(text: str) -> str:
    """Codex's own texts, each of which is a content of its own."""
    if text.startswith("<skills_instructions>"):
        return _SKILL_ROOTS.sub(r"\1{{aar:skills}}", text)
    if text.startswith("<environment_context>"):
        return _ENVIRONMENT.sub(lambda found: _SURROUNDINGS(found[0]), text, count=1)
    return text


def _stream_ended(body: bytes) -> bool:
    return last_event(body.removesuffix(b"data: [DONE]\n\n")).get("type") in _ENDS


RESPONSES = ModelProtocol(
    messages_key="input",
    clean_message=_item,
    clean_head=lambda head: without(head, OF_THE_CALLER),
    is_complete=_stream_ended,
)
