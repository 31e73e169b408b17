"""From a line that a person types to a move: a command of the terminal, or a call of a tool."""

import difflib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_aar.tools import TOOL_NAMES, Tool, schema, tool_named

from .typed import BadLine, bare_argument, join, known_argument, typed

#: Command -> what it takes and does, as `help` shows it.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "answer": ("DIGIT", "give the answer and end the race"),
    "clues": ("", "show the task and its clues again"),
    "find": ("TEXT", "lines of the last result that hold TEXT"),
    "giveup": ("", "end the race without an answer (also Ctrl-C or Ctrl-D)"),
    "help": ("[NAME]", "this list, or what a tool takes"),
    "more": ("", "the next page of the last result"),
    "note": ("TEXT", "keep a line for yourself"),
    "notes": ("", "your notes"),
    "page": ("[N]", "page N of the last result"),
    "quit": ("", "the same as giveup"),
    "time": ("", "time used and left, and how many tools you called"),
    "tools": ("", "the tools and their arguments"),
}
_NAMED = re.compile(r"([A-Za-z_]\w*)=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the terminal; `rest` is what follows its name."""

    name: str
    rest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMove:
    """A call of a tool."""

    tool: Tool
    arguments: Mapping[str, Any]


def parse(line: str) -> Command | ToolMove:
    """The move that a line means (it holds more than white space).

    Raises:
        BadLine: it means none; the message is for the person.
    """
    name, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if name.lower() in COMMANDS:
        return Command(name=name.lower(), rest=rest)
    tool = tool_named(name)
    if tool is None:
        raise BadLine(_unknown(name))
    return ToolMove(tool=tool, arguments=arguments_of(tool, rest))


def arguments_of(tool: Tool, text: str) -> dict[str, Any]:
    """The arguments as JSON, as `name=value` words, or as bare text for the first that is required.

    Raises:
        BadLine: no JSON object, an open quotation, an argument that the tool does not have.
    """
    if not text:
        return {}
    if text.startswith("{"):
        return _from_json(text)
    if not _NAMED.match(text):
        return {bare_argument(tool): _unquoted(text)}
    return _from_words(tool, _words(text))


def _from_json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except RecursionError:
        raise BadLine("these arguments are nested too deeply") from None
    except ValueError as problem:
        raise BadLine(
            f'the arguments are no JSON object: {problem}; write {{"name": "value"}} or name=value'
        ) from None
    assert isinstance(value, dict)  # it begins with a brace
    return value


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise BadLine(
            "a quotation mark is left open; put text that holds one into the other kind: "
            """name="d'Or" or name='say "x"'"""
        ) from None


def _unquoted(text: str) -> str:
    if text[0] not in "\"'":
        return text
    words = _words(text)
    return words[0] if len(words) == 1 else text


def _from_words(tool: Tool, words: list[str]) -> dict[str, Any]:
    """Words without a name go on with the value before them: `country=New Zealand` needs no quotes."""
    given: list[list[str]] = []
    for word in words:
        named = _NAMED.match(word)
        if named is None:
            given[-1][1] += f" {word}"
        else:
            given.append([known_argument(tool, named[1]), word[named.end() :]])
    arguments: dict[str, Any] = {}
    for name, text in given:
        value = typed(name, text, schema(tool)["properties"])
        arguments[name] = join(name, arguments.get(name), value)
    return arguments


def _unknown(name: str) -> str:
    shown = name if len(name) <= 60 else f"{name[:57]}..."  # noqa: PLR2004 - a line's worth of it
    near = difflib.get_close_matches(name, (*COMMANDS, *TOOL_NAMES), n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return f"there is no command or tool {shown!r}{hint}; help lists the commands, tools the tools"
