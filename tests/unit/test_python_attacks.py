"""What code may try within python_execute_code, in every isolation; the exceptions of "weak" are named as such."""

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from box_kinds import eventually
from python_attempts import WEAK, Attempt, attempt, walled

from pytest_aar.box.lone_user import free_users
from pytest_aar.processes import tasks_of
from pytest_aar.tools import PythonRun

__all__ = ["attempt", "walled"]  # fixtures

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts on /proc and namespaces")

ROOT = os.geteuid() == 0
#: The kernel binds root's processes only where they are another user's: in the root form.
BOUND = {"none": not ROOT, "bwrap-user": not ROOT, "bwrap-root": True}
#: Prints the namespace and each process that it leaves behind, so that a test can look for them.
HEAD = "import os, signal, sys, time\nprint(os.readlink('/proc/self/ns/pid'), flush=True)\n"
SOON = 6.0


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    """Another process of this user, with a secret in its environment."""
    process = subprocess.Popen(["/bin/sleep", "60"], env={"SECRET": "s3cr3t-of-the-host"})
    yield process
    process.kill()
    process.wait()


def test_an_endless_loop_that_ignores_signals(attempt: Attempt) -> None:
    code = "for number in range(1, 32):\n    try: signal.signal(number, signal.SIG_IGN)\n    except OSError: pass\n"
    started = time.monotonic()
    run = attempt.run(f"{HEAD}{code}print('pid', os.getpid(), flush=True)\nwhile True: pass", 0.7)
    assert (run.timed_out, run.exit_code) == (True, -9)
    assert time.monotonic() - started < SOON
    assert attempt.left_after(run) == []


#: Forks outlive the code; for threads it waits itself.
BOMBS = {
    "forks": "if os.fork() == 0: print('pid', os.getpid(), flush=True); time.sleep(60); os._exit(0)",
    "threads": "threading.Thread(target=time.sleep, args=(60,)).start()",
}
#: What a bomb tries to make, and what of it stays below the limit of 8 processes (one is the code's own).
TRIED, ALLOWED = 60, 7


def _others(attempt: Attempt) -> int:
    """What counts, too: without walls, all that a plain user has."""
    user = attempt.runner.confinement.counted_user
    return 0 if user is None else tasks_of(user) or 0


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb(attempt: Attempt, bomb: str) -> None:
    """Root without walls is not bound but by memory, of which threads take much; all is ended all the same."""
    code = f"""{HEAD}import threading
print('pid', os.getpid(), flush=True)
made = 0
for _ in range({TRIED}):
    try:
        {BOMBS[bomb]}
        made += 1
    except (OSError, RuntimeError) as problem:
        break
print('made', made, flush=True)"""
    crowd = _others(attempt)
    run = attempt.run(code, 2.0 if bomb == "threads" else SOON)
    made = int(re.findall(r"made (\d+)", run.stdout)[0])
    if not made and (crowd or _others(attempt)):
        pytest.skip("other processes of the same user have taken the room")
    assert run.timed_out is (bomb == "threads"), run
    if not BOUND[attempt.kind]:
        assert made == TRIED if bomb == "forks" else made > ALLOWED
    elif crowd or _others(attempt):
        assert made < TRIED  # they count, and may have ended meanwhile
    else:
        assert 0 < made <= ALLOWED
    told = set(re.findall(r"pid (\d+)", run.stdout))
    assert len(told) > (
        1 if bomb == "forks" else 0
    )  # not each may come to tell before it is killed
    assert attempt.left_after(run) == []


def test_what_runs_in_another_box_takes_nothing_of_the_limit_on_processes(walled: Attempt) -> None:
    """Calls side by side each begin as many processes as one call may, and keep them for a while."""
    code = f"""import os, time
made = 0
try:
    for made in range({ALLOWED}):
        if os.fork() == 0: time.sleep(30)
    made += 1
except BlockingIOError: pass
time.sleep(0.7)
print(made)"""

    async def side_by_side() -> list[PythonRun]:
        runs = (walled.runner.run(code, timeout_seconds=10) for _ in range(3))
        return await asyncio.gather(*runs)

    assert [run.stdout for run in asyncio.run(side_by_side())] == [f"{ALLOWED}\n"] * 3


def test_too_much_memory(attempt: Attempt) -> None:
    assert "MemoryError" in attempt.run("x = bytearray(10**10)").stderr


def test_too_much_memory_in_children(attempt: Attempt) -> None:
    code = f"""{HEAD}
def fork():
    # Without walls the limit on processes counts what a plain user begins elsewhere meanwhile.
    while {attempt.kind == WEAK}:
        try: return os.fork()
        except BlockingIOError: time.sleep(0.05)
    return os.fork()
for _ in range(6):
    if fork() == 0:
        try: bytearray(600 * 2**20); print('got it', flush=True)
        except MemoryError: print('refused', flush=True)
        os._exit(0)
for _ in range(6): os.wait()"""
    run = attempt.run(code)
    assert run.stdout.count("refused") == 6, run
    assert "got it" not in run.stdout


@pytest.mark.parametrize("opened", ["open('big', 'wb')", "open(os.memfd_create('big'), 'wb')"])
def test_a_huge_file(attempt: Attempt, opened: str) -> None:
    run = attempt.run(
        f"import os\nwith {opened} as file:\n    for _ in range(64): file.write(bytes(2**20))"
    )
    assert "File too large" in run.stderr


def test_many_files_fill_no_more_than_the_sandbox(walled: Attempt) -> None:
    """Weak: each is limited, their sum is not."""
    code = """import os
for folder in ('/tmp', '/dev/shm', '/dev', '/', os.path.expanduser('~'), '/usr', '/etc'):
    written = 0
    try:
        for number in range(12):
            with open(f'{folder}/{number}', 'wb') as file: file.write(bytes(14 * 2**20))
            written += 14
    except OSError as problem:
        print(folder, written, problem.strerror)"""
    lines = walled.run(code).stdout.splitlines()
    assert "/tmp 56 No space left on device" in lines
    assert "/dev/shm 14 No space left on device" in lines
    for folder in ("/dev", "/", "/usr", "/etc"):
        assert re.search(rf"(?m)^{folder} 0 (Read-only|Permission|No such)", "\n".join(lines)), (
            lines
        )
    assert len(lines) == 7


def test_many_open_files(attempt: Attempt) -> None:
    run = attempt.run("import os\nprint(len([os.open('/dev/null', 0) for _ in range(100)]))")
    assert "Too many open files" in run.stderr


def test_a_flood_of_output(attempt: Attempt) -> None:
    started = time.monotonic()
    run = attempt.run("for _ in range(20): print('x' * 10**6)")
    assert run.stdout == "x" * 8_000
    assert run.stdout_cut_bytes == 16 * 2**20 - 8_000  # the limit on files
    assert "File too large" in run.stderr
    assert time.monotonic() - started < SOON


def test_the_environment_holds_nothing(attempt: Attempt) -> None:
    code = "print(open('/proc/self/environ').read())\nimport os; print(sorted(os.environ))"
    seen, names = attempt.run(code).stdout.splitlines()
    assert re.fullmatch(
        r"(AAR_BOX=[^\0]*python-[0-9a-f]+\0|PWD=/tmp\0|LC_CTYPE=C.UTF-8\0)+", seen
    ), seen
    assert names in ("['LC_CTYPE']", "[]")


ENVIRONS = """import os
for name in os.listdir('/proc'):
    if name.isdigit():
        try: print(open(f'/proc/{name}/environ').read())
        except OSError: pass
"""


def test_the_environment_of_others(attempt: Attempt, victim: subprocess.Popen[bytes]) -> None:
    """Weak: a plain user can read it, root has given up the right to."""
    if attempt.kind == WEAK and not ROOT:
        pytest.skip("weak isolation does not stop this")
    assert "s3cr3t-of-the-host" not in attempt.run(ENVIRONS).stdout


def test_the_legs_and_the_package(walled: Attempt) -> None:
    """Weak: what this user can read."""
    root = Path(__file__).parents[2]
    paths = [
        str(path)
        for path in (root / "legs", root / "pytest_aar", Path.home() / ".ssh", "/run", "/var")
    ]
    code = f"""import os, sys, sysconfig
for path in {paths!r}:
    print(path, os.path.exists(path))
for folder, folders, names in os.walk('/'):
    if folder in ('/proc', '/sys', '/usr', sys.prefix): folders.clear()
    for name in names:
        if name == '001.json' or 'pytest_aar' in folder: print('found', folder, name)
packages = sysconfig.get_path('purelib')
print(os.path.exists(packages) and os.listdir(packages) != [])"""
    run = walled.run(code)
    assert run.stderr == ""
    assert [line.rpartition(" ")[2] for line in run.stdout.splitlines()] == ["False"] * (
        len(paths) + 1
    )


def test_a_daemon_by_double_fork(attempt: Attempt) -> None:
    code = """
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    print('pid', os.getpid(), flush=True)
    os.close(1); os.close(2)
    time.sleep(60)
time.sleep(0.2)"""
    run = attempt.run(HEAD + code)
    assert "pid " in run.stdout
    assert attempt.left_after(run) == []


def test_a_daemon_that_holds_the_output(attempt: Attempt) -> None:
    code = """
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print('pid', os.getpid(), flush=True)
    time.sleep(60)
time.sleep(0.2)"""
    started = time.monotonic()
    run = attempt.run(HEAD + code)
    assert (run.exit_code, run.timed_out) == (0, False)
    assert time.monotonic() - started < SOON
    assert attempt.left_after(run) == []


@pytest.mark.parametrize("number", ["SIGKILL", "SIGSTOP"])
def test_signals_to_the_process_around_the_code(attempt: Attempt, number: str) -> None:
    """Within walls it is the namespace's first process, which no signal from inside reaches."""
    code = f"print('pid', os.getpid(), flush=True)\nos.kill(os.getppid(), signal.{number})\ntime.sleep(60)"
    started = time.monotonic()
    run = attempt.run(HEAD + code, 0.7)
    assert run.exit_code == -9
    assert time.monotonic() - started < SOON
    assert eventually(lambda: attempt.left_after(run) == [])


def test_sockets_lead_nowhere(walled: Attempt, tmp_path: Path) -> None:
    """Weak: they lead anywhere."""
    path = tmp_path / "s"
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as tcp,
        closing(socket.socket(socket.AF_UNIX)) as unix,
        closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as udp,
        closing(socket.socket(socket.AF_UNIX)) as abstract,
    ):
        unix.bind(str(path))
        abstract.bind(f"\0aar-{os.getpid()}")
        udp.bind(("127.0.0.1", 0))
        for server in (unix, abstract):
            server.listen()
        for each in (tcp, unix, udp, abstract):
            each.settimeout(0.05)
        code = f"""import socket
def tried(family, kind, address):
    with socket.socket(family, kind) as one:
        one.settimeout(1)
        try:
            one.connect(address); one.send(b'x'); print('connected', address)
        except OSError as problem: print(problem.strerror or problem)
tried(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', {tcp.getsockname()[1]}))
tried(socket.AF_INET, socket.SOCK_STREAM, ('1.1.1.1', 443))
tried(socket.AF_UNIX, socket.SOCK_STREAM, {str(path)!r})
tried(socket.AF_UNIX, socket.SOCK_STREAM, '\\0aar-{os.getpid()}')
tried(socket.AF_INET, socket.SOCK_DGRAM, ('127.0.0.1', {udp.getsockname()[1]}))"""
        run = walled.run(code)
        assert len(run.stdout.splitlines()) == 5, run
        assert run.stdout.count("connected") <= 1  # UDP needs nobody at the other end
        for server in (tcp, unix, abstract):
            with pytest.raises(TimeoutError):
                server.accept()
        with pytest.raises(TimeoutError):
            udp.recv(1)


SIGNALS = """import ctypes, os
try: os.kill({pid}, 0); print('can signal')
except OSError as problem: print(type(problem).__name__)
libc = ctypes.CDLL(None, use_errno=True)
print('ptrace', libc.ptrace(16, {pid}, 0, 0), os.strerror(ctypes.get_errno()))"""


def test_signals_and_ptrace_to_others(walled: Attempt, victim: subprocess.Popen[bytes]) -> None:
    """Weak: what this user can do."""
    run = walled.run(SIGNALS.format(pid=victim.pid))
    assert run.stdout.startswith("ProcessLookupError\nptrace -1 "), run
    assert victim.poll() is None


def test_limits_cannot_be_raised(attempt: Attempt) -> None:
    code = """import resource
for name in ('CPU', 'AS', 'FSIZE', 'NOFILE', 'NPROC', 'CORE'):
    kind = getattr(resource, 'RLIMIT_' + name)
    for limits in ((-1, -1), (2**40, 2**40)):
        try: resource.setrlimit(kind, limits); print(name, 'raised')
        except (ValueError, OSError) as problem: print('refused')"""
    assert attempt.run(code).stdout == "refused\n" * 12


def test_installed_packages(attempt: Attempt) -> None:
    assert "ModuleNotFoundError" in attempt.run("import httpx").stderr


def test_installed_packages_by_their_path(walled: Attempt) -> None:
    """Weak: what this user can read."""
    folders = [path for path in sys.path if "site-packages" in path]
    assert folders
    run = walled.run(f"import sys\nsys.path += {folders!r}\nimport pluggy")
    assert "ModuleNotFoundError" in run.stderr


def test_no_rights_and_no_way_to_new_ones(walled: Attempt) -> None:
    code = """import ctypes, os
print(*[line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapEff', 'CapBnd', 'NoNewPrivs'))])
libc = ctypes.CDLL(None)
stack = ctypes.create_string_buffer(65536)
cloned = libc.clone(0, ctypes.byref(stack, 65520), 0x10000011, 0)
print(libc.unshare(0x10000000), libc.setns(0, 0), cloned, os.getuid())"""
    rights, ways = walled.run(code).stdout.splitlines()
    assert rights == f"{'0' * 16} {'0' * 16} 1"
    *refused, user = map(int, ways.split())
    assert refused == [-1, -1, -1]
    if walled.kind == "bwrap-user":
        assert user == 65534
    else:
        assert user in free_users(Path("/proc/self/uid_map").read_text())
