"""What counts of a request to OpenAI Responses. What varies is Codex's doing."""

import re
from typing import Any

from pytest_aar.cassettes.forms import ModelProtocol, Replacements, in_texts, last_event, without

#: Fields that name the caller, the session or a cache.
_VOLATILE = frozenset(
    {"user", "metadata", "prompt_cache_key", "safety_identifier", "session_id", "client_metadata"}
)
#: Their id says what is meant; every other item's is made up by client or server and says nothing.
_KNOWN_BY_ID = frozenset({"item_reference", "reasoning"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "mcp_call"})
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})

#: Where a command's own output begins: what stands before it is Codex's.
_OUTPUT = "\nOutput:\n"
_PREAMBLE = Replacements(
    (
        (re.compile(r"^Chunk ID: \w+$", re.MULTILINE), "Chunk ID: {{aar:chunk}}"),
        (re.compile(r"^Wall time:? [\d.]+ seconds$", re.MULTILINE), "Wall time: {{aar:seconds}}"),
        (
            re.compile(r"^Original token count: \d+$", re.MULTILINE),
            "Original token count: {{aar:count}}",
        ),
        (re.compile(r"\bsession ID \d+"), "session ID {{aar:session}}"),
        (re.compile(r'("chunk_id":\s*)"\w+"'), r'\1"{{aar:chunk}}"'),
        (re.compile(r'("wall_time_seconds":\s*)[\d.]+'), r'\1"{{aar:seconds}}"'),
        (re.compile(r'("original_token_count":\s*)\d+'), r'\1"{{aar:count}}"'),
    )
)
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
        said["output"] = in_texts(said["output"], _result)
    if said.get("role") in ("user", "developer") and "content" in said:
        said["content"] = in_texts(said["content"], _surroundings)
    return said


def _result(text: str) -> str:
    """A tool's result: all of it is Codex's where no output is marked, as in JSON of its code mode."""
    before, mark, output = text.partition(_OUTPUT)
    return _PREAMBLE(before) + mark + output


def _surroundings(text: str) -> str:
    if text.startswith("<skills_instructions>"):
        text = _SKILL_ROOTS.sub(r"\1{{aar:skills}}", text)
    if "<environment_context>" in text:
        text = _ENVIRONMENT.sub(lambda found: _SURROUNDINGS(found[0]), text)
    return text


def _stream_ended(body: bytes) -> bool:
    return last_event(body.removesuffix(b"data: [DONE]\n\n")).get("type") in _ENDS


RESPONSES = ModelProtocol(
    messages_key="input",
    clean_message=_item,
    clean_head=lambda head: without(head, _VOLATILE),
    is_complete=_stream_ended,
)
