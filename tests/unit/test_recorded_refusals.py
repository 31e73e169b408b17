"""Refusals and faults of services on tapes: not given again while recording, and nobody's loss when replayed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import answer, order, post
from refused_maps import DENIED, GEOCODE, World

from pytest_aar.cassettes import Tape, TapeOptions, TapeTransport, cassette_file, open_tape
from pytest_aar.errors import ServiceRefused
from pytest_aar.gateway import Gateway, Tapes
from pytest_aar.gateway.live_road import directory_of
from pytest_aar.gateway.needed_tools import NeededTools
from pytest_aar.gateway.needs import told
from pytest_aar.gateway.replayed_road import ReplayedRoad
from pytest_aar.gateway.tool_road import TapedRoad
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.meter import Meter
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad
from pytest_aar.race.attempt import service_trouble
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, SANDBOX, Services, TransportDecides
from pytest_aar.tools.result import error

MAPS = "https://maps.aar.test/maps/api/geocode/json?address=Norland"
DENIES = {"status": "REQUEST_DENIED", "results": []}


def tools_tape(folder: Path, mode: Any = "extend") -> Tape:
    return open_tape(folder / "tools.json", mode=mode, options=TapeOptions(kind="tools", owner="a"))


@dataclass
class Net(httpx.AsyncBaseTransport):
    """Gives its replies, the last one for ever; counts."""

    replies: list[httpx.Response]
    asked: int = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        reply = self.replies[min(self.asked, len(self.replies) - 1)]
        self.asked += 1
        return reply


def said(body: Any = None, status: int = 200, judged: str = "") -> httpx.Response:
    extensions = {"aar_judged": judged} if judged else {}
    return httpx.Response(status, json=body, extensions=extensions)


def recorded(folder: Path, net: Net, *, save: bool = True) -> httpx.Response:
    tape = tools_tape(folder)

    async def one() -> httpx.Response:
        async with httpx.AsyncClient(transport=TapeTransport(net, tape=tape)) as http:
            return await http.get(MAPS)

    try:
        return asyncio.run(one())
    finally:
        if save:
            tape.save()
        tape.close()


@pytest.mark.parametrize("save", [True, False], ids=["tape", "journal"])
@pytest.mark.parametrize(
    ("first", "again"),
    [
        (said(DENIES, judged="passing"), 1),
        (said(DENIES), 1),  # recorded when replies were not judged yet
        (said({}, 503), 1),
        (said({}, 403, judged="request"), 0),
        (said({"status": "OK"}), 0),
    ],
)
def test_a_recorder_asks_anew_where_the_account_was_refused(
    tmp_path: Path, first: httpx.Response, again: int, *, save: bool
) -> None:
    recorded(tmp_path, Net([first]), save=save)
    net = Net([said({"status": "OK", "now": 1})])
    reply = recorded(tmp_path, net)
    assert (net.asked, "now" in reply.json()) == (again, bool(again))
    (kept,) = cassette_file.read(tmp_path / "tools.json").interactions
    assert (b"now" in kept.body.read()) is bool(again)


def taped_gateway(folder: Path, reply: Any) -> Gateway:
    """A gateway whose little world is asked with manners, above them a race's tape."""

    @asynccontextmanager
    async def opened(name: str, settings: Settings, **_: Any) -> AsyncIterator[World]:
        manners = Manners(turns=Turns(folder / "turns"), refusals=Refusals(folder), pages=None)
        find = Directory({"geocoding": "https://maps.aar.test"}, {}).place
        road = MannersRoad(httpx.MockTransport(reply), manners, find=find, keeps=frozenset())
        async with httpx.AsyncClient(transport=ReplayedRoad(TapedRoad(road), find)) as http:
            services = Services(http=http, endpoints=SANDBOX, guard=TransportDecides())
            yield World(name=name, services=services)
        manners.close()

    return Gateway(Settings(world="live", timeout=5), open_world=opened, meeting=folder)


def refuses(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=DENIED)


def raced(folder: Path, tape: Tape, reply: Any) -> Any:
    with (
        taped_gateway(folder, reply) as gate,
        gate.open_race(order(tapes=Tapes(tools=tape))) as race,
    ):
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
    return race


def test_a_replayed_refusal_of_a_needed_tool_is_no_loss(tmp_path: Path) -> None:
    tape = tools_tape(tmp_path)
    assert isinstance(raced(tmp_path / "a", tape, refuses).problem, ServiceRefused)
    tape.save()
    tape.close()
    tape = tools_tape(tmp_path, "none")
    problem = raced(tmp_path / "b", tape, answer).problem
    tape.close()
    assert isinstance(problem, ServiceRefused)
    assert str(problem).startswith("access denied by maps (key in GOOGLE_API_KEY), HTTP 200: ")
    assert str(problem).endswith(
        "(maps_geocode needs it); the recording says so: record it again with --aar-record=all, "
        "when the service answers"
    )
    assert Refusals(tmp_path / "b").given_up() == {}  # other legs have recordings of their own


def test_a_recording_is_judged_without_a_look_at_todays_keys() -> None:
    url = httpx.URL("https://maps.googleapis.com/maps/api/geocode/json")
    unset = frozenset({"GOOGLE_API_KEY"})
    live = directory_of(LIVE, Settings(), unset=unset).place(url)
    replayed = directory_of(LIVE, Settings()).place(url)
    assert (live.name, live.if_denied) != (replayed.name, replayed.if_denied)
    assert "not set" not in f"{replayed.name} {replayed.if_denied}"


def test_a_race_goes_on_from_no_refusal(tmp_path: Path) -> None:
    for reply, is_refused in ((refuses, True), (answer, False)):
        tape = tools_tape(tmp_path)
        race = raced(tmp_path / str(is_refused), tape, reply)
        tape.close()  # as races end that are no result: what was recorded stays in the journal
        assert isinstance(race.problem, ServiceRefused) is is_refused


def test_a_race_goes_on_from_no_fault_that_came_with_a_good_status(tmp_path: Path) -> None:
    tape = tools_tape(tmp_path)
    race = raced(tmp_path, tape, lambda _: httpx.Response(200, json={"status": "UNKNOWN_ERROR"}))
    assert "maps_geocode" in race.failing
    tape.forget(race.faulty_keys)
    tape.close()
    assert not list(tmp_path.glob("*.partial"))
    tape = tools_tape(tmp_path)
    assert raced(tmp_path, tape, answer).failing == {}
    tape.close()


def test_a_replayed_fault_is_told_as_the_recordings(tmp_path: Path) -> None:
    tape = tools_tape(tmp_path)
    raced(tmp_path, tape, lambda _: httpx.Response(200, json={"status": "UNKNOWN_ERROR"}))
    tape.save()
    tape.close()
    tape = tools_tape(tmp_path, "none")
    race = raced(tmp_path, tape, answer)
    tape.close()
    trouble = service_trouble(None, None, race)  # type: ignore[arg-type]  # asked of what failed only
    assert trouble is not None
    assert trouble.final
    assert "the recording says so: record it again with --aar-record=all" in str(trouble)


@pytest.mark.parametrize("mode", ["extend", "none"])
def test_a_key_that_is_missing_in_a_race_is_no_loss(tmp_path: Path, mode: str) -> None:
    """Where a recording may answer, nobody knows before the race whether a key is needed."""
    tape = tools_tape(tmp_path)
    tape.save()
    tape.close()
    tape = tools_tape(tmp_path, mode)
    with (
        taped_gateway(tmp_path, answer) as gate,
        gate.open_race(order(tapes=Tapes(tools=tape))) as race,
    ):
        judge = NeededTools(race, None, lacking=lambda tool: {"GOOGLE_API_KEY": [tool]})
        judge.judged("maps_geocode", error("bad_arguments", "no"), Meter())
        assert race.problem is None
        judge.judged("maps_geocode", error("denied", "no key"), Meter())
    tape.close()
    assert isinstance(race.problem, ServiceRefused)
    lacking = told({"GOOGLE_API_KEY": ["maps_geocode"]})
    is_live = mode == "extend"
    to_do = ", then go on with --aar-resume" if is_live else "; the recording says so: record it"
    assert str(race.problem).startswith(f"{lacking}{to_do}")
    assert race.problem.missing_keys == (("GOOGLE_API_KEY",) if is_live else ())
