"""What of a race is watched, and when it counts."""

import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from box_kinds import eventually
from little_world import order

from pytest_aar.box import BoxPlace, CommandResult, CommandSpec, Doors, Isolation, LateBox, make_box
from pytest_aar.lookout import DECOY_CANARY, DECOY_NAME, Lookout
from pytest_aar.race.boxes import reads_itself
from pytest_aar.race.records import Attempt
from pytest_aar.race.watched import Grounds, Watch, WatchedBox, watched
from pytest_aar.settings import Settings

OTHERS = "http://127.0.0.1:40999/r/ABCDEFGHIJKLMNOPQRSTUV"


class Box:
    """Says what it is told to say."""

    def __init__(self, name: str = "none", said: str = "") -> None:
        self.name, self.said = name, said
        self.is_running, self.may_end = threading.Event(), threading.Event()
        self.may_end.set()

    def run(self, spec: CommandSpec) -> CommandResult:
        self.is_running.set()
        self.may_end.wait(9)
        return CommandResult(output=self.said, exit_code=0)

    def inside(self, path: Path) -> str:
        return str(path)

    def gateway_url(self) -> str:
        return "http://127.0.0.1:40123/r/abcdefghijklmnopqrstuv"

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


def spec(command: str, stdin: str | None = None) -> CommandSpec:
    return CommandSpec(command=command, workdir=Path("/w"), timeout=9, stdin=stdin)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "legs").mkdir()
    (tmp_path / "legs" / DECOY_NAME).write_text(DECOY_CANARY)
    return tmp_path


def watch_in(
    project: Path, workdir: Path | None = None, *, reads_itself: bool = False
) -> AbstractContextManager[Watch]:
    leg = replace(order().leg, leg_id="linear/easy/001")
    file = project / "legs/linear/easy/001.json"
    grounds = Grounds(root=project, file=file, results=project / "run")
    settings = Settings(legs_root=project / "legs", cassettes=project / "cassettes")
    place = workdir or Path("/tmp/work")
    return watched(leg, grounds, settings, place, reads_itself=reads_itself)


def told(project: Path, text: str, workdir: Path | None = None, box: str = "none") -> str:
    with watch_in(project, workdir) as watch:
        WatchedBox(Box(box), watch.lookout).run(spec(text))
        return "; ".join(watch.told(Attempt()).contaminated)


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("run/traces/linear/easy/001.jsonl", "the folder of results"),
        ("run/results.jsonl", "the folder of results"),
        ("legs/linear/easy/001.json", "the path of the leg's file"),
        ("legs/linear/easy", "the folder of the leg's file"),
        ("cassettes/linear/easy/001/x.json", "the path of the leg's recordings"),
        ("legs/.answers.json", "the decoy"),
        ("run", ""),
        ("run/tools.py", ""),
        ("running/traces/x", ""),
        ("run/results.jsonl2", ""),
        ("legs/linear/easy/0012.json", "the folder of the leg's file"),
        ("legs/linear/easygoing/x", ""),
    ],
)
def test_where_the_answers_lie(project: Path, path: str, what: str) -> None:
    found = told(project, f"cat {project}/{path}")
    assert what in found
    assert bool(found) == bool(what)
    assert told(project, f"cat {project}/{path}", box="bwrap") == ""


@dataclass
class Agent:
    boxed: bool


@pytest.mark.parametrize(
    ("name", "boxed", "marked"),
    [
        ("mine:Agent", False, True),
        ("mine:Agent", True, False),
        ("react", False, False),
        ("golden", False, False),
        ("codex", True, False),
    ],
)
def test_a_path_counts_without_a_run_for_a_class_of_the_users(
    project: Path, name: str, *, boxed: bool, marked: bool
) -> None:
    agent: Any = Agent(boxed)
    reads = reads_itself(agent, Settings(agent=name))
    with watch_in(project, reads_itself=reads) as watch:
        watch.lookout.replied(f"{project}/legs/linear/easy/001.json".encode())
        assert bool(watch.told(Attempt()).contaminated) == marked


@pytest.mark.parametrize("below", ["legs/linear/easy/work", "run/traces/work"])
def test_an_agent_may_say_where_it_works(project: Path, below: str) -> None:
    assert told(project, f"ls {project}/{below}/x", workdir=project / below) == ""


@pytest.mark.parametrize(
    ("box", "marked"), [("none", True), ("bwrap", False), ("in-process", False)]
)
def test_the_decoy_counts_where_commands_ran_that_reach_it(
    project: Path, box: str, marked: bool
) -> None:
    with watch_in(project) as watch:
        if watch.decoy is None:
            pytest.skip("this system has no inotify")
        WatchedBox(Box(box), watch.lookout).run(spec("true"))
        (project / "legs" / DECOY_NAME).read_bytes()
        assert bool(watch.told(Attempt()).contaminated) == marked


def test_a_race_that_ends_before_its_command_does_is_marked_all_the_same() -> None:
    lookout, box = Lookout(watches_web=True), Box()
    box.may_end.clear()
    watched_box = WatchedBox(box, lookout)
    thread = threading.Thread(target=lambda: watched_box.run(spec("curl https://a.org")))
    thread.start()
    assert box.is_running.wait(9)
    assert lookout.unobserved == ("curl to a.org in command 1 (curl)",)
    box.may_end.set()
    thread.join()


def test_the_first_command_of_a_class_marks_its_race_while_it_runs(tmp_path: Path) -> None:
    place = BoxPlace(
        workdir=tmp_path, doors=Doors(http=Box().gateway_url, socket=Path, path="/r/x")
    )
    box = LateBox(lambda: make_box(Isolation(name="none"), place))
    lookout, started = Lookout(watches_web=True), tmp_path / "started"
    line = f"touch {started}; sleep 33.5; curl https://a.org"
    command = CommandSpec(command=line, workdir=tmp_path, timeout=40)
    watched_box = WatchedBox(box, lookout)
    thread = threading.Thread(target=lambda: watched_box.run(command))
    thread.start()
    try:
        assert eventually(started.exists)
        assert lookout.unobserved == ("curl to a.org in command 1 (touch)",)
        assert lookout.reaches_files
    finally:
        box.stop()
        thread.join()


def test_what_is_typed_into_a_command_and_addresses_of_others_are_seen(project: Path) -> None:
    with watch_in(project) as watch:
        box = WatchedBox(Box(said=f"A={OTHERS}"), watch.lookout)
        box.run(spec("sh", stdin=f"cat {project}/legs/linear/easy/001.json\ncurl https://a.org"))
        box.run(spec(f"curl {OTHERS}/task"))
        attempt = watch.told(Attempt())
    assert attempt.contaminated == (
        "the path of the leg's file in the input of command 1 (sh)",
        "the address of another race in the output of command 1 (sh)",
        "the address of another race in command 2 (curl)",
        "the address of another race in the output of command 2 (curl)",
    )
    assert attempt.unobserved == ("curl to a.org in command 1 (sh)",)
