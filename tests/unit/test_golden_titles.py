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


def resolved(
    handler: Callable[[httpx.Request], httpx.Response],
    tape: Tape | None = None,
    leg: Leg | None = None,
    **options: Any,
) -> dict[str, str]:
    http = httpx.AsyncClient(transport=TapedRoad(httpx.MockTransport(handler)))
    services = Services(http=http, **{"endpoints": LIVE, **options})

    def opener(name: str, settings: Settings, **_: Any) -> Any:
        return _world(name, settings, services)

    with Gateway(Settings(), open_world=opener) as gate:
        return gate.golden_redirects(leg or live_leg(), tape)


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
    assert resolved(nobody, tape, attempts=4) == {}
    assert (tape.misses, tape.fault) == ((), None)
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    "handler",
    [
        unplugged,
        lambda _: httpx.Response(403, text="Please set a user-agent"),
        lambda _: httpx.Response(200, json={"error": {"code": "maxlag", "info": "x"}}),
        lambda _: httpx.Response(200, json=[1]),
    ],
)
def test_no_failure_of_the_wiki_is_the_races(
    handler: Callable[[httpx.Request], httpx.Response],
) -> None:
    assert resolved(handler) == {}


def test_it_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_aar.gateway import golden_titles as module  # noqa: PLC0415 - this test's alone

    async def silent(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(module, "_MOST_SECONDS", 0.05)
    assert resolved(silent) == {}  # type: ignore[arg-type] # a transport takes coroutines, too


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
