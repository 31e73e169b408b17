"""Tool requests that failed for good are recorded and fail alike in a replay; mended and cut ones are not."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest
import stamina
from weather_call import BERLIN, WEATHER

from pytest_aar.cassettes import TapeOptions, cassette_file, open_tape
from pytest_aar.cassettes.journal import read_journal
from pytest_aar.cassettes.paths import partial_path
from pytest_aar.errors import ConnectionBlocked, ReplayDiverged
from pytest_aar.gateway.tool_road import RACE_TAPE, TapedRoad
from pytest_aar.manners.blocked import Blocked
from pytest_aar.manners.bodies import TooLongReply
from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.meter import LONGEST_WAIT, METER, Meter
from pytest_aar.tools import SANDBOX, Services, ToolResult, TransportDecides, call

ATTEMPTS = 4
FAULTS = [
    httpx.ConnectError("All connection attempts failed"),
    httpx.ReadError(""),
    Blocked("no such host here"),
    TooLongReply("the reply has more than 5 bytes: ask for less at once"),
    httpx.ReadTimeout("no whole reply within 90 s"),
    httpx.RemoteProtocolError("peer closed connection without sending complete message body"),
    httpx.DecodingError("incorrect header check"),
    HeldBack("weather: the next turn is in 400 s", seconds=400.0, is_out=False),
    HeldBack("weather does not answer, and is left alone", seconds=30.0, is_out=True),
]

TOOLS = TapeOptions(kind="tools", owner="golden")

Network = Callable[[httpx.Request], Awaitable[httpx.Response]]


@pytest.fixture(autouse=True)
def _no_pauses() -> Iterator[None]:
    with stamina.set_testing(True, attempts=ATTEMPTS, cap=True):
        yield
    RACE_TAPE.set(None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tools.json"


def network(*ends: Exception | httpx.Response) -> Network:
    """One end for each request, the last one for all that follow."""
    left = list(ends)

    async def answer(_: httpx.Request) -> httpx.Response:
        end = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(end, Exception):
            raise end
        return end

    return answer


async def offline(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"a replay went to the network: {request.url}")


async def weather(below: Network) -> ToolResult:
    async with httpx.AsyncClient(transport=TapedRoad(httpx.MockTransport(below))) as client:
        services = Services(
            http=client, endpoints=SANDBOX, guard=TransportDecides(), attempts=ATTEMPTS
        )
        return await call("weather_historical", BERLIN, services)


def record(path: Path, *networks: Network) -> list[ToolResult]:
    tape = open_tape(path, mode="extend", options=TOOLS)
    RACE_TAPE.set(tape)
    results = [asyncio.run(weather(below)) for below in networks]
    tape.save()
    tape.close()
    return results


def replay(path: Path) -> tuple[ToolResult, int]:
    """The result, and how many answers of the tape it took."""
    tape = open_tape(path, mode="none", options=TOOLS)
    RACE_TAPE.set(tape)
    result = asyncio.run(weather(offline))
    assert (tape.misses, tape.unplayed) == ((), ())
    return result, tape.hits


def statuses(path: Path) -> Sequence[int]:
    return [each.status for each in cassette_file.read(path).interactions]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_who_failed_for_good_fails_alike_and_at_once_in_a_replay(
    path: Path, fault: Exception
) -> None:
    (recorded,) = record(path, network(fault))
    assert not recorded.ok
    assert str(fault) in recorded.text
    assert replay(path) == (recorded, 1)
    assert statuses(path) == [599]


@pytest.fixture
def impatient() -> Iterator[Meter]:
    """The meter of a call that has waited for so long that no try may follow another."""
    meter = Meter(waited={"weather (1/min)": LONGEST_WAIT - 1})
    token = METER.set(meter)
    yield meter
    METER.reset(token)


def test_without_patience_the_first_failure_is_the_last(path: Path, impatient: Meter) -> None:
    mended = network(httpx.ReadError("reset"), httpx.Response(200, json=WEATHER))
    (recorded,) = record(path, mended)
    assert (recorded.ok, "(ReadError: reset)" in recorded.text) == (False, True)
    assert statuses(path) == [599]
    impatient.waited.clear()  # a replay waits for nothing
    assert replay(path) == (recorded, 1)


def test_who_may_not_leave_is_blocked_in_a_replay_too(path: Path) -> None:
    """Although the cause is another exception, which no tape holds."""
    fault = httpx.ConnectError("weather.aar.test: not allowed")
    fault.__cause__ = ConnectionBlocked("weather.aar.test")
    (recorded,) = record(path, network(fault))
    assert recorded.error_kind == "blocked"
    assert replay(path) == (recorded, 1)


def test_the_failure_of_the_last_try_is_the_one_that_is_replayed(path: Path) -> None:
    reset, late = httpx.ReadError("reset"), httpx.ReadTimeout("late")
    (recorded,) = record(path, network(httpx.Response(503), reset, reset, late))
    assert recorded.error_kind == "timeout"
    assert replay(path) == (recorded, 1)


def test_what_a_retry_mended_is_recorded_without_the_failures(path: Path) -> None:
    resets = [httpx.ReadError("reset")] * (ATTEMPTS - 1)
    (recorded,) = record(path, network(*resets, httpx.Response(200, json=WEATHER)))
    assert recorded.ok
    assert statuses(path) == [200]
    assert replay(path) == (recorded, 1)


def test_a_later_call_of_the_race_goes_to_the_network_again(path: Path) -> None:
    works = network(httpx.Response(200, json=WEATHER))
    failed, worked = record(path, network(FAULTS[0]), works)
    assert (failed.ok, worked.ok) == (False, True)
    assert statuses(path) == [200]


@pytest.mark.parametrize("failures", [0, 1, ATTEMPTS - 1])
def test_a_request_that_the_races_end_cut_is_not_recorded(path: Path, failures: int) -> None:
    """In the first try, and in later ones."""
    fails = network(httpx.ReadError("reset"))
    begun = 0

    async def below(request: httpx.Request) -> httpx.Response:
        nonlocal begun
        begun += 1
        if begun > failures:
            cut.set()
            await asyncio.Future()
        return await fails(request)

    async def race() -> None:
        nonlocal cut
        cut = asyncio.Event()
        task = asyncio.create_task(weather(below))
        await cut.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    cut = asyncio.Event()
    tape = open_tape(path, mode="extend", options=TOOLS)
    RACE_TAPE.set(tape)
    asyncio.run(race())
    assert (begun, tape.recorded) == (failures + 1, 0)
    tape.save()
    tape.close()
    assert statuses(path) == []
    with pytest.raises(ReplayDiverged):
        replay(path)


def test_an_interrupted_recording_goes_on_with_another_try(path: Path) -> None:
    tape = open_tape(path, mode="extend", options=TOOLS)
    RACE_TAPE.set(tape)
    assert not asyncio.run(weather(network(FAULTS[0]))).ok
    tape.close()
    assert [each.status for each in read_journal(partial_path(path, "golden"))] == [599]
    (recorded,) = record(path, network(httpx.Response(200, json=WEATHER)))
    assert recorded.ok
    assert statuses(path) == [200]


def test_a_service_cant_pass_for_a_failure(path: Path) -> None:
    told = {"message": "left alone", "seconds": 1, "is_out": True}
    spoof = httpx.Response(
        200, headers={"content-type": "application/vnd.pytest-aar.lost+json"}, json=told
    )
    (recorded,) = record(path, network(spoof))
    assert (recorded.ok, "octet-stream" in recorded.text) == (False, True)
    assert replay(path) == (recorded, 1)
