"""What a run says of its subject, and that what an older run does not say is no difference."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from race_records import record

from pytest_aar.agents import make_agent
from pytest_aar.errors import ConfigurationError
from pytest_aar.race import subject_of
from pytest_aar.reports.changes import changes
from pytest_aar.results import RunFolder, baseline_of, check_resumable, provenance_of
from pytest_aar.settings import Settings

CLASS = "class Racer:\n    async def run(self, envelope, course, limits):\n        return {digit}\n"
VERSIONED = "    def version(self):\n        return '3'\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_class_without_a_version_is_known_by_its_file(folder: Path) -> None:
    settings = Settings()
    (folder / "subject_one.py").write_text(CLASS.format(digit=1))
    agent = make_agent("subject_one:Racer", {})
    before = subject_of(settings, agent)["agent_source"]
    (folder / "subject_one.py").write_text(CLASS.format(digit=2))
    assert subject_of(settings, agent)["agent_source"] != before
    (folder / "subject_two.py").write_text(CLASS.format(digit=1) + VERSIONED)
    assert "agent_source" not in subject_of(settings, make_agent("subject_two:Racer", {}))


def test_a_command_without_a_version_is_known_by_its_file(folder: Path) -> None:
    script = folder / "racer.sh"
    script.write_text("echo 1 > answer.txt")
    given = {"command": "sh ./racer.sh"}
    before = subject_of(Settings(), make_agent("command", given))["agent_source"]
    script.write_text("echo 2 > answer.txt")
    assert subject_of(Settings(), make_agent("command", given))["agent_source"] != before
    assert "agent_source" not in subject_of(
        Settings(), make_agent("command", {**given, "version": "2"})
    )


class Command:
    """Names its programs, as agents do that run some."""

    name = "command"

    def __init__(self, *programs: Path) -> None:
        self._programs = programs

    def version(self) -> str:
        return "0"

    def programs(self) -> tuple[Path, ...]:
        return self._programs


def source_of(*programs: Path) -> object:
    return subject_of(Settings(), Command(*programs)).get("agent_source")  # type: ignore[arg-type]


def test_the_machines_own_programs_are_no_part_of_a_command(folder: Path) -> None:
    script = folder / "racer.sh"
    script.write_text("echo 1 > answer.txt")
    shells = (Path("/bin/sh"), Path("/usr/bin/sh"), Path(sys.prefix, "pyvenv.cfg"))
    assert source_of(*shells) is None
    assert source_of(script, *shells, Path(sys.executable)) == source_of(script) is not None
    command = make_agent("command", {"command": "sh ./racer.sh"})
    assert subject_of(Settings(), command)["agent_source"] == source_of(script)


READS = """
import sys
from pathlib import Path
from pytest_aar.race.subject import _source_hash
class Command:
    def programs(self):
        return tuple(map(Path, sys.argv[1:]))
print(_source_hash(Command()))
"""


def test_what_may_be_run_and_not_read_costs_no_run() -> None:
    with tempfile.TemporaryDirectory() as place:
        script, closed = Path(place, "racer.sh"), Path(place, "closed")
        for path in (script, closed):
            path.write_text("echo 1")
        closed.chmod(0o111)
        Path(place).chmod(0o755)
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        told = subprocess.run(
            [*(user if os.geteuid() == 0 else []), sys.executable, "-c", READS, script, closed],
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout.strip() == source_of(script)


def test_servers_are_part_of_it_unless_a_race_is_replayed() -> None:
    def found(**settings: str) -> object:
        url = "http://127.0.0.1:8000/v1"
        given = Settings(model="m", base_url=url, **settings)  # type: ignore[arg-type]
        return subject_of(given, None).get("base_urls")

    assert set(found(record="off").values()) == {"http://127.0.0.1:8000/v1"}  # type: ignore[attr-defined]
    assert found(record="none") is None


def test_the_default_prompt_and_the_tools_are_part_of_it(tmp_path: Path) -> None:
    own = tmp_path / "p.txt"
    own.write_text("{clues}")
    usual, changed = subject_of(Settings(), None), subject_of(Settings(prompt=own), None)
    assert len(usual["default_prompt"]) == len(usual["tools"]) == 64
    assert "default_prompt" not in changed
    by_function_call = subject_of(Settings(), make_agent("react", {}))
    assert by_function_call["default_prompt"] != usual["default_prompt"]


def run_of(**subject: str) -> dict:
    return {"run": "r", "subject": {"agent": "a", **subject}, "profile": {"repeat": 1}}


def test_another_tool_schema_is_named_and_an_unknown_one_is_not() -> None:
    races = [record("dag/easy/1")]
    old, one, two = (
        baseline_of(races, run_of(**tools)) for tools in ({}, {"tools": "1"}, {"tools": "2"})
    )
    assert "tools: '1' -> '2'" in changes(one, two).lines
    for found in (changes(old, two), changes(two, old)):
        assert found.comparable
        assert not any(line.startswith("tools") for line in found.lines)


@pytest.mark.parametrize(
    ("then", "now", "fits"), [("1", "1", True), ("1", "2", False), ("", "2", True)]
)
def test_a_run_is_resumed_unless_its_subject_is_known_to_be_another(
    tmp_path: Path, then: str, now: str, fits: bool
) -> None:
    run = RunFolder(tmp_path)
    run.begin(run_of(**({"tools": then} if then else {})))
    run.append(record("dag/easy/1"))
    if fits:
        check_resumable(tmp_path, run_of(tools=now))
        return
    with pytest.raises(ConfigurationError, match="tools was '1' and is '2' now"):
        check_resumable(tmp_path, run_of(tools=now))


def test_it_stands_in_the_runs_file(tmp_path: Path) -> None:
    found = provenance_of(tmp_path, Settings(), tmp_path, tested={"tools": "x"})
    assert found["subject"]["tools"] == "x"
