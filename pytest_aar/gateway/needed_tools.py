"""What it means for a race that a live service did not answer: nothing, unless its leg needs that service."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_aar.errors import ServiceRefused
from pytest_aar.manners.meter import Meter
from pytest_aar.manners.refusals import Refusals
from pytest_aar.tools import ToolResult, tool_named

from .needs import needed_tools
from .session import RaceSession

_DENIED = "denied"
_FAULTS = (_DENIED, "quota", "upstream", "timeout")
_FIRST_ERROR = 400


class NeededTools:
    """Judges each tool call of one race: by its result's kind and the notes of its meter.

    `refusals` is where the other workers hear of it.
    """

    def __init__(self, session: RaceSession, refusals: Refusals | None) -> None:
        self._session, self._refusals = session, refusals
        self._needed = frozenset(needed_tools(session.leg))

    def judged(self, name: str, result: ToolResult, meter: Meter) -> ToolResult:
        """The result with what was waited; a refusal of a needed service becomes the race's problem."""
        tool = tool_named(name)
        if tool is not None and tool.name in self._needed:
            self._judge(tool.name, result, meter)
        waited = {service: round(seconds, 3) for service, seconds in meter.waited.items()}
        details: Mapping[str, Any] = result.details
        return replace(result, details={**details, "waited_seconds": waited}) if waited else result

    def _judge(self, tool: str, result: ToolResult, meter: Meter) -> None:
        """Whose fault a failed call is. Where no service was asked, it says nothing about any."""
        failing = self._session.failing
        if not meter.notes:
            return
        if result.ok or result.error_kind not in _FAULTS:
            if result.ok or not meter.outage:
                failing.pop(tool, None)
        elif meter.refusal:
            why = f"{meter.refusal} ({tool} needs it)"
            self._session.note_problem(ServiceRefused(f"{why}; then go on with --aar-resume"))
            if self._refusals is not None:
                self._refusals.give_up(tool, why)
        elif meter.outage:
            failing[tool] = meter.outage
        elif result.error_kind != _DENIED and _is_good(meter):  # else it is one page's, one day's
            failing[tool] = str(json.loads(result.text)["error"]["message"])


def _is_good(meter: Meter) -> bool:
    """Whether a fault came with a good status: with one of 400 to 499 it is of what an agent has asked."""
    return any(note.status < _FIRST_ERROR for note in meter.notes.values())
