"""What the linter finds in the 1,400 published legs: their known faults, with their counts."""

import re
import time
from collections import Counter
from pathlib import Path

import pytest

from pytest_aar.golden.pages import numbers
from pytest_aar.leg import RouteInfo, used_operands
from pytest_aar.leg_file import read_leg
from pytest_aar.lint import RULES, lint_files
from pytest_aar.lint.clue_text import bare
from pytest_aar.lint.detour_code import use_of_source
from pytest_aar.score import canonical_title

_YEAR = re.compile(r"\byear\b", re.IGNORECASE)


def documented():
    """The table of docs/lint: rule -> findings and legs."""
    page = (Path(__file__).parents[2] / "docs/lint/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| ([a-z-]+) \| ([\d,]+) \| ([\d,]+) \|", page)
    return {
        rule: (int(each.replace(",", "")), int(legs.replace(",", ""))) for rule, each, legs in rows
    }


@pytest.fixture(scope="module")
def linted(shared):
    started = time.process_time()
    found = lint_files(sorted((shared / "data/aar").rglob("*.json")))
    return found, time.process_time() - started


@pytest.fixture(scope="module")
def legs(shared):
    return {str(path): read_leg(path) for path in sorted((shared / "data/aar").rglob("*.json"))}


def test_each_kind_of_fault_is_found(linted):
    found, _ = linted
    findings = Counter(finding.rule for finding in found.findings)
    legs = Counter(rule for rule, _ in {(each.rule, each.file) for each in found.findings})
    counts = {name: (findings[name], legs[name]) for name in RULES}
    assert {name: count for name, count in counts.items() if count != (0, 0)} == documented()


def test_the_whole_set_takes_less_than_fifteen_seconds(linted):
    _, seconds = linted
    assert seconds < 15


def test_every_finding_stands_in_its_line(linted):
    found, _ = linted
    for finding in found.findings[::50]:
        with open(finding.file, encoding="utf-8") as file:
            line = file.read().splitlines()[finding.line - 1]
        assert f'"{finding.field.split(".")[-1]}":' in line or finding.field == "metadata.variant"


def files_of(linted, rule):
    return [finding.file for finding in linted[0].findings if finding.rule == rule]


def test_answers_in_clues_by_variant_and_form(linted, legs):
    found = [legs[file] for file in files_of(linted, "answer-in-clues")]
    assert Counter(leg.variant for leg in found) == {"dag": 62, "linear": 11}
    assert sum("digital_root" in leg.finish.expression for leg in found) == 20


def test_operands_are_not_taken_from_numbering_or_references(linted, legs):
    """The reference counts about 70; with the clues' own numbers and "clue 5" it would be many more."""
    assert not set(files_of(linted, "operands-in-clues")) & set(files_of(linted, "answer-in-clues"))
    for file in files_of(linted, "operands-in-clues"):
        leg = legs[file]
        held = numbers(bare(leg.clues))
        used = [int(float(leg.stops[place].value)) for place in used_operands(leg)]
        assert all(value in held for value in used), file


def test_titles_are_looked_for_as_whole_words_and_without_their_qualifier(linted, legs):
    """A plain test on titles of more than five letters gives 326 stops; 318 is the reference's."""
    plain = {
        (file, stop.index)
        for file, leg in legs.items()
        for stop in leg.route_infos
        if len(title := canonical_title(stop.page_url)) > 5 and title.lower() in leg.clues.lower()
    }
    found = {(f.file, f.stop) for f in linted[0].findings if f.rule == "title-in-clues"}
    assert len(plain) == 326
    assert len(plain - found) <= 20  # parts of longer words
    shorter = [legs[file].stops[stop] for file, stop in found - plain]
    titles = [canonical_title(stop.page_url) for stop in shorter]
    assert all(len(title) <= 5 or re.search(r",| \(", title) for title in titles)


def test_detours_round_or_have_another_source(linted, legs):
    """The reference's 2,558 come from comparing texts; the code's own argument tells the kinds apart."""
    uses = Counter(use_of_source(leg, stop) for leg in legs.values() for stop in leg.detours)
    assert uses == {"exact": 4076, "rounded": 441, "other": 39}


def test_years_are_not_amounts_and_early_years_are_years(linted, legs):
    """The reference's 718 (679 of them days) hold early years and amounts; ours are 681."""
    plain = {
        (file, stop.index): stop
        for file, leg in legs.items()
        for stop in leg.stops
        if isinstance(stop, RouteInfo)
        and _YEAR.search(stop.target)
        and isinstance(stop.value, int | float)
        and not 1000 <= stop.value <= 2100
    }
    found = {(f.file, f.stop) for f in linted[0].findings if f.rule == "not-a-year"}
    assert found < plain.keys()
    left = [stop for key, stop in plain.items() if key not in found]
    amounts = [stop for stop in left if re.search("number of|total|issues per", stop.target)]
    early = [stop for stop in left if stop not in amounts]
    assert (len(plain), len(amounts), len(early)) == (725, 11, 33)
    assert all(stop.value < 1000 for stop in early)
    assert sum(plain[key].value <= 31 for key in found) == 677


def test_no_places_share_one_elevation(linted, legs):
    found = [finding for finding in linted[0].findings if finding.rule == "no-place"]
    stops = [legs[finding.file].stops[finding.stop] for finding in found]
    assert len({stop.chain[0].arguments["address"] for stop in stops}) == 78


def test_few_diamonds_by_level(linted, legs):
    levels = Counter(legs[file].level for file in files_of(linted, "few-diamonds"))
    assert levels == {"extreme": 68, "hard": 41}


def test_the_level_that_contradicts_its_folder(linted):
    (finding,) = [each for each in linted[0].findings if each.rule == "level-mismatch"]
    assert finding.leg_id == "aar-linear/easy/sample_200"
    assert finding.message == "declared 'medium', in the folder of 'easy'"
