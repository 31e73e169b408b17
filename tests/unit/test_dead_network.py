"""Services to which there is no connection: who asks is told at once, and a moment's outage costs nothing."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import stamina
from race_records import record
from waiting import Clock, metered

from pytest_aar.manners.blocked import Blocked
from pytest_aar.manners.book import COOL_DOWN, GRACE, OUTAGE, SEVERAL, SHORT_COOL_DOWN, Book
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.limiter import Limiter, Turns
from pytest_aar.manners.meter import Meter
from pytest_aar.manners.policies import Policy, parse
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad
from pytest_aar.manners.signs import has_no_way
from pytest_aar.manners.waits import label, remedy
from pytest_aar.reports.services import waits
from pytest_aar.tools import LIVE, Services, ToolResult, TransportDecides, call

REFUSED = httpx.ConnectError("All connection attempts failed")


@pytest.fixture(autouse=True)
def _no_pauses() -> Iterator[None]:
    with stamina.set_testing(True, attempts=4, cap=True):
        yield


class Line:
    """A network that is down (`fault`) until it isn't; counts requests."""

    def __init__(self, fault: Exception | None) -> None:
        self.fault, self.asked = fault, 0

    def __call__(self, _: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return httpx.Response(200, json={"organic": [{"title": "Lima", "link": "https://x.test"}]})


class Searcher:
    """Calls `web_search` at a base URL, over a road with manners."""

    def __init__(self, folder: Path, line: Line, base: str) -> None:
        self.clock = Clock()
        turns = Turns(folder, clock=self.clock, sleep=self.clock.sleep)
        manners = Manners(turns=turns, refusals=Refusals(folder / "refused"), pages=None)
        find = Directory({"search": base}, {"search": "off"}).place
        road = MannersRoad(httpx.MockTransport(line), manners, find=find, keeps=frozenset())
        self._services = Services(
            http=httpx.AsyncClient(transport=road),
            endpoints=LIVE.with_overrides({"search": base}),
            guard=TransportDecides(),
            attempts=4,
            keys={"SERPER_API_KEY": "k"},
        )

    def ask(self) -> tuple[ToolResult, Meter]:
        with metered() as meter:
            return asyncio.run(call("web_search", {"query": "Lima"}, self._services)), meter


HERE, AWAY = "http://127.0.0.1:9", "http://proxy.example"


@pytest.mark.parametrize(("base", "tries"), [(HERE, 1), (AWAY, 4)])
def test_a_refused_connection_on_this_machine_is_final_until_it_has_answered(
    tmp_path: Path, base: str, tries: int
) -> None:
    line = Line(REFUSED)
    searcher = Searcher(tmp_path, line, base)
    result, meter = searcher.ask()
    assert not result.ok
    assert line.asked == tries
    assert meter.is_out_of_reach
    line.fault = None
    assert searcher.ask()[0].ok
    line.fault, line.asked = REFUSED, 0
    _, meter = searcher.ask()
    assert line.asked == 4  # a server that is started again
    assert not meter.is_out_of_reach


def test_what_stays_out_of_reach_is_waited_for_once_and_then_told_at_once(tmp_path: Path) -> None:
    line = Line(REFUSED)
    searcher = Searcher(tmp_path, line, AWAY)
    for _ in range(8):
        result, meter = searcher.ask()
    assert sum(searcher.clock.slept) <= GRACE
    assert line.asked <= OUTAGE + 4
    assert meter.is_out_of_reach
    assert meter.waited == {}
    assert (result.ok, result.error_kind) == (False, "upstream")
    for part in (
        "search can't be reached (ConnectError at proxy.example: All connection attempts failed)",
        "of this run or of another of yours on this machine",
        "is it running? Its address was given by aar_services",
    ):
        assert part in result.text


def test_an_outage_that_ends_within_seconds_costs_nothing(tmp_path: Path) -> None:
    line = Line(REFUSED)
    searcher = Searcher(tmp_path, line, AWAY)
    for _ in range(2):
        searcher.ask()
    began = searcher.clock.now

    async def back(seconds: float) -> None:
        searcher.clock.now += seconds
        if searcher.clock.now - began > SHORT_COOL_DOWN:
            line.fault = None

    searcher._services.http._transport._manners.turns.sleep = back  # type: ignore[attr-defined]
    results = [searcher.ask() for _ in range(3)]
    assert [result.ok for result, _ in results] == [True] * 3
    assert searcher.clock.now - began <= GRACE


@pytest.mark.parametrize(
    ("fault", "was_reached", "found"),
    [
        (REFUSED, False, True),
        (REFUSED, True, True),
        (httpx.ConnectTimeout("late"), False, True),
        (httpx.ConnectTimeout("late"), True, False),
        (httpx.ReadError("reset"), False, False),
        (httpx.ReadTimeout("late"), False, False),
        (Blocked("no such host here"), False, False),
    ],
)
def test_what_is_out_of_reach(fault: Exception, was_reached: bool, found: bool) -> None:
    assert has_no_way(fault, was_reached=was_reached) is found


def test_only_those_who_cannot_be_reached_are_tried_again_soon() -> None:
    for is_unreached, pause in ((True, SHORT_COOL_DOWN), (False, COOL_DOWN)):
        book = Book({}, Policy())
        for _ in range(OUTAGE):
            book.failed(10, is_unreached=is_unreached)
        assert book.admit("a:1", 10, lambda _: True) == pause


def test_the_last_fault_decides_and_an_answer_ends_it() -> None:
    book = Book({}, Policy())
    for _ in range(OUTAGE):
        book.failed(10, is_unreached=True)
    assert book.kind(1, 10) == "unreached"
    assert book.latest == 10 + GRACE
    book.failed(20, is_unreached=True)
    assert book.latest == 10 + GRACE  # once, however often it is tried
    book.failed(30)
    assert book.kind(1, 30) == "failing"
    assert book.latest > 1000
    for second in range(SEVERAL):  # one alone may be a server that fails and is started again
        assert book.kind(1, 40) == "failing"
        assert book.latest > 1000
        book.failed(40 + second, is_unreached=True)
    assert book.kind(1, 43) == "unreached"
    assert book.latest == 40 + SEVERAL - 1 + GRACE
    book.answered()
    assert not book.is_out
    assert book.latest > 1000


async def _pass(one: Limiter) -> None:
    async with one.turn():
        pass


@pytest.mark.parametrize(
    ("state", "waited", "told"),
    [
        ("limits", "maps (1/min)", "waiting 60 s for a turn at maps (1/min)"),
        ("pause", "maps (pause asked for)", "waiting 70 s: maps has asked for a pause"),
        (
            "failing",
            "maps (failing)",
            "waiting 60 s: maps does not answer (HTTP 503), as requests of this run or of another of yours on this "
            "machine have found; look there",
        ),
        (
            "unreached",
            "maps (out of reach)",
            "waiting 2 s: maps does not answer (no route), as requests of this run or of another of yours on this "
            "machine have found; look there",
        ),
    ],
)
def test_waits_are_told_by_their_kind(tmp_path: Path, state: str, waited: str, told: str) -> None:
    clock, lines = Clock(), []
    turns = Turns(tmp_path, clock=clock, sleep=clock.sleep)
    policy = parse("1/min" if state == "limits" else "off")
    one = Limiter(turns, key="maps", name="maps", policy=policy, remedy="look there")

    async def both() -> None:
        async with one.turn() as turn:
            if state == "pause":
                await turn.refused(70)
            for _ in range(OUTAGE if state in ("failing", "unreached") else 0):
                why = "HTTP 503" if state == "failing" else "no route"
                await turn.failed(why, is_unreached=state == "unreached")
        await _pass(one)

    with metered() as meter:
        meter.tell = lines.append
        asyncio.run(both())
    assert list(meter.waited) == [waited]
    assert meter.pauses.labels == {waited}
    assert lines == [told]


def test_a_pause_that_is_too_long_names_no_limits(tmp_path: Path) -> None:
    clock = Clock()
    turns = Turns(tmp_path, clock=clock, sleep=clock.sleep)
    one = Limiter(turns, key="maps", name="maps", policy=parse("off"))

    async def both() -> None:
        async with one.turn() as turn:
            await turn.refused(500)
        await _pass(one)

    with metered(), pytest.raises(HeldBack) as held:
        asyncio.run(both())
    assert str(held.value) == (
        "maps has asked for a pause, and no turn comes within 120 s, the next in 500 s: "
        "race with fewer workers, or later"
    )
    assert not held.value.is_out


@pytest.mark.parametrize(
    ("told", "ends"),
    [
        (label("limits", "maps", parse("1/min")), "its limits: --aar-limits"),
        (label("pause", "maps", parse("off")), "it asked for that: race with fewer workers"),
        (
            label("failing", "maps", parse("off")),
            "it did not answer well: `aar doctor` asks every service",
        ),
        (
            label("unreached", "maps", parse("off")),
            "no connection to it: `aar doctor` asks every service",
        ),
        ("pages that others were reading", "each page is asked for once"),
    ],
)
def test_the_summary_names_limits_only_for_waits_by_limits(told: str, ends: str) -> None:
    assert remedy(told) == ends
    line = f"waited 9.0 s for {told} in 1 race ({ends})"
    assert waits([record("dag/easy/1", waited_seconds={told: 9.0})]) == [line]
