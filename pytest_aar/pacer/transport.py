"""The pacer as an httpx transport: it stands where a model's server would."""

import json
from typing import Any, Protocol

import httpx

from pytest_aar.errors import ModelUnavailable
from pytest_aar.leg import Leg
from pytest_aar.trace import Trace

from . import wire
from .plan import PacerPlan, plan
from .skills import Skills
from .turn import next_turn


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
    "tools: offer the race's tools by function calling (GET task lists them) or one tool named bash, or race "
    "this agent with a real model (--aar-model NAME)"
)


class PacerTransport(httpx.AsyncBaseTransport):
    """Answers chat completions. It keeps nothing between calls: the turn is counted in the request."""

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
        return _reply(wire.completion(turn, body, size=wire.size_of(body)), body)

    def _plan(self, race: PacedRace) -> PacerPlan:
        key = (race.leg.leg_id, race.leg.sha256, race.repeat)
        if key not in self._plans:
            self._plans[key] = plan(race.leg, self._skills, race.repeat)
        return self._plans[key]


def _reply(reply: dict[str, Any], body: dict[str, Any]) -> httpx.Response:
    if not body.get("stream"):
        return httpx.Response(200, json=reply)
    wanted = bool((body.get("stream_options") or {}).get("include_usage"))
    return httpx.Response(
        200,
        headers={"content-type": "text/event-stream"},
        content=b"".join(wire.stream(reply, with_usage=wanted)),
    )
