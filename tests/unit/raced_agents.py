"""Races of one agent on an open gateway, and a model that says what it was told to say."""

import json
from collections.abc import Mapping
from pathlib import Path

import httpx
from little_world import LEG, chat, order

from pytest_aar.agents import Agent, Course, Limits, drive, prompt_for
from pytest_aar.box import BoxPlace, Doors, PlainBox
from pytest_aar.gateway import Gateway, RaceSession
from pytest_aar.trace import Finish


def raced(
    gate: Gateway,
    agent: Agent,
    workdir: Path,
    *,
    step_limit: int | None = None,
    seconds: float = 60.0,
    leg: object = LEG,
) -> tuple[Finish, RaceSession]:
    """One race from start to end, as the plugin does it."""
    with gate.open_race(order(leg, step_limit=step_limit)) as race:  # type: ignore[arg-type]
        return raced_in(race, gate, agent, workdir, seconds=seconds), race


def raced_in(
    race: RaceSession,
    gate: Gateway,
    agent: Agent,
    workdir: Path,
    *,
    seconds: float = 60.0,
    template: str | None = None,
) -> Finish:
    """The same in a race that is open; `template` is of the prompt."""
    what = race.order.envelope
    doors = Doors(http=race.url, socket=race.socket, path=f"/r/{race.token}")
    place = BoxPlace(workdir=workdir, doors=doors)

    async def run() -> Finish:
        async with race.client() as http:
            course = Course(
                workdir=workdir,
                http=http,
                prompt=prompt_for(agent, what, template),
                box=PlainBox(place),
                open_url=race.url,
                model=gate.model_name,
                was_refused=lambda: race.trace().was_refused,
            )
            limits = Limits(seconds=seconds, steps=race.order.step_limit)
            return await drive(agent, what, course, limits, used_up=lambda: race.used_up)

    return gate.run(run())


class Scripted(httpx.AsyncBaseTransport):
    """A model that says what it was told to say, in order, and then the last again."""

    def __init__(self, *messages: Mapping[str, object]) -> None:
        self.messages = list(messages)
        self.bodies: list[bytes] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(await request.aread())
        message = self.messages.pop(0) if len(self.messages) > 1 else self.messages[0]
        content = json.dumps({**chat(), "choices": [{"message": message}]})
        return httpx.Response(
            200, content=content.encode(), headers={"content-type": "application/json"}
        )


def says(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


def calls(name: str, arguments: str, call_id: str = "c") -> dict[str, object]:
    function = {"name": name, "arguments": arguments}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}
