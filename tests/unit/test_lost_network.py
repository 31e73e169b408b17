"""A network that is lost for a while: who has reached a service waits for it, and goes on as soon as it is back."""

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from waiting import loop_time, metered, run_swiftly

from pytest_aar.manners.book import GRACE, OUTAGE, SHORT_COOL_DOWN, STALE, Book
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.meter import LONGEST_WAIT, Meter
from pytest_aar.manners.policies import Policy
from pytest_aar.manners.reached import Reached
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad
from pytest_aar.tools import LIVE, Services, ToolResult, TransportDecides, call

AWAY = "http://proxy.example"
TAKES = 0.3


class Line:
    """A network that is lost from `down` on, until `up`; notes when it was asked, and the most requests at once."""

    def __init__(self, down: float = 0.0, up: float = 1e9) -> None:
        self.down, self.up = down, up
        self.asked: list[float] = []
        self.most = self._there = 0

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(loop_time())
        if self.down <= loop_time() < self.up:
            raise httpx.ConnectError("no route", request=request)
        self._there += 1
        self.most = max(self.most, self._there)
        await asyncio.sleep(TAKES)
        self._there -= 1
        return httpx.Response(200, json={"organic": [{"title": "Lima", "link": "https://x.test"}]})


def worker(folder: Path, line: Line, *, run: str = "run") -> Services:
    """A process of a run, on a machine whose runs share a folder."""
    manners = Manners(
        turns=Turns(folder / "turns", clock=loop_time, sleep=asyncio.sleep),
        refusals=Refusals(folder / run),
        reached=Reached(folder / run),
        pages=None,
    )
    find = Directory({"search": AWAY}, {"search": "off"}).place
    road = MannersRoad(httpx.MockTransport(line), manners, find=find, keeps=frozenset())
    return Services(
        http=httpx.AsyncClient(transport=road),
        endpoints=LIVE.with_overrides({"search": AWAY}),
        guard=TransportDecides(),
        attempts=4,
        keys={"SERPER_API_KEY": "k"},
    )


async def ask(services: Services) -> tuple[ToolResult, Meter]:
    with metered() as meter:
        return await call("web_search", {"query": "Lima"}, services), meter


async def all_ask(*services: Services) -> list[tuple[ToolResult, Meter]]:
    return await asyncio.gather(*map(ask, services))


async def busy(services: Services, until: float) -> list[tuple[float, bool]]:
    """When its calls ended, and whether they were answered."""
    found = []
    while loop_time() < until:
        result, meter = await ask(services)
        assert not meter.is_out_of_reach
        found.append((loop_time(), result.ok))
        await asyncio.sleep(0.5)
    return found


@pytest.mark.parametrize("seconds", [2.0, 9.0, 40.0])
def test_no_race_ends_by_a_network_that_is_lost_for_seconds(tmp_path: Path, seconds: float) -> None:
    """Nor in workers that had not asked before: one of the run has reached the host."""

    async def lost() -> list[tuple[float, bool]]:
        line = Line(down=1e9)
        assert (await ask(worker(tmp_path, line)))[0].ok
        line.down, line.up = loop_time(), loop_time() + seconds
        workers = (worker(tmp_path, line) for _ in range(8))
        found = await asyncio.gather(*(busy(each, line.up + 8) for each in workers))
        ended = sorted(when for calls in found for when, _ in calls)
        assert ended[0] <= line.up + SHORT_COOL_DOWN + 2 * TAKES  # the first try and its answer
        return [each for calls in found for each in calls]

    found = run_swiftly(lost())
    assert len(found) > 8
    assert all(is_ok for _, is_ok in found)


def test_a_host_that_was_reached_and_stays_away_is_tried_as_long_as_a_call_waits(
    tmp_path: Path,
) -> None:
    async def dies() -> tuple[ToolResult, Meter]:
        line = Line(down=1e9)
        services = worker(tmp_path, line)
        await ask(services)
        line.down = loop_time()
        for _ in range(OUTAGE // 4):
            assert not (await ask(services))[1].is_out_of_reach
        line.asked.clear()
        began = loop_time()
        found = await ask(services)
        assert LONGEST_WAIT - 5 < loop_time() - began <= LONGEST_WAIT + 5
        assert LONGEST_WAIT / SHORT_COOL_DOWN - 5 < len(line.asked) <= LONGEST_WAIT / 2 + 5
        return found

    result, meter = run_swiftly(dies())
    assert (result.ok, result.error_kind) == (False, "upstream")
    assert not meter.is_out_of_reach  # the race goes on, and is an infrastructure error at its end
    assert meter.outage
    assert list(meter.waited) == ["search (out of reach)"]
    for part in (
        "search can't be reached (ConnectError at proxy.example: no route)",
        "a call waits for it for 120 s at most; is it running?",
    ):
        assert part in result.text


def test_a_wait_of_many_tries_is_told_once(tmp_path: Path) -> None:
    async def lines() -> list[str]:
        line, told = Line(down=1e9), list[str]()
        services = worker(tmp_path, line)
        await ask(services)
        line.down, line.up = loop_time(), loop_time() + 30
        for _ in range(OUTAGE // 4):
            await ask(services)
        with metered() as meter:
            meter.tell = told.append
            assert (await call("web_search", {"query": "Lima"}, services)).ok
        return told

    assert len(run_swiftly(lines())) == 1


def test_what_another_run_has_reached_is_no_use_to_this_one(tmp_path: Path) -> None:
    async def both() -> None:
        line = Line(down=1e9)
        await ask(worker(tmp_path, line, run="before"))
        line.down = loop_time()
        results = await all_ask(*(worker(tmp_path, line) for _ in range(8)))
        assert all(meter.is_out_of_reach for _, meter in results)
        assert loop_time() - line.down <= GRACE + SHORT_COOL_DOWN

    run_swiftly(both())


@pytest.mark.parametrize("age", [3.0, 60.0, 170.0, 200.0])
def test_all_who_ask_at_once_after_an_old_outage_wait_for_the_one_that_tries(
    tmp_path: Path, age: float
) -> None:
    async def later() -> tuple[list[tuple[ToolResult, Meter]], float]:
        line = Line()
        for _ in range(4):
            assert (await ask(worker(tmp_path, line, run="before")))[1].is_out_of_reach
        line.up = loop_time()
        await asyncio.sleep(age)
        began = loop_time()
        results = await all_ask(*(worker(tmp_path, line) for _ in range(8)))
        return results, loop_time() - began

    results, seconds = run_swiftly(later())
    assert [result.ok for result, _ in results] == [True] * 8
    assert seconds < 1


def test_a_network_that_is_still_lost_long_after_gets_one_more_grace(tmp_path: Path) -> None:
    async def later() -> list[float]:
        line, took = Line(), []
        services = [worker(tmp_path, line) for _ in range(8)]
        await all_ask(*services)
        for pause in (STALE + SHORT_COOL_DOWN, 0.0):
            await asyncio.sleep(pause)
            began = loop_time()
            results = await all_ask(*services)
            assert all(meter.is_out_of_reach for _, meter in results)
            took.append(loop_time() - began)
        return took

    again, at_once = run_swiftly(later())
    assert GRACE - SHORT_COOL_DOWN <= again <= GRACE + SHORT_COOL_DOWN
    assert at_once < 1


def test_a_network_lost_again_for_a_moment_ends_no_race_of_the_next_run(tmp_path: Path) -> None:
    """The one that tries fails, too: that is a new outage, not the old one."""

    async def later() -> list[bool]:
        line = Line()
        for _ in range(4):
            await ask(worker(tmp_path, line, run="before"))
        await asyncio.sleep(60)
        line.up = loop_time() + 3
        return [
            result.ok for result, _ in await all_ask(*(worker(tmp_path, line) for _ in "12345678"))
        ]

    assert run_swiftly(later()) == [True] * 8


def _races(folder: Path, line: Line, run: Callable[[int], str]) -> list[float]:
    async def one_by_one() -> list[float]:
        took = []
        for number in range(18):
            began = loop_time()
            _, meter = await ask(worker(folder, line, run=run(number)))
            assert meter.is_out_of_reach
            took.append(loop_time() - began)
        return took

    return run_swiftly(one_by_one())


def test_without_a_network_all_legs_of_a_run_fail_within_seconds(tmp_path: Path) -> None:
    assert sum(_races(tmp_path, Line(), lambda _: "run")) < 20


def test_without_a_network_each_command_answers_within_seconds(tmp_path: Path) -> None:
    assert max(_races(tmp_path, Line(), str)) < GRACE + SHORT_COOL_DOWN


def test_a_host_is_left_alone_by_all_but_one_while_it_is_lost(tmp_path: Path) -> None:
    async def lost() -> None:
        line = Line(down=1e9)
        await ask(worker(tmp_path, line))
        line.down, line.up = loop_time(), loop_time() + 20
        await all_ask(*(worker(tmp_path, line) for _ in range(8)))
        tries = [when for when in line.asked if line.down + 1 < when < line.up]
        assert len(tries) <= 10
        gaps = [after - before for before, after in itertools.pairwise(tries)]
        assert min(gaps) >= SHORT_COOL_DOWN - 0.01

    run_swiftly(lost())


def test_one_refused_connection_puts_no_service_that_fails_out_of_reach() -> None:
    book = Book({}, Policy())
    for _ in range(OUTAGE):
        book.failed(10)
    book.failed(70, is_unreached=True)
    assert book.kind(1, 70) == "failing"
    assert book.latest > 1000
    assert book.admit("a:1", 70, lambda _: True) == SHORT_COOL_DOWN


def test_what_a_run_has_reached_is_known_to_all_its_workers(tmp_path: Path) -> None:
    one, two, alone = Reached(tmp_path / "a"), Reached(tmp_path / "a"), Reached()
    assert not two.has("search-1")
    for each in (one, alone):
        each.add("search-1")
        each.add("search-1")
    assert two.has("search-1")
    assert alone.has("search-1")
    assert not two.has("search-2")
    assert not Reached(tmp_path / "b").has("search-1")
