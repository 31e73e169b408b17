import asyncio
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from little_world import LEG, gateway, order
from retried_requests import GOOD, Network, ask

from pytest_aar.agents import Course, Limits
from pytest_aar.errors import ModelUnavailable
from pytest_aar.gateway.open_calls import OpenCalls
from pytest_aar.leg import ClueEnvelope
from pytest_aar.race import Track
from pytest_aar.race.attempt import outage_of
from pytest_aar.settings import Settings
from pytest_aar.trace import Finish

LATE = Finish(ending="timeout", detail="no end after 5 s")


def test_a_race_knows_which_server_it_waits_for() -> None:
    race = SimpleNamespace(waits_for=None)
    told: list[str | None] = []

    def network(request: httpx.Request) -> httpx.Response:
        told.append(race.waits_for)
        return httpx.Response(503, text="busy") if len(told) < 3 else GOOD

    assert ask(network, race=race).status_code == 200
    assert told == [None, *["model server model.test: answered 503: busy"] * 2]
    assert race.waits_for is None


def test_giving_up_keeps_what_was_last_waited_for() -> None:
    race = SimpleNamespace(waits_for=None)
    with pytest.raises(ModelUnavailable, match="after 6 attempts"):
        ask(Network(httpx.Response(503, text="busy")), race=race)
    assert race.waits_for == "model server model.test: answered 503: busy"


def test_a_time_out_in_the_midst_of_retries_is_the_servers() -> None:
    problem = outage_of(LATE, "model server m: answered 503: busy")
    assert isinstance(problem, ModelUnavailable)
    assert str(problem).endswith("did not answer: model server m: answered 503: busy")


@pytest.mark.parametrize(
    ("finish", "waits_for"),
    [
        (LATE, None),
        (None, "m"),
        (Finish(ending="no-answer"), "m"),
        (Finish(ending="timeout", answer=3), "m"),
    ],
)
def test_every_other_ending_is_the_agents(finish: Finish | None, waits_for: str | None) -> None:
    assert outage_of(finish, waits_for) is None


class Clock:
    """Stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("so_far", "slowest", "waits", "is_outage"),
    [
        pytest.param(600, None, [(589, 600)], True, id="never answered"),
        pytest.param(600, None, [(591, 600)], False, id="asked just before the end"),
        pytest.param(4, None, [(2.9, 4)], True, id="never answered in a short race"),
        pytest.param(600, 5, [(539, 600)], True, id="silent for long"),
        pytest.param(600, 5, [(541, 600)], False, id="not silent for long"),
        pytest.param(600, 5, [(500, 531), (569, 600)], True, id="its client asked twice"),
        pytest.param(600, 5, [(587, 600)] * 5, False, id="five calls at once"),
        pytest.param(600, 5, [(570, 590), (560, 599), (541, 600)], False, id="one over the other"),
        pytest.param(600, 5, [(570, 590), (560, 599), (539, 600)], True, id="long altogether"),
        pytest.param(600, 50, [(539, 600)], False, id="as slow as before"),
        pytest.param(20, 1, [(9, 20)], True, id="silent for most of a short race"),
        pytest.param(600, 5, [], False, id="no call was open"),
    ],
)
def test_a_model_that_was_silent_for_long(
    so_far: float, slowest: float | None, waits: list[tuple[float, float]], *, is_outage: bool
) -> None:
    clock = Clock()
    calls = OpenCalls(clock=clock)
    if slowest is not None:
        calls.unheard(100)
        calls.heard(slowest)
    for since, clock.now in waits:
        calls.unheard(clock.now - since)
    clock.now = so_far
    assert (calls.outage() is not None) is is_outage


def test_several_calls_that_wait_are_one_silence() -> None:
    clock = Clock()
    calls = OpenCalls(clock=clock)
    clock.now = 65
    for _ in range(5):
        calls.unheard(13)
    assert "no byte of a reply came for 13 s" in str(calls.outage())


def test_a_model_that_spoke_in_another_call_was_there() -> None:
    clock = Clock()
    calls = OpenCalls(clock=clock)
    clock.now = 590
    calls.heard(2)
    clock.now = 600
    calls.unheard(580)
    assert calls.outage() is None
    clock.now = 660
    calls.unheard(640)
    assert "for 70 s" in str(calls.outage())


def test_the_silence_of_the_scripted_stand_in_is_not_the_servers() -> None:
    clock = Clock()
    calls = OpenCalls(clock=clock)
    calls.is_scripted = True
    clock.now = 1000
    calls.unheard(1000)
    assert calls.outage() is None


class Silent(httpx.AsyncBaseTransport):
    """Accepts, and never answers."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await asyncio.Future()


def test_a_race_that_ends_while_its_model_is_silent_knows_it() -> None:
    async def race_to_its_deadline() -> None:
        try:
            async with asyncio.timeout(0.2), race.client() as client:
                await client.post("openai/v1/chat/completions", json={"messages": []})
        except TimeoutError:
            race.settle()

    with gateway(Silent()) as gate, gate.open_race(order()) as race:
        gate.run(race_to_its_deadline())
    problem = outage_of(LATE, race.waits_for)
    assert "while its model did not answer: model server: a call was sent and no byte" in str(
        problem
    )


class Asks:
    """Asks the model and waits."""

    name = "asks"

    def version(self) -> str:
        return "1"

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        await course.http.post("openai/v1/chat/completions", json={"messages": []})
        return Finish(ending="no-answer")


def test_a_race_against_a_silent_server_is_no_loss(tmp_path: Path) -> None:
    settings = Settings(model="m", record="off", timeout=0.3, infra_retries=0)
    track = Track(settings, tmp_path / "run", gateway=gateway(Silent()))
    try:
        race = track.race(LEG, Asks())
    finally:
        track.close()
    assert race.record.error == "ModelUnavailable"
    assert "no byte of a reply came" in race.record.detail
    assert race.record.model_calls == 1
