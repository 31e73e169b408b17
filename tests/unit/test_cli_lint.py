"""`aar lint`: choice of rules, formats, exit status, repairs."""

import json
import re

import pytest
from click.testing import CliRunner
from handmade_legs import linear

from pytest_aar.cli import aar
from pytest_aar.cli.lint import write_repaired
from pytest_aar.errors import ConfigurationError
from pytest_aar.leg_file import read_leg
from pytest_aar.lint import RULES, Finding, Linted
from pytest_aar.lint.formats import FORMATS

FINE = "1. Oak.\n\n2. Tin.\n\n3. Tea.\n\n4. The whole part of clue 3.\n\n5. Fir.\n\n6. Sky."
ONE = Finding(
    rule="wrong-digit",
    severity="error",
    leg_id="a",
    stop=5,
    field="bridge.expression",
    message="50% of\nit: wrong",
    repair="correct it",
    file="le gs/a,b.json",
    line=7,
)
FOUND = Linted(files=3, findings=(ONE,))


def run(*arguments):
    return CliRunner().invoke(aar, ["lint", *map(str, arguments)])


@pytest.fixture
def file(tmp_path):
    """A linear leg in the folder of hard ones, declared easy, with one stop off the route."""
    path = tmp_path / "linear" / "hard" / "001.json"
    path.parent.mkdir(parents=True)
    wire = linear() | {"riddle": FINE}
    wire["stops"][3]["depends_on"] = [1]
    path.write_text(json.dumps(wire))
    return path


def rules_in(file, *arguments):
    found = run(file, "--format", "json", *arguments)
    assert found.exit_code == (1 if json.loads(found.stdout)["findings"] else 0)
    return [finding["rule"] for finding in json.loads(found.stdout)["findings"]]


def test_rules_are_selected_and_ignored(file):
    everything = rules_in(file)
    assert {"level-mismatch", "linear-route", "unused-operands"} <= set(everything)
    two = rules_in(file, "--select", "linear-route, level-mismatch")
    assert sorted(two) == ["level-mismatch", "linear-route"]
    assert rules_in(file, "--select", "linear-route", "--select", "clue-count") == ["linear-route"]
    assert set(rules_in(file, "--ignore", "linear-route")) == {*everything} - {"linear-route"}
    assert rules_in(file, "--select", "clue-count") == []


def test_an_unknown_rule_is_a_usage_error_that_names_the_rules(file):
    error = run(file, "--ignore", "clue-count,no-such").exception
    assert isinstance(error, ConfigurationError)
    assert str(error) == f"--ignore: there is no rule 'no-such'; rules: {', '.join(RULES)}"


def test_options_that_leave_no_rule_are_refused(file):
    error = run(file, "--select", "linear-route", "--ignore", "linear-route").exception
    assert isinstance(error, ConfigurationError)
    assert "leave no rule" in str(error)


def test_a_file_that_is_no_json_has_no_field(tmp_path):
    (tmp_path / "001.json").write_text("{")
    assert "001.json:1: not-a-leg: not JSON: " in run(tmp_path / "001.json").stdout


def test_text_ends_with_the_numbers_by_rule(file):
    lines = run(file, "--select", "linear-route,level-mismatch").stdout.splitlines()
    assert lines[0].startswith(f"{file}:1: ")
    assert lines[-3:] == [
        "level-mismatch       1 in 1",
        "linear-route         1 in 1",
        "2 findings in 1 of 1 file",
    ]
    assert run(file, "--select", "clue-count").stdout == "no findings in 1 file\n"


def test_json_has_every_part_of_a_finding():
    found = json.loads(FORMATS["json"](FOUND))
    assert found["files"] == 3
    assert found["rules"] == {"wrong-digit": {"findings": 1, "legs": 1}}
    assert found["findings"] == [
        {
            "rule": "wrong-digit",
            "severity": "error",
            "leg_id": "a",
            "stop": 5,
            "field": "bridge.expression",
            "message": "50% of\nit: wrong",
            "repair": "correct it",
            "file": "le gs/a,b.json",
            "line": 7,
        }
    ]


def test_github_gets_workflow_commands_with_escapes():
    assert FORMATS["github"](FOUND) == (
        "::error file=le gs/a%2Cb.json,line=7,title=wrong-digit::"
        "stop 5, field bridge.expression: 50%25 of%0Ait: wrong; correct it"
    )
    assert FORMATS["github"](Linted(files=1, findings=())) == ""


def test_sarif_has_the_required_structure():
    log = json.loads(FORMATS["sarif"](FOUND))
    assert (log["version"], log["$schema"]) == (
        "2.1.0",
        "https://json.schemastore.org/sarif-2.1.0.json",
    )
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "aar lint"
    assert [rule["id"] for rule in driver["rules"]] == list(RULES)
    assert {rule["defaultConfiguration"]["level"] for rule in driver["rules"]} == {
        "error",
        "warning",
        "note",
    }
    (result,) = run["results"]
    assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "wrong-digit"
    assert result["level"] == "error"
    assert result["message"] == {"text": "50% of\nit: wrong; correct it"}
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "le%20gs/a%2Cb.json"},
        "region": {"startLine": 7},
    }
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "stops[5].bridge.expression"


def test_fix_repairs_what_is_safe_and_reports_the_rest(file):
    found = run(file, "--fix", "--select", "linear-route,level-mismatch,unused-operands")
    assert found.exit_code == 1
    assert found.stderr == f"{file}: repaired level-mismatch, linear-route\n"
    assert "unused-operands" in found.stdout
    assert "1 finding in 1 of 1 file" in found.stdout
    leg = read_leg(file)
    assert (leg.difficulty.level, leg.stops[3].depends_on) == ("hard", (2,))
    before = file.read_bytes()
    again = run(file, "--fix", "--select", "linear-route,level-mismatch")
    assert (again.exit_code, again.stderr, file.read_bytes()) == (0, "", before)


def test_fix_leaves_alone_what_is_not_selected(file):
    before = file.read_bytes()
    assert run(file, "--fix", "--select", "unused-operands").exit_code == 1
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("riddle", "repaired"),
    [
        (FINE.replace("5. F", "6. F"), True),
        (FINE.replace("1. O", "**7.** O"), True),
        (FINE.replace("3. T", "2. T"), False),  # clue 4 refers to clue 3
        (FINE.replace("5. F", "3. F"), False),  # there are two clues 3
        (FINE.replace("6. Sky", "7. Sky\n\n9. More"), False),  # a clue too many
        *(
            (FINE.replace("5. F", "8. F").replace("Sky", f"Sky: {form}"), False)
            for form in (
                "clues 1 & 8",
                "clues 1 or 8",
                "clues 1-8",
                "clues 2 plus 5",
                "clue #8",
                "clue no. 5",
                "clue (8)",
                "Step 8",
                "clue eight",
                "the eighth clue",
                "add #8",
                "the results of 3 and 5",
            )
        ),
        (FINE.replace("5. Fir", "8. Fir, of 1,508 m on 2024-08-05, and 8.5 or 58 more"), True),
    ],
)
def test_clues_are_renumbered_where_no_reference_changes(file, riddle, repaired):
    file.write_text(json.dumps(linear() | {"riddle": riddle}))
    found = run(file, "--fix", "--select", "clue-numbering")
    assert found.exit_code == (0 if repaired else 1)
    clues = read_leg(file).clues
    if repaired:
        assert re.findall(r"(?m)^\**(\d)\.", clues) == list("123456")
        assert "part of clue 3." in clues
    else:
        assert clues == riddle


def test_a_file_that_can_not_be_written_is_told(tmp_path):
    with pytest.raises(
        ConfigurationError, match=r"can't write .*gone/1\.json: .*; make it writable, or"
    ):
        write_repaired(tmp_path / "gone" / "1.json", b"{}")


def test_below_the_legs_root_every_json_file_is_looked_at(tmp_path, monkeypatch):
    (tmp_path / "legs").mkdir()
    (tmp_path / "legs" / "half.json").write_text('{"trail_id": "x"}')
    monkeypatch.chdir(tmp_path)
    found = json.loads(run("legs", "--format", "json").stdout)["findings"]
    assert [(each["rule"], each["leg_id"], each["line"]) for each in found] == [
        ("not-a-leg", "half", 1)
    ]
