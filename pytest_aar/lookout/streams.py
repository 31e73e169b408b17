"""What a model's reply says, also when it comes in pieces: server-sent events of all three wire protocols."""

import json
import re
from collections.abc import Iterable
from typing import Any

#: The members that hold pieces of text or of a call's arguments, in any of the protocols.
_PIECE = re.compile(
    rb'"(content|text|delta|thinking|reasoning_content|arguments|partial_json|input)"\s*:\s*"((?:[^"\\]|\\.)*)"',
    re.DOTALL,
)
#: Of these, the ones with the arguments of calls: JSON as text.
_OF_CALLS = frozenset({b"arguments", b"delta", b"partial_json", b"input"})
#: A command inside the arguments of a call, whatever the agent's tool is called. (`code` is python_execute_code's,
#: which is looked at where it is run.)
_COMMAND = re.compile(r'"(?:command|cmd|script)"\s*:\s*("(?:[^"\\]|\\.)*"|\[[^\[\]]*\])', re.DOTALL)


def pieces(reply: bytes) -> dict[bytes, str]:
    """Member's name -> all its pieces in one text, as a reader of the stream puts them together."""
    parts: dict[bytes, list[bytes]] = {}
    for match in _PIECE.finditer(reply):
        parts.setdefault(match[1], []).append(match[2])
    return {name: _unescaped(b"".join(found)) for name, found in parts.items()}


def commands_in(reply: bytes) -> list[str]:
    """The shell lines and programs among the calls that a reply asks the agent for."""
    texts = [text for name, text in pieces(reply).items() if name in _OF_CALLS]
    texts.append(reply.decode("utf-8", "replace"))  # arguments that are no text but an object
    found = [_value(match[1]) for text in texts for match in _COMMAND.finditer(text)]
    return list(dict.fromkeys(command for value in found for command in _lines(value)))


def _unescaped(escaped: bytes) -> str:
    try:
        text: str = json.loads(b'"' + escaped + b'"', strict=False)
    except ValueError:  # not UTF-8, or no JSON's escapes: what can be read of it
        return escaped.decode("utf-8", "replace")
    return text


def _value(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        return None


def _lines(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):  # argv: a shell's line is its last word
        yield " ".join(str(word) for word in value)
        yield from (word for word in value if isinstance(word, str) and " " in word)
