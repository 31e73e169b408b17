"""Golden pages resolved in the live world: live, on a tape, from it, and when nobody answers."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import LEG
from tool_calls import Recorder

from pytest_aar.cassettes import Tape, open_tape
from pytest_aar.gateway import Gateway
from pytest_aar.gateway.redirects import Redirects
from pytest_aar.gateway.tool_road import TapedRoad
from pytest_aar.leg import Leg, RouteInfo
from pytest_aar.race.titles import golden_titles
from pytest_aar.score import score
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, Services
from pytest_aar.trace import Finish, ToolCall, Trace

EN = "https://en.wikipedia.org/wiki/"
KIWIX = replace(LIVE, wikipedia="kiwix+http://k.test/content/b")
REPLY = {
    "query": {
        "pages": [{"title": name} for name in ("Start", "Alpha (letter)", "Beta")],
        "redirects": [{"from": "Alpha", "to": "Alpha (letter)"}],
    }
}
FINAL = {f"{EN}Start": f"{EN}Start", f"{EN}Alpha": f"{EN}Alpha_(letter)", f"{EN}Beta": f"{EN}Beta"}


def live_leg(base: str = EN) -> Leg:
    stops = tuple(
        replace(stop, page_url=(stop.page_url or "").replace("https://wiki.aar.test/wiki/", base))
        if isinstance(stop, RouteInfo)
        else stop
        for stop in LEG.stops
    )
    return replace(LEG, stops=stops, seed_url=f"{base}Start")


@asynccontextmanager
async def _world(name: str, settings: Settings, services: Services) -> AsyncIterator[Any]:
    class Opened:
        world_hash = None

    Opened.services = services  # type: ignore[attr-defined] # a world of two facts
    yield Opened


def asked(
    handler: Callable[[httpx.Request], httpx.Response],
    tape: Tape | None = None,
    leg: Leg | None = None,
    **options: Any,
) -> Redirects:
    http = httpx.AsyncClient(transport=TapedRoad(httpx.MockTransport(handler)))
    services = Services(http=http, **{"endpoints": LIVE, **options})

    def opener(name: str, settings: Settings, **_: Any) -> Any:
        return _world(name, settings, services)

    with Gateway(Settings(), open_world=opener) as gate:
        return gate.golden_redirects(leg or live_leg(), tape)


def resolved(*arguments: Any, **options: Any) -> dict[str, str]:
    return dict(asked(*arguments, **options).final)


def nobody(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"a replay asked the network: {request.url}")


def unplugged(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("no route to host", request=request)


def test_all_golden_titles_of_a_leg_are_one_query() -> None:
    seen = Recorder(REPLY)
    assert resolved(seen) == FINAL
    assert len(seen.requests) == 1
    assert seen.params()["titles"] == "Start|Alpha|Beta|Gamma"


def test_other_languages_are_asked_at_their_own_wiki() -> None:
    leg = live_leg("https://de.m.wikipedia.org/wiki/")
    seen = Recorder(REPLY)
    found = resolved(seen, leg=leg)
    assert seen.requests[0].url.host == "de.wikipedia.org"
    assert found["https://de.m.wikipedia.org/wiki/Alpha"].endswith(
        "de.wikipedia.org/wiki/Alpha_(letter)"
    )


def test_they_are_recorded_and_replayed_without_the_network(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    tape = open_tape(path, mode="all")
    assert resolved(Recorder(REPLY), tape) == FINAL
    tape.save()
    tape.close()
    tape = open_tape(path, mode="none")
    assert resolved(nobody, tape, attempts=4) == FINAL
    assert (tape.hits, tape.fault) == (1, None)


def test_a_recording_without_them_does_not_diverge(tmp_path: Path) -> None:
    """One that was made before they were asked for, or offline."""
    path = tmp_path / "tools.json"
    tape = open_tape(path, mode="all")
    resolved(Recorder(REPLY), tape, leg=live_leg("https://de.wikipedia.org/wiki/"))
    tape.save()
    tape.close()
    tape = open_tape(path, mode="none")
    started = time.monotonic()
    found = asked(nobody, tape, attempts=4)
    assert (found.final, "titles=Start" in found.failure) == ({}, True)
    assert (tape.misses, tape.fault) == ((), None)
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (unplugged, "Wikipedia can't be reached at en.wikipedia.org (ConnectError: no route to host): check"),
        (lambda _: httpx.Response(403, text="Please set a user-agent"), "HTTP 403: Please set a user-agent"),
        (lambda _: httpx.Response(200, json={"error": {"code": "maxlag", "info": "x"}}), "maxlag: x"),
        (lambda _: httpx.Response(200, json=[1]), "Wikipedia answered in an unknown shape"),
    ],
)  # fmt: skip
def test_no_failure_of_the_wiki_is_the_races_yet_each_is_told(
    handler: Callable[[httpx.Request], httpx.Response], said: str
) -> None:
    found = asked(handler)
    assert (found.final, said in found.failure) == ({}, True), found.failure


def test_a_wiki_that_answers_has_no_failure_though_pages_are_gone() -> None:
    found = asked(Recorder(REPLY))
    assert (found.failure, f"{EN}Gamma" in found.final) == ("", False)


def test_one_language_that_fails_does_not_cost_another_its_pages() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "de.wikipedia.org":
            return httpx.Response(503, text="busy")
        return httpx.Response(200, json=REPLY)

    leg = replace(live_leg(), seed_url="https://de.wikipedia.org/wiki/Start")
    found = asked(answer, leg=leg)
    assert found.final[f"{EN}Alpha"] == f"{EN}Alpha_(letter)"
    assert found.failure == "Wikipedia answered HTTP 503: busy"


def test_it_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_aar.gateway import golden_titles as module  # noqa: PLC0415 - this test's alone

    async def silent(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(module, "_MOST_SECONDS", 0.05)
    found = asked(silent)  # type: ignore[arg-type] # a transport takes coroutines, too
    assert (found.final, found.failure) == ({}, "Wikipedia gave no answer within 0.05 s")


def test_a_kiwix_server_is_not_asked() -> None:
    assert resolved(nobody, endpoints=KIWIX) == {}


def test_the_score_counts_a_page_under_both_names_and_flags_what_is_not_known() -> None:
    fetched = [f"{EN}Start", f"{EN}Alpha_(letter)", f"{EN}Gamma_ray"]
    events = tuple(
        ToolCall(name="fetch_webpage", arguments={"url": url}, ok=True, text="", final_url=url)
        for url in fetched
    )
    end = Finish(ending="answered", answer=6)
    known = score(
        live_leg(), Trace(events=events), end, titles=golden_titles(live_leg(), "live", FINAL)
    )
    assert (known.pvr, known.pages_unresolved) == (0.5, 1)
    unknown = score(live_leg(), Trace(events=events), end, titles=golden_titles(live_leg(), "live"))
    assert (unknown.pvr, unknown.pages_unresolved) == (0.25, 3)
