"""The classes of legs: one small leg for each reason."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from handmade_legs import (
    detour,
    diamond,
    elevation_chain,
    finish,
    leg,
    linear,
    page,
    roadblock,
    step,
)

from pytest_aar.cli import aar
from pytest_aar.errors import ConfigurationError
from pytest_aar.leg import validity_of
from pytest_aar.leg_file import looks_like_leg

LIVE = "https://en.wikipedia.org/wiki/Somewhere"


def one(*stops: dict[str, Any], expression: str, clues: str = "1. Go.", live: bool = True) -> Any:
    """A leg of these stops whose finish line uses them all."""
    used = list(range(len(stops)))
    digit = eval(expression)
    wire = linear() | {"riddle": clues, "passcode": digit}
    wire["stops"] = [*stops, finish(len(stops), expression, used, digit)]
    if live:
        wire["seed_url"] = LIVE
    return leg(wire)


def stable(index: int = 0, value: float = 12.5) -> dict[str, Any]:
    return roadblock(index, [step("countries_area", "area_km2", country="Chad")], value)


def chain(tool: str, key: str, value: Any, **arguments: Any) -> dict[str, Any]:
    return roadblock(0, [step(tool, key, **arguments)], value)


def reasons(found: Any) -> list[tuple[str, str, int]]:
    assert found.valid is (found.name in ("stable", "stable-if-pinned"))
    return [(found.name, reason.name, reason.stop) for reason in found.reasons]


def test_a_leg_that_needs_no_page_is_stable() -> None:
    found = validity_of(one(stable(), expression="(12) % 10"))
    assert (found.name, found.reasons) == ("stable", ())


def test_a_fact_of_a_page_must_be_pinned_where_pages_change() -> None:
    stops = page(0, "Ash", 31)
    assert reasons(validity_of(one(stops, expression="(31) % 10"))) == [
        ("stable-if-pinned", "page", 0)
    ]
    assert validity_of(one(stops, expression="(31) % 10", live=False)).name == "stable"


@pytest.mark.parametrize(
    ("tool", "key", "name"),
    [
        ("maps_search_places", "poi_count", "poi_count"),
        ("maps_search_places", "place_rating", "place_rating"),
        ("countries_population", "population", "country_population"),
        ("maps_directions", "duration", "geocode_directions_duration"),
    ],
)
def test_values_that_drift(tool: str, key: str, name: str) -> None:
    made = one(chain(tool, key, 17, query="zoos", country="Chad"), expression="(17) % 10")
    assert reasons(validity_of(made)) == [("drifting", name, 0)]
    unneeded = one(chain(tool, key, 17, country="Chad"), stable(1), expression="(12) % 10")
    assert validity_of(unneeded).name == "stable"
    here = one(chain(tool, key, 17, country="Chad"), expression="(17) % 10", live=False)
    assert validity_of(here).name == "stable"


def test_a_number_of_language_editions_drifts_though_it_is_a_page_s() -> None:
    editions = page(0, "Ash", 31, extraction_target="the number of language editions")
    assert reasons(validity_of(one(editions, expression="(31) % 10"))) == [
        ("drifting", "language_editions", 0)
    ]


STATES = elevation_chain("1992 in the United States")
US, CHINA = {"country": "United States"}, {"country": "china"}


@pytest.mark.parametrize(
    ("stop", "name"),
    [
        (page(0, "Ash", 31, extraction_target="the founding year"), "not_a_year"),
        (roadblock(0, STATES, 3236.2353515625), "no_place"),
        (chain("countries_population", "population", 87146, **US), "other_country"),
        (chain("countries_area", "area_km2", 34.2, **US), "other_country"),
        (chain("countries_population", "population", 7527500, **CHINA), "other_country"),
    ],
)  # fmt: skip
def test_faults_of_a_value(stop: dict[str, Any], name: str) -> None:
    whole = int(stop["extracted_value"])
    assert reasons(validity_of(one(stop, expression=f"({whole}) % 10"))) == [("faulty", name, 0)]
    assert validity_of(one(stop, stable(1), expression="(12) % 10")).valid


def test_years_are_years_and_the_states_have_people_of_their_own() -> None:
    founded = page(0, "Ash", 872, extraction_target="the founding year")
    assert validity_of(one(founded, expression="(872) % 10")).name == "stable-if-pinned"
    people = chain("countries_population", "population", 340_110_988, **US)
    assert validity_of(one(people, expression="(340110988) % 10")).name == "drifting"


def test_faults_of_a_detour_and_of_the_finish_line() -> None:
    right, wrong = detour(1, "digit_sum", 0, 3), detour(1, "digit_sum", 0, 7)
    assert validity_of(one(stable(), right, expression="(3) % 10")).name == "stable"
    assert reasons(validity_of(one(stable(), wrong, expression="(7) % 10"))) == [
        ("faulty", "other_source", 1)
    ]
    odd = one(stable(), expression="(12 + 5) % 10")
    assert reasons(validity_of(odd)) == [("faulty", "unknown_operand", 1)]
    assert validity_of(odd).reasons[0].what == "(12 + 5) % 10 holds 5, no listed stop's value"
    twice = one(stable(), right, expression="(12 + 12 + 3) % 10")
    assert validity_of(twice).name == "stable"
    told = one(stable(), expression="(12) % 10", clues="1. Go.\n2. Compute (12)  %10.")
    assert reasons(validity_of(told)) == [("faulty", "answer_in_clues", 1)]


def test_a_reply_is_no_value() -> None:
    broken = chain("maps_distance_matrix", "distance_km", {"status": "NOT_FOUND"})
    found = validity_of(one(broken, stable(1), detour(2, "digit_sum", 0, 3), expression="(3) % 10"))
    assert ("faulty", "no_value", 0) in reasons(found)


@pytest.mark.parametrize("wire", [linear(), diamond()])
def test_the_tests_own_legs_are_valid(wire: dict[str, Any]) -> None:
    assert reasons(validity_of(leg(wire))) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    drifting = diamond() | {"seed_url": LIVE}
    for name, wire in (("linear/easy/1", linear()), ("dag/hard/2", drifting)):
        path = tmp_path / f"legs/{name}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(wire))
    return tmp_path


def told(folder: Path, *arguments: str) -> Any:
    options = ["validity", str(folder / "legs"), "--mask", str(folder / "mask.json"), *arguments]
    return CliRunner().invoke(aar, options)


def test_the_command_counts_and_writes_the_mask(folder: Path) -> None:
    found = told(folder, "--json")
    assert found.exit_code == 0
    counted = json.loads(found.stdout)
    assert counted["cells"][0] == {
        "variant": "linear", "level": "easy", "legs": 1,
        "stable": 1, "stable-if-pinned": 0, "drifting": 0, "faulty": 0,
    }  # fmt: skip
    assert counted["total"]["legs"] == 2
    mask = json.loads((folder / "mask.json").read_text())
    assert mask["legs"]["linear/easy/1"]["class"] == "stable"
    assert mask["legs"]["dag/hard/2"]["valid"] is False
    assert mask["legs"]["dag/hard/2"]["class"] == "drifting"
    names = {name for name, _ in mask["legs"]["dag/hard/2"]["reasons"]}
    assert set(counted["reasons"]["drifting"]) == names
    table = told(folder)
    assert table.stdout.splitlines()[0].split() == [
        "variant", "level", "legs", "stable", "stable-if-pinned", "drifting", "faulty",
    ]  # fmt: skip
    assert "golden" not in table.output
    assert "dag/hard/2: drifting: " in told(folder, "--reasons").stdout


def test_the_mask_lies_where_git_does_not_see_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for options in ((), ("--json",)):
        found = CliRunner().invoke(aar, ["validity", "legs", *options])
        assert found.exit_code == 0
        assert found.stderr == "mask of 2 legs: .aar/validity.json\n"
    assert len(json.loads((folder / ".aar/validity.json").read_text())["legs"]) == 2
    assert (folder / ".aar/.gitignore").read_text() == "*\n"
    assert {path.name for path in folder.iterdir()} == {".aar", "legs"}


def test_two_legs_of_one_id_are_refused(folder: Path) -> None:
    first = folder / "legs/linear/easy/1.json"
    second = folder / "copy/linear/easy/1.json"
    second.parent.mkdir(parents=True)
    second.write_text(first.read_text())
    found = told(folder, str(folder / "copy"))
    assert isinstance(found.exception, ConfigurationError)
    assert f"two files have the leg id 'linear/easy/1': {first} and {second};" in str(
        found.exception
    )
    assert not (folder / "mask.json").exists()
    assert told(folder, str(folder / "legs")).exit_code == 0  # named twice is one file


def test_a_mask_among_the_legs_is_refused_but_not_in_a_hidden_folder_there(folder: Path) -> None:
    mask = folder / "legs/masks/m.json"
    found = CliRunner().invoke(aar, ["validity", str(folder / "legs"), "--mask", str(mask)])
    assert isinstance(found.exception, ConfigurationError)
    said = f"--mask {mask} lies below {folder / 'legs'}, where each JSON file is taken for a leg"
    assert str(found.exception).startswith(said)
    assert not mask.exists()
    (folder / ".aar").mkdir()
    hidden = ["--mask", str(folder / ".aar/m.json")]
    assert CliRunner().invoke(aar, ["validity", str(folder), *hidden]).exit_code == 0


def test_a_mask_is_taken_for_no_leg_wherever_it_lies(folder: Path) -> None:
    assert told(folder).exit_code == 0
    mask = folder / "mask.json"
    assert not looks_like_leg(mask, legs_root=folder)
    mask.write_text('{"format": 1}')
    assert looks_like_leg(
        mask, legs_root=folder
    )  # it says nothing: below the root that is a broken leg


@pytest.mark.parametrize("command", ["validity", "show", "stats"])
def test_a_named_file_that_is_no_leg_is_wrong_usage(folder: Path, command: str) -> None:
    (folder / "pytest.ini").write_text("[pytest]")
    found = CliRunner().invoke(aar, [command, str(folder / "pytest.ini")])
    assert isinstance(found.exception, ConfigurationError)
    assert "pytest.ini is no leg: name a leg's file, which ends with .json" in str(found.exception)


def test_a_mask_that_can_t_be_written_says_what_to_do(folder: Path) -> None:
    found = CliRunner().invoke(aar, ["validity", str(folder / "legs"), "--mask", "/dev/null/x"])
    assert found.exit_code != 0
    assert "choose another file with --mask" in str(found.exception)
