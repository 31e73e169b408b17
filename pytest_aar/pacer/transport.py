"""The pacer as an httpx transport: it stands where a model's server would."""

import json
from typing import Any, Protocol

import httpx

from pytest_aar.errors import ModelUnavailable
from pytest_aar.leg import Leg
from pytest_aar.trace import Trace

from .plan import PacerPlan, plan
from .skills import Skills
from .turn import next_turn
from .wire import Wire, wire_of


class PacedRace(Protocol):
    """The race that a request belongs to: in the request's extension `aar_race`."""

    @property
    def leg(self) -> Leg:
        """The leg that is raced."""

    @property
    def repeat(self) -> int:
        """Which repeat, from 1."""

    def trace(self) -> Trace:
        """The trace so far."""


_NO_TOOLS = (
    "the scripted stand-in (--aar-model=pacer) drives agents by tool calls only, and this request offers no "
    "tools: offer the race's tools by function calling (GET task lists them) or a shell (a tool named bash, "
    "or as Codex and Claude Code name theirs), or race "
    "this agent with a real model (--aar-model NAME)"
)


class PacerTransport(httpx.AsyncBaseTransport):
    """Answers model calls. It keeps nothing between them: the turn is counted in the request.

    The request's extension `aar_endpoint` names the protocol; without it they are chat completions.
    """

    def __init__(self, skills: Skills) -> None:
        self._skills = skills
        self._plans: dict[tuple[str, str, int], PacerPlan] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One turn: the next action of the plan, in the protocol's form.

        Raises:
            ModelUnavailable: the request offers no tools. Without them there is no route to follow, and the
                digit alone would be a race that nobody ran.
        """
        # Parsed already on the way here; only a caller of its own sends bytes.
        body = request.extensions.get("aar_body") or json.loads(await request.aread())
        wire = wire_of(request.extensions.get("aar_endpoint"))
        aside = wire.aside(body)
        if aside is not None:
            return _reply(aside, body, wire)
        if not wire.offers_tools(body):
            raise ModelUnavailable(_NO_TOOLS)
        race: PacedRace = request.extensions["aar_race"]
        turn = next_turn(
            self._plan(race),
            race.leg,
            wire.turns_taken(body),
            race.trace(),
            self._skills.dice(race.leg.leg_id, race.repeat),
        )
        return _reply(wire.reply(turn, body), body, wire)

    def _plan(self, race: PacedRace) -> PacerPlan:
        key = (race.leg.leg_id, race.leg.sha256, race.repeat)
        if key not in self._plans:
            self._plans[key] = plan(race.leg, self._skills, race.repeat)
        return self._plans[key]


def _reply(reply: dict[str, Any], body: dict[str, Any], wire: Wire) -> httpx.Response:
    if not body.get("stream"):
        return httpx.Response(200, json=reply)
    return httpx.Response(
        200,
        headers={"content-type": "text/event-stream"},
        content=b"".join(wire.stream(reply, body)),
    )
