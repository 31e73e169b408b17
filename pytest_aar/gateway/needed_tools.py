"""What it means for a race that a live service did not answer: nothing, unless its leg needs that service."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pytest_aar.errors import LEG_NEEDS, NEEDED_BY, ServiceRefused, ServiceUnavailable
from pytest_aar.manners.meter import Meter
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.reply_text import and_then
from pytest_aar.tools import ToolResult, tool_named

from .needs import needed_tools, told
from .session import RaceSession

_DENIED = "denied"
_FAULTS = (_DENIED, "quota", "upstream", "timeout")
_FIRST_ERROR = 400
_RECORDED = "the recording says so: record it again with --aar-record=all, when the service answers"


class NeededTools:
    """Judges each tool call of one race: by its result's kind and the notes of its meter.

    `refusals` is where the other workers hear of it. `lacking` tells the variable of the key that a tool
    lacks, with the tool.
    """

    def __init__(
        self,
        session: RaceSession,
        refusals: Refusals | None,
        *,
        lacking: Callable[[str], Mapping[str, list[str]]] = lambda _: {},
    ) -> None:
        self._session, self._refusals = session, refusals
        self._lacking = lacking
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
            self._judge_unasked(tool, result)
            return
        if meter.refusal and not result.ok:  # whatever the tool made of it
            self._refuse(tool, meter)
        elif result.ok or result.error_kind not in _FAULTS:
            if result.ok or not meter.outage:
                failing.pop(tool, None)
        elif meter.outage:
            self._fail(tool, meter.outage, meter)
            if meter.is_out_of_reach:
                self._end(tool, meter.outage)
        else:
            why = meter.astray or _told_with_good_status(result, meter)
            if why:
                self._fail(tool, why, meter)

    def _judge_unasked(self, tool: str, result: ToolResult) -> None:
        """A needed tool whose key is missing has asked nobody."""
        lacking = self._lacking(tool) if result.error_kind == _DENIED else {}
        if lacking and self._is_replay:
            self._session.note_problem(ServiceRefused(f"{told(lacking)}; {_RECORDED}"))
        elif lacking:
            problem = f"{told(lacking)}, then go on with --aar-resume"
            self._session.note_problem(ServiceRefused(problem, missing_keys=tuple(lacking)))

    def _refuse(self, tool: str, meter: Meter) -> None:
        """Nothing in this run changes it; of a recording, other legs have their own."""
        why = f"{meter.refusal}{NEEDED_BY.format(tool=tool)}"
        if meter.is_replayed:
            self._session.note_problem(ServiceRefused(f"{why}; {_RECORDED}"))
            return
        self._session.note_problem(ServiceRefused(f"{why}; then go on with --aar-resume"))
        if self._refusals is not None:
            self._refusals.give_up(tool, why)

    def _end(self, tool: str, why: str) -> None:
        """The race has nothing to go on with: what it could do now would only take time."""
        self._session.note_problem(ServiceUnavailable(f"{why}{LEG_NEEDS.format(tool=tool)}"))

    def _fail(self, tool: str, why: str, meter: Meter) -> None:
        """What the call's requests got is no start for the next race."""
        self._session.failing[tool] = and_then(why, _RECORDED) if self._is_replay else why
        self._session.faulty_keys.update(meter.keys)

    @property
    def _is_replay(self) -> bool:
        tape = self._session.order.tapes.tools
        return tape is not None and tape.replaying


def _told_with_good_status(result: ToolResult, meter: Meter) -> str:
    """A fault that came with a good status: one of 400 to 499, or "denied", is of one page, one day, one argument."""
    is_good = any(note.status < _FIRST_ERROR for note in meter.notes.values())
    is_the_services = is_good and result.error_kind != _DENIED
    return str(json.loads(result.text)["error"]["message"]) if is_the_services else ""
