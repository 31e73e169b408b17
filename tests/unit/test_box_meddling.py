"""Agents that turn against their own box: its command server, and what the plugin makes of what it says."""

import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from box_kinds import KINDS, new_box, spec
from python_attempts import Attempt, walled

from pytest_aar.box import Box, BoxPlace, PlainBox
from pytest_aar.box.cabin import Cabin, Ending, Process
from pytest_aar.box.inside.frames import READY, frame
from pytest_aar.box.served import ServedBox
from pytest_aar.box.sweep import marked
from pytest_aar.errors import InfrastructureError
from pytest_aar.processes import content, first_process

__all__ = ["walled"]  # a fixture

linux = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
WALLED = [kind for kind in KINDS if kind != "none"]

# What a program may do to the server

#: Each way into process 1, and the word "in" where it is open.
WAYS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
word = (ctypes.c_char * 8)()
here = (ctypes.c_void_p * 2)(ctypes.addressof(word), 8)
more = (ctypes.c_void_p * 2)(1, 1)
def call(name, *words):
    ctypes.set_errno(0)
    done = getattr(libc, name)(*words)
    print(name, os.strerror(ctypes.get_errno()) if done < 0 else "in")
def opened(path, how):
    try: os.open(path, how)
    except OSError as problem: print(path, how, problem.strerror)
    else: print(path, how, "in")
call("ptrace", 16, 1, 0, 0)
call("process_vm_readv", 1, here, 1, more, 1, 0)
call("process_vm_writev", 1, here, 1, more, 1, 0)
call("prlimit", 1, 7, (ctypes.c_uint64 * 2)(3, 3), None)
libc.pidfd_getfd = lambda *words: libc.syscall(438, *words)
call("pidfd_getfd", os.pidfd_open(1), 0, 0)
opened("/proc/1/mem", os.O_RDWR)
"""
REFUSED = {
    "ptrace Operation not permitted",
    "process_vm_readv Operation not permitted",
    "process_vm_writev Operation not permitted",
    "prlimit Operation not permitted",
    "pidfd_getfd Operation not permitted",
}
MORE_WAYS = """
import resource
opened("/proc/1/mem", os.O_RDONLY)
opened("/proc/1/environ", os.O_RDONLY)
opened("/proc/1/fd/0", os.O_RDONLY)
opened("/proc/self/mem", os.O_RDONLY)
resource.prlimit(0, resource.RLIMIT_NOFILE, (50, 50))
print(resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@linux
@pytest.mark.parametrize("kind", WALLED)
def test_there_is_no_way_into_the_command_server(kind: str, tmp_path: Path) -> None:
    box = new_box(kind, tmp_path / "race")
    result = box.run(spec(("python3", "-c", WAYS + MORE_WAYS), tmp_path / "race"))
    box.stop()
    said = result.output.splitlines()
    assert {*said} >= REFUSED, result.output
    assert [line for line in said if line.endswith(" in")] == ["/proc/self/mem 0 in"]
    assert said[-1] == "(50, 50)"  # one's own limits are one's own business


@linux
def test_python_has_no_way_into_the_program_around_it(walled: Attempt) -> None:
    said = walled.run(WAYS).stdout.splitlines()
    assert {*said} >= REFUSED, said
    assert not [line for line in said if line.endswith(" in")]


# What the plugin makes of a server that says what it likes


class Impostor(ServedBox):
    """A box whose server, as if an agent had taken it over, answers the first request by `says`."""

    def __init__(
        self, folder: Path, says: Callable[[socket.socket], None], *, exposed: bool
    ) -> None:
        super().__init__(BoxPlace(workdir=folder))
        self._says = says
        self.exposed = exposed

    def environment(self) -> dict[str, str]:
        return {}

    def inside(self, path: Path) -> str:
        return str(path)

    def _launch(self, control: socket.socket) -> Process:
        return Server(control.dup(), self._says)


class Server:
    def __init__(self, control: socket.socket, says: Callable[[socket.socket], None]) -> None:
        def serve() -> None:
            with control:
                control.settimeout(10)
                control.sendall(frame(READY))
                control.recv(65_536)
                try:
                    says(control)
                    while control.recv(65_536):
                        continue
                except OSError:  # the plugin hung up
                    return

        self._thread = threading.Thread(target=serve)
        self._thread.start()

    def kill(self) -> None:
        self._thread.join()

    def ending(self) -> Ending:
        return Ending(words="the end")


def saying(*fields: bytes) -> Callable[[socket.socket], None]:
    return lambda control: control.sendall(frame(*fields))


def endless(control: socket.socket) -> None:
    control.sendall((1 << 31).to_bytes(4, "big"))
    for _ in range(100):
        control.sendall(bytes(1 << 20))


NONSENSE = {
    "a number that is none": saying(b"1", b"zero", b"0", b"0", b"forged", b""),
    "no code": saying(b"1", b"", b"0", b"0", b"forged", b""),
    "too few fields": saying(b"1", b"0"),
    "a field longer than its message": lambda control: control.sendall(b"\0\0\0\5\0\0\0\2x"),
    "a message without an end": endless,
}


@pytest.mark.parametrize("exposed", [False, True])
@pytest.mark.parametrize("how", NONSENSE)
def test_nonsense_is_the_end_of_the_box(how: str, tmp_path: Path, *, exposed: bool) -> None:
    box = Impostor(tmp_path, NONSENSE[how], exposed=exposed)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    if exposed:  # whoever can reach the server loses by what it says
        result = box.run(spec("true", tmp_path))
        assert (result.timed_out, result.exit_code) == (True, -1)
        assert result.output.startswith("the box ended: its command server talks nonsense: ")
    else:
        with pytest.raises(InfrastructureError, match=r"the box ended: .* talks nonsense"):
            box.run(spec("true", tmp_path))
    assert time.monotonic() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # kB


# A box that ends by itself


@linux
@pytest.mark.parametrize("kind", WALLED)
def test_a_sandbox_that_was_killed_is_nobodys_loss(kind: str, tmp_path: Path) -> None:
    box = new_box(kind, tmp_path / "race", marker=f"{os.environ.get('AAR_BOX', '')}.killed-{kind}")

    def run(line: str) -> None:
        with pytest.raises(InfrastructureError, match=r"the box ended: .*exit status 137, killed"):
            box.run(spec(line, tmp_path / "race"))

    threading.Timer(0.5, lambda: _kill(_first_process(box))).start()
    start = time.monotonic()
    run("sleep 37.25")
    run("echo 1")  # neither is a later command a time-out
    assert time.monotonic() - start < 4
    box.stop()


def _first_process(box: Box) -> int:
    """As this machine knows it: the one whose pid within is 1."""
    for pid in marked(box._place.marker):  # type: ignore[attr-defined]
        status = Path(f"/proc/{pid}/status").read_text()
        ids = next(line for line in status.splitlines() if line.startswith("NSpid:")).split()
        if ids[-1] == "1" and len(ids) > 2:
            return pid
    raise LookupError("no first process")


def _kill(pid: int) -> None:
    os.kill(pid, 9)


@linux
def test_a_server_that_the_agent_killed_is_the_agents_loss(tmp_path: Path) -> None:
    box = PlainBox(BoxPlace(workdir=tmp_path))
    result = box.run(spec("kill -KILL $PPID; sleep 35.75", tmp_path))
    assert (result.timed_out, result.exit_code) == (True, -1)
    assert "the box ended: it ended without a word (exit status -9, killed" in result.output
    assert box.run(spec("echo 1", tmp_path)) == result
    box.stop()


def test_a_server_that_failed_says_so(tmp_path: Path) -> None:
    box = PlainBox(BoxPlace(workdir=tmp_path))
    assert box.run(spec("true", tmp_path)).exit_code == 0
    box._cabin._outgoing += frame(b"1", b"soon")  # a request that no plugin makes
    with pytest.raises(
        InfrastructureError, match=r"(?s)the box ended: .*ValueError.*exit status 1\)"
    ):
        box.run(spec("true", tmp_path))


# The plugin's own want of threads, descriptors, sense


def test_a_machine_without_threads_leaves_nothing_to_wait_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NoThread(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr("pytest_aar.box.cabin.threading.Thread", NoThread)
    cabin = Cabin(lambda _: pytest.fail("never launched"))
    with pytest.raises(InfrastructureError, match="could not be started: can't start new thread"):
        cabin.ask(b"1", seconds=1)
    cabin.stop()
    assert cabin.ask(b"1", seconds=1) is None


def test_what_nobody_foresaw_is_told(tmp_path: Path) -> None:
    def launch(_: socket.socket) -> Process:
        raise KeyError("child-pid")

    with pytest.raises(InfrastructureError, match="could not be started: KeyError: 'child-pid'"):
        Cabin(launch).ask(b"1", seconds=1)


@linux
@pytest.mark.parametrize("told", ["{}", '{"child-pid": "x"}', "no json }", "[1]}"])
def test_a_bwrap_that_tells_nonsense_has_told_nothing(told: str) -> None:
    descriptor = content(told.encode())
    try:
        assert first_process(descriptor, seconds=1) is None
    finally:
        os.close(descriptor)
