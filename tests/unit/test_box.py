"""What every box does, in each kind that can be made here."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from box_kinds import KINDS, STUBBORN, alive, eventually, isolation, new_box, spec, with_argument

from pytest_aar.box import (
    DEAD_PROXY,
    Box,
    BoxPlace,
    Doors,
    Isolation,
    LateBox,
    PlainBox,
    base_environment,
    make_box,
    tags,
)
from pytest_aar.box.box import OUTPUT_BYTES, TAIL_BYTES
from pytest_aar.box.sweep import marked
from pytest_aar.errors import ConfigurationError, InfrastructureError


@pytest.fixture(params=KINDS, scope="module")
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def shared_box(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Box, Path]]:
    """One box for tests that leave nothing behind."""
    folder = tmp_path_factory.mktemp("box").resolve() / "race"
    box = new_box(kind, folder)
    yield box, folder
    box.stop()


@pytest.fixture
def own_box(kind: str, tmp_path: Path) -> Iterator[tuple[Box, Path]]:
    folder = tmp_path.resolve() / "race"
    box = new_box(kind, folder)
    yield box, folder
    box.stop()


Shared = tuple[Box, Path]


def test_output_and_exit_code_come_back(shared_box: Shared) -> None:
    box, folder = shared_box
    result = box.run(spec("echo out; echo err >&2; exit 3", folder))
    assert (result.output, result.exit_code, result.timed_out) == ("out\nerr\n", 3, False)
    assert box.run(spec("kill -9 $$", folder)).exit_code == -9


def test_a_tuple_is_a_program_without_a_shell(shared_box: Shared) -> None:
    box, folder = shared_box
    assert box.run(spec(("echo", "$HOME"), folder)).output == "$HOME\n"


def test_the_environment_is_built_from_empty(own_box: Shared) -> None:
    box, folder = own_box
    os.environ["AAR_TEST_SECRET"] = "sk-secret"
    try:
        output = box.run(spec("env", folder, env={"AAR_GATEWAY": "here"})).output
    finally:
        del os.environ["AAR_TEST_SECRET"]
    seen = dict(line.partition("=")[::2] for line in output.splitlines())
    usual = {*base_environment(folder, ""), "AAR_GATEWAY", "AAR_BOX"}
    assert seen.keys() - {"PWD", "SHLVL", "_", "TMPDIR"} == usual
    assert seen["HOME"] == {"none": str(folder), "bwrap": "/home/agent"}[box.name]
    assert (seen["TZ"], seen["LANG"], seen["PYTHONHASHSEED"]) == ("UTC", "C.UTF-8", "0")


def test_standard_input_is_empty_unless_given(shared_box: Shared) -> None:
    box, folder = shared_box
    assert box.run(spec("cat; echo end", folder)).output == "end\n"
    assert box.run(spec("cat", folder, stdin="task \ud83d")).output.startswith("task ")
    text = "x" * 300_000
    assert box.run(spec("cat", folder, stdin=text)).output == text
    assert box.run(spec("cat", folder, stdin="")).output == ""


def test_input_that_nobody_reads_is_no_error(shared_box: Shared) -> None:
    box, folder = shared_box
    assert box.run(spec("exit 0", folder, stdin="x" * 1_000_000)).exit_code == 0


def test_signals_are_as_programs_expect_them(shared_box: Shared) -> None:
    box, folder = shared_box
    result = box.run(spec("yes | head -1; echo ${PIPESTATUS[0]}", folder))
    assert result.output == "y\n141\n"


def test_the_deadline_kills_the_whole_group(shared_box: Shared) -> None:
    box, folder = shared_box
    line = "trap '' TERM; (trap '' TERM; sleep 30.25) & echo begun; sleep 30.25"
    start = time.monotonic()
    result = box.run(spec(line, folder, timeout=0.5))
    assert (result.timed_out, result.exit_code, result.output) == (True, -1, "begun\n")
    assert time.monotonic() - start < 2
    assert eventually(lambda: not with_argument("30.25"))
    assert box.run(spec("echo on", folder)).output == "on\n"


def test_background_children_of_a_command_that_ended_are_killed_too(shared_box: Shared) -> None:
    box, folder = shared_box
    start = time.monotonic()
    box.run(spec("sleep 31.25 & echo 1", folder))
    assert time.monotonic() - start < 2
    assert eventually(lambda: not with_argument("31.25"))


def test_of_long_output_head_and_tail_are_kept(shared_box: Shared) -> None:
    box, folder = shared_box
    line = "head -c 3000000 /dev/zero | tr '\\0' x; echo end"
    result = box.run(spec(line, folder))
    assert len(result.output) == OUTPUT_BYTES
    assert result.dropped_bytes == 3_000_004 - OUTPUT_BYTES
    assert len(result.tail) == TAIL_BYTES
    assert result.tail.endswith("xxend\n")
    short = box.run(spec(f"head -c {OUTPUT_BYTES} /dev/zero | tr '\\0' y; echo", folder))
    assert (short.dropped_bytes, short.tail) == (1, "y" * (TAIL_BYTES - 1) + "\n")
    assert box.run(spec("echo 1", folder)).tail == ""


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ("echo \0", 126, "null byte"),
        ("echo \ud800", 126, "surrogates not allowed"),
        (f": {'x' * 200_000}", 126, "Argument list too long"),
        (("no-such-program-here",), 127, "No such file or directory"),
        (("/dev/null",), 126, "Permission denied"),
    ],
)
def test_a_command_that_can_not_be_started_is_a_result(
    command: str | tuple[str, ...], code: int, told: str, shared_box: Shared
) -> None:
    box, folder = shared_box
    result = box.run(spec(command, folder))
    assert (result.exit_code, result.timed_out) == (code, False)
    assert result.output.startswith("can't run the command: ")
    assert told in result.output


def test_a_work_folder_that_is_gone_is_told(shared_box: Shared) -> None:
    box, folder = shared_box
    below = folder / "below"
    assert box.run(spec("mkdir below && cd below && echo $PWD", folder)).exit_code == 0
    assert box.run(spec("echo $PWD", below)).output == box.inside(below) + "\n"
    assert box.run(spec("rmdir below", folder)).exit_code == 0
    result = box.run(spec("echo 1", below))
    told = "can't run the command: the working directory is gone\n"
    assert (result.exit_code, result.output) == (126, told)


def test_what_commands_write_is_here_and_what_is_written_here_is_there(own_box: Shared) -> None:
    box, folder = own_box
    (folder / "task.md").write_text("the task")
    (folder / "task.md").chmod(0o600)
    result = box.run(spec("cat task.md && echo 7 > answer.txt && echo more >> task.md", folder))
    assert (result.output, result.exit_code) == ("the task", 0)
    assert (folder / "answer.txt").read_text() == "7\n"


def test_commands_run_side_by_side(shared_box: Shared) -> None:
    box, folder = shared_box
    outputs: dict[int, str] = {}

    def run(number: int) -> None:
        outputs[number] = box.run(spec(f"sleep 0.4; echo {number}", folder)).output

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {number: f"{number}\n" for number in range(8)}
    assert time.monotonic() - start < 2.5


def test_processes_run_in_a_session_of_their_own(shared_box: Shared) -> None:
    box, folder = shared_box
    pid, session = box.run(spec("echo $$ $(ps -o sid= -p $$)", folder)).output.split()
    assert pid == session


def test_a_daemon_works_on_until_the_race_is_over(own_box: Shared) -> None:
    box, folder = own_box
    argument = f"daemon-{folder.parent.name}"
    code = "import time; time.sleep(600)"
    line = f"setsid python3 -c '{code}' {argument} > /dev/null & sleep 0.3"
    assert box.run(spec(line, folder)).exit_code == 0
    assert len(with_argument(argument)) == 1
    box.stop()
    assert with_argument(argument) == []


def test_a_stubborn_daemon_is_dead_when_the_box_has_stopped(own_box: Shared) -> None:
    box, folder = own_box
    argument = f"stubborn-{folder.parent.name}"
    start = time.monotonic()
    result = box.run(spec(("python3", "-c", STUBBORN, argument), folder, timeout=0.7))
    assert result.timed_out
    assert result.output.startswith("up")
    box.stop()
    assert with_argument(argument) == []
    assert time.monotonic() - start < 5


def test_output_held_open_by_a_daemon_is_not_waited_for(own_box: Shared) -> None:
    box, folder = own_box
    start = time.monotonic()
    result = box.run(spec("setsid sleep 32.25 & sleep 0.2; echo done", folder))
    assert (result.output, result.exit_code) == ("done\n", 0)
    assert time.monotonic() - start < 2


def test_a_stopped_box_runs_nothing(own_box: Shared) -> None:
    box, folder = own_box
    box.stop()
    assert box.run(spec("touch ran", folder)).timed_out
    assert not (folder / "ran").exists()
    box.stop()


def test_stopping_ends_a_command_that_runs(own_box: Shared) -> None:
    box, folder = own_box
    results = []
    thread = threading.Thread(target=lambda: results.append(box.run(spec("sleep 33.25", folder))))
    thread.start()
    assert eventually(lambda: with_argument("33.25"))
    box.stop()
    thread.join(2)
    assert results[0].timed_out
    assert with_argument("33.25") == []


@pytest.mark.parametrize(
    "line",
    [
        "kill -STOP $PPID; sleep 34.25",
        # at once after each SIGCONT; a loop that its box's end alone can end
        "setsid sh -c 'while kill -STOP $0; do sleep 0.001; done' $PPID & sleep 34.25",
    ],
)
def test_a_server_that_was_stopped_does_not_hang_the_race(line: str, tmp_path: Path) -> None:
    """In the box `none` an agent can reach its server; in the other it is process 1, which it can't."""
    place = BoxPlace(workdir=tmp_path)
    box = PlainBox(place)
    start = time.monotonic()
    result = box.run(spec(line, tmp_path, timeout=0.2))
    assert result.timed_out
    assert time.monotonic() - start < 4.9
    assert marked(place.marker) == []
    assert with_argument("34.25") == []
    assert box.run(spec("echo 1", tmp_path)).timed_out


def test_a_server_that_was_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    place = BoxPlace(workdir=tmp_path)
    box = PlainBox(place)
    result = box.run(spec("setsid sleep 35.25 & kill -KILL $PPID; sleep 35.25", tmp_path))
    assert result.timed_out
    box.stop()
    assert marked(place.marker) == []
    assert with_argument("35.25") == []


@pytest.mark.parametrize("form", ["bwrap-user", "bwrap-root"])
def test_inside_the_sandbox_the_server_can_not_be_stopped(form: str, tmp_path: Path) -> None:
    box = new_box(form, tmp_path / "race")
    line = "kill -STOP 1; kill -KILL 1; kill -TERM 1; sleep 0.1; echo on"
    result = box.run(spec(line, tmp_path / "race", timeout=3))
    box.stop()
    assert result.output == "on\n"


def test_every_process_carries_the_mark(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "race"
    place_marker = "test-marker-1"
    box = new_box(kind, folder, marker=place_marker)
    output = box.run(spec("cat /proc/$$/environ | tr '\\0' '\\n'", folder)).output
    assert f"AAR_BOX={place_marker}" in output.splitlines()
    assert marked(place_marker)  # the command server
    box.stop()
    assert marked(place_marker) == []


def test_a_box_inside_a_box_carries_both_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AAR_BOX", "outer")
    assert BoxPlace(workdir=Path("/x")).marker.startswith("outer.")


def test_a_box_that_can_not_start_says_why(tmp_path: Path) -> None:
    class Broken(PlainBox):
        def environment(self) -> dict[str, str]:
            raise FileNotFoundError(2, "no such thing")

        def run(self, spec):  # type: ignore[no-untyped-def]
            return self._cabin.ask(b"1", seconds=1)

    with pytest.raises(InfrastructureError, match=r"could not be started: .*no such thing"):
        Broken(BoxPlace(workdir=tmp_path)).run(None)


def test_a_gateway_that_can_not_open_its_socket_is_told(tmp_path: Path) -> None:
    isolation("bwrap-user")

    def no_socket() -> Path:
        raise ConfigurationError("the temporary folder's name is too long")

    box = new_box("bwrap-user", tmp_path / "race", doors=doors(socket=no_socket))
    with pytest.raises(
        InfrastructureError, match="started: the temporary folder's name is too long"
    ):
        box.run(spec("echo 1", tmp_path / "race"))


BOMB = """
import os, time
made = 0
try:
    while made < 300:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except BlockingIOError:
    print("refused")
print(made)
"""


def test_a_fork_bomb_is_bound_for_root_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a small limit: the real one would be in the way of boxes of tests that run at the same time."""
    monkeypatch.setattr("pytest_aar.box.bwrap_box._MOST_TASKS", 64)
    box = new_box("bwrap-root", tmp_path / "race")
    result = box.run(spec(("python3", "-S", "-c", BOMB), tmp_path / "race"))
    box.stop()
    said, made = result.output.split()
    assert (said, 0 < int(made) < 100) == ("refused", True)


# How the gateway is reached


def doors(**more: object) -> Doors:
    given = {"http": lambda: "http://127.0.0.1:5/r/T", "socket": lambda: Path("/s"), "path": "/r/T"}
    return Doors(**{**given, **more})  # type: ignore[arg-type]


def test_addresses_of_the_plain_box_are_the_workers_own(tmp_path: Path) -> None:
    box = make_box(Isolation(name="none"), BoxPlace(workdir=tmp_path, doors=doors()))
    assert box.gateway_url() == box.tools_url() == "http://127.0.0.1:5/r/T"
    assert box.inside(tmp_path / "task.md") == str(tmp_path / "task.md")


def test_addresses_of_the_sandbox_are_the_same_in_each_race(tmp_path: Path) -> None:
    place = BoxPlace(workdir=tmp_path, doors=doors())
    box = make_box(Isolation(name="bwrap", form="user"), place)
    assert box.gateway_url() == "http://127.0.0.1:8080/r/T"
    assert box.tools_url() == "unix:/run/aar/gateway.sock:/r/T"
    assert (box.inside(tmp_path), box.inside(tmp_path / "a/b")) == ("/race", "/race/a/b")
    assert box.inside(Path("/usr/bin/env")) == "/usr/bin/env"
    assert tags(place) == {
        place.marker: "{{aar:box}}",
        "http://127.0.0.1:8080/r/T": "{{aar:gateway}}",
        "unix:/run/aar/gateway.sock:/r/T": "{{aar:gateway}}",
    }


# Around boxes


def test_an_offline_box_gives_a_dead_proxy_that_the_command_can_not_replace(tmp_path: Path) -> None:
    place = BoxPlace(workdir=tmp_path, doors=doors())
    box = make_box(Isolation(name="none"), place, offline=True)
    own = {"HTTPS_PROXY": "http://proxy.example.org", "MINE": "1"}
    output = box.run(spec("env", tmp_path, env=own)).output
    seen = dict(line.partition("=")[::2] for line in output.splitlines())
    assert seen["HTTP_PROXY"] == seen["https_proxy"] == seen["HTTPS_PROXY"] == "http://127.0.0.1:9"
    assert seen["NO_PROXY"] == "localhost,127.0.0.1"
    assert (seen["MINE"], box.name) == ("1", "none")
    assert (box.gateway_url(), box.tools_url()) == (place.doors.http(), place.doors.http())  # type: ignore[union-attr]
    assert box.inside(tmp_path) == str(tmp_path)
    box.stop()
    assert box.run(spec("env", tmp_path)).timed_out
    online = make_box(Isolation(name="none"), BoxPlace(workdir=tmp_path))
    assert not any(f"{name}=" in online.run(spec("env", tmp_path)).output for name in DEAD_PROXY)
    online.stop()


def test_a_late_box_is_made_at_its_first_use(tmp_path: Path) -> None:
    made = []

    def make() -> Box:
        made.append(1)
        return PlainBox(BoxPlace(workdir=tmp_path, doors=doors()))

    unused = LateBox(make)
    unused.stop()
    assert (made, unused.name) == ([], "in-process")
    assert unused.run(spec("echo 1", tmp_path)).timed_out  # made after its end
    box = LateBox(make)
    assert box.gateway_url() == box.tools_url() == "http://127.0.0.1:5/r/T"
    assert box.run(spec("echo 1", tmp_path)).output == "1\n"
    assert (box.name, box.inside(tmp_path), len(made)) == ("none", str(tmp_path), 2)
    box.stop()


def test_the_mark_of_the_dead_is_not_found() -> None:
    with subprocess.Popen(["/bin/true"], env={"AAR_BOX": "mark-of-the-dead"}) as process:
        assert eventually(lambda: not alive(process.pid))  # a zombie until it is waited for
        assert marked("mark-of-the-dead") == []
