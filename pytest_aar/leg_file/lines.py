"""Where a field of a leg stands in its file: the wire's name of it, and its line."""

import json
import re
from collections.abc import Iterator, Mapping

_SPACE = re.compile(r"[ \t\r\n]*")

#: The records' word for a field -> its path in the wire's stop, or at the top where no stop is meant.
_WIRE: Mapping[str, str] = {
    "clues": "riddle",
    "digit": "passcode",
    "level": "difficulty.level",
    "variant": "metadata.variant",
    "value": "extracted_value",
    "target": "extraction_target",
    "chain": "bridge.tool_chain",
    "expression": "bridge.expression",
    "operands": "bridge.referenced_stops",
    "source": "reason_source_stop",
    "code": "reason_code",
}


def wire_field(name: str) -> str:
    """The wire's dotted name of a record's field: `clues` is `riddle`; most are called the same."""
    return _WIRE.get(name, name)


class Lines:
    """Finds lines in the text of one leg's file, which is JSON already known to be valid."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._read = json.JSONDecoder().raw_decode
        self._members: dict[int, dict[str | int, tuple[int, int]]] = {}

    def of(self, stop: int | None, field: str) -> int:
        """The line (from 1) of a wire field, at the top level or of a stop.

        Where the field is missing, of what should hold it.
        """
        path: list[str | int] = [] if stop is None else ["stops", stop]
        place = value = self._skip(0)
        for key in (*path, *(field.split(".") if field else ())):
            found = self._at(value).get(key)
            if found is None:
                break
            place, value = found
        return self._text.count("\n", 0, place) + 1

    def _at(self, start: int) -> dict[str | int, tuple[int, int]]:
        """Member -> where it begins (its key, in an object) and where its value does."""
        if start not in self._members:
            inside = {"{": self._object, "[": self._list}.get(self._text[start])
            self._members[start] = dict(inside(start)) if inside else {}
        return self._members[start]

    def _object(self, start: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
        place = self._skip(start + 1)
        while self._text[place] != "}":
            key, end = self._read(self._text, place)
            value = self._skip(self._skip(end) + 1)  # behind the colon
            yield key, (place, value)
            place = self._next(value)

    def _list(self, start: int) -> Iterator[tuple[str | int, tuple[int, int]]]:
        place, position = self._skip(start + 1), 0
        while self._text[place] != "]":
            yield position, (place, place)
            place, position = self._next(place), position + 1

    def _next(self, value: int) -> int:
        """Where the member after a value begins, or the bracket that closes."""
        _, end = self._read(self._text, value)
        place = self._skip(end)
        return self._skip(place + 1) if self._text[place] == "," else place

    def _skip(self, place: int) -> int:
        found = _SPACE.match(self._text, place)
        assert found is not None  # it matches nothing at all, too
        return found.end()
