"""The box of a run: in the header, in every result, told to workers; what a command agent finds inside."""

import json
import os
import shutil
import sys

import pytest
from box_kinds import isolation

from pytest_aar.processes import base_interpreter

#: Writes down what it sees, and answers 3.
LOOK = """
import json, os, sys, urllib.request
seen = {name: os.environ.get(name) for name in ("AAR_GATEWAY", "AAR_TASK_FILE", "HOME", "PATH")}
seen |= {"argv": sys.argv[1:], "cwd": os.getcwd(), "task": open(os.environ["AAR_TASK_FILE"]).read()[:20]}
seen["legs"] = os.path.exists("LEG")
url = seen["AAR_GATEWAY"] + "/tools/countries_area"
try:
    body = urllib.request.urlopen(urllib.request.Request(url, b'{"country": 1}'), timeout=5).read()
except urllib.error.HTTPError as error:
    body = error.read()
seen["tool"] = body.decode()[:200]
print(json.dumps(seen), file=open("seen.json", "w"))
open(sys.argv[2], "w").write("3")
"""


def write_look(project) -> str:  # type: ignore[no-untyped-def]
    """The leg's path stands in the program: on the command line it would be a file to show."""
    leg = project.path / "legs/linear/easy/001.json"
    (project.path / "look.py").write_text(LOOK.replace("LEG", str(leg)))
    return "command=python3 ./look.py {task_file} {answer_file}"


@pytest.fixture
def looking(project) -> list[str]:  # type: ignore[no-untyped-def]
    line = write_look(project)
    return ["legs/linear", "--aar-agent=command", "--aar-agent-option", line, "--aar-results=run"]


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["serial", "n1"])
def test_the_sandbox_is_in_header_results_and_provenance(project, looking, workers) -> None:
    isolation("bwrap-user")
    result = project.run_subprocess(*looking, "--aar-isolation=bwrap", *workers, agent=None)
    result.stdout.fnmatch_lines(["aar: agent command, *, isolation bwrap"])
    assert "NONE" not in result.stdout.str()
    race = project.races()[0]
    assert (race["isolation"], race["outcome"]) == ("bwrap", "answered")
    assert (
        json.loads((project.path / "run/run.json").read_text())["profile"]["isolation"] == "bwrap"
    )


@pytest.mark.parametrize("kind", ["bwrap", "none"])
def test_what_a_command_finds_inside(project, kind) -> None:
    if kind == "bwrap":
        isolation("bwrap-user")
    line = write_look(project) + "; rm {answer_file}; cat seen.json; exit 9"
    options = [
        "legs/linear",
        "--aar-agent=command",
        "--aar-agent-option",
        line,
        "--aar-results=run",
    ]
    project.run(*options, f"--aar-isolation={kind}", "--aar-infra-retries=0", agent=None)
    detail = project.races()[0]["detail"]
    assert "ended with exit code 9" in detail
    found = json.loads(detail.splitlines()[-1])
    assert found["task"].strip()
    assert '"ok": false' in found["tool"].lower() or "country" in found["tool"]
    folders = found["PATH"].split(":")
    assert folders[0].endswith("/python/bin")
    # what a plain `pip install` put beside the interpreter is the user's own program, too
    assert folders[1:3] == [os.path.dirname(base_interpreter()), "/usr/local/bin"]
    if kind == "bwrap":
        assert found["AAR_GATEWAY"].startswith("http://127.0.0.1:8080/r/")
        assert found["argv"][:2] == ["/race/task.md", "/race/answer.txt"]
        assert (found["cwd"], found["HOME"], found["legs"]) == ("/race", "/home/agent", False)
        python = os.path.dirname(shutil.which("python3") or "")  # the program that the line names
        places = ("/usr/", "/bin", "/sbin", sys.prefix, sys.base_prefix, python)
        assert folders[0] == "/run/aar/python/bin"
        assert all(folder.startswith(places) for folder in folders[1:])
    else:
        assert found["argv"][0] == f"{found['cwd']}/task.md"
        assert found["legs"] is True


def test_no_box_is_said_loudly_once(project, looking) -> None:
    result = project.run(*looking, "--aar-isolation=none", agent=None)
    lines = [line for line in result.stdout.lines if "NONE" in line or "run as you" in line]
    assert lines == [
        "aar: agent command, world live, record off, isolation NONE (asked for)",
        "aar: the agent's programs run as you: they can read the legs and your files, and use the network.",
    ]
    assert project.races()[0]["isolation"] == "none"


def test_a_box_that_can_not_be_had_is_a_usage_error(project, looking, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    result = project.run_subprocess(*looking, "--aar-isolation=bwrap", agent=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "*--aar-isolation=bwrap is not possible here: bwrap is not installed.*apt-get install bubblewrap*"
        ]
    )


def test_programs_that_show_the_legs_are_a_usage_error(project) -> None:
    isolation("bwrap-user")
    options = ["legs", "--aar-agent=command", "--aar-isolation=bwrap", "--aar-agent-option"]
    result = project.run(*options, "command=cd {start} && true", agent=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*can't show the agent*would see*legs*bind=PATH,PATH*"])


def test_agents_without_programs_have_no_box(project) -> None:
    result = project.run("legs/linear", "--aar-results=run", "--aar-isolation=bwrap")
    assert "isolation" not in result.stdout.str()
    assert project.races()[0]["isolation"] == "in-process"


def test_a_class_that_runs_a_command_all_the_same_gets_its_box(project) -> None:
    (project.path / "runner.py").write_text(
        "from pytest_aar.box import CommandSpec\n"
        "class Runs:\n"
        "    name = 'runs'\n"
        "    needs_model = False\n"
        "    async def run(self, envelope, course, limits):\n"
        "        spec = CommandSpec(command='echo 3', workdir=course.workdir, timeout=5)\n"
        "        return course.box.run(spec).output\n"
    )
    options = ("legs/linear", "--aar-results=run", "--aar-isolation=none")
    project.run(*options, agent="runner:Runs").assert_outcomes(passed=1)
    assert project.races()[0]["isolation"] == "none"
