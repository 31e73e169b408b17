"""What a program said: events among its lines, and the last lines of one that crashed."""

import json
from collections.abc import Sequence
from typing import Any

from pytest_aar.box import CommandResult
from pytest_aar.errors import AgentCrashed

_LAST_LINES = 15
_LONGEST_LINE = 1000
#: Codex says it whenever standard input is no terminal.
_NOISE = "Reading additional input from stdin..."


def events(result: CommandResult) -> list[dict[str, Any]]:
    """The JSON objects among the lines of the end of the output."""
    found = (_event(line) for line in _end(result))
    return [event for event in found if event is not None]


def first_event(result: CommandResult, *, subtype: str) -> dict[str, Any]:
    """The first JSON object of this `subtype` among the lines of the output; {} where there is none."""
    found = (_event(line) for line in result.output.splitlines())
    return next((event for event in found if event and event.get("subtype") == subtype), {})


def crash(what: str, result: CommandResult) -> AgentCrashed:
    """The error for a program that ended without saying how, with its last lines."""
    lines = [line for line in _end(result) if _says_something(line)] or _end(result)
    return AgentCrashed(
        f"{what} (exit code {result.exit_code}); its last lines:\n{last_lines(lines)}"
    )


def last_lines(lines: Sequence[str]) -> str:
    """The end of an output, as errors show it."""
    return "\n".join(line[:_LONGEST_LINE] for line in lines[-_LAST_LINES:]) or "(no output)"


def _says_something(line: str) -> bool:
    return bool(line.strip()) and line != _NOISE and _event(line) is None


def _end(result: CommandResult) -> list[str]:
    return (result.tail or result.output).splitlines()


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
