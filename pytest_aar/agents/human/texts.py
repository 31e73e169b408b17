"""What the terminal says of the task, the tools and the commands."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_aar.leg import ClueEnvelope
from pytest_aar.tools import Tool, schema, tool_named

from .moves import COMMANDS
from .typed import kind_of, plain

_EXAMPLE = {"number": "1.5", "integer": "1", "boolean": "true", "array": "'one; two'"}
_TEXT = "'...'"
RULES = """\
Each clue yields one value; the last clue combines values into one digit, 0 to 9. Values come from pages and tools, \
not from memory. Work with whole numbers (cut the fraction) unless a clue says otherwise."""
START = """\
Commands: tools, help NAME, clues, more, find TEXT, note TEXT, time, answer DIGIT, giveup (help lists them all).
A tool: fetch_webpage url=https://... or fetch_webpage {"url": "https://..."}"""


def task(envelope: ClueEnvelope) -> str:
    """The seed page, the clues, the rules."""
    return "\n\n".join((f"Start at {envelope.seed_url}", envelope.clues.strip(), RULES))


def tools(envelope: ClueEnvelope) -> str:
    """One line per tool on offer: its arguments (optional ones in brackets), then what it does."""
    found = [tool for name in envelope.tools if (tool := tool_named(name)) is not None]
    return "\n".join(f"{_signature(tool)}\n    {tool.description}" for tool in found)


def commands() -> str:
    """One line per command."""
    usages = {f"{name} {takes}".strip(): does for name, (takes, does) in COMMANDS.items()}
    width = max(map(len, usages))
    listed = [f"{usage:<{width}}  {does}" for usage, does in usages.items()]
    return "\n".join(
        (
            *listed,
            "",
            "A tool is called by its name and its arguments: name=value (text with spaces may stand in quotes,",
            "lists take semicolons), or one JSON object; a tool that needs one text only takes it bare:",
            "  web_search highest mountain in Peru",
        )
    )


def of_tool(tool: Tool) -> str:
    """What the tool does and takes, and an example."""
    described = schema(tool)
    required = described.get("required", [])
    lines = [
        _argument(name, one, is_required=name in required)
        for name, one in described["properties"].items()
    ]
    return "\n".join((f"{tool.name}: {tool.description}", *lines, f"  e.g. {_example(tool)}"))


def clock(seconds: float) -> str:
    """`4:07`, or `1:04:07`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def error_text(name: str, text: str) -> str:
    """A tool's error result in words; the text itself where it is in no known shape."""
    try:
        error = json.loads(text)["error"]
        kind, message = error.get("kind", "refused"), str(error["message"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return f"{name} failed: {text}"
    line = f"{name} failed ({str(kind).replace('_', ' ')}): {message.removeprefix(f'{name}: ')}"
    return f"{line}\nhelp {name} says what it takes" if kind == "bad_arguments" else line


def _signature(tool: Tool) -> str:
    described = schema(tool)
    required = described.get("required", [])
    shown = [name if name in required else f"[{name}]" for name in described["properties"]]
    return " ".join((tool.name, *shown))


def _argument(name: str, described: Mapping[str, Any], *, is_required: bool) -> str:
    one = plain(described)
    kind = " | ".join(one["enum"]) if "enum" in one else kind_of(described)
    standard = one.get("default")
    notes = [
        "required" if is_required else "",
        "" if standard is None else f"default {json.dumps(standard)}",
    ]
    about = "; ".join(filter(None, (str(one.get("description", "")), *notes)))
    return f"  {name}  {kind}" + (f"  {about}" if about else "")


def _example(tool: Tool) -> str:
    described = schema(tool)
    kinds = {name: kind_of(described["properties"][name]) for name in described.get("required", [])}
    words = [f"{name}={_EXAMPLE.get(kind, _TEXT)}" for name, kind in kinds.items()]
    return " ".join((tool.name, *words))
