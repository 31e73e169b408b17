"""Races and live services that refuse or fail: who needs them is no loser, who doesn't goes on."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import LEG, answer, order, post
from refused_maps import DENIED, GEOCODE, World
from strict_server import StrictServer
from waiting import Clock

from pytest_aar.agents import Course, Limits
from pytest_aar.errors import InfrastructureError, ServiceRefused, ServiceUnavailable
from pytest_aar.gateway import Gateway, needs
from pytest_aar.gateway.needed_tools import NeededTools
from pytest_aar.gateway.needs import needed_languages, needed_tools, without_key
from pytest_aar.leg import ChainStep, ClueEnvelope
from pytest_aar.manners.directory import Directory
from pytest_aar.manners.limiter import Turns
from pytest_aar.manners.meter import Meter, Note
from pytest_aar.manners.refusals import Refusals
from pytest_aar.manners.road import Manners, MannersRoad
from pytest_aar.race import Track
from pytest_aar.race.boundary import worth_a_retry
from pytest_aar.race.services import check_services
from pytest_aar.settings import Settings
from pytest_aar.tools import LIVE, SANDBOX, Endpoints, Services, ToolResult, TransportDecides, call
from pytest_aar.tools.result import error
from pytest_aar.trace import Finish

Answer = Callable[[httpx.Request], httpx.Response]


def civil_gateway(
    folder: Path,
    reply: Answer,
    limits: dict[str, str] | None = None,
    endpoints: Endpoints = SANDBOX,
) -> Gateway:
    """A gateway whose little world is asked with manners."""
    clock = Clock()

    @asynccontextmanager
    async def opened(name: str, settings: Settings, **_: Any) -> AsyncIterator[World]:
        turns = Turns(folder / "turns", clock=clock, sleep=clock.sleep)
        manners = Manners(turns=turns, refusals=Refusals(folder), pages=None)
        bases = {
            "geocoding": "https://maps.aar.test",
            "countries": "https://countries.aar.test",
            "wikipedia": endpoints.wikipedia,
        }
        find = Directory(bases, limits or {}).place
        road = MannersRoad(httpx.MockTransport(reply), manners, find=find, keeps=frozenset())
        outside = MannersRoad(
            httpx.MockTransport(reply), manners, find=Directory({}, limits or {}).page,
            keeps=frozenset(), heeds=False,
        )  # fmt: skip
        async with (
            httpx.AsyncClient(transport=road) as http,
            httpx.AsyncClient(transport=outside) as pages,
        ):
            services = Services(
                http=http, pages=pages, endpoints=endpoints, guard=TransportDecides()
            )
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
    assert told.startswith("access denied by maps (key in GOOGLE_API_KEY), HTTP 200: ")
    assert "billing is off" in told
    assert told.endswith(" (maps_geocode needs it); then go on with --aar-resume")
    assert not worth_a_retry(race.problem)
    with pytest.raises(
        ServiceRefused, match=r"^access denied by maps \(key in GOOGLE_API_KEY\).* \(not raced\)$"
    ):
        check_services(LEG, Refusals(tmp_path), {"GOOGLE_API_KEY": "k"}, {})


def test_legs_that_do_not_need_it_go_on(tmp_path: Path) -> None:
    stops = tuple(stop for stop in LEG.stops if stop.index != 3)
    leg = replace(LEG, stops=stops)
    with civil_gateway(tmp_path, refuses_maps) as gate, gate.open_race(order(leg)) as race:
        assert not post(race, gate, GEOCODE[0], json=GEOCODE[1]).json().get("place_id")
        assert race.problem is None
    assert Refusals(tmp_path).given_up() == {}
    check_services(leg, Refusals(tmp_path), {}, {})


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


def test_a_race_ends_where_its_service_cannot_be_reached(tmp_path: Path) -> None:
    asked: list[str] = []

    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        raise httpx.ConnectError("no route")

    with civil_gateway(tmp_path, reply) as gate, gate.open_race(order()) as race:
        told = [post(race, gate, GEOCODE[0], json=GEOCODE[1]).json() for _ in range(3)]
        post(race, gate, "tools/countries_population", json={"country": "Norland"})
    assert isinstance(race.problem, ServiceUnavailable)
    assert worth_a_retry(race.problem)
    why = str(race.problem)
    assert why.startswith("maps at maps.aar.test did not answer (ConnectError: no route): ")
    assert why.endswith("; the leg needs maps_geocode: race it again with --aar-resume")
    assert asked == ["maps.aar.test"]  # what comes after is asked nowhere, and is no step
    assert len(race.trace().tool_calls) == 1
    assert told[1] == told[2] == {"error": {"kind": "upstream", "message": why}}


def test_a_race_goes_on_where_its_service_has_answered_before(tmp_path: Path) -> None:
    down: list[bool] = []

    def reply(request: httpx.Request) -> httpx.Response:
        if down:
            raise httpx.ConnectError("no route")
        return answer(request)

    with civil_gateway(tmp_path, reply) as gate, gate.open_race(order()) as race:
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
        down.append(True)
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
        assert "no route" in race.failing["maps_geocode"]
        assert race.problem is None
        down.clear()
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
        assert race.failing == {}
    assert race.problem is None


def test_what_a_leg_does_not_need_ends_no_race(tmp_path: Path) -> None:
    def reply(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route")

    leg = replace(LEG, stops=tuple(stop for stop in LEG.stops if stop.index != 3))
    with civil_gateway(tmp_path, reply) as gate, gate.open_race(order(leg)) as race:
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
    assert race.problem is None


def test_a_wrong_argument_does_not_end_an_outage(tmp_path: Path) -> None:
    reply = lambda _: httpx.Response(503)  # noqa: E731
    with civil_gateway(tmp_path, reply) as gate, gate.open_race(order()) as race:
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
        post(race, gate, GEOCODE[0], json={"wrong": 1})
    assert race.failing == {"maps_geocode": "maps answered HTTP 503"}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"status": "OVER_QUERY_LIMIT"}', "maps answered HTTP 200, too many requests"),
        ('{"status": "UNKNOWN_ERROR"}', "Geocoding answered UNKNOWN_ERROR for the address"),
        ('{"status": "OK", "resul', "answered HTTP 200 with application/json, not JSON"),
        ("<html>sign in</html>", "answered HTTP 200 with text/html, not JSON"),
    ],
)
def test_a_fault_that_comes_with_a_good_status_is_the_services(
    tmp_path: Path, body: str, told: str
) -> None:
    kind = {"content-type": "text/html" if body.startswith("<") else "application/json"}
    with (
        civil_gateway(tmp_path, lambda _: httpx.Response(200, headers=kind, text=body)) as gate,
        gate.open_race(order()) as race,
    ):
        post(race, gate, GEOCODE[0], json=GEOCODE[1])
    assert told in race.failing["maps_geocode"]


@pytest.mark.parametrize(
    ("code", "is_failing"), [("a-code-of-next-year", False), ("readonly", True)]
)
def test_an_error_of_the_wiki_is_its_own_only_where_it_says_so(
    tmp_path: Path, code: str, *, is_failing: bool
) -> None:
    """What an agent asks last, and be it nonsense, makes no infrastructure error of a lost race."""
    body = {"error": {"code": code, "info": "no"}}
    with (
        civil_gateway(tmp_path, lambda _: httpx.Response(200, json=body)) as gate,
        gate.open_race(order()) as race,
    ):
        asked = {"url": "https://wiki.aar.test/wiki/Start?variant=x"}
        reply = post(race, gate, "tools/fetch_webpage", json=asked).json()
    assert code in reply["error"]["message"]
    assert bool(race.failing) is is_failing
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
        "maps answered HTTP 503; the leg needs maps_geocode: race it again with --aar-resume"
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
    with StrictServer().running() as maps:
        record = raced_twice_in_a_minute(tmp_path, maps.url, {"maps": "1/min"}, monkeypatch)
    assert record.error == "ServiceUnavailable"
    # 0 or 1, as half a second is rounded
    assert record.detail.replace("for 1 s", "for 0 s").startswith(
        "the race's time of 0.5 s ran out, and for 0 s of it"
    )
    assert record.detail.endswith(
        "tools waited for their turn at live services, maps (1/min): race with fewer workers or a longer "
        "--aar-timeout, or see --aar-limits"
    )
    assert record.attempts == 1
    assert not worth_a_retry(ServiceUnavailable("x", final=True))
    assert worth_a_retry(ServiceUnavailable("x"))


def test_time_that_ran_out_in_a_pause_is_not_put_down_to_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    head = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 60\r\n"
    with StrictServer(head=head).running() as maps:
        record = raced_twice_in_a_minute(tmp_path, maps.url, {}, monkeypatch)
    assert record.error == "ServiceUnavailable"
    assert record.detail.endswith(
        "services, maps (pause asked for): race with fewer workers or a longer --aar-timeout, or later"
    )


def raced_twice_in_a_minute(
    tmp_path: Path, maps: str, limits: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    settings = Settings(
        world="live", record="off", timeout=0.5, limits=limits, infra_retries=1,
        services={"maps": maps},
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
        return track.race(LEG, Waits()).record
    finally:
        track.close()
        monkeypatch.setattr("tempfile.tempdir", None)


def test_what_a_leg_needs_is_known_from_its_chains() -> None:
    assert needed_tools(LEG) == (
        "fetch_webpage", "countries_population", "maps_geocode", "maps_elevation", "countries_area",
    )  # fmt: skip
    searched = replace(LEG.route_infos[0], search_query="Start")
    assert "web_search" in needed_tools(replace(LEG, stops=(searched, *LEG.stops[1:])))


@pytest.mark.parametrize(
    ("tools", "keys", "told"),
    [
        (("fetch_webpage", "countries_area"), {}, ""),
        (("maps_geocode",), {"GOOGLE_API_KEY": "k"}, ""),
        (("web_search",), {"SEARXNG_URL": "https://x.test"}, ""),
        (
            ("web_search", "maps_elevation", "maps_geocode"),
            {},
            "no GOOGLE_API_KEY for maps_geocode, maps_elevation; no SERPER_API_KEY for web_search "
            "(set them in the environment)",
        ),
        (
            ("maps_geocode",),
            {"SERPER_API_KEY": "k"},
            "no GOOGLE_API_KEY for maps_geocode (set it in the environment)",
        ),
    ],
)
def test_missing_keys_are_found_before_the_race(
    tools: tuple[str, ...], keys: dict[str, str], told: str
) -> None:
    found = without_key(tools, keys)
    assert (needs.told(found) if found else "") == told


def test_a_service_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    searched = replace(LEG.route_infos[0], search_query="Start")
    leg = replace(LEG, stops=(searched, *LEG.stops[1:]))
    own = {"searxng": "https://x.test", "maps": "https://y.test"}
    check_services(leg, Refusals(tmp_path), {}, own)
    with pytest.raises(ServiceRefused, match=r"^no SERPER_API_KEY for web_search \(set it"):
        check_services(leg, Refusals(tmp_path), {}, {"maps": "https://y.test"})
    with pytest.raises(
        ServiceRefused,
        match=r"^no GOOGLE_API_KEY for maps_geocode, maps_elevation \(set it",
    ):
        check_services(leg, Refusals(tmp_path), {}, {"searxng": "https://x.test"})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("maps_geocode", {"address": "Norland"}),
        ("maps_search_places", {"query": "zoo", "location": "1,2"}),
        ("maps_directions", {"origin": "A", "destination": "B"}),
    ],
)
def test_maps_of_ones_own_are_asked_without_a_key(tool: str, arguments: dict[str, str]) -> None:
    asked: list[httpx.Request] = []

    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(404)

    async def one() -> ToolResult:
        endpoints = LIVE.with_overrides({"maps": "https://y.test"})
        async with httpx.AsyncClient(transport=httpx.MockTransport(reply)) as http:
            return await call(tool, arguments, Services(http=http, endpoints=endpoints))

    assert "no key" not in asyncio.run(one()).text
    assert {request.url.host for request in asked} == {"y.test"}


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
    assert record.detail.startswith("no GOOGLE_API_KEY for maps_geocode")
    assert record.missing_keys == ("GOOGLE_API_KEY",)
    assert asked == []
    assert issubclass(ServiceRefused, InfrastructureError)
    assert json.dumps(record.detail)


class OutsideLast(Asks):
    """Ends with a page outside the encyclopedia, twice."""

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        for _ in range(2):
            await course.http.post("tools/fetch_webpage", json={"url": "https://x.example/a"})
        return Finish(ending="answered", answer=5)


@pytest.mark.parametrize(("status", "limits"), [(503, "off"), (429, "off"), (200, "1/day")])
def test_pages_outside_the_encyclopedia_void_no_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, limits: str
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    reply: Answer = lambda _: httpx.Response(status, text="x")  # noqa: E731
    gate = civil_gateway(tmp_path / "shared", reply, {"pages": limits})
    track = Track(gate.settings, tmp_path / "run", gateway=gate)
    try:
        record = track.race(LEG, OutsideLast()).record
    finally:
        track.close()
    assert record.outcome == "answered", record.detail
    assert Refusals(tmp_path / "shared").given_up() == {}


DOWN = Note(trouble="crypto answered HTTP 503")
BANNED = Note(trouble="access denied by crypto, HTTP 451", for_good=True)
GONE = Note(trouble="quota used up at coingecko", for_good=True)


@pytest.mark.parametrize(
    ("first", "second", "kind", "failing", "given_up"),
    [
        (BANNED, GONE, "quota", "", f"{BANNED.trouble}; {GONE.trouble}"),
        (BANNED, GONE, "bad_arguments", "", f"{BANNED.trouble}; {GONE.trouble}"),
        (BANNED, Note(trouble="no answer"), "upstream", f"{BANNED.trouble}; no answer", ""),
        (BANNED, Note(), "denied", BANNED.trouble, ""),  # a day too long ago for a free plan
        (DOWN, Note(), "denied", DOWN.trouble, ""),
        (DOWN, Note(), "not_found", "before", ""),  # the first might have known it
        (Note(), Note(), "denied", "before", ""),
        (Note(), Note(), "not_found", "", ""),
        (DOWN, Note(), None, "", ""),
    ],
)
def test_who_is_to_blame_for_a_call_with_two_sources(
    tmp_path: Path, first: Note, second: Note, kind: Any, failing: str, given_up: str
) -> None:
    step = ChainStep(tool="crypto_historical_price", arguments={}, output_key="x")
    leg = replace(LEG, stops=(replace(LEG.roadblocks[0], chain=(step,)),))
    tool = needed_tools(leg)[0]
    with civil_gateway(tmp_path, answer) as gate, gate.open_race(order(leg)) as race:
        race.failing[tool] = "before"
        meter = Meter(notes={"crypto": first, "coingecko": second})
        result = error(kind, "what the tool said") if kind else ToolResult(ok=True, text="{}")
        NeededTools(race, Refusals(tmp_path)).judged(tool, result, meter)
        assert race.failing.get(tool, "") == (failing or ("before" if given_up else ""))
        assert (race.problem is not None) is bool(given_up)
    assert given_up in Refusals(tmp_path).given_up().get(tool, "")


@pytest.mark.parametrize(
    ("kind", "failing"),
    [("denied", "crypto=URL is astray"), ("upstream", "crypto=URL is astray"), (None, "")],
)
def test_an_address_that_leads_nowhere_is_told_whatever_another_service_makes_of_the_call(
    tmp_path: Path, kind: Any, failing: str
) -> None:
    """A day that lies too far back for the second source says nothing of the first one."""
    step = ChainStep(tool="crypto_historical_price", arguments={}, output_key="x")
    leg = replace(LEG, stops=(replace(LEG.roadblocks[0], chain=(step,)),))
    tool = needed_tools(leg)[0]
    with civil_gateway(tmp_path, answer) as gate, gate.open_race(order(leg)) as race:
        notes = {"crypto": Note(status=404), "coingecko": Note(status=401)}
        meter = Meter(notes=notes, astray="crypto=URL is astray")
        result = error(kind, "what the tool said") if kind else ToolResult(ok=True, text="{}")
        NeededTools(race, Refusals(tmp_path)).judged(tool, result, meter)
        assert race.failing.get(tool, "") == failing


def test_what_one_agent_asks_for_refuses_a_service_to_nobody_else(tmp_path: Path) -> None:
    """Services repeat arguments, and walls before them refuse some: neither is a refusal of the account."""

    def reply(request: httpx.Request) -> httpx.Response:
        asked = request.url.params.get("address", "")
        if "attack" in asked:
            return httpx.Response(403, text="no attacks")
        if "API key" in asked:
            error = {"message": f"Not an address: {asked}", "status": "INVALID_ARGUMENT"}
            return httpx.Response(400, json={"error": error})
        return answer(request)

    with civil_gateway(tmp_path, reply) as gate:
        with gate.open_race(order()) as odd:
            for address in ("attack", "API key expired", "API key not valid"):
                assert "error" in post(odd, gate, GEOCODE[0], json={"address": address}).json()
        with gate.open_race(order()) as innocent:
            assert post(innocent, gate, GEOCODE[0], json=GEOCODE[1]).json()["place_id"] == "p1"
    assert (odd.problem, odd.failing) == (None, {})
    assert Refusals(tmp_path).given_up() == {}


def test_a_fault_with_a_status_of_wrong_requests_is_the_agents(tmp_path: Path) -> None:
    lost: Answer = lambda _: httpx.Response(405, html="<html>Not Allowed</html>")  # noqa: E731
    with civil_gateway(tmp_path, lost) as gate, gate.open_race(order()) as race:
        reply = post(race, gate, GEOCODE[0], json=GEOCODE[1]).json()
    assert reply["error"]["kind"] == "upstream"
    assert race.failing == {}


@pytest.mark.parametrize("body", ["", "<html>404 Not Found</html>", '{"message": "Not Found"}'])
def test_an_address_that_leads_nowhere_is_no_agents_fault(tmp_path: Path, body: str) -> None:
    lost: Answer = lambda _: httpx.Response(404, text=body)  # noqa: E731
    endpoints = LIVE.with_overrides({"maps": "https://maps.test/mistyped"})
    with (
        civil_gateway(tmp_path, lost, endpoints=endpoints) as gate,
        gate.open_race(order()) as race,
    ):
        reply = post(race, gate, GEOCODE[0], json=GEOCODE[1]).json()
    assert reply["error"]["kind"] == "upstream"
    asked = "is the path right? Its address was given by --aar-services geocoding=URL or maps=URL"
    assert race.failing[GEOCODE[0].removeprefix("tools/")].endswith(asked)


@pytest.mark.parametrize(
    "odd", [httpx.Response(403, text="no"), httpx.Response(503), httpx.Response(200, html="<html>")]
)
def test_an_edition_of_an_agents_own_choice_voids_no_race(
    tmp_path: Path, odd: httpx.Response
) -> None:
    """That of the leg's pages does."""
    wiki = "https://{}.wikipedia.org/wiki/A"
    leg = replace(
        LEG, seed_url=wiki.format("en"), stops=(replace(LEG.stops[0], page_url=wiki.format("de")),)
    )
    assert needed_languages(leg, LIVE) == {"en", "de"}
    reply: Answer = lambda _: odd  # noqa: E731
    for language, is_needed in (("xx", False), ("de", True)):
        folder = tmp_path / language
        with (
            civil_gateway(folder, reply, endpoints=LIVE) as gate,
            gate.open_race(order(leg)) as race,
        ):
            asked = {"url": wiki.format(language)}
            assert "error" in post(race, gate, "tools/fetch_webpage", json=asked).json()
        assert bool(race.failing or race.problem) is is_needed, language
        assert bool(Refusals(folder).given_up()) is (is_needed and odd.status_code == 403)
