"""The gate decides the exit status, and says so in the last line. One leg of two is won."""

import pytest
from handmade_legs import linear

SERIAL_AND_WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])


def last_line(result: pytest.RunResult) -> str:
    return next(line for line in reversed(result.outlines) if line)


@SERIAL_AND_WORKERS
def test_a_met_gate_is_green_although_a_race_was_lost(project, workers) -> None:
    result = project.run_subprocess("legs", "--aar-gate=fa >= 0.5", "-q", *workers)
    assert result.ret == 0
    result.assert_outcomes(passed=1, failed=1)
    assert last_line(result).startswith("aar gate: passed: fa 0.500 >= 0.5 (N = 2)")
    assert "1 lost race" in last_line(result)


def test_a_missed_gate_is_red_and_names_its_rule(project) -> None:
    result = project.run("legs", "--aar-gate=fa >= 0.2", "--aar-gate=fa[dag] >= 0.1")
    assert result.ret == 1
    assert last_line(result) == "aar gate: FAILED: fa[dag] 0.000 < 0.1 (N = 1)"


def test_a_missed_gate_is_red_although_every_race_was_won(project) -> None:
    result = project.run("legs/linear", "--aar-gate=pvr >= 0.9")
    result.assert_outcomes(passed=1)
    assert result.ret == 1


def test_without_a_gate_a_lost_race_is_red(project) -> None:
    result = project.run("legs")
    assert result.ret == 1
    assert not any(line.startswith("aar gate") for line in result.outlines)


def test_rules_stand_in_ini_too_and_do_not_judge_other_tests(project) -> None:
    project.pytester.makefile(
        ".ini",
        own="[pytest]\naar_world = live\naar_record = off\naar_gate =\n    fa >= 0.5\n    errors <= 0\n",
    )
    assert project.run("-c", "own.ini", "--rootdir=.", "legs").ret == 0
    project.pytester.makepyfile("def test_other(): assert False")
    assert project.run("-c", "own.ini", "--rootdir=.", "legs", "test_other_failure.py").ret == 4
    result = project.run("-c", "own.ini", "--rootdir=.", "--aar-results=run")
    assert result.ret == 1
    assert "1 failure other than lost races" in last_line(result)
    alone = project.run("-c", "own.ini", "--rootdir=.", "-k", "test_other")
    assert not any(line.startswith("aar gate") for line in alone.outlines)


def test_infrastructure_errors_have_a_limit_of_their_own(project) -> None:
    red = project.run("legs", "--aar-gate=fa >= 0", "--aar-infra-retries=0", agent="Crash")
    assert red.ret == 1
    assert "no scored race to judge `fa >= 0` by; infrastructure errors 2 > 0" in last_line(red)
    green = project.run_subprocess(
        "legs", "--aar-gate=errors <= 100 %", "--aar-infra-retries=0", agent="Crash"
    )
    assert green.ret == 0
    green.assert_outcomes(errors=2)


def test_a_collection_error_is_never_made_up_for(project) -> None:
    project.write_leg("linear/easy/003", linear() | {"passcode": 11})
    result = project.run("legs", "--aar-gate=fa >= 0", "--continue-on-collection-errors")
    assert result.ret == 1
    assert "1 collection error" in last_line(result)


def test_an_interrupted_run_keeps_its_own_status(project) -> None:
    project.pytester.makeconftest(
        """
        def pytest_runtest_logfinish(nodeid):
            raise KeyboardInterrupt
        """
    )
    result = project.run_subprocess("legs", "--aar-gate=fa >= 0", "--aar-results=run")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["1 race not run; go on with --aar-resume --aar-results run"])
    assert len(project.races()) == 1
    result.stdout.fnmatch_lines(["*The Amazing Agent Race*", "all*"])
    assert last_line(result).startswith("aar gate: no verdict, the run did not end by itself")


def test_races_of_ordinary_tests_are_none_of_those_that_are_left(project) -> None:
    project.write_leg("linear/easy/003", linear())
    project.pytester.makepyfile(
        test_first="""
        import pytest

        @pytest.mark.aar_legs("legs/linear/easy/003.json")
        def test_first(aar_race):
            pass
        """
    )
    project.pytester.makeconftest(
        """
        def pytest_runtest_teardown(item):
            item.session.shouldstop = "enough"
        """
    )
    legs = ("legs/linear/easy/001.json", "legs/dag/easy/002.json")
    result = project.run("test_first.py", *legs, "--aar-results=run")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert [race["leg"] for race in project.races()] == ["linear/easy/003"]
    result.stdout.fnmatch_lines(["2 races not run; go on with --aar-resume --aar-results run"])


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--aar-gate=fa > 0.3", "*can't read the rule 'fa > 0.3'; a rule is*errors <= NUMBER*"),
        ("--aar-record=new", "*--aar-record: 'new' is not valid; valid: none, once, all*"),
        (
            "--aar-agent=nobody",
            "*unknown agent 'nobody'; valid: claude-code, codex, command, golden, mini-swe, react*",
        ),
        ("--aar-baseline=gone.json", "*--aar-baseline: no file*gone.json*"),
        ("--aar-agent=react", "*agent 'react' needs a model: *--aar-model*AAR_API_KEY*pacer*"),
        ("--aar-model=", "*--aar-model is empty*"),
        ("--aar-timeout=soon", "*--aar-timeout: 'soon' is not valid; valid: seconds above 0*"),
    ],
)
def test_a_bad_option_is_a_usage_error_that_names_the_valid_ones(project, option, said) -> None:
    result = project.run("legs", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


@SERIAL_AND_WORKERS
def test_a_rule_of_legs_that_are_not_there_is_refused_before_any_race(project, workers) -> None:
    project.write_leg("linear/mine/003", linear())
    result = project.run_subprocess(
        "legs", "--aar-gate=fa[foo] >= 0.5", "--aar-results=run", *workers
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*'fa?foo? >= 0.5': no leg is of variant or level 'foo'; valid: linear, dag, *, mine"]
    )
    assert not (project.path / "run").exists()
    own = project.run_subprocess("legs", "--aar-gate=fa[linear/mine] >= 0.5", *workers)
    assert own.ret == 0


def test_a_bad_ini_value_names_the_ini_option(project) -> None:
    result = project.run("legs", "-o", "aar_world=moon")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*ini option aar_world: 'moon' is not valid; valid: auto*"])
