"""Which requests to services are tried again, after which pause, and which are not."""

import asyncio
import gzip
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import stamina
from tool_calls import Recorder, ask, failure, value
from waiting import metered
from weather_call import BERLIN, WEATHER

from pytest_aar.manners.held_back import HeldBack
from pytest_aar.manners.meter import LONGEST_WAIT
from pytest_aar.tools import SANDBOX, Services, ToolResult, call
from pytest_aar.tools.exchange import TRIES_LEFT, _TryAgainError, _wait_or_give_up

FOUND = {"organic": [{"title": "Lima", "link": "https://x.test/", "snippet": ""}]}


@pytest.fixture(autouse=True)
def _no_pauses() -> Iterator[None]:
    with stamina.set_testing(True, attempts=4, cap=True):
        yield


class Breaks:
    """A handler that fails in one way, then answers."""

    def __init__(self, fault: Exception, then: object, times: int = 1) -> None:
        self.fault, self.then, self.times, self.asked = fault, then, times, 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.asked <= self.times:
            raise self.fault
        return httpx.Response(200, json=self.then)


@pytest.mark.parametrize(
    "fault",
    [
        httpx.ConnectError("refused"),
        httpx.ReadError("reset"),
        httpx.ReadTimeout("late"),
        httpx.RemoteProtocolError("peer closed connection without sending complete message body"),
        httpx.DecodingError("incorrect header check"),
    ],
)
def test_connections_that_fail_and_bodies_that_break_off_are_tried_again(fault: Exception) -> None:
    broken = Breaks(fault, WEATHER)
    found = ask("weather_historical", BERLIN, broken, attempts=4)
    assert value(found)["daily"] == WEATHER["daily"]
    assert broken.asked == 2


def test_a_search_by_post_is_tried_again() -> None:
    broken = Breaks(httpx.ReadError("reset"), FOUND)
    assert value(ask("web_search", {"query": "lima"}, broken, attempts=4))["count"] == 1
    assert broken.asked == 2


def test_json_that_breaks_off_is_tried_again_and_other_types_are_not() -> None:
    cut = httpx.Response(
        200, headers={"content-type": "application/json"}, content=b'{"daily": {"ti'
    )
    seen = Recorder(cut, WEATHER)
    assert value(ask("weather_historical", BERLIN, seen, attempts=4))["daily"] == WEATHER["daily"]
    assert len(seen.requests) == 2
    page = Recorder(httpx.Response(200, text="<html>", headers={"content-type": "text/html"}))
    assert failure(ask("weather_historical", BERLIN, page, attempts=4))[0] == "upstream"
    assert len(page.requests) == 1


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"error": True, "reason": "Parameter out of range"}, "bad_arguments"),
        (401, {}, "denied"),
        (403, {}, "denied"),
        (404, {}, "upstream"),
        (413, {}, "bad_arguments"),
        (414, {}, "bad_arguments"),
        (431, {}, "bad_arguments"),
        (429, {"reason": "Hourly API request limit exceeded. Please try again in the next hour."}, "quota"),
        (429, {"reason": "Daily API request limit exceeded. Please try again tomorrow."}, "quota"),
    ],
)  # fmt: skip
def test_what_another_try_will_not_change_is_asked_once(status: int, body: dict, kind: str) -> None:
    seen = Recorder(httpx.Response(status, json=body))
    assert failure(ask("weather_historical", BERLIN, seen, attempts=4))[0] == kind
    assert len(seen.requests) == 1


def test_credits_that_are_gone_are_not_asked_for_again() -> None:
    seen = Recorder(httpx.Response(429, json={"message": "Not enough credits", "statusCode": 429}))
    assert failure(ask("web_search", {"query": "x"}, seen, attempts=4))[0] == "quota"
    assert len(seen.requests) == 1


def test_half_a_key_at_the_end_of_an_excerpt_is_no_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sesame-8f3b2c91d7e64a05"
    monkeypatch.setenv("SERPER_API_KEY", key)
    page = httpx.Response(403, text=f"{'x' * 188} {key}", headers={"content-type": "text/html"})
    message = failure(ask("weather_historical", BERLIN, lambda _: page))[1]
    assert message.startswith("Open-Meteo answered HTTP 403: xxx")
    assert key[:6] not in message


def test_server_faults_are_tried_four_times_in_all() -> None:
    seen = Recorder(httpx.Response(503))
    assert failure(ask("weather_historical", BERLIN, seen, attempts=4))[0] == "upstream"
    assert len(seen.requests) == 4


def test_a_request_that_had_no_turn_is_not_tried_again() -> None:
    for is_out, kind in ((False, "quota"), (True, "upstream")):
        held = Breaks(HeldBack("no turn for weather", seconds=400, is_out=is_out), WEATHER, times=9)
        found, message = failure(ask("weather_historical", BERLIN, held, attempts=4))
        assert (found, message) == (kind, "no turn for weather")
        assert held.asked == 1


def pause(asked: str | None, *, source: str = "live", tries_left: int = 3) -> bool | float:
    headers = {} if asked is None else {"retry-after": asked}
    told = httpx.Response(429, headers=headers, extensions={"aar_source": source})
    told.request = httpx.Request("GET", "https://x.test", extensions={TRIES_LEFT: tries_left})
    return _wait_or_give_up(_TryAgainError(told, True))


def test_pauses_are_as_long_as_asked_and_a_little_more_by_chance() -> None:
    pauses = {pause("20") for _ in range(20)}
    assert all(20 <= each <= 22 for each in pauses)
    assert len(pauses) > 1
    assert pause(None) is True  # stamina's own, which grow and vary
    assert pause("0") == 0
    assert pause("3600") is False


def test_pauses_and_turns_of_a_call_are_two_minutes_together() -> None:
    with metered() as meter:
        meter.wait("maps (1/min)", 40)
        assert pause("50") is not False
        assert 15 < meter.patience <= 30
        assert pause("30") is False
        assert pause(None) is True
        meter.wait("maps (1/min)", 30)
        assert meter.patience == 0
        assert pause(None) is False
        assert pause("0") == 0


def test_the_last_try_is_followed_by_no_pause() -> None:
    with metered() as meter:
        assert pause("50", tries_left=0) is not False
        assert meter.patience == LONGEST_WAIT


def test_a_recorded_failure_is_not_waited_for() -> None:
    assert pause("20", source="replayed") == 0.0
    assert pause(None, source="replayed") == 0.0


@contextmanager
def resetting_once(body: bytes) -> Iterator[str]:
    """A real server that breaks off its first reply within the body."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for number in range(2):
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                head = (
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n"
                    f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
                )
                connection.sendall(head.encode() + (body if number else body[: len(body) // 2]))

    thread = threading.Thread(target=serve, daemon=True)  # a test that fails may leave it
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    thread.join(5)
    listening.close()


def test_a_real_connection_that_breaks_off_is_tried_again() -> None:
    body = gzip.compress(json.dumps(WEATHER).encode())

    async def asked(url: str) -> ToolResult:
        async with httpx.AsyncClient(trust_env=False) as client:
            endpoints = SANDBOX.with_overrides({"weather": url})
            services = Services(http=client, endpoints=endpoints, attempts=4)
            return await call("weather_historical", BERLIN, services)

    with resetting_once(body) as url:
        assert value(asyncio.run(asked(url)))["daily"] == WEATHER["daily"]
