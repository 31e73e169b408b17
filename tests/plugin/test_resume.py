"""Going on with a run: what has a score stays, everything else is raced, and each race is there once."""

import json
from collections import Counter

import pytest
from handmade_legs import linear

SERIAL_AND_WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])

MOODY = '''
import os, signal, sys
from pathlib import Path
from pytest_aar.errors import AgentCrashed

HERE = Path(__file__).parent


class Moody:
    """Notes each race; crashes while there is a file `rain`, kills the run at the first leg that says so."""
    name = "moody"
    needs_model = False
    release = "1"

    def __init__(self, digit="3"):
        self.digit = digit

    def version(self):
        return self.release

    async def run(self, envelope, course, limits):
        with (HERE / "raced.log").open("a") as log:
            log.write(f"{self.release}\\n")
        if (HERE / "rain").exists() and "rain" in envelope.clues:
            raise AgentCrashed("rain")
        if "kill" in envelope.clues and (HERE / "kill").exists():
            (HERE / "kill").unlink()
            # by how it was started: the variables of a worker are inherited by runs that its tests start
            is_worker = sys.argv[0] == "-c"
            os.kill(os.getppid() if is_worker else os.getpid(), signal.SIGKILL)
        return self.digit
'''


@pytest.fixture
def moody(project):
    """A third leg, whose clues say `kill` and `rain`."""
    project.pytester.makepyfile(moody=MOODY)
    project.write_leg("linear/easy/003", {**linear(), "riddle": "kill, or rain"})
    return project


def run(project, *options: str) -> pytest.RunResult:
    return project.run("legs", "--aar-results=run", *options, agent="moody:Moody")


def raced(project) -> int:
    return len((project.path / "raced.log").read_text().splitlines())


def scored(project) -> Counter:
    return Counter(race["leg"] for race in project.races() if race["score"] is not None)


ONCE = {"dag/easy/002": 1, "linear/easy/001": 1, "linear/easy/003": 1}


def test_scored_races_are_taken_over_and_errors_raced_again(moody) -> None:
    (moody.path / "rain").touch()
    run(moody, "--aar-infra-retries=0").assert_outcomes(passed=1, failed=1, errors=1)
    assert raced(moody) == 3
    (moody.path / "rain").unlink()
    again = run(moody, "--aar-resume", "--junitxml=x.xml", "-n2")
    again.assert_outcomes(passed=2, failed=1)
    again.stdout.fnmatch_lines(
        [
            "aar: *, resumes */run (2 races are scored)",
            "*leg dag/easy/002 lost by moody: answer 3 is wrong",
            "*trace: *run/traces/dag/easy/002.jsonl",
            "all * 3 *",
            "outcomes: answered 3",
        ]
    )
    assert raced(moody) == 4
    assert scored(moody) == ONCE
    assert len(moody.races()) == 4  # the error's line stays, the later one counts
    assert (moody.path / "x.xml").read_text().count('name="aar_fa"') == 3


@SERIAL_AND_WORKERS
def test_a_killed_run_goes_on_where_it_was(moody, workers) -> None:
    (moody.path / "kill").touch()
    killed = moody.run_subprocess("legs", "--aar-results=run", *workers, agent="moody:Moody")
    assert killed.ret not in tuple(pytest.ExitCode)
    assert not (moody.path / "kill").exists()
    done = sum(scored(moody).values()) if (moody.path / "run").exists() else 0
    assert done < 3
    with (moody.path / "run/results.jsonl").open("ab") as stream:
        stream.write(b'{"schema": 1, "leg": "linear/ea')  # as a power cut leaves it
    run(moody, "--aar-resume").assert_outcomes(passed=2, failed=1)
    assert scored(moody) == ONCE
    provenance = json.loads((moody.path / "run/run.json").read_text())
    assert provenance["subject"]["agent"] == "moody:Moody"
    (later,) = provenance["resumed"]
    assert later["started_at"] > provenance["started_at"]
    assert later["versions"] == provenance["versions"]


def test_only_what_is_the_same_race_is_taken_over(moody) -> None:
    run(moody).assert_outcomes(passed=2, failed=1)
    assert raced(moody) == 3
    run(moody, "--aar-resume").assert_outcomes(passed=2, failed=1)
    assert raced(moody) == 3
    # Raced again: a leg with another content, one whose trace is gone; and a new one.
    moody.write_leg("linear/easy/003", {**linear(), "riddle": "other clues"})
    (moody.path / "run/traces/dag/easy/002.jsonl").unlink()
    moody.write_leg("linear/easy/009", linear())
    run(moody, "--aar-resume").assert_outcomes(passed=3, failed=1)
    assert raced(moody) == 6
    # And everything by another version of the agent.
    source = (moody.path / "moody.py").read_text()
    (moody.path / "moody.py").write_text(source.replace('release = "1"', 'release = "1.1"'))
    run(moody, "--aar-resume").assert_outcomes(passed=3, failed=1)
    assert raced(moody) == 10


def test_another_run_is_refused_with_what_differs(moody) -> None:
    run(moody)
    lines = (moody.path / "run/results.jsonl").read_text()
    others = ("--aar-timeout=7", "--aar-agent-option=digit=4", "--aar-max-race-tokens=9")
    result = run(moody, "--aar-resume", *others)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "*--aar-resume: */run holds another run: agent_options was {} and is {'digit': '4'} now; "
            "max_race_tokens was None and is 9 now; timeout was 600.0 and is 7.0 now; give the options of "
            "that run, or choose another folder with --aar-results"
        ]
    )
    assert (moody.path / "run/results.jsonl").read_text() == lines
    (moody.path / "run/run.json").unlink()
    result = run(moody, "--aar-resume")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*run.json: *without it nobody knows what was raced*"])


def test_resume_needs_a_folder_and_a_folder_of_a_run_needs_resume(moody) -> None:
    result = moody.run("legs", "--aar-resume", agent="moody:Moody")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--aar-resume goes on with*name the folder with --aar-results DIR*"]
    )
    # A folder without results: a run that was stopped before its first one.
    run(moody, "--aar-resume").assert_outcomes(passed=2, failed=1)
    result = run(moody)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*already holds the results of a run*go on with that run by --aar-resume*"]
    )


def test_a_class_without_a_version_that_was_changed_is_another_run(moody) -> None:
    source = (moody.path / "moody.py").read_text().replace("def version", "def no_version")
    (moody.path / "moody.py").write_text(source)
    run(moody).assert_outcomes(passed=2, failed=1)
    profile = json.loads((moody.path / "run/run.json").read_text())["profile"]
    assert profile["isolation"] in ("bwrap", "none")  # nobody knows whether it starts programs
    run(moody, "--aar-resume").assert_outcomes(passed=2, failed=1)
    (moody.path / "moody.py").write_text(f"{source}\n# better\n")
    result = run(moody, "--aar-resume")
    result.stderr.fnmatch_lines(["*run holds another run: agent_source was *"])
    assert raced(moody) == 3
