"""Races over a ZIM file: recorded, replayed without the file, stale over another one; by two workers."""

import json
from pathlib import Path

import pytest
from handmade_legs import diamond, linear
from zim_files import Recipe, made_zim

from pytest_aar.zim import open_zim

NAME = "wikipedia_en_all_nopic_2026-03.zim"
VISIT = ("legs", "--aar-results=run")


@pytest.fixture
def zimmed(project):
    """The project with its legs on Wikipedia, and a file that has their seed page."""
    open_zim.cache_clear()
    for leg_id, wire in {"linear/easy/001": linear(), "dag/easy/002": diamond()}.items():
        text = json.dumps(wire).replace("wiki.aar.test", "en.wikipedia.org")
        seed = json.loads(text)["seed_url"].rpartition("/")[2]
        project.write_leg(leg_id, json.loads(text))
    project.pytester.makeini("[pytest]\nfilterwarnings = error\n")
    project.file = made_zim(project.path / NAME, Recipe(articles={seed: "<p>The seed of it.</p>"}))
    project.seed = seed
    yield project
    open_zim.cache_clear()


def seen(project, run: str = "run") -> list[str]:
    """What the agents got of their pages."""
    texts = [path.read_text() for path in (project.path / run).rglob("*.json*")]
    return [text for text in texts if "The seed of it." in text]


def test_a_race_is_recorded_and_replayed_without_the_file(zimmed) -> None:
    world = f"--aar-world=zim:{NAME}"
    result = zimmed.run(*VISIT, world, "--aar-record=once", agent="Visit")
    assert f"world zim:{NAME}, record once" in result.stdout.str()
    checksum = zimmed.file.read_bytes()[-16:].hex()
    races = zimmed.races()
    assert [race["world"] for race in races] == [f"zim:{NAME}"] * 2
    assert {race["world_hash"] for race in races} == {
        f"wikipedia_en_all_nopic_2026-03-12:{checksum}"
    }
    assert len(seen(zimmed)) == 2
    profile = json.loads((zimmed.path / "run/run.json").read_text())["profile"]
    assert profile["world"] == f"zim:{NAME}"
    assert profile["world_file"]["checksum"] == checksum
    assert str(zimmed.path) not in json.dumps(profile["world_file"])

    zimmed.file.unlink()
    open_zim.cache_clear()
    again = zimmed.run("legs", "--aar-results=again", world, agent="Visit")
    assert again.parseoutcomes() == result.parseoutcomes()
    assert len(seen(zimmed, "again")) == 2

    made_zim(zimmed.file, Recipe(articles={zimmed.seed: "<p>Another text.</p>"}))
    open_zim.cache_clear()
    zimmed.run("legs", "--aar-results=other", world, agent="Visit")
    assert len(seen(zimmed, "other")) == 2
    stale = {line for race in zimmed.races("other") for line in race["stale"]}
    assert len(stale) == 1
    assert next(iter(stale)).startswith("world_hash: recorded wikipedia_en_all_nopic_2026-03-12:")


def test_two_workers_read_one_file(zimmed) -> None:
    options = ("--aar-record=off", "-n", "2")
    result = zimmed.run_subprocess(
        *VISIT, f"--aar-world=zim:{zimmed.file}+sandbox", *options, agent="Visit"
    )
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}
    assert len(seen(zimmed)) == 2
    hashes = {race["world_hash"] for race in zimmed.races()}
    assert len(hashes) == 1
    assert "+" in hashes.pop()


def test_a_file_that_is_no_good_is_a_usage_error_before_any_race(zimmed) -> None:
    for world, more, told in (
        ("zim:none.zim", (), "there is no file *none.zim*"),
        ("zim:", (), "*'zim:' is not valid*zim:PATH*"),
        (f"zim:{NAME}", ("--aar-wiki-at=2026-03-20",), "*one revision of each page*"),
    ):
        options = (f"--aar-world={world}", "--aar-record=off", *more)
        result = zimmed.run(*VISIT, *options)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*{told}"])


def test_a_replay_without_recording_and_file_says_that_the_file_comes_first(zimmed) -> None:
    result = zimmed.run(*VISIT, "--aar-world=zim:none.zim", "--aar-record=none", agent="Visit")
    result.stdout.fnmatch_lines(
        ["no cassette, and none can be recorded yet: there is no file *none.zim': get one*"]
    )


def test_legs_of_another_wiki_are_infrastructure_errors_that_say_so(zimmed) -> None:
    zimmed.write_leg("linear/easy/001", linear())
    result = zimmed.run(*VISIT, f"--aar-world=zim:{Path(NAME)}", "--aar-record=off")
    result.stdout.fnmatch_lines(
        ["*linear/easy/001 starts on wiki.aar.test, and * holds en.wikipedia.org alone*"]
    )
    assert sorted(race["outcome"] for race in zimmed.races()) == ["answered", "infrastructure"]


def test_a_leg_that_needs_maps_is_not_raced_without_their_key(zimmed, monkeypatch) -> None:
    for name in ("GOOGLE_API_KEY", "GOOGLE_MAPS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    leg = json.loads((zimmed.path / "legs/linear/easy/001.json").read_text())
    leg["stops"][1]["bridge"] |= {"bridge_type": "search_query", "search_query": "Seed town"}
    zimmed.write_leg("linear/easy/001", leg)
    alone, record = ("legs/linear",), "--aar-record=off"
    result = zimmed.run(
        *alone, f"--aar-world=zim:{NAME}", record, "--aar-results=run", agent="Visit"
    )
    text = result.stdout.str()
    assert "no GOOGLE_API_KEY for maps_geocode, maps_elevation (set it in the environment)" in text
    assert [race["outcome"] for race in zimmed.races()] == ["infrastructure"]
    options = (f"--aar-world=zim:{NAME}+sandbox", record, "--aar-results=again")
    zimmed.run(*alone, *options, agent="Visit")
    assert [race["outcome"] for race in zimmed.races("again")] == ["answered"]
