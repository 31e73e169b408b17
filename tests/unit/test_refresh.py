"""Golden traces run anew: what drifts is found, told and written; what can't be known is named."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from walked_leg import WIKI, Course, leg

from pytest_aar.cli import aar
from pytest_aar.errors import ConfigurationError
from pytest_aar.golden import walk
from pytest_aar.golden.facts import extracted
from pytest_aar.golden.renewal import Renewal, renewal_of, renewed
from pytest_aar.leg import RouteInfo
from pytest_aar.leg.arithmetic import rewritten
from pytest_aar.world import load

TESTS = Path(__file__).resolve().parents[1]
LEGS, FIXED = TESTS.parent / "legs", TESTS / "fixed/legs"
PAGE = (
    "# Ash\nLanguages: 98 (other language editions of this page)\nSections:\n1 History\n1.1 Early days\n"
    "1.2 Today\n2 Culture\n\nAsh was founded in 1904.\n\n"
    "| Founded | 12 May 1901; 124 years ago [1901](/wiki/1901) |\n| Elevation | 82 m (269 ft) |\n"
    "| People | 45,000 (2020) |\n| Metro | 6,150,000 |\n| Opened | 3 May 2001 |\n| Country | [Chad](/wiki/Chad) |\n"
)


def fact(target: str, value: Any, value_type: str = "number", section: str | None = None) -> Any:
    stop = RouteInfo(
        index=0, value=value, value_type=value_type, page_url="", target=target, section=section,
        transition="link_follow",
    )  # fmt: skip
    return extracted(PAGE, stop)


@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        ("the founding year in the infobox (field: 'Founded')", 12, 1901),
        ("the founding year in the infobox (field: 'Founded [[2]](#cite_note-2)')", 1901, 1901),
        ("the number of people in that year in the infobox (field: 'People')", 44_000, 45_000),
        ("the year of the census in the infobox (field: 'People')", 2019, 2020),
        ("the elevation listed in the infobox (field: 'Elevation')", 269, 269),
        ("the elevation listed in the infobox (field: '• [Elevation](/wiki/E \"E (x)\")')", 80, 82),
        ("the population listed in the infobox (field: 'Metro')", 6_000_000, 6_150_000),
        ("Elevation", 80, 82),
        ("the number of languages listed at the top of the article", 96, 98),
        ("the number of languages the article is available in", 98, 98),
        ("the number of top-level sections listed in the table of contents", 3, 2),
        ("the number of subsections listed under 'History' in the Contents", 3, 2),
        ("the number of sections in the table of contents", 4, 4),
        ("the number of sections in the table of contents", 3, None),
        ("the number of languages spoken by its people", 3, None),
        ("the number of bridges", 4, None),
        ("the area listed in the infobox (field: 'Area')", 4, None),
    ],
)
def test_numbers_are_extracted_by_rule_or_not_at_all(target: str, old: int, new: int | None):
    assert fact(target, old) == new


def test_texts_and_dates_of_the_infobox():
    country = "the country listed in the infobox (field: 'Country')"
    assert fact(country, "Chad", "text") == "Chad"
    assert fact(country, "Mali", "text") == "Chad"
    opened = "the date listed in the infobox (field: 'Opened')"
    assert fact(opened, "3 May 2001", "date") == "3 May 2001"
    assert fact(opened, "2001-05-04", "date") == "2001-05-03"
    assert (
        fact(opened, "4 May 2001", "date") is None
    )  # in which form the new date should be is unknown


def test_literals_are_rewritten_in_place():
    assert rewritten("abs(117 - 36) % 10", {0: 4, 1: 1200}) == "abs(4 - 1200) % 10"
    assert rewritten("digital_root(5 + 99893 + 9)", {1: 7}) == "digital_root(5 + 7 + 9)"
    assert rewritten("(10 + 10) % 10", {}) == "(10 + 10) % 10"


def renewal(course: Course, **changed: Any) -> Renewal:
    return asyncio.run(renewal_of(leg(**changed), course))


def test_a_leg_without_drift_names_the_facts_that_no_rule_extracts():
    found = renewal(Course())
    assert (found.drifted, found.broken, found.has_changed) == ((), (), False)
    assert found.unverifiable == (5,)  # "depth of the water": its value stands on the page


def test_drift_flows_through_merge_and_finish_line_into_a_leg_that_walks_clean():
    course = Course(elevation=1700.5, count=17)
    found = renewal(course)
    assert [(miss.stop, miss.old, miss.new) for miss in found.drifted] == [
        (1, 1672.9, 1700.5),
        (2, 20, 17),
        (3, 1692, 1717),
        (7, 2, 7),
    ]
    assert found.hindrances(unverifiable_too=False) == ()  # the digit does not need stop 5
    fresh = renewed(found, "2026-11-30")
    assert (fresh.digit, fresh.finish.expression) == (7, "(1717 + 10) % 10")
    assert (
        fresh.roadblocks[2].chain[0].arguments["code"].startswith("result = int(1700.5) + int(17)")
    )
    assert (fresh.generated_at, fresh.metadata["unverifiable"]) == ("2026-11-30", [5])
    assert asyncio.run(walk(fresh, course)).clean


def test_branches_that_cancel_out_still_renew_the_merges_code():
    course = Course(elevation=1669.9, count=23)
    found = renewal(course)
    assert [miss.stop for miss in found.drifted] == [1, 2]  # and not the merge, stop 3
    fresh = renewed(found, "now")
    code = fresh.roadblocks[2].chain[0].arguments["code"]
    assert code.startswith("result = int(1669.9) + int(23)\n")
    assert (fresh.roadblocks[2].value, fresh.digit) == (1692, 2)
    assert asyncio.run(walk(fresh, course)).clean


def test_metadata_tell_of_the_last_walk_alone():
    old = {"unverifiable": [0, 4], "world": "sandbox", "world_hash": "old", "seed": 7}
    depth = replace(leg().stops[5], target="Depth")
    seen = renewal(Course(count=17), stop5=depth)
    now = {"world": "sandbox", "world_hash": "new"}
    fresh = renewed(replace(seen, leg=replace(seen.leg, metadata=old)), "now", now)
    assert fresh.metadata == {"world": "sandbox", "world_hash": "new", "seed": 7}
    assert renewed(seen, "now", now).metadata == seen.leg.metadata  # it never named its world


def test_a_detour_gets_the_code_of_its_new_source():
    course = Course()
    town = replace(leg().stops[0], value=1235)
    wrong = replace(leg().stops[4], value=11, code="n = 1235\nprint(11)")
    fresh = renewed(renewal(course, **{"stop0": town, "stop4": wrong}), "now")
    assert (fresh.stops[0].value, fresh.detours[0].value) == (1234, 10)
    assert fresh.detours[0].code is not None
    assert fresh.detours[0].code.startswith("n = 1234\n")


def test_a_roadblock_over_a_value_that_has_drifted_is_stale_and_hinders():
    harbour = replace(leg().stops[5], value=17, target="Depth")
    metres = leg().stops[6]
    code = {"code": "value = 17.0\nresult = int(value * 3.28084)\nprint(result)"}
    chain = (replace(metres.chain[0], arguments=code),)
    stale = replace(metres, chain=chain, value=55)
    found = renewal(Course(), stop5=harbour, stop6=stale)
    assert found.stale == {6: 5}
    assert found.hindrances(unverifiable_too=True) == (
        "arguments of stop 6 hold a value that has drifted",
    )


def test_what_is_gone_or_unverifiable_hinders():
    gone = replace(leg().stops[5], page_url=f"{WIKI}Nowhere")
    assert renewal(Course(), stop5=gone).hindrances(unverifiable_too=True) == (
        "no value for stop 5",
    )
    finish = replace(leg().finish, expression="(1692 + 18) % 10", operands=(3, 5), value=0)
    found = renewal(Course(count=17), stop7=finish, digit=0)
    assert found.hindrances(unverifiable_too=False) == ("the digit needs stop 5, unverifiable",)
    assert found.hindrances(unverifiable_too=True) == ()


def refresh(*arguments: Any) -> Any:
    return CliRunner().invoke(aar, ["refresh", *map(str, arguments)])


@pytest.fixture
def drifted(tmp_path: Path) -> Path:
    """A leg of the repository as if the ground had been a metre higher when it was made."""
    wire = json.loads((FIXED / "dag/easy/001.json").read_text())
    merge = next(stop for stop in wire["stops"] if len(stop.get("depends_on", ())) == 2)
    branch = wire["stops"][merge["depends_on"][0]]
    code = merge["bridge"]["tool_chain"][0]["arguments"]
    code["code"] = code["code"].replace(
        str(branch["extracted_value"]), str(branch["extracted_value"] + 1)
    )
    branch["extracted_value"] += 1
    merge["extracted_value"] += 1
    path = tmp_path / "dag" / "easy" / "001.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(wire, indent=2, ensure_ascii=False) + "\n")
    return path


def test_drift_is_told_and_nothing_is_written_unasked(drifted: Path):
    before = drifted.read_bytes()
    done = refresh(drifted)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "dag/easy/001: stop 3 (roadblock): golden value 60.0, recomputed value 59.0 (the chain yields this)"
    )
    assert lines[1].startswith(
        "dag/easy/001: stop 5 (roadblock): golden value 63, recomputed value 62"
    )
    assert any(
        "stop 2 (route info): unverifiable, no rule extracts 'Rank in" in line for line in lines
    )
    assert lines[-1].startswith(
        "1 legs: 0 unchanged, 1 drifted, 0 broken; 0 written; 2 facts in 1 legs"
    )
    assert drifted.read_bytes() == before


def test_a_written_leg_is_the_leg_before_the_drift(drifted: Path):
    wire = json.loads(drifted.read_text())
    wire["metadata"]["world_hash"] = "an earlier version"
    drifted.write_text(json.dumps(wire))
    done = refresh(drifted, "--write", "--json")
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["legs"].values()
    assert (found["state"], found["written"], found["not_written"]) == ("drifted", True, [])
    assert [stop["stop"] for stop in found["stops"]][:2] == [3, 5]
    fresh, original = (
        json.loads(path.read_text()) for path in (drifted, FIXED / "dag/easy/001.json")
    )
    assert fresh["metadata"].pop("unverifiable") == found["unverifiable"] == [2, 6]
    original["metadata"]["world_hash"] = load().hash
    assert fresh == original


def test_a_leg_that_can_not_be_refreshed_stays_and_says_why(drifted: Path):
    wire = json.loads(drifted.read_text())
    wire["stops"][6]["page_url"] = "https://wiki.aar.test/wiki/Nowhere_at_all"
    drifted.write_text(json.dumps(wire))
    before = drifted.read_bytes()
    done = refresh(drifted, "--write")
    assert done.exit_code == 1
    assert "not written: no value for stop 6. Correct the leg, or make another" in done.stdout
    assert drifted.read_bytes() == before


def test_legs_of_another_world_are_refused(drifted: Path):
    error = refresh(drifted, "--world", "live").exception
    assert isinstance(error, ConfigurationError)
    assert "in the sandbox world, and --world is live: add --world sandbox" in str(error)


def test_a_roadblock_over_a_drifted_fact_is_told_and_not_written(tmp_path: Path):
    wire, block, source = computed_over_a_number()
    source["extracted_value"] += 1
    file = tmp_path / "001.json"
    file.write_text(json.dumps(wire))
    done = refresh(file, "--write")
    told = f"stop {block['index']} (roadblock): its arguments hold the old value of stop {source['index']}"
    assert told in done.stdout
    assert f"not written: arguments of stop {block['index']} hold a value" in done.stdout
    assert (done.exit_code, json.loads(file.read_text())) == (1, wire)


def computed_over_a_number() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A leg of the repository, a roadblock that computes with a number of a page's box, and that page's stop."""
    for path in sorted(LEGS.glob("*/*/0*.json")):
        wire = json.loads(path.read_text())
        for block in (stop for stop in wire["stops"] if stop["stop_type"] == "tool"):
            for source in (wire["stops"][place] for place in block["bridge"]["referenced_stops"]):
                kind = (
                    source["stop_type"],
                    source["extracted_value_type"],
                    source["extraction_section"],
                )
                if kind == ("page", "number", None):
                    return wire, block, source
    pytest.fail("no leg computes with a number of a page's box")
