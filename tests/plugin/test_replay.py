"""Recording and replaying races of `react` and the pacer in the sandbox world."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_aar.prompt import TEMPLATE

REPOSITORY = Path(__file__).parents[2]
PACER = ("--aar-agent=react", "--aar-model=pacer", "--aar-pacer=seed=1")
INI = "[pytest]\nfilterwarnings = error\n"


@pytest.fixture(scope="session")
def sandbox_leg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A leg that the sandbox world can answer: one of the repository's, or one made for this test."""
    committed = sorted((REPOSITORY / "legs" / "linear" / "easy").glob("*.json"))
    if committed:
        return committed[0]
    folder = tmp_path_factory.mktemp("generated")
    generate = "from pytest_aar.cli import main; main()"
    options = ("--variant", "linear", "--difficulty", "easy", "-n", "1", "--out", str(folder))
    subprocess.run([sys.executable, "-c", generate, "generate", *options], check=True)
    return next(folder.rglob("*.json"))


@pytest.fixture
def raced(project, sandbox_leg: Path):
    """The project with one real leg, its race recorded in `cassettes`."""
    project.drop_legs()
    project.write_leg("linear/easy/001", json.loads(sandbox_leg.read_text()))
    project.pytester.makeini(INI)
    result = project.run("legs", *PACER, "--aar-record=once", "--aar-results=recorded", agent=None)
    result.assert_outcomes(passed=1)
    return project


def replay(project, *options: str) -> pytest.RunResult:
    return project.run("legs", *PACER, *options, agent=None)


def traces(project, run: str) -> list[dict]:
    lines = (project.path / run / "traces/linear/easy/001.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    return [
        {key: value for key, value in event.items() if not key.endswith(("_at", "_seconds"))}
        for event in events
    ]


@pytest.mark.usefixtures("wide")
def test_a_recorded_race_replays_to_the_same_trace_and_score(raced) -> None:
    replay(raced, "--aar-results=one").assert_outcomes(passed=1)
    result = replay(raced, "--aar-results=two")
    result.stdout.fnmatch_lines(
        [
            "*scripted stand-in, not a model*",
            "resources: tokens *, as recorded, *; model time *, as recorded; *; replay took *",
            "replay: hits *, misses 0, unplayed 0",
        ]
    )
    assert traces(raced, "one") == traces(raced, "two") == traces(raced, "recorded")
    assert raced.races("one")[0]["score"] == raced.races("recorded")[0]["score"]
    assert raced.races("two")[0]["plan"]["error_class"] == "correct"
    assert raced.races("two")[0]["score"]["pages_unresolved"] == 0
    assert raced.races("recorded")[0]["recorded_seconds"] is None
    assert raced.races("two")[0]["recorded_seconds"] is not None


def test_without_a_recording_the_race_is_an_error_that_says_how_to_record(project) -> None:
    result = project.run(
        "legs/linear", *PACER, "-o", "aar_record=none", "--aar-world=sandbox", agent=None
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no cassette; record it with --aar-record=once*"])


def test_what_to_do_without_recordings_is_told_once_a_run(project) -> None:
    options = (
        *PACER,
        "-o",
        "aar_record=none",
        "--aar-world=sandbox",
        "--junit-xml=j.xml",
    )
    result = project.run("legs", "--aar-repeat=2", *options, agent=None)
    found = result.parseoutcomes()["errors"]
    said, _, _ = "\n".join(result.stdout.lines).partition("short test summary info")
    assert found > 2
    assert said.count("no cassette; record it with --aar-record=once (needs") == 1
    first, *_ = re.findall("ERROR at setup of (leg: .*?) _", said)
    assert said.count(f"no cassette: see the error of {first}. Its place is ") == found - 1
    whole = (project.path / "j.xml").read_text()
    assert whole.count("record it with --aar-record=once (needs") >= found


def test_one_word_of_the_prompt_shows_the_first_difference_and_all_repairs_it(raced) -> None:
    changed = TEMPLATE.replace("digit", "numeral", 1)
    assert changed != TEMPLATE
    (raced.path / "prompt.md").write_text(changed)
    result = replay(raced, "--aar-prompt=prompt.md")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*replay diverged*", "*first difference*", "*recorded: *digit*", "*now: *numeral*"]
    )
    assert replay(raced, "--aar-prompt=prompt.md", "--aar-record=all").ret == 0
    assert replay(raced, "--aar-prompt=prompt.md").ret == 0


def test_diverged_races_live_what_diverged_and_records_it(raced) -> None:
    replay(raced, "--aar-record=diverged", "--aar-results=same").assert_outcomes(passed=1)
    assert raced.races("same")[0]["replay"]["misses"] == 0
    # Another budget stands in the prompt: the replay diverges.
    options = ("--aar-max-steps=40",)
    replay(raced, *options).assert_outcomes(errors=1)
    replay(raced, *options, "--aar-record=diverged", "--aar-results=new").assert_outcomes(passed=1)
    assert raced.races("new")[0]["replay"] is None
    replay(raced, *options).assert_outcomes(passed=1)


def test_repeats_have_recordings_of_their_own(raced) -> None:
    replay(raced, "--aar-repeat=2", "--aar-record=once").assert_outcomes(passed=2)
    names = sorted(path.name for path in (raced.path / "cassettes").rglob("react--*.json"))
    assert len(names) == 2
    assert names[0].endswith("--r2.json") != names[1].endswith("--r2.json")
    replay(raced, "--aar-repeat=2").assert_outcomes(passed=2)


def test_a_changed_leg_refuses_its_recording(raced) -> None:
    leg = raced.path / "legs/linear/easy/001.json"
    leg.write_text(leg.read_text() + "\n")
    result = replay(raced)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*recorded for another state of this leg*"])


def test_a_torn_recording_is_a_clear_error(raced, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CI", raising=False)  # there pytest cuts no line
    (bodies,) = (raced.path / "cassettes").rglob("*.bodies.gz")
    bodies.write_bytes(bodies.read_bytes()[:-20])
    result = replay(raced)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["ERROR legs/*.json* - *unreadable cassette: *"])
    assert bodies.name in result.stdout.str()


def test_golden_wins_every_leg_and_names_a_changed_value(raced) -> None:
    leg = raced.path / "legs/linear/easy/001.json"
    raced.run("legs", "--aar-agent=golden", agent=None).assert_outcomes(passed=1)
    wire = json.loads(leg.read_text())
    stop = next(stop for stop in wire["stops"] if stop["stop_type"] == "tool")
    stop["extracted_value"] = 123456
    leg.write_text(json.dumps(wire))
    result = raced.run("legs", "--aar-agent=golden", agent=None)
    result.assert_outcomes(failed=1)
    assert f"stop {stop['index']}" in result.stdout.str()
    assert "123456" in result.stdout.str()


OUTSIDERS = """
import httpx, socket, subprocess

class Asks:
    needs_model = False

    async def run(self, envelope, course, limits):
        httpx.get("http://example.com")
        return 3

class Swallows:
    needs_model = False

    async def run(self, envelope, course, limits):
        try:
            socket.create_connection(("192.0.2.1", 80), timeout=0.1)
        except OSError:
            pass
        return 3

class Reaches:
    needs_model = False

    async def run(self, envelope, course, limits):
        reply = httpx.post(course.url + "/tools/countries_area", json={"country": "Norway"})
        assert reply.status_code == 200, reply.text
        return 3
"""


@pytest.mark.parametrize("agent", ["Asks", "Swallows"])
def test_a_replayed_race_that_connects_elsewhere_is_an_error_that_names_the_line(
    project, agent: str
) -> None:
    project.pytester.makeini(INI)
    project.pytester.makepyfile(outsiders=OUTSIDERS)
    result = project.run(
        "legs/linear",
        f"--aar-agent=outsiders:{agent}",
        "--aar-world=sandbox",
        "--aar-results=run",
        agent=None,
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*blocked: a connection to *from *outsiders.py:*; replay is offline*"]
    )
    (race,) = project.races()
    assert (race["outcome"], race["attempts"]) == ("infrastructure", 1)


def test_a_replayed_race_reaches_the_gateway_and_a_live_one_is_not_guarded(project) -> None:
    project.pytester.makeini(INI)
    project.pytester.makepyfile(outsiders=OUTSIDERS)
    options = ("legs/linear", "--aar-world=sandbox")
    project.run(*options, "--aar-agent=outsiders:Reaches", agent=None).assert_outcomes(passed=1)
    live = (*options, "--aar-agent=outsiders:Swallows", "--aar-record=off")
    project.run(*live, agent=None).assert_outcomes(passed=1)


def test_programs_without_a_sandbox_find_a_dead_proxy_in_a_replayed_race(project) -> None:
    project.pytester.makeini(INI)
    (project.path / "see.sh").write_text(
        '[ "$HTTPS_PROXY" = http://127.0.0.1:9 ] && echo 3 > answer.txt || echo 4 > answer.txt\n'
    )
    # with a sandbox there is no network to cut
    options = ("legs/linear", "--aar-world=sandbox", "--aar-agent=command", "--aar-isolation=none")
    program = ("--aar-agent-option", f"command=sh {project.path}/see.sh")
    project.run(*options, *program, agent=None).assert_outcomes(passed=1)
    project.run(*options, *program, "--aar-record=off", agent=None).assert_outcomes(failed=1)
