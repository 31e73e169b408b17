"""Runs over live services that refuse or have limits: two workers, one loopback server."""

import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from handmade_legs import diamond, linear, step

from pytest_aar import session
from pytest_aar.folders import sweep_once

AGENT = '''
import asyncio


class Geocodes:
    """Asks for a place that its leg needs or not, then says its digit."""
    name = "geocodes"
    needs_model = False

    async def run(self, envelope, course, limits):
        await course.http.post("tools/maps_geocode", json={"address": envelope.clues[:20]})
        return "3"


class AsksTwice(Geocodes):
    """Asks for two places at once."""
    name = "asks-twice"

    async def run(self, envelope, course, limits):
        places = [{"address": name} for name in ("Lima", "Quito")]
        await asyncio.gather(*(course.http.post("tools/maps_geocode", json=each) for each in places))
        return "3"
'''
LIMA = {"lat": -12.05, "lng": -77.04}
FOUND = {
    "status": "OK",
    "results": [{"formatted_address": "Lima", "geometry": {"location": LIMA}, "place_id": "p"}],
}
DENIED = {"status": "REQUEST_DENIED", "error_message": "You must enable Billing", "results": []}
LEGS = 4


class Maps:
    """Google's geocoder on a loopback port: says `reply`, counts requests; `before_reply` may keep one waiting."""

    def __init__(self) -> None:
        self.reply, self.requests = DENIED, 0
        self.before_reply: Callable[[], None] = lambda: None
        maps = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                maps.requests += 1
                maps.before_reply()
                body = json.dumps(maps.reply).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture
def maps() -> Iterator[Maps]:
    served = Maps()
    yield served
    served.stop()


@pytest.fixture
def racing(project, maps):
    """Four legs that need the geocoder and one that doesn't."""
    project.pytester.makepyfile(geocoding=AGENT)
    project.drop_legs()
    for number in range(LEGS):
        project.write_leg(f"linear/easy/{number:03}", linear())
    project.write_leg("dag/easy/900", without_maps(diamond()))
    return project


def without_maps(wire: dict) -> dict:
    """The leg with chains that take no place."""
    for stop in wire["stops"]:
        chain = stop["bridge"].get("tool_chain") or []
        if any(call["tool_name"].startswith("maps") for call in chain):
            stop["bridge"]["tool_chain"] = [
                step("countries_population", "population", country="Norway")
            ]
    return wire


def run(project, maps: Maps, *options: str, agent: str = "Geocodes"):
    chosen = () if any(option.startswith("legs") for option in options) else ("legs",)
    return project.run(
        *chosen,
        f"--aar-services=maps={maps.url}",
        "--aar-results=run",
        *options,
        agent=f"geocoding:{agent}",
    )


def last(project) -> dict[str, dict]:
    return {race["leg"]: race for race in project.races()}


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "n2"])
def test_a_refused_key_costs_one_request_a_worker_and_is_said_once(racing, maps, workers) -> None:
    result = run(racing, maps, *workers)
    races = last(racing)
    needing = [race for leg, race in races.items() if leg.startswith("linear")]
    assert {(race["outcome"], race["error"]) for race in needing} == {
        ("infrastructure", "ServiceRefused")
    }
    assert races["dag/easy/900"]["outcome"] == "answered"
    assert 1 <= maps.requests <= (2 if workers else 1)
    not_raced = [race for race in needing if race["detail"].endswith(" (not raced)")]
    assert len(not_raced) >= LEGS - (2 if workers else 1)
    assert all(race["tool_calls"] == 0 for race in not_raced)
    result.stdout.fnmatch_lines(
        [
            f"services: {LEGS} races not run, not scored: access denied by maps (key in "
            "GOOGLE_API_KEY), HTTP 200: *You must enable Billing*--aar-resume --aar-results *"
        ]
    )

    maps.reply = FOUND
    again = run(racing, maps, *workers, "--aar-resume")
    assert {race["outcome"] for race in last(racing).values()} == {"answered"}
    assert "services:" not in again.stdout.str()


@pytest.mark.usefixtures("wide")
def test_a_missing_key_is_said_once_before_anything_is_raced(racing, monkeypatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY")
    needing = [f"legs/linear/easy/{number:03}.json" for number in range(LEGS)]
    result = racing.run(
        *needing, agent="geocoding:Geocodes"
    )  # at the public address: no leg may get there
    result.stdout.fnmatch_lines(
        [
            f"services: {LEGS} races not run, not scored: no GOOGLE_API_KEY: get one at "
            "https://console.cloud.google.com/google/maps-apis and set it in the environment, "
            "then go on with --aar-resume --aar-results *"
        ]
    )
    assert result.stdout.str().count("https://console.cloud") == 1


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_waits_are_reported(racing, maps, temporary) -> None:
    """The first reply comes when the second request waits for its turn, however fast this machine is."""

    def until_one_waits() -> None:
        deadline = time.monotonic() + 60
        while not any('"queue":["' in text for text in _turns(temporary)):
            assert time.monotonic() < deadline, "no request waits for its turn"
            time.sleep(0.01)
        maps.before_reply = lambda: None

    maps.reply, maps.before_reply = FOUND, until_one_waits
    result = run(
        racing, maps, "legs/linear/easy/000.json", "--aar-limits=maps=1/0.2s", agent="AsksTwice"
    )
    result.stdout.fnmatch_lines(
        ["waited [0-9]* s for maps (1/0.2 s) in 1 race (its limits: --aar-limits)"]
    )
    (waited,) = (race["waited_seconds"] for race in last(racing).values())
    assert waited.keys() == {"maps (1/0.2 s)"}
    assert waited["maps (1/0.2 s)"] > 0


def _turns(temporary: Path) -> list[str]:
    """What the processes know of who is under way and who waits, a text for each service."""
    return [path.read_text() for path in temporary.glob("aar-turns-*/*.json")]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (("--aar-record=off",), []),
        (("--aar-limits=maps=9/s", "--aar-record=off"), [f"aar-turns-{os.getuid()}"]),
    ],
)
def test_a_run_leaves_no_file_but_what_limits_need(racing, maps, temporary, options, left) -> None:
    maps.reply = FOUND
    run(racing, maps, "legs/linear/easy/000.json", *options)
    assert maps.requests == 1
    assert [path.name for path in temporary.iterdir() if path.name.startswith("aar-")] == left


def test_what_workers_share_stays_while_their_controller_lives(pytester, temporary) -> None:
    config = pytester.parseconfigure()
    folder = session.shared_folder(config)
    session.keep_shared(config)
    assert not folder.exists()
    folder.mkdir()  # by a worker, which then dies
    session.keep_shared(config)
    (folder / "x").touch()
    os.utime(folder, (1.0, 1.0))
    sweep_once.cache_clear()
    sweep_once()
    assert (folder / "x").exists()
    config._ensure_unconfigure()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (
            "--aar-limits=mapz=1/s",
            "*--aar-limits: 'mapz' has no limits (did you mean maps?)*valid: wikipedia, maps, *",
        ),
        (
            "--aar-limits=maps=often",
            "*--aar-limits: 'often' is not valid; valid: N/s, N/min, *or off; as in wikipedia='60/min, 2 parallel'",
        ),
        ("--aar-limits=maps=0/s", "*--aar-limits: '0/s' is not valid*"),
        ("--aar-page-cache=ever", "*--aar-page-cache: 'ever' is not valid; valid: run, off*"),
    ],
)
def test_wrong_limits_are_usage_errors(racing, maps, option, said) -> None:
    result = run(racing, maps, option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])
