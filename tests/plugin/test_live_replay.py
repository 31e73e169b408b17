"""Races in the live world on the tests' own internet: recorded through faults, replayed when it is gone."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import stamina
from fake_internet import KEYS, AnswerBook, Article, Fault, Internet, Library, Served, serving
from handmade_legs import detour, elevation_chain, finish, leg, page, roadblock, step, url, wire_leg

from pytest_aar.cassettes import cassette_file

HARBOUR = """
| Port | |
| --- | --- |
| Population | 1,204 |
| River | [Ash (river)](/wiki/Ash_(river) "Ash (river)") |

**Harbour** is a town.
"""
ASH = "The Ash is a river of 31 km that springs at 412 m."
PACER = (
    "--aar-agent=react",
    "--aar-model=pacer",
    "--aar-pacer=navigation=1,tools=1,arithmetic=1,seed=1",
)
GOLDEN = ("--aar-agent=golden",)
#: Each of them happens once while the races are recorded.
FAULTS = (
    Fault(kind="429", service="wikipedia", where="Harbour", retry_after=0),
    Fault(kind="429", service="maps", where="geocode", retry_after=0),
    Fault(kind="500", service="maps", where="elevation"),
    Fault(kind="slow", service="maps", where="places", seconds=0.1),
    Fault(kind="cut", service="wikipedia", where="Ash"),
    Fault(kind="reset", service="stocks"),
)


def wire() -> dict[str, Any]:
    """(1204 + 7) % 10, over a page, four services and a detour."""
    stops = [
        page(0, "Harbour", 1204, extraction_target="Population"),
        page(1, "Ash (river)", 31),
        roadblock(2, elevation_chain("Ash (river)"), 412.25),
        roadblock(3, [step("maps_search_places", "poi_count", query="zoos near Harbour")], 3),
        roadblock(
            4,
            [step("stock_historical_price", "stock_price", ticker="ABC", date="2020-01-03")],
            12.5,
        ),
        detour(5, "digit_sum", 2, 7),
        finish(6, "(1204 + 7) % 10", [0, 5], 1),
    ]
    stops[0]["bridge"]["target_url"] = stops[1]["bridge"]["target_url"] = url("Ash (river)")
    made = wire_leg(stops, 1) | {"seed_url": url("Harbour"), "seed_title": "Harbour"}
    return json.loads(json.dumps(made).replace("wiki.aar.test", "en.wikipedia.org"))


#: Asks two services that its legs don't need, and one page; goes on whatever they say.
ASKS = '''
class Asks:
    """Says what the leg's digit is, after a few calls."""
    name = "asks"
    needs_model = False

    async def run(self, envelope, course, limits):
        there = {"latitude": 52.5, "longitude": 13.4}
        dates = {"start_date": "2024-01-01", "end_date": "2024-01-02"}
        await course.http.post("tools/weather_historical", json=there | dates)
        await course.http.post("tools/crypto_historical_price", json={"symbol": "BTCUSDT", "date": "2024-01-01"})
        await course.http.post("tools/fetch_webpage", json={"url": envelope.seed_url})
        return "1"
'''


class Net:
    """The internet, until it is cut."""

    def __init__(self) -> None:
        articles = [
            Article(title="Harbour", body=HARBOUR),
            Article(title="Ash (river)", body=ASH, revision=2),
        ]
        self.internet = Internet(library=Library.of(articles), book=AnswerBook.of([leg(wire())]))
        self._open = ExitStack()
        self.served: Served = self._open.enter_context(serving(self.internet))

    def cut(self) -> None:
        """Nobody listens there any more."""
        self._open.close()


@pytest.fixture
def net(project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Net]:
    """The project holds four legs of the live world, which is `net`."""
    found = Net()
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    project.drop_legs()
    for name in ("001", "002", "003", "004"):
        project.write_leg(f"linear/easy/{name}", wire())
    ini = f"[pytest]\nfilterwarnings = error\naar_world = live\n{found.served.ini}"
    project.pytester.makeini(ini)
    yield found
    found.cut()


def race(project, run: str, *options: str) -> list[dict[str, Any]]:
    """The lines of a run without infrastructure errors, without what may differ."""
    in_workers = "-n" in options
    runner = project.run_subprocess if in_workers else project.run
    result = runner("legs", f"--aar-results={run}", *options, agent=None)
    assert "errors" not in result.parseoutcomes(), result.stdout.str()
    lines = sorted(project.races(run), key=lambda line: line["leg"])
    return [
        {
            key: value
            for key, value in line.items()
            if not key.endswith(("_at", "_seconds")) and key != "replay"
        }
        for line in lines
    ]


def traces(project, run: str) -> dict[str, list[dict[str, Any]]]:
    return {
        path.name: [
            {k: v for k, v in json.loads(line).items() if not k.endswith(("_at", "_seconds"))}
            for line in path.read_text().splitlines()
        ]
        for path in sorted((project.path / run / "traces").rglob("*.jsonl"))
    }


@pytest.mark.parametrize("agent", [PACER, GOLDEN], ids=["react", "golden"])
def test_recorded_through_faults_and_replayed_alike_without_a_network(
    project, net: Net, agent
) -> None:
    net.internet.faults(*FAULTS)
    recorded = race(project, "recorded", *agent, "--aar-record=once")
    assert [line["score"]["fa"] for line in recorded] == [1] * 4
    assert [line["score"]["pvr"] for line in recorded] == [1] * 4
    assert net.internet.mischief.left() == []
    seen = traces(project, "recorded")
    assert all(
        event["ok"] for events in seen.values() for event in events if event["event"] == "tool"
    )
    net.cut()
    asked = len(net.internet.log.entries)
    workers = ["-n", "4"] if agent is PACER else []
    assert race(project, "replayed", *agent, "--aar-record=none", *workers) == recorded
    assert traces(project, "replayed") == seen
    assert len(net.internet.log.entries) == asked


def test_services_that_fail_every_time_fail_alike_in_a_replay(project, net: Net) -> None:
    project.pytester.makepyfile(asking=ASKS)
    asks = ("--aar-agent=asking:Asks", "-k", "001")
    kinds = {"weather": "reset", "crypto": "cut"}
    net.internet.faults(*(Fault(kind=kinds[it], service=it, times=99) for it in kinds))
    with stamina.set_testing(True, attempts=4, cap=True):  # the usual tries without their pauses
        recorded = race(project, "recorded", *asks, "--aar-record=once")
    sent = [entry.service for entry in net.internet.log.entries]
    assert (sent.count("weather"), recorded[0]["score"]["fa"]) == (4, 1)
    (seen,) = traces(project, "recorded").values()
    calls = [event for event in seen if event["event"] == "tool"]
    assert [event["error_kind"] for event in calls] == ["upstream", "upstream", None]
    assert "ReadError" in calls[0]["text"]
    net.cut()
    assert race(project, "replayed", *asks, "--aar-record=none") == recorded
    assert list(traces(project, "replayed").values()) == [seen]
    (path,) = project.path.glob("cassettes/**/tools.json")
    kept = [each.status for each in cassette_file.read(path).interactions]
    assert kept == [599, 599, 200, 200]  # two pages, the second for where golden pages lead


def test_what_was_not_recorded_is_a_miss_also_while_the_network_is_there(project, net: Net) -> None:
    result = project.run("legs", *PACER, "--aar-record=none", "--aar-results=run", agent=None)
    assert result.parseoutcomes() == {"errors": 4}
    assert net.internet.log.entries == []


def test_two_agents_share_the_recorded_tools_alone_and_in_workers(project, net: Net) -> None:
    """What one agent recorded through faults is what the other one gets."""
    net.internet.faults(*FAULTS)
    tools, workers = "--aar-record=tools", ("-n", "4")
    first = race(project, "first", *PACER, tools)
    assert [line["score"]["fa"] for line in first] == [1] * 4
    assert net.internet.mischief.left() == []
    kept = {path: path.read_bytes() for path in project.path.glob("cassettes/**/tools.json")}
    assert len(kept) == 4
    net.cut()
    asked = len(net.internet.log.entries)
    serial = race(project, "alone", *GOLDEN, tools)
    assert [(line["score"]["fa"], line["score"]["pvr"]) for line in serial] == [(1, 1)] * 4
    assert race(project, "in-workers", *GOLDEN, tools, *workers) == serial
    assert traces(project, "in-workers") == traces(project, "alone")
    assert {path: path.read_bytes() for path in kept} == kept
    assert len(net.internet.log.entries) == asked


def test_a_drifted_value_is_told_with_its_stop_old_and_new(project, net: Net) -> None:
    book = net.internet.book
    book.facts["poi_count", "zoos near harbour"] = 5
    book.facts["elevation", "ash (river)"] = 413
    result = project.run(
        "legs/linear/easy/001.json", *GOLDEN, "--aar-record=off", "--aar-results=run", agent=None
    )
    assert result.parseoutcomes() == {"failed": 1}
    expected = [
        "4 golden value(s) not reproduced:",
        "stop 2 (roadblock): golden value 412.25, recomputed value 413.0 (the chain yields this)",
        "stop 3 (roadblock): golden value 3, recomputed value 5 (the chain yields this)",
        "stop 5 (detour): golden value 7, recomputed value 8 (digit_sum of stop 2's value 413.0)",
        "stop 6 (finish line): golden value 1, recomputed value 2*",
    ]
    result.stdout.fnmatch_lines([f"*{line}" for line in expected])
    (line,) = project.races()
    assert [one.partition(" (the")[0] for one in line["detail"].splitlines()][2] == (
        "stop 3 (roadblock): golden value 3, recomputed value 5"
    )
