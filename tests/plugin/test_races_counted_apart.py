"""Contaminated and unobserved races: from the evidence to the letter, the summary, JUnit and the exit status."""

import json
import os
import subprocess
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from pytest_aar.box.isolation import probe
from pytest_aar.cli.baseline import compare
from pytest_aar.lookout import DECOY_CANARY

SERIAL_AND_WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])

#: Both say the right digit of the linear leg. The cheat names that leg's file; for the other leg it is no evidence.
CHEATS = """
import asyncio
import os
import subprocess
from pathlib import Path

from pytest_aar.box import CommandSpec
from pytest_aar.errors import AgentCrashed
from racers import Guess


class Cheat(Guess):
    name = "cheat"

    async def run(self, envelope, course, limits):
        await course.http.post("tools/fetch_webpage", json={"url": "legs/linear/easy/001.json"})
        if self.digit == "crash":
            raise AgentCrashed("crashed")
        return self.digit


class Web(Guess):
    name = "web"

    async def run(self, envelope, course, limits):
        course.box.run(CommandSpec(command="true || curl https://a.org", workdir=course.workdir, timeout=9))
        return self.digit


class Takes(Guess):
    name = "takes"

    async def run(self, envelope, course, limits):
        await asyncio.sleep(2.0 if os.environ["PYTEST_XDIST_WORKER"] == "gw1" else 0.1)
        return self.digit


class OpensDecoy(Guess):
    name = "opens-decoy"

    async def run(self, envelope, course, limits):
        command = f"cat {Path('legs/.answers.json').absolute()} > /dev/null"
        course.box.run(CommandSpec(command=command.replace(".answers", ".?nswers"), workdir=course.workdir, timeout=9))
        return self.digit


class Quiet(Guess):
    # Starts nothing, while somebody else on this machine reads the decoy.
    name = "quiet"

    async def run(self, envelope, course, limits):
        Path("legs/.answers.json").read_bytes()
        return self.digit


class Code(Guess):
    # Runs code that would ask the web by the tool for it.
    name = "code"

    async def run(self, envelope, course, limits):
        code = "import urllib.request as u\\ntry: u.urlopen('https://a.org', timeout=1)\\nexcept OSError: print('no')"
        Path("legs/.answers.json").read_bytes()
        reply = await course.http.post("tools/python_execute_code", json={"code": code})
        assert "no" in reply.text, reply.text
        return self.digit
"""


@pytest.fixture
def cheats(project):
    project.pytester.makepyfile(cheats=CHEATS)
    return project


def lines_of(result: pytest.RunResult) -> str:
    return "\n".join(result.outlines)


@pytest.mark.usefixtures("wide")
@SERIAL_AND_WORKERS
def test_a_contaminated_race_is_no_win_and_counted_apart(cheats, workers) -> None:
    result = cheats.run_subprocess(
        "legs", "--aar-results=run", "--junitxml=junit.xml", *workers, agent="cheats:Cheat"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    outcomes = result.parseoutcomes()
    assert (outcomes["contaminated"], outcomes["failed"]) == (1, 1)
    result.stdout.re_match_lines([r"(legs/linear/easy/001\.json |)[CF]+( |$).*"])
    result.stdout.fnmatch_lines(
        [
            "outcomes: *",
            "contaminated: 0/2 correct, 1 contaminated (0/1 of the clean races); such a race is never *",
            "contaminated: linear/easy/001: the path of the leg's file in the arguments of the tool fetch_webpage*",
            "*= CONTAMINATED =*",
            "leg linear/easy/001 contaminated by *: never correct, whatever its digit; what was seen:",
            "  the path of the leg's file in the arguments of the tool fetch_webpage*",
            "CONTAMINATED legs/linear/easy/001.json::001[[]*",
        ]
    )
    assert "all          1  0.00" in lines_of(result)
    races = {race["leg"]: race for race in cheats.races()}
    cheated = races["linear/easy/001"]
    assert (cheated["outcome"], cheated["ending"], cheated["score"]) == (
        "contaminated",
        "answered",
        None,
    )
    assert cheated["evidence"][0].startswith("the path of the leg's file")
    assert races["dag/easy/002"]["outcome"] == "answered"
    assert races["dag/easy/002"]["evidence"] == []
    provenance = json.loads((cheats.path / "run/run.json").read_text())
    assert provenance["outcomes"] == {"contaminated": 1, "answered": 1}
    case = next(
        case
        for case in ElementTree.parse(cheats.path / "junit.xml").iter("testcase")
        if case.get("name", "").startswith("001")
    )
    failure = case.find("failure")
    assert failure is not None
    assert "contaminated by cheat" in (failure.text or "") + failure.get("message", "")
    found = {item.get("name"): item.get("value") for item in case.iter("property")}
    assert found["aar_outcome"] == "contaminated"
    assert "the path of the leg's file" in (found["aar_evidence"] or "")
    assert "aar_fa" not in found


def test_the_evidence_is_told_last_and_with_q_too(cheats) -> None:
    result = cheats.run("legs/linear", "--aar-results=run", "-q", agent="cheats:Cheat")
    result.stdout.fnmatch_lines(
        [
            "results: *run",
            "*= CONTAMINATED =*",
            "  the path of the leg's file in the arguments of the tool fetch_webpage*",
            "CONTAMINATED legs/linear/easy/001.json::001[[]*",
        ]
    )


def test_the_gate_cannot_pass_with_one(cheats) -> None:
    result = cheats.run(
        "legs/linear", "--aar-gate=errors <= 100 %", "--aar-results=run", agent="cheats:Cheat"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["aar gate: FAILED: 1 contaminated race"])
    cheats.run("legs/linear", "--aar-results=before")
    compared = CliRunner().invoke(compare, ["before", "run"])
    assert compared.exit_code == 1
    assert "contaminated now: 1: linear/easy/001" in compared.output


def test_no_ordinary_test_makes_a_contaminated_run_green(cheats) -> None:
    cheats.pytester.makepyfile(
        """
        import pytest

        @pytest.mark.aar_legs("legs/linear")
        def test_race(aar_race):
            assert aar_race.contaminated and not aar_race.won
            assert aar_race.outcome == "contaminated"
            assert aar_race.score is None and aar_race.finish is None
        """
    )
    result = cheats.run(
        "test_no_ordinary_test_makes_a_contaminated_run_green.py", agent="cheats:Cheat"
    )
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_crash_hides_nothing_and_gets_no_second_attempt(cheats) -> None:
    result = cheats.run(
        "legs/linear",
        "--aar-results=run",
        "--aar-agent-option=digit=crash",
        "--aar-infra-retries=3",
        agent="cheats:Cheat",
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (race,) = cheats.races()
    assert (race["outcome"], race["attempts"], race["error"]) == ("contaminated", 1, "AgentCrashed")


@pytest.mark.usefixtures("wide")
@SERIAL_AND_WORKERS
def test_an_unobserved_race_passes_by_its_digit_and_stays_out_of_the_rates(cheats, workers) -> None:
    result = cheats.run_subprocess(
        "legs", "--aar-results=run", "--aar-isolation=none", *workers, agent="cheats:Web"
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "unobserved: 2 of 2 races asked the network past the gateway*FA 0.50 (1/2)*",
            "unobserved: dag/easy/002: curl to a.org in command 1 (true)",
        ]
    )
    assert "FA by guessing" in lines_of(result)
    races = cheats.races()
    assert {race["outcome"] for race in races} == {"unobserved"}
    assert {race["ending"] for race in races} == {"answered"}
    assert {race["score"]["fa"] for race in races} == {0, 1}


def test_the_main_rates_are_of_observed_races_only(cheats) -> None:
    result = cheats.run(
        "legs", "--aar-isolation=none", "--aar-gate=fa >= 0.1", "-q", agent="cheats:Web"
    )
    result.stdout.fnmatch_lines(["FA -, PVR -, RCR -, N = 0", "*no scored race to judge*"])


def test_an_opened_decoy_contaminates_and_without_one_nothing_is_watched(cheats) -> None:
    decoy = cheats.path / "legs/.answers.json"
    decoy.write_text(json.dumps({"canary": DECOY_CANARY}))
    result = cheats.run(
        "legs/linear", "--aar-results=run", "--aar-isolation=none", "-v", agent="cheats:OpensDecoy"
    )
    assert result.parseoutcomes()["contaminated"] == 1
    result.stdout.fnmatch_lines(
        [
            "*CONTAMINATED*",
            "*the decoy .answers.json was opened while this race ran: by its agent, by another*",
        ]
    )
    assert "no decoy at" not in lines_of(result)
    decoy.unlink()
    unwatched = cheats.run("legs/linear", "--aar-isolation=none", "-v", agent="Guess")
    unwatched.assert_outcomes(passed=1)
    unwatched.stdout.fnmatch_lines([f"aar: no decoy at {decoy}: *"])
    quiet = cheats.run("legs/linear", "--aar-isolation=none", agent="Guess")
    assert "no decoy" not in lines_of(quiet)


def test_who_starts_nothing_is_not_marked_by_what_others_read(cheats) -> None:
    (cheats.path / "legs/.answers.json").write_text(json.dumps({"canary": DECOY_CANARY}))
    result = cheats.run(
        "legs/linear", "--aar-results=run", "--aar-isolation=none", agent="cheats:Quiet"
    )
    result.assert_outcomes(passed=1)
    (race,) = cheats.races()
    assert (race["outcome"], race["isolation"], race["evidence"]) == ("answered", "in-process", [])


@pytest.mark.parametrize("isolation", ["none", "auto"])
def test_code_without_walls_counts_and_within_them_it_does_not(cheats, isolation) -> None:
    if isolation == "auto" and probe("auto").name != "bwrap":
        pytest.skip("no bwrap here")
    (cheats.path / "legs/.answers.json").write_text(json.dumps({"canary": DECOY_CANARY}))
    cheats.run(
        "legs/linear", "--aar-results=run", f"--aar-isolation={isolation}", agent="cheats:Code"
    )
    (race,) = cheats.races()
    found = "; ".join(race["evidence"])
    if isolation == "auto":
        assert (race["outcome"], found) == ("answered", "")
    else:
        assert race["outcome"] == "contaminated"
        assert "the decoy .answers.json was opened while this race ran" in found


def test_a_resumed_run_keeps_its_contaminated_races(cheats) -> None:
    arguments = ("legs/linear", "--aar-results=run", "--aar-resume")
    cheats.run(*arguments, agent="cheats:Cheat")
    before = cheats.races()
    result = cheats.run(*arguments, agent="cheats:Cheat")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes()["contaminated"] == 1
    assert cheats.races() == before


def test_what_git_reads_for_the_results_contaminates_nobody(cheats) -> None:
    """git looks into files whose times say that they may have changed, and the decoy is one of them."""
    decoy = cheats.path / "legs/.answers.json"
    decoy.write_text(json.dumps({"canary": DECOY_CANARY}))
    who = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    for words in (("init", "-q"), ("add", "legs"), ("commit", "-qm", "legs")):
        subprocess.run(["git", *who, *words], cwd=cheats.path, check=True)
    os.utime(decoy)
    result = cheats.run_subprocess(
        *("legs", "-n", "2", "--aar-isolation=none", "--aar-results=run"),
        agent="cheats:Takes",
    )
    result.assert_outcomes(passed=1, failed=1)
    assert {race["outcome"] for race in cheats.races()} == {"answered"}
    assert json.loads((cheats.path / "run/run.json").read_text())["git_commit"]
