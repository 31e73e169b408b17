"""Findings as a table that fits the terminal."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from .check import Check

_HEADERS = ("check", "state", "found: what to do")
_GAP = 2
_LEAST_TEXT = 30
_INDENT = "  "


def _unpainted(state: str, text: str) -> str:
    del state
    return text


def table(
    checks: Sequence[Check], *, width: int, paint: Callable[[str, str], str] = _unpainted
) -> str:
    """Three columns: what, its state, and what was found with what to do; no line longer than `width`.

    Addresses and paths stay whole: one that is too long for its column begins further left, if need be with the
    line, and is alone longer than `width` where it would not fit otherwise. `paint(state, text)` colours a state.
    """
    name = max([len(_HEADERS[0]), *(len(check.name) + len(_INDENT) for check in checks)])
    state = max([len(_HEADERS[1]), *(len(check.state) for check in checks)])
    start = name + state + 2 * _GAP
    room = max(_LEAST_TEXT, width - start)

    def row(first: str, second: str, text: str) -> str:
        return f"{first}{' ' * _GAP}{second}{' ' * _GAP}{text}".rstrip()

    lines = [
        row(f"{_HEADERS[0]:<{name}}", f"{_HEADERS[1]:<{state}}", _HEADERS[2]),
        row("-" * name, "-" * state, "-" * room),
    ]
    for area, group in groupby(checks, key=lambda check: check.area):
        lines.append(area.upper())
        for check in group:
            first, *more = _text(check, room)
            if len(first) > room:
                first, more = "", [first, *more]
            shown = paint(check.state, f"{check.state:<{state}}")
            lines.append(row(f"{_INDENT + check.name:<{name}}", shown, first))
            lines += [" " * max(0, min(start, width - len(line))) + line for line in more]
    return "\n".join(lines)


def _text(check: Check, room: int) -> list[str]:
    """The lines of what was found, and of what to do."""
    parts = (check.found, f"-> {check.advice}") if check.advice else (check.found,)
    return [line for part in parts for line in _wrapped(part, room)] or [""]


def _wrapped(text: str, room: int) -> Iterator[str]:
    for line in textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False):
        if len(line) <= room or "/" in line:
            yield line
        else:
            yield from textwrap.wrap(line, room)
