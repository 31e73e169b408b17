"""From an item to its outcome, serial and on workers."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from handmade_legs import linear

SERIAL_AND_WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])


def plain(races: list[dict]) -> list[dict]:
    """Without times, in the legs' order."""

    def kept(value):
        if isinstance(value, dict):
            items = value.items()
            return {key: kept(item) for key, item in items if not key.endswith(("_at", "_seconds"))}
        return value

    return sorted((kept(race) for race in races), key=lambda race: race["leg"])


@SERIAL_AND_WORKERS
def test_a_right_digit_passes_a_wrong_one_fails_and_both_are_kept(project, workers) -> None:
    result = project.run_subprocess("legs", "--aar-results=run", *workers)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*leg dag/easy/002 lost by guess: answer 3 is wrong",
            "*trace: *run/traces/dag/easy/002.jsonl",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "the digit is" not in result.stdout.str()
    races = plain(project.races())
    assert [(race["leg"], race["outcome"], race["score"]["fa"]) for race in races] == [
        ("dag/easy/002", "answered", 0),
        ("linear/easy/001", "answered", 1),
    ]
    assert (project.path / "run/traces/linear/easy/001.jsonl").is_file()
    provenance = json.loads((project.path / "run/run.json").read_text())
    assert provenance["subject"]["agent"] == "racers:Guess"


def test_results_of_serial_and_parallel_runs_are_equal(project) -> None:
    project.run_subprocess("legs", "--aar-results=one", "--junitxml=one.xml")
    project.run_subprocess("legs", "--aar-results=two", "--junitxml=two.xml", "-n", "2")
    assert plain(project.races("one")) == plain(project.races("two"))
    serial = properties(project.path / "one.xml")
    assert serial == properties(project.path / "two.xml")
    assert min(map(len, serial.values())) > 10


def properties(xml) -> dict:
    return {
        case.get("name"): sorted(
            (item.get("name"), item.get("value"))
            for item in case.iter("property")
            if item.get("name") != "aar_seconds"
        )
        for case in ElementTree.parse(xml).iter("testcase")
    }


def property_elements(xml: Path) -> list:
    """The schema that strict readers check against knows no `properties` in a testcase, not even empty ones."""
    tree = ElementTree.parse(xml)
    assert len(list(tree.iter("testcase"))) == 2
    return tree.findall(".//testcase/properties")


def test_junit_properties_stand_where_they_are_asked_for(project) -> None:
    project.run("legs", "--junitxml=a.xml")
    case = properties(project.path / "a.xml")["001[racers.Guess]"]
    assert ("aar_fa", "1") in case
    assert ("aar_leg", "linear/easy/001") in case
    project.run("legs", "--junitxml=b.xml", "--aar-junit-properties=none")
    assert not property_elements(project.path / "b.xml")
    project.run(
        "legs", "--junitxml=c.xml", "--aar-junit-properties=system-out", "-o", "junit_logging=all"
    )
    assert not property_elements(project.path / "c.xml")
    assert "aar_fa=1" in (project.path / "c.xml").read_text()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"Race! {seed_url}",
            "*prompt template *mine.md: there is no {clues} in it*placeholders: *",
        ),
        (
            b"\xff{clues}",
            "*prompt template *mine.md: *codec can't decode*give --aar-prompt a text file*",
        ),
    ],
)
def test_a_bad_prompt_is_a_usage_error_before_any_race(project, content, said) -> None:
    (project.path / "mine.md").write_bytes(content)
    result = project.run("legs", "--aar-prompt=mine.md", "--aar-results=run")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said.replace("[", "[[]")])
    assert not (project.path / "run").exists()


def test_a_prompt_that_breaks_during_the_run_is_named(project) -> None:
    (project.path / "mine.md").write_text("{clues}")
    project.pytester.makeconftest(
        """
        from pathlib import Path

        def pytest_collection_finish(session):
            Path("mine.md").write_text("no placeholder any more")
        """
    )
    result = project.run("legs/linear", "--aar-prompt=mine.md")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*mine.md: there is no {clues} in it*"])
    assert "Traceback" not in result.stdout.str()


def test_repeats_are_races_of_their_own_and_tests_on_a_leg_share_one(project) -> None:
    project.pytester.makepyfile(
        """
        import pytest

        @pytest.mark.aar_legs("legs/linear")
        def test_visits(aar_race):
            assert aar_race.score.fa == 1
            assert aar_race.trace.tool_calls == ()

        @pytest.mark.aar_legs("legs")
        def test_leg(aar_leg, aar_world):
            assert aar_leg.digit in (3, 4)
            assert aar_world.name == "live"
        """
    )
    shutil.copytree(
        project.path / "legs/linear", project.path / "legs/.old/linear"
    )  # hidden: no leg
    result = project.run("--aar-repeat=2", "--aar-results=run", "--aar-variant=linear", "-v")
    result.assert_outcomes(passed=4, deselected=3)
    result.stdout.fnmatch_lines(["*::test_visits?linear-easy-001? PASSED*"])
    assert sorted(race["repeat"] for race in project.races()) == [1, 2]
    assert (project.path / "run/traces/linear/easy/001--r2.jsonl").is_file()


def test_workers_share_the_race_of_a_leg_and_its_end(project) -> None:
    """Each leg item and each test on the leg runs on a worker of its own; the agent counts its races."""
    project.pytester.makepyfile(
        slow="""
        import asyncio
        from pathlib import Path
        from pytest_aar.errors import AgentCrashed
        from racers import Guess

        class Counted(Guess):
            name = "counted"

            async def run(self, envelope, course, limits):
                with Path("races").open("a") as stream:
                    stream.write(".")
                await course.http.post("tools/fetch_webpage", json={"url": "no address"})
                await asyncio.sleep(0.3)
                if self.digit == "crash":
                    raise AgentCrashed("the counted agent crashed")
                return self.digit
        """
    )
    for number in range(2):
        project.pytester.makepyfile(
            **{
                f"test_{number}": """
                import pytest

                @pytest.mark.aar_legs("legs/linear")
                def test_one(aar_race):
                    assert aar_race.answer == 3 and aar_race.won
                    assert aar_race.finish.ending == "answered"
                    (call,) = aar_race.trace.tool_calls
                    assert call.arguments == {"url": "no address"} and not call.ok
                """
            }
        )
    options = (".", "-n", "3", "--dist=load", "--aar-infra-retries=0")
    won = project.run_subprocess(*options, "--aar-results=run", agent="slow:Counted")
    won.assert_outcomes(passed=3, failed=1)
    assert (project.path / "races").read_text() == ".."
    assert [race["leg"] for race in plain(project.races())] == ["dag/easy/002", "linear/easy/001"]
    (project.path / "races").unlink()
    lost = project.run_subprocess(
        *options, "--aar-results=lost", "--aar-agent-option=digit=crash", agent="slow:Counted"
    )
    lost.assert_outcomes(errors=4)
    assert (project.path / "races").read_text() == ".."
    assert [race["error"] for race in project.races("lost")] == ["AgentCrashed"] * 2


def test_a_conftest_may_bring_its_own_agent(project) -> None:
    project.pytester.makeconftest(
        """
        import pytest
        from racers import Guess

        @pytest.fixture
        def aar_agent():
            from pytest_aar.agents import make_agent
            return make_agent("racers:Guess", {"digit": "4"})
        """
    )
    result = project.run("legs", agent=None)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*leg linear/easy/001 lost by guess: answer 4 is wrong"])


@SERIAL_AND_WORKERS
def test_an_agents_module_is_found_in_the_root_folder(project, workers) -> None:
    inner = project.path / "inner"  # not the folder that pytester puts on the path
    inner.mkdir()
    project.path.joinpath("legs").rename(inner / "legs")
    project.path.joinpath("racers.py").rename(inner / "my_racers.py")
    project.path.joinpath("tox.ini").rename(inner / "tox.ini")
    result = project.run_subprocess("inner/legs", *workers, agent="my_racers:Guess")
    result.assert_outcomes(passed=1, failed=1)


@SERIAL_AND_WORKERS
def test_a_crash_is_an_error_apart_from_lost_races(project, workers) -> None:
    result = project.run_subprocess("legs", "--aar-results=run", *workers, agent="Crash")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        ["*the crash agent crashed*", "*infrastructure errors 2 (not scored)*"]
    )
    assert [race["score"] for race in project.races()] == [None, None]
    assert [race["attempts"] for race in project.races()] == [2, 2]


def test_a_race_is_run_again_after_an_infrastructure_error(project) -> None:
    result = project.run("legs/linear", "--aar-results=run", agent="CrashOnce")
    result.assert_outcomes(passed=1)
    assert [race["attempts"] for race in project.races()] == [2]
    project.run("legs/linear", "--aar-results=no", "--aar-infra-retries=0", agent="CrashOnce")
    assert [race["error"] for race in project.races("no")] == ["AgentCrashed"]


def test_a_late_agent_is_stopped_at_the_deadline_and_scored(project) -> None:
    result = project.run("legs/linear", "--aar-timeout=0.3", "--aar-results=run", agent="Slow")
    result.assert_outcomes(failed=1)
    assert [race["outcome"] for race in project.races()] == ["timeout"]


def test_a_killed_worker_costs_its_race_and_no_other(project) -> None:
    project.write_leg("linear/easy/003", linear() | {"riddle": "1. kill"})
    result = project.run_subprocess("legs", "-n", "2", "--aar-results=run", agent="Kill")
    result.assert_outcomes(passed=1, failed=1, errors=1)
    races = plain(project.races())
    assert [race["outcome"] for race in races] == ["answered", "answered", "infrastructure"]
    assert "the worker died" in races[2]["detail"]
    assert {race["agent"] for race in races} == {"kill"}
    assert {race["world"] for race in races} == {"live"}


def test_a_killed_workers_race_names_agent_version_and_model_as_all_others(project) -> None:
    project.write_leg("linear/easy/003", linear() | {"riddle": "1. kill"})
    project.pytester.makepyfile(
        killer="""
        from pytest_aar.agents.react import ReactAgent
        from racers import Kill

        class Killer(ReactAgent):
            async def run(self, envelope, course, limits):
                return await Kill().run(envelope, course, limits) if "kill" in envelope.clues else (
                    await super().run(envelope, course, limits))
        """
    )
    options = ("--aar-model=pacer", "--aar-results=run", "--aar-world=sandbox")
    project.run_subprocess("legs", "-n", "2", *options, agent="killer:Killer")
    races = plain(project.races())
    assert [race["error"] for race in races] == [None, None, "InfrastructureError"]
    for name in ("agent", "agent_version", "model", "world", "world_hash"):
        assert len({race[name] for race in races}) == 1, name
    assert races[2]["model"].startswith("pacer-")
    assert races[2]["agent_version"]


@SERIAL_AND_WORKERS
def test_ten_infrastructure_errors_in_a_row_stop_the_run(project, workers) -> None:
    for number in range(10, 40):
        project.write_leg(f"linear/easy/{number:03}", linear())
    result = project.run_subprocess(
        "legs", "--aar-results=run", "--aar-infra-retries=0", *workers, agent="Crash"
    )
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*aar stops the run: 10 infrastructure errors in a row*"])
    assert 10 <= len(project.races()) < 32


def test_a_leg_that_changed_after_its_collection_is_an_error(project) -> None:
    project.pytester.makeconftest(
        """
        def pytest_collection_finish(session):
            for item in session.items:
                item.path.write_text(item.path.read_text() + " ")
        """
    )
    result = project.run("legs/linear")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*001.json was changed after its collection*"])


def test_a_results_folder_that_can_not_be_written_is_a_usage_error(project) -> None:
    (project.path / "file").write_text("")
    result = project.run("legs", "--aar-results=file/run")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*can't write results to *file/run*"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_stops_the_run_and_says_so(project) -> None:
    project.pytester.makeconftest(
        """
        from pytest_aar.results import RunFolder

        class Full(RunFolder):
            def begin(self, provenance):
                super().begin(provenance)
                if not (self.path / "results.jsonl").exists():
                    (self.path / "results.jsonl").symlink_to("/dev/full")

        def pytest_configure(config):
            from pytest_aar import hooks
            keeper = hooks.referee_of(config)._keeper
            keeper._folder = Full(keeper._folder.path)
        """
    )
    result = project.run("legs", "--aar-results=run")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*aar stops the run: can't write results to *: No space left*"])


def test_killing_the_controller_leaves_what_was_finished(project) -> None:
    project.pytester.makeconftest(
        """
        import os, signal

        def pytest_runtest_logfinish(nodeid):
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    result = project.run_subprocess("legs", "--aar-results=run")
    assert result.ret == -9
    assert [race["leg"] for race in project.races()] == ["dag/easy/002"]


def test_golden_digits_are_written_only_when_asked_for(project) -> None:
    project.run("legs/dag", "--aar-results=a")
    assert project.races("a")[0]["golden"] is None
    result = project.run("legs/dag", "--aar-results=b", "--aar-show-golden")
    assert project.races("b")[0]["golden"] == 4
    result.stdout.fnmatch_lines(["*answer 3 is wrong, the digit is 4"])
