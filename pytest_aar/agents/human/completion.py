"""What the Tab key offers: pure functions of the line before the cursor."""

from collections.abc import Sequence

from pytest_aar.tools import TOOL_NAMES, schema, tool_named

from .moves import COMMANDS
from .typed import kind_of, plain


def completions(before: str, word: str) -> list[str]:
    """What `word`, the one under the cursor, may become; `before` is the line up to it."""
    words = before.split()
    if not words:
        offered = [f"{name} " for name in sorted((*COMMANDS, *TOOL_NAMES))]
    elif words[0].lower() == "help":
        offered = sorted(TOOL_NAMES) if len(words) == 1 else []
    else:
        offered = _arguments(words, word)
    return [text for text in offered if text.startswith(word)]


def _arguments(words: Sequence[str], word: str) -> list[str]:
    tool = tool_named(words[0])
    if tool is None:
        return []
    properties = schema(tool)["properties"]
    name, equals, _ = word.partition("=")
    if equals:
        return [f"{name}={value} " for value in _values(properties.get(name, {}))]
    given = {each.partition("=")[0] for each in words[1:]}
    return [f"{each}=" for each in properties if each not in given]


def _values(described: dict[str, object]) -> list[str]:
    if kind_of(described) == "boolean":
        return ["true", "false"]
    choices = plain(described).get("enum", [])
    return [str(choice) for choice in choices]
