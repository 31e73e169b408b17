"""Reads the growing conversation of a model client, parsing only what is new in each request.

A client resends the whole conversation with every call: 28 calls of up to 370 kB are 5 MB of JSON.
The text of each body is compared with the one before; messages in the equal beginning are taken
over.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pytest_aar.cassettes.asked import Part

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class _Reading:
    """A body being read: where each message ended, so that the next body can start from there."""

    text: str
    before: dict[str, Any] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)


class ConversationReader:
    """Splits bodies into the fields beside the conversation and the conversation's parts."""

    def __init__(self, messages_key: str, to_part: Callable[[Any], Part]) -> None:
        self._key, self._to_part = messages_key, to_part
        self._last = _Reading("")

    def read(self, text: str) -> tuple[dict[str, Any], tuple[Part, ...]]:
        """The other top-level fields, and the messages.

        Raises:
            ValueError: not a JSON object, or the conversation is not an array in it.
        """
        reading = self._resumed(text)
        if reading.parts:
            try:
                head = self._messages(reading, reading.ends[-1], dict(reading.before))
            except ValueError:  # the equal beginning ended inside a value: read all of it anew
                reading = _Reading(text)
                head = self._object(reading)
        else:
            head = self._object(reading)
        self._last = reading
        return head, tuple(reading.parts)

    def _resumed(self, text: str) -> _Reading:
        last, same, start = self._last, 0, 0
        for end in last.ends:
            if text[start:end] != last.text[start:end]:
                break
            same, start = same + 1, end
        return _Reading(text, last.before, last.parts[:same], last.ends[:same])

    def _object(self, reading: _Reading) -> dict[str, Any]:
        at = _expect(reading.text, 0, "{")
        return self._fields(reading, at, {})

    def _fields(self, reading: _Reading, at: int, head: dict[str, Any]) -> dict[str, Any]:
        """The fields from `at` (after "{" or ",") to the closing brace; nothing may follow it."""
        text, seen = reading.text, bool(reading.parts)
        while True:
            name, at = _value(text, at)
            at = _expect(text, at, ":")
            if name != self._key:
                head[name], at = _value(text, at)
            elif seen:
                raise ValueError(f"{self._key} stands twice")
            else:
                reading.before = dict(head)
                return self._messages(reading, _expect(text, at, "["), head)
            mark, at = _mark(text, at)
            if mark == "}":
                return _nothing_after(text, at, head)

    def _messages(self, reading: _Reading, at: int, head: dict[str, Any]) -> dict[str, Any]:
        """The messages from `at` (after "[" or a message), then the fields behind them."""
        text = reading.text
        mark, after = _mark(text, at, ",]") if reading.parts else _peek(text, at)
        while mark != "]":
            message, at = _value(text, after if reading.parts else at)
            reading.parts.append(self._to_part(message))
            reading.ends.append(at)
            mark, after = _mark(text, at, ",]")
        mark, at = _mark(text, after)
        if mark == "}":
            return _nothing_after(text, at, head)
        return self._fields(reading, at, head)


def _value(text: str, at: int) -> tuple[Any, int]:
    return _DECODER.raw_decode(text, _skip(text, at))


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _peek(text: str, at: int) -> tuple[str, int]:
    at = _skip(text, at)
    return text[at : at + 1], at + 1


def _mark(text: str, at: int, marks: str = ",}") -> tuple[str, int]:
    mark, at = _peek(text, at)
    if not mark or mark not in marks:
        raise ValueError(f"expected one of {marks} at {at - 1}")
    return mark, at


def _expect(text: str, at: int, mark: str) -> int:
    return _mark(text, at, mark)[1]


def _nothing_after(text: str, at: int, head: dict[str, Any]) -> dict[str, Any]:
    if _skip(text, at) != len(text):
        raise ValueError(f"text after the object at {at}")
    return head
