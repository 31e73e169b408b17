import ast
import asyncio
import errno
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tool_calls import ask, failure, value

from pytest_aar.processes import base_interpreter
from pytest_aar.readings import ReadingError, read
from pytest_aar.tools import PythonRun, SubprocessRunner
from pytest_aar.tools.python_runner import UNLIMITED, Command, NoWalls, most_processes


def run(code: str, seconds: float = 10) -> PythonRun:
    return asyncio.run(SubprocessRunner().run(code, timeout_seconds=seconds))


def test_what_is_printed_comes_back() -> None:
    arguments = {"code": "import math, sys\nprint('é', math.tau)\nsys.stderr.write('w')"}
    assert value(ask("python_execute_code", arguments, python=SubprocessRunner())) == {
        "stdout": "é 6.283185307179586\n",
        "stderr": "w",
        "exit_code": 0,
        "isolation": "weak",
    }


@pytest.mark.parametrize(
    ("code", "exit_code", "in_stderr"),
    [
        ("1/0", 1, "ZeroDivisionError: division by zero"),
        ("def f():\n    raise KeyError(1)\nf()", 1, 'File "code.py", line 2, in f'),
        ("x = = 1", 1, "SyntaxError"),
        ("import sys; sys.exit(3)", 3, ""),
        ("import os; os.kill(os.getpid(), 9)", -9, ""),
        ("import numpy", 1, "ModuleNotFoundError"),
        ("print(input())", 1, "EOFError"),
    ],
)
def test_code_that_fails_is_a_good_result(code: str, exit_code: int, in_stderr: str) -> None:
    result = run(code)
    assert result.exit_code == exit_code
    assert in_stderr in result.stderr
    assert "<string>" not in result.stderr


def test_code_runs_as_main_with_its_own_functions() -> None:
    code = "def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nif __name__ == '__main__':\n    print(f(5))"
    assert run(code).stdout == "120\n"


def test_the_environment_is_empty_and_the_folder_its_own() -> None:
    code = "import os; print(sorted(os.environ)); print(os.listdir('.')); print(os.getcwd())"
    names, files, folder = run(code).stdout.splitlines()
    assert set(ast.literal_eval(names)) <= {"LC_CTYPE"}
    assert files == "['code.py']"
    assert not os.path.exists(folder)


def test_an_endless_loop_ends_at_the_deadline() -> None:
    started = time.monotonic()
    arguments = {"code": "print('on', flush=True)\nwhile True: pass", "timeout_seconds": 0.5}
    result = ask("python_execute_code", arguments, python=SubprocessRunner())
    kind, message = failure(result)
    assert kind == "timeout"
    assert result.details == {"isolation": "weak"}  # what it could reach counts, too
    assert "0.5 s" in message
    assert "on" in message
    assert time.monotonic() - started < 3


def test_children_die_with_the_code(tmp_path: Path) -> None:
    mark = tmp_path / "late"
    code = f"""import os, time
if os.fork() == 0:
    time.sleep(0.5)
    open({str(mark)!r}, 'w').close()
print('parent')"""
    assert run(code).stdout == "parent\n"
    time.sleep(0.8)
    assert not mark.exists()


def test_memory_and_files_have_a_limit() -> None:
    assert "MemoryError" in run("x = bytearray(10**10)").stderr
    result = run("open('big', 'wb').write(bytes(20_000_000))")
    assert "File too large" in result.stderr


def test_a_flood_of_output_is_cut() -> None:
    result = run("print('x' * 12_000_000)")
    assert result.stdout == "x" * 8_000
    assert result.stdout_cut_bytes == 12_000_001 - 8_000
    assert result.stderr_cut_bytes == 0


def test_the_cut_stands_in_a_field_of_its_own_and_is_no_value() -> None:
    code = "import sys\nprint('€' * 9_000)\nsys.stderr.buffer.write(b'\\xff' * 8_001)"
    result = ask("python_execute_code", {"code": code}, python=SubprocessRunner())
    assert value(result) == {
        "stdout": "€" * 8_000,
        "stderr": "\ufffd" * 8_000,
        "exit_code": 0,
        "isolation": "weak",
        "stdout_cut_bytes": 3_001,
        "stderr_cut_bytes": 1,
    }
    with pytest.raises(ReadingError, match="too much was printed"):
        read("converted", result.text)


def test_cancelling_a_call_kills_the_code(tmp_path: Path) -> None:
    mark = f"{tmp_path}/alive"
    code = f"import time\nopen({mark!r}, 'w').close()\ntime.sleep(1.5)\nopen({mark!r}, 'w').write('late')"

    async def cancelled() -> None:
        task = asyncio.create_task(SubprocessRunner().run(code, timeout_seconds=30))
        while not os.path.exists(mark):
            assert not task.done()
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    time.sleep(1.6)
    assert os.path.getsize(mark) == 0


class SlowWalls(NoWalls):
    """None, but putting them up takes until `wait` returns."""

    def __init__(self, wait: Callable[[], object]) -> None:
        self._wait = wait

    def command(self, program: Sequence[str], *, told: int) -> Command:
        self._wait()
        return super().command(program, told=told)


def test_the_loop_goes_on_while_calls_start() -> None:
    went_on = threading.Event()
    runner = SubprocessRunner(confinement=SlowWalls(lambda: waited.append(went_on.wait(5))))
    waited: list[bool] = []

    async def calls() -> None:
        started = [asyncio.create_task(runner.run("1", timeout_seconds=5)) for _ in range(6)]
        await asyncio.sleep(0.05)
        went_on.set()
        await asyncio.gather(*started)

    asyncio.run(calls())
    assert waited == [True] * 6


def test_deep_folders_are_no_fault_of_the_tool() -> None:
    """They lie on a disk that may be slow: little more than what recursion stands."""
    code = "import os\nfor _ in range(1100): os.mkdir('a'); os.chdir('a')\nprint('made')"
    assert run(code, 20).stdout == "made\n"


@pytest.mark.parametrize("cancels", [1, 2])
def test_a_call_that_is_cancelled_while_it_starts_leaves_nothing(
    tmp_path: Path, cancels: int
) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        entered.set()
        go_on.wait(5)

    async def cancelled() -> None:
        runner = SubprocessRunner(confinement=SlowWalls(wait))
        code = f"import time\ntime.sleep(0.5)\nopen({str(tmp_path / 'late')!r}, 'w')"
        task = asyncio.create_task(runner.run(code, timeout_seconds=30))
        await asyncio.to_thread(entered.wait, 5)
        for _ in range(cancels):
            task.cancel()
            await asyncio.sleep(0.01)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    before = len(os.listdir("/proc/self/fd"))
    asyncio.run(cancelled())
    time.sleep(0.8)
    assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize("error", [errno.ENOSYS, errno.EMFILE])
def test_without_handles_on_processes(monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    """A kernel before 5.3, a full table of descriptors."""

    def refused(pid: int) -> int:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "pidfd_open", refused)
    assert run("print(1)").stdout == "1\n"
    slow = run("while True: pass", 0.3)
    assert (slow.timed_out, slow.exit_code) == (True, -9)


def test_turned_off_it_says_so() -> None:
    kind, message = failure(ask("python_execute_code", {"code": "print(1)"}))
    assert kind == "denied"
    assert "aar_python_tool=off" in message


def test_the_interpreter_is_a_real_binary() -> None:
    assert os.path.realpath(base_interpreter()) == base_interpreter()
    assert os.access(base_interpreter(), os.X_OK)


def test_a_call_is_quick() -> None:
    """In CPU time of this process and the child, the best of ten: load makes no difference."""
    costs = []
    for _ in range(10):
        before = os.times()
        run("print(1)")
        after = os.times()
        costs.append(sum(after[:4]) - sum(before[:4]))
    assert min(costs) < 0.05


def test_the_users_processes_elsewhere_count_against_the_limit(tmp_path: Path) -> None:
    for process in ("self", "17", "18"):
        (tmp_path / process / "task" / "1").mkdir(parents=True)
    assert most_processes(9, os.getuid(), tmp_path) == 9 + 2
    assert most_processes(9, os.getuid() + 1, tmp_path) == most_processes(9, None, tmp_path) == 9


def test_there_is_no_limit_where_processes_cannot_be_counted(tmp_path: Path) -> None:
    assert most_processes(9, os.getuid(), tmp_path) == UNLIMITED


def test_processes_that_print_at_once_lose_no_line() -> None:
    code = """import os
for _ in range(4):
    if os.fork() == 0:
        for number in range(300): os.write(1, b'line\\n')
        os._exit(0)
for _ in range(4): os.wait()"""
    assert run(code).stdout == "line\n" * 1200
