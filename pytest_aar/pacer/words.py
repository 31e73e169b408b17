"""What the pacer says, apart from the protocol that carries it."""

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from .turn import Turn

_CHARACTERS_PER_TOKEN = 4


def command(turn: Turn) -> str:
    """The turn as a shell command in the race's work folder."""
    if not turn.tool:
        return f"echo {turn.digit} > answer.txt"
    return f"python3 tools.py {turn.tool} {shlex.quote(arguments_json(turn.arguments))}"


def mcp_name(tool: str, offered: Iterable[str]) -> str | None:
    """The name by which an MCP server offers the tool (`mcp__SERVER__TOOL`), None where none does."""
    named = (name for name in offered if name.startswith("mcp__") and name.endswith(f"__{tool}"))
    return min(named, default=None) if tool else None


def closing(turn: Turn) -> str:
    """The last message of an agent that has written its answer."""
    return f"The answer is {turn.digit}; it stands in answer.txt."


def arguments_json(arguments: Mapping[str, Any]) -> str:
    """Arguments as a model writes them."""
    return json.dumps(arguments, ensure_ascii=False)


def tokens(characters: int) -> int:
    """An estimate by length: deterministic, and of the right order."""
    return characters // _CHARACTERS_PER_TOKEN


def list_of(body: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The objects in a list of the request; [] where there is no such list."""
    found = body.get(name)
    if not isinstance(found, list):
        return []
    return [each for each in found if isinstance(each, Mapping)]


def event(data: Mapping[str, Any]) -> bytes:
    """A server-sent event that is named by its type."""
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
