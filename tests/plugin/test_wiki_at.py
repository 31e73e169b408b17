"""`--aar-wiki-at` in whole runs: a pinned race is recorded, replayed, and not taken for one of another time."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from handmade_legs import linear
from live_services import LiveServices, only_live_leg

from pytest_aar.reports.wikipedia_note import wikipedia_note
from pytest_aar.settings import Settings

RECORD = ("legs", "--aar-record=once", "--aar-world=live")
REPLAY = ("legs", "--aar-world=live", "--aar-record=none")


@pytest.fixture
def live() -> Iterator[LiveServices]:
    services = LiveServices()
    yield services
    services.stop()


@pytest.fixture
def recorded(project, live: LiveServices):
    """One leg of the live world, raced and recorded as of its own time; then the wiki is gone."""
    only_live_leg(project, generated_at="2027-02-03T04:05:06+00:00")
    project.options = (f"--aar-services=wikipedia={live.url}/w/api.php",)
    result = run(project, "first", *RECORD, "--aar-wiki-at=generated")
    assert "world live, record once, Wikipedia at generated" in result.stdout.str()
    live.stop()
    live.requests = 0
    return project


def run(project, name: str, *options: str) -> pytest.RunResult:
    return project.run(*options, *project.options, f"--aar-results={name}", agent="Visit")


def page(project, name: str) -> dict:
    path: Path = project.path / name / "traces/linear/easy/001.jsonl"
    return next(
        event for line in path.read_text().splitlines() if (event := json.loads(line))["ok"]
    )


def test_a_pinned_race_is_recorded_and_replayed_with_its_revision(
    recorded, live: LiveServices
) -> None:
    first = page(recorded, "first")
    details = first["details"]
    assert details["wiki_at"] == "2027-02-03T04:05:06Z"
    assert first["text"].splitlines()[2].startswith(f"Revision: {details['revision']} of ")
    assert (
        json.loads((recorded.path / "first/run.json").read_text())["profile"]["wiki_at"]
        == "generated"
    )
    run(recorded, "second", *REPLAY, "--aar-wiki-at=generated")
    assert page(recorded, "second")["text"] == first["text"]
    before, after = recorded.races("first")[0]["score"], recorded.races("second")[0]["score"]
    assert before == after
    assert before["pages_unresolved"] == 0
    assert live.requests == 0


def test_a_recording_of_another_time_is_not_taken_for_this_one(recorded) -> None:
    run(recorded, "unpinned", *REPLAY)
    (race,) = recorded.races("unpinned")
    assert (race["outcome"], race["error"]) == ("infrastructure", "ReplayDiverged")
    assert "action=parse" in race["detail"]
    run(recorded, "later", *REPLAY, "--aar-wiki-at=2020-01-01")
    (race,) = recorded.races("later")
    assert (race["outcome"], race["error"]) == ("infrastructure", "ReplayDiverged")
    assert "2020-01-01T23:59:59Z" in race["detail"] or "rvstart" in race["detail"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (Settings(world="live", record="once"), True),
        (Settings(world="live", record="once", contact="a@b.test"), False),
        (Settings(world="live", record="none"), False),
        (Settings(world="auto", record="once"), False),
        (Settings(world="live", record="off", services={"wikipedia": "http://x.test"}), False),
    ],
)
def test_a_live_run_without_a_contact_is_told_so_once(settings: Settings, told: bool) -> None:
    assert ("set --aar-contact (ini aar_contact)" in wikipedia_note(settings)) is told


def with_a_live_leg(project) -> None:
    live = linear() | {"seed_url": "https://en.wikipedia.org/wiki/Somewhere"}
    project.write_leg("linear/easy/003", live)


NOTE = "aar: no contact: Wikimedia allows about 10"


def test_a_run_whose_legs_turn_out_to_be_live_is_told_so_once(project) -> None:
    options = ("legs", "--aar-world=auto", "--collect-only")
    assert NOTE not in project.run(*options).stdout.str()
    with_a_live_leg(project)
    assert project.run(*options).stdout.str().count(NOTE) == 1
    for silencer in ("--aar-contact=a@b.test", "--aar-record=none", "--aar-level=medium"):
        assert NOTE not in project.run(*options, silencer).stdout.str()


def test_the_workers_legs_count_too(project) -> None:
    with_a_live_leg(project)
    options = ("legs", "--aar-world=auto", "--aar-infra-retries=0", "-n", "2")
    found = project.run_subprocess(*options, agent="Crash").stdout.str()  # it asks for nothing
    assert found.count(NOTE) == 1
