import os
import signal
import time
from pathlib import Path

import pytest

from pytest_aar.box import DEAD_PROXY, CommandSpec, PlainBox, base_environment, make_box
from pytest_aar.box.box import OUTPUT_BYTES
from pytest_aar.errors import ConfigurationError


def spec(command: str | tuple[str, ...], workdir: Path, **more: object) -> CommandSpec:
    return CommandSpec(command=command, workdir=workdir, **{"timeout": 10.0, **more})  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    """SIGKILL was sent when `run` came back; the kernel may need a moment."""
    deadline = time.monotonic() + 2
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def test_output_and_exit_code_come_back(tmp_path: Path) -> None:
    result = PlainBox().run(spec("echo out; echo err >&2; exit 3", tmp_path))
    assert (result.output, result.exit_code, result.timed_out) == ("out\nerr\n", 3, False)


def test_a_tuple_is_a_program_without_a_shell(tmp_path: Path) -> None:
    assert PlainBox().run(spec(("echo", "$HOME"), tmp_path)).output == "$HOME\n"


def test_the_environment_is_built_from_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    output = PlainBox().run(spec("env", tmp_path, env={"AAR_GATEWAY": "here"})).output
    seen = dict(line.partition("=")[::2] for line in output.splitlines())
    assert seen.keys() - {"PWD", "SHLVL", "_"} == {*base_environment(tmp_path), "AAR_GATEWAY"}
    assert seen["HOME"] == str(tmp_path)
    assert (seen["TZ"], seen["LANG"], seen["PYTHONHASHSEED"]) == ("UTC", "C.UTF-8", "0")


def test_python3_on_the_path_is_a_real_interpreter_not_a_shim(tmp_path: Path) -> None:
    folder = Path(base_environment(tmp_path)["PATH"].split(":")[0])
    assert any(folder.glob("python3*"))
    assert "shims" not in folder.parts


def test_standard_input_is_empty_unless_given(tmp_path: Path) -> None:
    assert PlainBox().run(spec("cat; echo end", tmp_path)).output == "end\n"
    assert PlainBox().run(spec("cat", tmp_path, stdin="task")).output == "task"


def test_input_that_nobody_reads_is_no_error(tmp_path: Path) -> None:
    assert PlainBox().run(spec("exit 0", tmp_path, stdin="x" * 1_000_000)).exit_code == 0


def test_the_deadline_kills_the_whole_group(tmp_path: Path) -> None:
    line = "trap '' TERM; (trap '' TERM; sleep 30) & echo $! > child; sleep 30"
    start = time.monotonic()
    result = PlainBox().run(spec(line, tmp_path, timeout=0.5))
    assert (result.timed_out, result.exit_code) == (True, -1)
    assert time.monotonic() - start < 5
    assert gone(int((tmp_path / "child").read_text()))


def test_background_children_of_a_command_that_ended_are_killed_too(tmp_path: Path) -> None:
    start = time.monotonic()
    PlainBox().run(spec("sleep 30 & echo $! > child", tmp_path))
    assert time.monotonic() - start < 5
    assert gone(int((tmp_path / "child").read_text()))


def test_output_is_capped(tmp_path: Path) -> None:
    result = PlainBox().run(spec("head -c 3000000 /dev/zero | tr '\\0' x", tmp_path))
    assert len(result.output) == OUTPUT_BYTES
    assert result.dropped_bytes == 3_000_000 - OUTPUT_BYTES


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ("echo \0", 126, "null byte"),
        ("echo \ud800", 126, "surrogates not allowed"),
        (f": {'x' * 200_000}", 126, "Argument list too long"),
        (("no-such-program-here",), 127, "No such file or directory"),
    ],
)
def test_a_command_that_can_not_be_started_is_a_result(
    command: str | tuple[str, ...], code: int, told: str, tmp_path: Path
) -> None:
    result = PlainBox().run(spec(command, tmp_path))
    assert (result.exit_code, result.timed_out) == (code, False)
    assert result.output.startswith("can't run the command: ")
    assert told in result.output


def test_a_work_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    box, folder = PlainBox(), tmp_path / "race"
    folder.mkdir()
    assert box.run(spec('rm -rf "$PWD"', folder)).exit_code == 0
    result = box.run(spec("echo 1", folder))
    assert (result.exit_code, result.output) == (
        126,
        "can't run the command: the working directory is gone\n",
    )


def test_what_left_the_group_outlives_the_box_none(tmp_path: Path) -> None:
    """What the docstring of Box says that this box can't do."""
    PlainBox().run(spec("setsid sleep 30 & echo $! > child; sleep 0.2", tmp_path))
    pid = int((tmp_path / "child").read_text())
    assert alive(pid)
    os.kill(pid, signal.SIGKILL)


def test_a_stopped_box_runs_nothing(tmp_path: Path) -> None:
    box = PlainBox()
    box.stop()
    assert box.run(spec("touch ran", tmp_path)).timed_out
    assert not (tmp_path / "ran").exists()


def test_unknown_isolation_names_the_valid_ones() -> None:
    assert make_box("none").name == "none"
    with pytest.raises(ConfigurationError, match=r"'chroot'; valid: auto, none"):
        make_box("chroot")


def test_processes_run_in_a_session_of_their_own(tmp_path: Path) -> None:
    output = PlainBox().run(spec("ps -o sid= -p $$", tmp_path)).output
    assert int(output) != os.getsid(0)


def test_an_offline_box_gives_a_dead_proxy_that_the_command_can_not_replace(tmp_path: Path) -> None:
    box = make_box(offline=True)
    own = {"HTTPS_PROXY": "http://proxy.example.org", "MINE": "1"}
    output = box.run(spec("env", tmp_path, env=own)).output
    seen = dict(line.partition("=")[::2] for line in output.splitlines())
    assert seen["HTTP_PROXY"] == seen["https_proxy"] == seen["HTTPS_PROXY"] == "http://127.0.0.1:9"
    assert seen["NO_PROXY"] == "localhost,127.0.0.1"
    assert (seen["MINE"], box.name) == ("1", "none")
    online = make_box().run(spec("env", tmp_path)).output
    assert not any(f"{name}=" in online for name in DEAD_PROXY)
    box.stop()
    assert box.run(spec("env", tmp_path)).timed_out
