"""The first words of a message, on one line: what a reviewer of a cassette's index sees."""

import json
from typing import Any

_GIST = 100
#: Characters that are looked at; a secret that the first words touch must be whole among them.
_WINDOW = 8_000
#: Where messages of the three protocols hold what they say.
_PLACES = ("content", "text", "output", "arguments", "input", "tool_calls")
#: Codex's own words before a command's output.
_OUTPUT = "\nOutput:\n"


def role_of(message: Any) -> str:
    """Who speaks; for items without a role, what they are."""
    if not isinstance(message, dict):
        return ""
    return str(message.get("role") or message.get("type") or "")


def window_of(message: Any) -> str:
    """The beginning of what a message says, long enough to be cleaned before it is cut to a gist."""
    return _said(message)[:_WINDOW]


def gist_of(window: str) -> str:
    """The first words."""
    return " ".join(window[: 2 * _GIST].split())[:_GIST]


def _said(value: Any) -> str:
    if isinstance(value, str):
        before, mark, output = value.partition(_OUTPUT)
        return output if mark and before.startswith("Chunk ID: ") else value
    if isinstance(value, list):  # the last part: reminders stand before what was asked
        return next((said for part in reversed(value) if (said := _said(part))), "")
    if isinstance(value, dict):
        found = next((value[name] for name in _PLACES if value.get(name)), None)
        return json.dumps(value, ensure_ascii=False) if found is None else _said(found)
    return "" if value is None else str(value)
