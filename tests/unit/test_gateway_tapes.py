"""The gateway with real cassettes: what is recorded replays, and what changed is told."""

import importlib.util
from pathlib import Path

import httpx
import pytest
from little_world import LEG, WIKI, chat, gateway, order
from raced_agents import raced_in

from pytest_aar.agents import Agent, make_agent
from pytest_aar.cassettes import Tape, cassette_file, open_tape
from pytest_aar.errors import ReplayDiverged
from pytest_aar.gateway import RaceSession, Tapes
from pytest_aar.score import score
from pytest_aar.trace import Finish, Trace


class Nobody(httpx.AsyncBaseTransport):
    """A road that must not be taken."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise AssertionError(f"a replay asked the network: {request.url}")


def raced(
    agent: Agent, tape: Tape, workdir: Path, *, live: bool, template: str | None = None
) -> tuple[Finish, RaceSession]:
    upstream = None if live else Nobody()
    what = order(tapes=Tapes(model=tape))
    opened = gateway(upstream, model="pacer", pacer="tools=0.9,seed=4")
    with opened as gate, gate.open_race(what) as race:
        return raced_in(race, gate, agent, workdir, template=template), race


def without_times(trace: Trace) -> list[dict[str, object]]:
    return [
        {
            name: getattr(event, name)
            for name in event.__dataclass_fields__
            if not name.endswith(("_at", "_seconds"))
        }
        for event in trace.events
    ]


@pytest.fixture(params=["react", "mini-swe"])
def agent(request: pytest.FixtureRequest) -> Agent:
    if request.param == "mini-swe" and importlib.util.find_spec("minisweagent") is None:
        pytest.skip("mini-swe-agent is not installed: aar install mini-swe")
    return make_agent(request.param)


def test_a_recorded_race_replays_without_the_model(agent: Agent, tmp_path: Path) -> None:
    path = tmp_path / "cassette.json"
    tape = open_tape(path, mode="all")
    finish, race = raced(agent, tape, tmp_path / "one", live=True)
    tape.save()
    tape.close()
    tape = open_tape(path, mode="none")
    again, replayed = raced(agent, tape, tmp_path / "another place", live=False)
    assert again == finish
    assert without_times(replayed.trace()) == without_times(race.trace())
    assert score(LEG, replayed.trace(), again) == score(LEG, race.trace(), finish)
    assert (tape.misses, tape.unplayed, tape.hits) == ((), (), len(race.trace().model_calls))
    assert race.token not in path.read_text()
    took = [call.recorded_seconds for call in replayed.trace().model_calls]
    assert took == [each.took_seconds for each in cassette_file.read(path).interactions]
    assert {call.recorded_seconds for call in race.trace().model_calls} == {None}


def test_another_word_in_the_prompt_diverges(agent: Agent, tmp_path: Path) -> None:
    path = tmp_path / "cassette.json"
    tape = open_tape(path, mode="all")
    raced(agent, tape, tmp_path / "one", live=True, template="Please race. {clues}")
    tape.save()
    tape.close()
    tape = open_tape(path, mode="none")
    finish, race = raced(agent, tape, tmp_path / "two", live=False, template="Kindly race. {clues}")
    assert finish.answer is None
    assert isinstance(race.problem, ReplayDiverged)
    assert "Kindly" in str(race.problem)
    assert len(tape.misses) == 1


def test_tool_traffic_of_a_live_world_goes_to_the_races_own_tape(tmp_path: Path) -> None:
    """Two races at once, one taped: only its traffic is on the tape."""
    tape = open_tape(tmp_path / "tools.json", mode="all")
    seen: list[httpx.URL] = []

    async def network(request: httpx.Request) -> httpx.Response:
        seen.append(request.url)
        return httpx.Response(200, text="plain words", headers={"content-type": "text/plain"})

    from pytest_aar.gateway.tool_road import RACE_TAPE, TapedRoad  # noqa: PLC0415 - one test's

    road = TapedRoad(httpx.MockTransport(network))

    async def both() -> None:
        async with httpx.AsyncClient(transport=road) as http:
            await http.get(WIKI + "Untaped")
            RACE_TAPE.set(tape)
            await http.get(WIKI + "Taped")

    with gateway(httpx.MockTransport(lambda _: httpx.Response(200, json=chat()))) as gate:
        gate.run(both())
    tape.save()
    tape.close()
    assert len(seen) == 2
    text = (tmp_path / "tools.json").read_text()
    assert "Taped" in text
    assert "Untaped" not in text
