"""Races and live services that refuse or fail: who needs them is no loser, who doesn't goes on."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import LEG, answer, order, post
from test_manners_limits import Clock

from pytest_aar.agents import Course, Limits
from pytest_aar.errors import InfrastructureError, ServiceRefused, ServiceUnavailable
from pytest_aar.gateway import Gateway
from pytest_aar.gateway.needs import needed_tools, without_key
from pytest_aar.leg import ClueEnvelope
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad
from pytest_aar.race import Track
from pytest_aar.race.boundary import worth_a_retry
from pytest_aar.race.services import check_services
from pytest_aar.settings import Settings
from pytest_aar.tools import SANDBOX, Services, TransportDecides
from pytest_aar.trace import Finish

DENIED = {"status": "REQUEST_DENIED", "error_message": "billing is off", "results": []}
GEOCODE = ("tools/maps_geocode", {"address": "Norland"})
Answer = Callable[[httpx.Request], httpx.Response]


@dataclass
class World:
    name: str
    services: Services
    world_hash: str | None = None


def civil_gateway(folder: Path, reply: Answer, limits: dict[str, str] | None = None) -> Gateway:
    """A gateway whose little world is asked with manners."""
    clock = Clock()

    @asynccontextmanager
    async def opened(name: str, settings: Settings, **_: Any) -> AsyncIterator[World]:
        turns = Turns(folder / "turns", clock=clock, sleep=clock.sleep)
        manners = Manners(turns=turns, refusals=Refusals(folder), pages=None)
        bases = {"geocoding": "https://maps.aar.test", "countries": "https://countries.aar.test"}
        find = Directory(bases, limits or {}).place
        road = MannersRoad(httpx.MockTransport(reply), manners, find=find, keeps=frozenset())
        async with httpx.AsyncClient(transport=road) as http:
            services = Services(http=http, endpoints=SANDBOX, guard=TransportDecides())
            yield World(name=name, services=services)
        manners.close()

    settings = Settings(world="live", record="off", timeout=5, infra_retries=0)
    return Gateway(settings, open_world=opened, meeting=folder)


def refuses_maps(request: httpx.Request) -> httpx.Response:
    if request.url.host == "maps.aar.test":
        return httpx.Response(200, json=DENIED)
    return answer(request)


def test_a_refused_need_is_the_races_problem_and_known_to_all(tmp_path: Path) -> None:
    with civil_gateway(tmp_path, refuses_maps) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, GEOCODE[0], json=GEOCODE[1])
    assert reply.json()["error"]["kind"] == "denied"
    assert isinstance(race.problem, ServiceRefused)
    told = str(race.problem)
    assert told.startswith(
        "the leg needs maps_geocode: maps (key in GOOGLE_API_KEY): access is denied"
    )
    assert "billing is off" in told
    assert told.endswith("; then go on with --aar-resume")
    assert not worth_a_retry(race.problem)
    with pytest.raises(ServiceRefused, match="not raced: the leg needs maps_geocode"):
        check_services(LEG, Refusals(tmp_path), {"GOOGLE_API_KEY": "k"})


def test_legs_that_do_not_need_it_go_on(tmp_path: Path) -> None:
    stops = tuple(stop for stop in LEG.stops if stop.index != 3)
    leg = replace(LEG, stops=stops)
    with civil_gateway(tmp_path, refuses_maps) as gate, gate.open_race(order(leg)) as race:
        assert not post(race, gate, GEOCODE[0], json=GEOCODE[1]).json().get("place_id")
        assert race.problem is None
    assert Refusals(tmp_path).given_up() == {}
    check_services(leg, Refusals(tmp_path), {})


def test_a_bad_argument_is_the_agents(tmp_path: Path) -> None:
    nothing = {"status": "ZERO_RESULTS", "results": []}
    with (
        civil_gateway(tmp_path, lambda _: httpx.Response(200, json=nothing)) as gate,
        gate.open_race(order()) as race,
    ):
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
        post(race, gate, GEOCODE[0], json={"wrong": 1})
    assert race.problem is None
    assert race.failing == {}


def test_an_outage_is_forgiven_when_the_tool_answers_again(tmp_path: Path) -> None:
    down = [True]

    def reply(request: httpx.Request) -> httpx.Response:
        return httpx.Response(503) if down else answer(request)

    with civil_gateway(tmp_path, reply) as gate, gate.open_race(order()) as race:
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
        assert race.failing == {"maps_geocode": "maps answered HTTP 503"}
        down.clear()
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
        assert race.failing == {}
        assert race.problem is None


def test_waits_stand_in_the_trace(tmp_path: Path) -> None:
    limits = {"countries": "1/min"}
    with civil_gateway(tmp_path, answer, limits) as gate, gate.open_race(order()) as race:
        for _ in range(2):
            post(race, gate, "tools/countries_population", json={"country": "Norland"})
    first, second = race.trace().tool_calls
    assert "waited_seconds" not in first.details
    assert second.details["waited_seconds"] == {"countries (1/min)": pytest.approx(60, abs=1)}


class Asks:
    """Asks one tool and says a digit."""

    name = "asks"
    needs_model = False

    def version(self) -> str:
        return "1"

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        await course.http.post(GEOCODE[0], json=GEOCODE[1])
        return Finish(ending="answered", answer=5)


def raced(folder: Path, reply: Answer, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    gate = civil_gateway(folder / "shared", reply)
    track = Track(gate.settings, folder / "run", gateway=gate)
    try:
        return track.race(LEG, Asks()).record
    finally:
        track.close()


def test_a_race_whose_service_refused_is_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = raced(tmp_path, refuses_maps, monkeypatch)
    assert (record.outcome, record.error, record.score) == (
        "infrastructure",
        "ServiceRefused",
        None,
    )


def test_a_race_whose_service_was_down_is_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = raced(tmp_path, lambda _: httpx.Response(503), monkeypatch)
    assert (record.outcome, record.error) == ("infrastructure", "ServiceUnavailable")
    assert record.detail == (
        "the leg needs maps_geocode: maps answered HTTP 503; race it again with --aar-resume"
    )


def test_a_lost_race_over_services_that_answer_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert raced(tmp_path, answer, monkeypatch).outcome == "answered"


class Waits(Asks):
    """Waits for its turn until its time is up."""

    name = "waits"

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        await course.http.post(GEOCODE[0], json=GEOCODE[1])
        await asyncio.Future()
        raise AssertionError


def test_time_that_ran_out_in_a_queue_is_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    settings = Settings(
        world="live", record="off", timeout=0.5, limits={"maps": "1/min"}, infra_retries=1,
        services={"maps": "http://127.0.0.1:9"},
    )  # fmt: skip
    track = Track(settings, tmp_path / "run")
    track.meet(tmp_path / "shared")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    def ask_once() -> None:
        with track.open_course(LEG) as course:
            post(course, track.gateway, GEOCODE[0], json=GEOCODE[1])

    monkeypatch.setattr("pytest_aar.gateway.worlds._LIVE_ATTEMPTS", 1)
    try:
        ask_once()  # takes the minute's turn
        record = track.race(LEG, Waits()).record
    finally:
        track.close()
        monkeypatch.setattr("tempfile.tempdir", None)
    assert record.error == "ServiceUnavailable"
    assert record.detail.startswith("the race's time of 0.5 s ran out, and for 0 s of it")
    assert "--aar-limits" in record.detail
    assert record.attempts == 1
    assert not worth_a_retry(ServiceUnavailable("x", final=True))
    assert worth_a_retry(ServiceUnavailable("x"))


def test_what_a_leg_needs_is_known_from_its_chains() -> None:
    assert needed_tools(LEG) == (
        "fetch_webpage", "countries_population", "maps_geocode", "maps_elevation", "countries_area",
    )  # fmt: skip
    searched = replace(LEG.route_infos[0], search_query="Start")
    assert "web_search" in needed_tools(replace(LEG, stops=(searched, *LEG.stops[1:])))


@pytest.mark.parametrize(
    ("tools", "keys", "told"),
    [
        (("fetch_webpage", "countries_area"), {}, None),
        (("maps_geocode",), {"GOOGLE_API_KEY": "k"}, None),
        (("web_search",), {"SEARXNG_URL": "https://x.test"}, None),
        (
            ("maps_geocode", "web_search"),
            {},
            "the leg needs maps_geocode, web_search and there is no key: set GOOGLE_API_KEY and SERPER_API_KEY",
        ),
    ],
)
def test_missing_keys_are_found_before_the_race(
    tools: tuple[str, ...], keys: dict[str, str], told: str | None
) -> None:
    found = without_key(tools, keys)
    assert found is None if told is None else str(found).startswith(told)


def test_a_leg_without_its_key_is_not_raced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_MAPS_API_KEY", raising=False)
    asked: list[httpx.Request] = []

    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer(request)

    gate = civil_gateway(tmp_path / "shared", reply)
    track = Track(gate.settings, tmp_path / "run", gateway=gate)
    try:
        record = track.race(LEG, Asks()).record
    finally:
        track.close()
    assert record.error == "ServiceRefused"
    assert "set GOOGLE_API_KEY in the environment" in record.detail
    assert asked == []
    assert issubclass(ServiceRefused, InfrastructureError)
    assert json.dumps(record.detail)
