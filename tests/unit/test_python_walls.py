"""The walls around python_execute_code: what results say, how they are put up, and what they are made of."""

import asyncio
import json
import os
import re
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from box_kinds import KINDS, eventually, isolation
from python_attempts import WEAK, Attempt, attempt, walled
from tool_calls import ask

from pytest_aar.box.bwrap_command import System
from pytest_aar.box.isolation import Isolation
from pytest_aar.box.python_walls import PythonWalls, View, python_argv, view, walls_for
from pytest_aar.box.sweep import marked
from pytest_aar.box.syscalls import call_filter
from pytest_aar.errors import ConfigurationError, InfrastructureError
from pytest_aar.gateway.worlds import open_world
from pytest_aar.settings import Settings
from pytest_aar.tools import SubprocessRunner, call
from pytest_aar.tools.python_runner import Command

__all__ = ["attempt", "walled"]  # fixtures

linux = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")


SAME = [
    "print('é', 1)", "1/0", "def f():\n    raise KeyError(1)\nf()", "x = = 1", "import sys; sys.exit(3)",
    "import sys; sys.exit(137)", "import os; os.kill(os.getpid(), 9)", "import os; os.kill(os.getpid(), 15)",
    "import numpy", "print(input())", "import os; print(os.listdir('.'))", "raise SystemExit('bye')",
    "import atexit; atexit.register(print, 'late')", "import subprocess; print(subprocess.run(['echo'], "
    "capture_output=True).returncode)", "print(open('code.py').read())",
]  # fmt: skip


def told(attempt: Attempt, code: str) -> tuple[str, str, int]:
    run = attempt.run(code)
    return run.stdout, run.stderr, run.exit_code


@cache
def told_without_walls(code: str) -> tuple[str, str, int]:
    return told(Attempt(WEAK), code)


@linux
@pytest.mark.parametrize("code", SAME)
def test_what_is_told_is_the_same_with_and_without_walls(walled: Attempt, code: str) -> None:
    assert told(walled, code) == told_without_walls(code)


@linux
def test_the_text_is_the_same_and_details_say_what_the_run_was(walled: Attempt) -> None:
    texts, kinds = set(), []
    for runner in (walled.runner, SubprocessRunner()):
        result = ask("python_execute_code", {"code": "print(1)"}, python=runner)
        texts.add(result.text)
        kinds.append(result.details["isolation"])
    assert [json.loads(text)["isolation"] for text in texts] == ["weak"]
    assert kinds == ["bwrap", "weak"]


def isolation_in_world(wanted: str) -> str:
    async def over() -> str:
        async with open_world("sandbox", Settings(isolation=wanted)) as world:
            result = await call("python_execute_code", {"code": "print(3)"}, world.services)
            assert json.loads(result.text)["stdout"] == "3\n"
            return str(result.details["isolation"])

    return asyncio.run(over())


def test_without_isolation_python_has_no_walls() -> None:
    assert isolation_in_world("none") == "weak"


@linux
@pytest.mark.parametrize("wanted", ["auto", "bwrap"])
def test_the_run_of_python_has_the_isolation_of_the_run(wanted: str) -> None:
    isolation("bwrap-user")  # skips where there is none
    assert isolation_in_world(wanted) == "bwrap"


@linux
def test_packages_are_hidden_and_the_standard_library_is_not() -> None:
    masks = [Path(mask) for mask in view().masks]
    base = {"base": sys.base_prefix, "platbase": sys.base_prefix}
    packages = Path(sysconfig.get_path("purelib", vars=base))
    assert not packages.is_dir() or any(packages.is_relative_to(mask) for mask in masks)
    for library in ("stdlib", "platstdlib"):
        path = Path(sysconfig.get_path(library, vars={"installed_base": sys.base_prefix} | base))
        assert not any(path.is_relative_to(mask) for mask in masks)


HARNESS = """import asyncio, sys
from pytest_aar.box.python_walls import PythonWalls
from pytest_aar.tools import SubprocessRunner
form, code = sys.argv[1:]
runner = SubprocessRunner(confinement=PythonWalls(form=form)) if form else SubprocessRunner()
asyncio.run(runner.run(code, timeout_seconds=60))"""

DAEMON = """import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
time.sleep(60)"""


@linux
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_of_a_run_whose_pytest_was_killed(kind: str) -> None:
    form = isolation(kind).form
    # the suite's own sweep goes by the beginning of the mark
    mark = f"{os.environ.get('AAR_BOX', '')}.harness-{os.urandom(8).hex()}"
    argv = [sys.executable, "-c", HARNESS, form, DAEMON]
    with subprocess.Popen(argv, env={**os.environ, "AAR_BOX": mark}) as harness:
        # within walls: bwrap, the program around the code, the code, its daemon; the harness itself
        wanted = 5 if form else 4
        assert eventually(lambda: len(marked(mark)) >= wanted, 20), marked(mark)
        harness.kill()
    assert eventually(lambda: marked(mark) == []), marked(mark)


def test_walls_belong_to_bwrap() -> None:
    assert walls_for(Isolation(name="none")) is None
    assert walls_for(Isolation(name="bwrap", form="root")) == PythonWalls(form="root")


def test_bwrap_that_is_gone_is_no_fault_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(InfrastructureError, match="bwrap is no longer on the PATH"):
        PythonWalls(form="user").command(["python3"], told=9)


class Broken(PythonWalls):
    """Walls that fall down at once."""

    def command(self, program: object, *, told: int) -> Command:
        return Command(argv=["/bin/sh", "-c", "echo no luck >&2; exit 1"])


@linux
def test_walls_that_cannot_be_put_up_are_no_fault_of_the_code() -> None:
    runner = SubprocessRunner(confinement=Broken(form="user"))
    with pytest.raises(InfrastructureError, match="its sandbox did not start: no luck"):
        asyncio.run(runner.run("print(1)", timeout_seconds=5))


class Misleading:
    """A namespace whose program names a pid that means another process out here, and fails."""

    name, has_namespace, counted_user = "bwrap", True, None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def command(self, program: Sequence[str], *, told: int) -> Command:
        answer = program[-7]
        line = f'echo "{{\\"child-pid\\": $$}}" >&{told}; echo "{self.pid} " >&{answer}; exit 1'
        return Command(argv=["/bin/bash", "-c", line])


@linux
def test_a_pid_of_a_namespace_is_nobody_outside() -> None:
    with subprocess.Popen(["/bin/sleep", "60"], start_new_session=True) as bystander:
        runner = SubprocessRunner(confinement=Misleading(bystander.pid))
        run = asyncio.run(runner.run("print(1)", timeout_seconds=5))
        assert (run.exit_code, bystander.poll()) == (-9, None), run
        bystander.kill()


@linux
def test_meddling_with_the_descriptors_around_the_code(attempt: Attempt) -> None:
    code = """import os, time
for name in os.listdir(f'/proc/{os.getppid()}/fd'):
    try: os.write(os.open(f'/proc/{os.getppid()}/fd/{name}', os.O_WRONLY | os.O_NONBLOCK), b' zero 0 -1 } \\xff ')
    except OSError as problem: pass
time.sleep(60)"""
    run = attempt.run(code, 0.7)
    # It may end itself and choose its exit code, as any code may.
    assert run.exit_code in (-9, -1, 0)


def test_an_isolation_that_is_none_names_the_valid_ones() -> None:
    with pytest.raises(
        ConfigurationError, match="unknown isolation 'docker'; valid: auto, bwrap, none"
    ):
        isolation_in_world("docker")


@pytest.mark.parametrize("form", ["user", "root"])
def test_the_command_line_shows_the_interpreter_and_nothing_of_a_race(form: str) -> None:
    seen = View(system=System(), interpreter=("/opt/py",), masks=("/opt/py/lib/site-packages",))
    argv = python_argv("/bin/bwrap", form, seen, told=7, seccomp=(8,))  # type: ignore[arg-type]
    line = " ".join(argv)
    for words in (
        "--unshare-net", "--cap-drop ALL", "--die-with-parent", "--info-fd 7", "--seccomp 8", "--as-pid-1",
        "--size 67108864 --perms 1777 --tmpfs /tmp", "--ro-bind /opt/py /opt/py --perms 0755 --tmpfs /opt/py/lib",
        "--remount-ro /dev", "--chdir /tmp --remount-ro / --",
    ):  # fmt: skip
        assert words in line, words
    assert " --bind" not in line
    assert str(Path.cwd()) not in line
    users = re.findall(r"--reuid=(\d+) --regid=65534 ", line)
    assert ("--disable-userns" in line, len(users)) == (form == "user", int(form == "root"))
    assert "65534" not in users


@pytest.mark.parametrize("form", ["user", "root"])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_of_the_filter_lands_within_it(machine: str, form: str) -> None:
    program = call_filter(form, machine)  # type: ignore[arg-type]
    assert program is not None
    steps = list(struct.iter_unpack("<HBBI", program))
    for place, (code, if_so, if_not, _) in enumerate(steps):
        if code & 7 == 5:  # a jump
            assert place + 1 + max(if_so, if_not) < len(steps)
    assert [code for code, *_ in steps][-1] == 0x06  # it ends by returning


def test_other_architectures_have_no_filter() -> None:
    assert call_filter("user", "riscv64") is call_filter("root", "riscv64") is None
