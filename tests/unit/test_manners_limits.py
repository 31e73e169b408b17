"""Limits hold as the server sees them, over several processes, and whatever happens to one of them."""

import asyncio
import fcntl
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from strict_server import StrictServer
from waiting import Clock, metered

from pytest_aar.manners import window
from pytest_aar.manners.book import COOL_DOWN, LONGEST_TURN, OUTAGE, Book
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.limiter import Limiter, Turns
from pytest_aar.manners.meter import LONGEST_WAIT, METER, Meter
from pytest_aar.manners.owner import Owner, lives
from pytest_aar.manners.policies import Policy, Rate, parse
from pytest_aar.manners.shared_state import SharedState

SCRIPT = Path(__file__).with_name("asks_politely.py")


def limiter(folder: Path, limits: str, clock: Clock) -> Limiter:
    turns = Turns(folder, clock=clock, sleep=clock.sleep)
    return Limiter(turns, key="wiki", name="wikipedia", policy=parse(limits))


@contextmanager
def asking(
    folder: Path, server: StrictServer, limits: str, requests: int
) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(SCRIPT), str(folder), server.url, limits, str(requests)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def told(process: subprocess.Popen[str]) -> dict:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return json.loads(out.splitlines()[-1])


def test_three_processes_never_exceed_a_rate_or_the_number_at_once(tmp_path: Path) -> None:
    limits = "20/0.5s, 3 parallel"
    with (
        StrictServer().running() as server,
        asking(tmp_path, server, limits, 20) as one,
        asking(tmp_path, server, limits, 20) as two,
        asking(tmp_path, server, limits, 20) as three,
    ):
        found = [told(each) for each in (one, two, three)]
    assert [each["statuses"] for each in found] == [[200] * 20] * 3
    assert len(server.arrived) == 60
    assert server.most_in(0.5) <= 20
    assert server.most <= 3
    # All waited: it is no limit at all that let them through.
    assert all(each["countries (20/0.5 s, 3 parallel)"] > 0.1 for each in found)


def test_limits_are_used_up_to_the_full(tmp_path: Path) -> None:
    with (
        StrictServer(takes=0.001).running() as server,
        asking(tmp_path, server, "20/0.5s", 40) as one,
    ):
        told(one)
    assert server.most_in(0.5) == 20


def test_no_time_is_lost_in_which_a_limit_would_let_requests_through(tmp_path: Path) -> None:
    clock = Clock()
    wiki = limiter(tmp_path, "20/0.5s", clock)

    async def ask() -> None:
        for _ in range(60):
            async with wiki.turn():
                pass

    began = clock.now
    asyncio.run(ask())
    assert clock.now - began == pytest.approx(1, abs=0.02)


def test_who_is_killed_in_a_request_gives_its_place_back(tmp_path: Path) -> None:
    with StrictServer(takes=30).running() as server:
        with asking(tmp_path, server, "1 parallel", 3) as stuck:
            assert stuck.stdout is not None
            stuck.stdout.readline()
            while not server.arrived:
                time.sleep(0.005)
            stuck.send_signal(signal.SIGKILL)
            stuck.wait()
        server.takes = 0
        with asking(tmp_path, server, "1 parallel", 2) as after:
            assert told(after)["statuses"] == [200, 200]


def test_a_killed_request_counts_from_its_end(tmp_path: Path) -> None:
    clock, turns = Clock(), Owner(tmp_path / "processes")
    policy = Policy(rates=(Rate(count=1, seconds=60),))
    values: dict = {}
    book = Book(values, policy)
    assert book.admit(f"{turns.name}:1", clock.now, lambda _: True) == 0
    turns.close()
    clock.now += 300

    def alive(name: str) -> bool:
        return name == "other" or lives(tmp_path / "processes", name)

    assert book.admit("other:1", clock.now, alive) == pytest.approx(60, abs=0.5)


def test_a_rate_is_waited_for_in_one_sleep_and_reported(tmp_path: Path) -> None:
    clock = Clock()
    wiki = limiter(tmp_path, "2/min", clock)

    async def ask() -> None:
        async with wiki.turn():
            clock.now += 1

    async def three() -> None:
        for _ in range(3):
            await ask()

    with metered() as meter:
        asyncio.run(three())
    assert sum(clock.slept) == pytest.approx(59, abs=0.4)
    assert meter.waited == {"wikipedia (2/min)": pytest.approx(59, abs=0.4)}
    assert meter.pauses.seconds > 0
    assert len(clock.slept) <= 13  # no look at the clock more often than each five seconds


def test_several_rates_hold_at_once(tmp_path: Path) -> None:
    clock = Clock()
    weather = limiter(tmp_path, "2/s, 3/min", clock)
    times = []

    async def ask() -> None:
        async with weather.turn():
            times.append(clock.now)

    async def four() -> None:
        for _ in range(4):
            await ask()

    asyncio.run(four())
    assert times[1] - times[0] < 0.1
    assert 1 <= times[2] - times[0] < 1.1
    assert 60 <= times[3] - times[0] < 60.5


def test_the_first_in_the_queue_goes_first(tmp_path: Path) -> None:
    book = Book({}, Policy(parallel=1))
    assert book.admit("a:1", 1, lambda _: True) == 0
    assert book.admit("b:1", 1, lambda _: True) > 0
    assert book.admit("c:1", 1, lambda _: True) > 0
    book.end("a:1", 2)
    assert book.admit("c:1", 2, lambda _: True) > 0
    assert book.admit("b:1", 2, lambda _: True) == 0
    book.end("b:1", 3)
    book.leave("d:1")
    assert book.admit("c:1", 3, lambda _: True) == 0


def test_a_turn_that_is_too_far_away_is_told(tmp_path: Path) -> None:
    clock = Clock()
    weather = limiter(tmp_path, "1/day", clock)

    async def two() -> None:
        for _ in range(2):
            async with weather.turn():
                pass

    with pytest.raises(HeldBack) as told:
        asyncio.run(two())
    assert str(told.value).startswith(
        f"no turn for wikipedia (1/day) within {LONGEST_WAIT:g} s, the next in 86"
    )
    assert "--aar-limits=wikipedia=..." in str(told.value)
    assert not clock.slept
    assert told.value.seconds > 80_000
    assert weather._state.read()["queue"] == []


def test_too_many_requests_slow_all_workers_down(tmp_path: Path) -> None:
    clock = Clock()
    one, two = limiter(tmp_path, "off", clock), limiter(tmp_path, "off", clock)

    async def refused(asked: float | None) -> None:
        async with one.turn() as turn:
            await turn.refused(asked)

    async def waits() -> float:
        before = clock.now
        async with two.turn() as turn:
            found = clock.now - before
            await turn.answered()
        return found

    asyncio.run(refused(40))
    assert asyncio.run(waits()) == pytest.approx(40)
    pauses = []
    for _ in range(8):
        asyncio.run(refused(None))
        pauses.append(asyncio.run(two_pause(two, clock)))
    assert pauses == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60])
    asyncio.run(waits())
    asyncio.run(refused(None))
    assert asyncio.run(waits()) == pytest.approx(1)


async def two_pause(one: Limiter, clock: Clock) -> float:
    before = clock.now
    async with one.turn():
        return clock.now - before


def test_a_service_that_is_down_is_left_alone_and_then_tried_by_one() -> None:
    book = Book({}, Policy(parallel=5))
    for number in range(OUTAGE):
        assert not book.is_out
        assert book.admit(f"a:{number}", 10, lambda _: True) == 0
        book.failed(10)
        book.end(f"a:{number}", 10)
    assert book.is_out
    assert book.admit("a:x", 10, lambda _: True) == COOL_DOWN
    assert book.admit("a:x", 10 + COOL_DOWN, lambda _: True) == 0
    assert book.admit("b:x", 10 + COOL_DOWN, lambda _: True) > 0  # one at a time
    book.answered()
    assert book.admit("b:x", 10 + COOL_DOWN, lambda _: True) == 0


def test_what_was_noted_before_the_machine_was_started_is_forgotten() -> None:
    values: dict = {}
    policy = parse("1/h, 1 parallel")
    assert Book(values, policy).admit("a:1", 9000, lambda _: True) == 0
    assert Book(values, policy).admit("b:1", 20, lambda _: True) == 0


def test_a_broken_state_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "wiki.json").write_text("{")
    clock = Clock()

    async def once() -> None:
        async with limiter(tmp_path, "1/min", clock).turn():
            pass

    asyncio.run(once())
    assert json.loads((tmp_path / "wiki.json").read_text())["open"] == {}


def test_a_cancelled_wait_leaves_the_queue(tmp_path: Path) -> None:
    turns = Turns(tmp_path)
    wiki = Limiter(turns, key="wiki", name="wikipedia", policy=parse("1 parallel"))

    async def over() -> None:
        async with wiki.turn():
            waiting = asyncio.ensure_future(two_pause(wiki, Clock()))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert wiki._state.read()["queue"]
            waiting.cancel()
            await asyncio.wait({waiting})
            assert wiki._state.read()["queue"] == []

    asyncio.run(over())
    turns.close()
    assert not list((tmp_path / "processes").iterdir())


def alone(_: str) -> bool:
    return True


def asked(values: dict, limits: str, times: list[float]) -> None:
    """Requests of a run with these limits that start and end at once; each has its turn."""
    for number, now in enumerate(times):
        book = Book(values, parse(limits))
        assert book.admit(f"a:{now}:{number}", now, alone) == 0
        book.end(f"a:{now}:{number}", now)


@pytest.mark.parametrize("before", ["200/min", "off", "9/s, 2 parallel"])
def test_a_run_with_other_limits_counts_what_was_asked_before(before: str) -> None:
    values: dict = {}
    asked(values, before, [1000.0 + 10 * number for number in range(5)])
    wait = Book(values, parse("5/h")).admit("b:1", 1060.0, alone)
    assert 3540 <= wait <= 3540 * 1.05
    assert Book(values, parse("6/h")).admit("b:2", 1060.0, alone) > 0  # b:1 waits before it
    assert Book(values, parse("7/h")).admit("b:2", 1060.0, alone) == 0


def test_two_rates_of_one_length_count_a_request_once() -> None:
    values: dict = {}
    asked(values, "5/min, 4/min", [1000.0, 1001.0, 1002.0])
    assert Book(values, parse("5/min, 4/min")).admit("b:1", 1003.0, alone) == 0


def test_a_day_of_requests_stays_small_and_is_never_counted_too_early() -> None:
    ends: window.Ends = []
    times = [n * 28.8 + n % 7 for n in range(3_000)]
    for end in times:
        window.note(ends, end, longest=86_400)
    assert sum(count for _, _, count in ends) == len(times)
    assert len(ends) < 600
    now = times[-1]
    for rate in (
        Rate(count=1, seconds=60),
        Rate(count=5, seconds=3600),
        Rate(count=99, seconds=86_400),
    ):
        exact = sorted(times)[-rate.count] + rate.seconds - now
        found = window.wait(ends, rate, now, ahead=0)
        assert found is not None
        assert exact - 1e-6 <= found <= exact + rate.seconds * 0.011
    for number in range(16):
        window.note(ends, now + 2 * 86_400 + number, longest=60)
    assert len(ends) <= 16  # nothing is kept for ever


def test_who_waits_writes_nothing_and_looks_seldom(tmp_path: Path) -> None:
    clock = Clock()
    limits = [limiter(tmp_path, "1 parallel", clock) for _ in range(2)]
    writes = set()

    async def looks(seconds: float) -> None:
        clock.slept.append(seconds)
        clock.now += seconds
        writes.add((tmp_path / "wiki.json").stat().st_ino)
        await asyncio.sleep(0)
        if len(clock.slept) == 20:
            raise asyncio.CancelledError

    limits[1]._turns.sleep = looks

    async def cancelled() -> None:
        async with limits[0].turn():
            with pytest.raises(asyncio.CancelledError):
                await two_pause(limits[1], clock)

    asyncio.run(cancelled())
    assert len(writes) == 1
    assert min(clock.slept) >= 0.05


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        (
            OUTAGE,
            "wikipedia does not answer, and is left alone: it is being tried again by one request",
        ),
        (
            0,
            f"no turn for wikipedia (1 parallel) within {LONGEST_WAIT:g} s: race with fewer workers",
        ),
    ],
)
def test_who_waits_for_an_end_that_nobody_knows_is_told_no_time(
    tmp_path: Path, faults: int, said: str
) -> None:
    clock = Clock()
    one, two = (limiter(tmp_path, "1 parallel", clock) for _ in range(2))

    async def both() -> None:
        async with one.turn() as turn:
            for _ in range(faults):
                await turn.failed()
            await two_pause(two, clock)

    with pytest.raises(HeldBack) as told:
        asyncio.run(both())
    assert str(told.value).startswith(said)


def test_one_call_waits_no_longer_for_its_tries_together(tmp_path: Path) -> None:
    clock = Clock()
    wiki = limiter(tmp_path, "1/min", clock)

    async def tries() -> None:
        for _ in range(9):
            async with wiki.turn():
                pass

    with metered() as meter, pytest.raises(HeldBack):
        asyncio.run(tries())
    assert 60 < sum(meter.waited.values()) <= LONGEST_WAIT


def test_a_request_that_was_never_sent_counts_for_no_limit(tmp_path: Path) -> None:
    clock = Clock()
    wiki = limiter(tmp_path, "1/day, 1 parallel", clock)

    async def two() -> None:
        async with wiki.turn() as turn:
            turn.was_unsent = True
        async with wiki.turn():
            pass

    asyncio.run(two())
    assert not clock.slept


@pytest.mark.parametrize(("pause", "is_out"), [(COOL_DOWN, True), (4 * COOL_DOWN, False)])
def test_an_outage_is_forgotten_when_nobody_has_looked_for_long(pause: float, is_out: bool) -> None:
    book = Book({}, Policy())
    for _ in range(OUTAGE):
        book.failed(100.0)
    book.admit("p:1", 101.0 + pause, lambda _: True)
    assert book.is_out == is_out


def aged(folder: Path, seconds: float) -> None:
    """Let all files be so old."""
    for path in folder.glob("*.*"):
        moment = path.stat().st_mtime - seconds
        os.utime(path, (moment, moment))


def asked_once(folder: Path, limits: str = "1/min", key: str = "wiki") -> None:
    async def once() -> None:
        turns = Turns(folder)
        async with Limiter(turns, key=key, name=key, policy=parse(limits)).turn():
            pass
        turns.close()

    asyncio.run(once())


@pytest.mark.parametrize(
    ("limits", "days", "is_there"),
    [("1/min", 0.9, True), ("1/min", 1.1, False), ("1/3day", 2.9, True), ("1/3day", 3.1, False)],
)
def test_states_that_say_nothing_any_more_are_removed_by_a_later_run(
    tmp_path: Path, limits: str, days: float, *, is_there: bool
) -> None:
    asked_once(tmp_path, limits, key="old")
    aged(tmp_path, days * 86_400)
    asked_once(tmp_path)
    assert {path.name for path in tmp_path.glob("old.*")} == (
        {"old.json", "old.lock"} if is_there else set()
    )
    assert (tmp_path / "wiki.json").exists()


def test_a_state_that_is_being_changed_is_not_removed(tmp_path: Path) -> None:
    asked_once(tmp_path, key="old")
    aged(tmp_path, 9 * 86_400)
    with SharedState(tmp_path / "old.json").changing():
        asked_once(tmp_path)
        assert (tmp_path / "old.json").exists()


def test_who_waits_for_a_state_that_is_removed_meanwhile_changes_the_new_one(
    tmp_path: Path,
) -> None:
    state, seen = SharedState(tmp_path / "x.json"), list[dict]()
    began = threading.Event()

    def waits() -> None:
        began.set()
        with state.changing() as values:
            values["late"] = 1

    def removed(values: dict, _: float) -> bool:
        waiting.start()
        began.wait(5)
        time.sleep(0.1)  # for it to have opened the lock that goes now
        seen.append(dict(values))
        return True

    with state.changing() as values:
        values["first"] = 1
    waiting = threading.Thread(target=waits)
    state.forget(removed)
    waiting.join(5)
    assert seen == [{"first": 1}]
    assert state.read() == {"late": 1}
    with state.changing() as values:
        assert values == {"late": 1}


def test_marks_of_killed_processes_are_removed_and_those_of_others_stay(tmp_path: Path) -> None:
    marks = tmp_path / "processes"
    living = Owner(marks)
    (marks / "killed").touch()
    asked_once(tmp_path)
    assert [path.name for path in marks.iterdir()] == [living.name]
    assert lives(marks, living.name)
    living.close()


def test_a_request_counts_as_many_as_its_service_says(tmp_path: Path) -> None:
    clock = Clock()
    maps = limiter(tmp_path, "10/min, 2 parallel", clock)
    times = []

    async def ask(weight: int) -> None:
        async with maps.turn(weight):
            times.append(clock.now)

    async def one_after_another() -> None:
        for weight in (4, 4, 3, 25, 1):
            await ask(weight)

    asyncio.run(one_after_another())
    waits = [later - earlier for earlier, later in itertools.pairwise(times)]
    # 4 and 4 fit, 3 more don't; what weighs more than the whole limit waits for all else, and all else for it.
    assert waits == [0, *[pytest.approx(60, abs=0.5)] * 3]
    assert json.loads((tmp_path / "wiki.json").read_text())["weights"] == {}


def test_what_is_under_way_and_what_waits_count_by_weight_too() -> None:
    book = Book({}, parse("10/min"))
    assert book.admit("a:1", 1, lambda _: True, 8) == 0
    assert book.admit("b:1", 1, lambda _: True, 3) > 0
    assert book.admit("b:2", 1, lambda _: True) > 0  # 8, and 3 before it
    book.drop("a:1")
    assert book.admit("b:1", 1, lambda _: True, 3) == 0
    assert book.admit("b:2", 1, lambda _: True) == 0


def test_a_process_that_stands_still_keeps_nobody_waiting_for_good() -> None:
    """Its request under way is taken for over, its place in the queue for given up."""
    book = Book({}, parse("1 parallel"))
    assert book.admit("stopped:1", 1, lambda _: True) == 0
    assert book.admit("stopped:2", 1, lambda _: True) > 0
    for now in range(2, int(LONGEST_TURN), 5):
        assert book.admit("b:1", float(now), lambda _: True) > 0
    assert book.admit("b:1", 2 + LONGEST_TURN, lambda _: True) == 0
    book.end("stopped:1", 3 + LONGEST_TURN)  # it goes on: nothing of b's is lost by that
    assert book.admit("c:1", 3 + LONGEST_TURN, lambda _: True) > 0
    assert book.admit("stopped:2", 3 + LONGEST_TURN, lambda _: True) > 0
    book.end("b:1", 4 + LONGEST_TURN)
    assert book.admit("stopped:2", 4 + LONGEST_TURN, lambda _: True) > 0  # c came before its return
    assert book.admit("c:1", 4 + LONGEST_TURN, lambda _: True) == 0


def test_while_another_process_has_the_state_other_tasks_go_on(tmp_path: Path) -> None:
    state, done = SharedState(tmp_path / "x.json"), []

    async def changes() -> None:
        async with state.changing_in_turn() as values:
            values["mine"] = 1

    async def both() -> None:
        handle = os.open(tmp_path / "x.lock", os.O_RDWR | os.O_CREAT)
        fcntl.flock(handle, fcntl.LOCK_EX)
        waiting = asyncio.create_task(changes())
        await asyncio.sleep(0.02)
        done.append(waiting.done())
        os.close(handle)
        await waiting

    asyncio.run(both())
    assert done == [False]
    assert state.read() == {"mine": 1}


def test_a_lock_of_a_process_that_stands_still_is_taken_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_aar.manners.shared_state.LONGEST_HOLD", 0.02)
    stopped, other = (SharedState(tmp_path / "x.json") for _ in range(2))
    with stopped.changing() as values:
        values["late"] = 1
        with other.changing() as seen:
            seen["mine"] = 1
    assert other.read() == {"mine": 1}
    with stopped.changing() as values:
        assert values == {"mine": 1}


def test_a_wait_of_a_second_or_more_is_told_as_it_begins(tmp_path: Path) -> None:
    said: list[str] = []
    one = limiter(tmp_path, "2/min", Clock())

    async def three() -> None:
        METER.set(Meter(tell=said.append))
        for _ in range(3):
            async with one.turn():
                pass

    asyncio.run(three())
    assert said == ["waiting 60 s for a turn at wikipedia (2/min)"]
