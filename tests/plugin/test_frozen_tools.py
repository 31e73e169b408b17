"""`--aar-record=tools` in the live world: services on a loopback port, then gone, and a model that is asked anew."""

import json
from collections.abc import Iterator

import pytest
from live_services import LiveServices, only_live_leg

KEYS = ("GOOGLE_API_KEY", "SERPER_API_KEY", "RESTCOUNTRIES_API_KEY")
REACT = ("--aar-agent=react", "--aar-model=pacer", "--aar-repeat=2")
#: Skills with which the two repeats go different ways.
PACER = ("--aar-pacer=navigation=0.6,tools=0.6,arithmetic=0.5,seed=3",)


@pytest.fixture
def live() -> Iterator[LiveServices]:
    services = LiveServices()
    yield services
    services.stop()


@pytest.fixture
def frozen(project, live: LiveServices, monkeypatch: pytest.MonkeyPatch):
    """The project with one leg of the live world, raced twice with `tools`; then the services are gone."""
    for name in KEYS:
        monkeypatch.setenv(name, "a key for nothing")
    only_live_leg(project)
    project.pytester.makeini("[pytest]\nfilterwarnings = error\n")
    race(project, live, "tools", "first")
    assert live.requests > 0
    live.stop()
    live.requests = 0
    return project


def race(project, live: LiveServices, mode: str, run: str) -> None:
    options = (*REACT, *PACER, *live.options(), f"--aar-record={mode}", f"--aar-results={run}")
    result = project.run("legs", *options, agent=None)
    assert "errors" not in result.parseoutcomes(), result.stdout.str()
    assert [line["world"] for line in project.races(run)] == ["live", "live"]


def trace(project, run: str, repeat: str = "") -> list[dict]:
    path = project.path / run / f"traces/linear/easy/001{repeat}.jsonl"
    return [
        {
            key: value
            for key, value in json.loads(line).items()
            if not key.endswith(("_at", "_seconds"))
        }
        for line in path.read_text().splitlines()
    ]


def cassettes(project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (project.path / "cassettes").rglob("*.json")}


def test_the_model_races_live_on_tools_that_are_gone(frozen, live: LiveServices) -> None:
    kept = cassettes(frozen)
    assert list(kept) == ["tools.json"]
    race(frozen, live, "tools", "second")
    assert live.requests == 0
    assert [line["replay"] for line in frozen.races("second")] == [None, None]
    assert all(line["model_calls"] > 1 for line in frozen.races("second"))
    used = set()
    for repeat in ("", "--r2"):
        events = trace(frozen, "second", repeat)
        assert events == trace(frozen, "first", repeat)
        used |= {event["name"] for event in events if event["event"] == "tool" and event["ok"]}
    assert {"fetch_webpage", "maps_geocode"} < used
    assert cassettes(frozen) == kept


def test_two_repeats_keep_two_recordings_of_the_model_and_one_of_the_tools(
    frozen, live: LiveServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And they replay on a machine without a key."""
    race(frozen, live, "once", "recorded")
    kept = cassettes(frozen)
    first, second, tools = sorted(kept, key=lambda name: (name == "tools.json", "--r2" in name))
    assert tools == "tools.json"
    assert second == first.replace(".json", "--r2.json")
    assert kept[first] != kept[second]
    for name in KEYS:
        monkeypatch.delenv(name)
    race(frozen, live, "none", "replayed")
    assert trace(frozen, "replayed") == trace(frozen, "recorded") == trace(frozen, "first")
    assert trace(frozen, "replayed", "--r2") == trace(frozen, "first", "--r2")
    assert trace(frozen, "replayed") != trace(frozen, "replayed", "--r2")
    assert [line["replay"]["misses"] for line in frozen.races("replayed")] == [0, 0]
    assert live.requests == 0
