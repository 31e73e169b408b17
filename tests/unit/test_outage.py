import asyncio
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from little_world import LEG, gateway, order
from test_retries import GOOD, Network, ask

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


@pytest.mark.parametrize(
    ("so_far", "slowest", "silences", "is_outage"),
    [
        pytest.param(600, None, [11], True, id="never answered"),
        pytest.param(600, None, [9], False, id="asked just before the end"),
        pytest.param(4, None, [1.1], True, id="never answered in a short race"),
        pytest.param(600, 5, [61], True, id="silent for long"),
        pytest.param(600, 5, [59], False, id="not silent for long"),
        pytest.param(600, 5, [31, 31], True, id="its client asked twice"),
        pytest.param(600, 50, [61], False, id="as slow as before"),
        pytest.param(20, 1, [11], True, id="silent for most of a short race"),
        pytest.param(600, 5, [], False, id="no call was open"),
    ],
)
def test_a_model_that_was_silent_for_long(
    so_far: float, slowest: float | None, silences: list[float], *, is_outage: bool
) -> None:
    times = iter([0.0, so_far])
    calls = OpenCalls(clock=lambda: next(times))
    if slowest is not None:
        calls.unheard(100)
        calls.heard(slowest)
    for seconds in silences:
        calls.unheard(seconds)
    outage = calls.outage()
    assert (outage is not None) is is_outage
    assert outage is None or f"no byte of a reply came for {sum(silences):.0f} s" in outage


def test_the_silence_of_the_scripted_stand_in_is_not_the_servers() -> None:
    calls = OpenCalls()
    calls.is_scripted = True
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
