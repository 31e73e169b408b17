"""Runs Python in a process of its own, with resource limits and a deadline, within walls where there are some.

Without walls (isolation "weak") the code can read files that the user may read, and open sockets. Endless loops,
memory and file bombs, floods of output and daemons end in both cases. `python_boot` is what runs around the code.
"""

import asyncio
import marshal
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import IO, Protocol, TypeVar

from pytest_aar.errors import InfrastructureError
from pytest_aar.folders import PREFIX, work_folder
from pytest_aar.processes import base_interpreter, tasks_of
from pytest_aar.tools.python_child import Child
from pytest_aar.tools.services import PythonRun

#: Bytes of each stream that are read at all, and characters of them that come back.
MOST_OUTPUT = 1_000_000
SHOWN_OUTPUT = 8_000
_MEGABYTE = 1024 * 1024
_AT_A_TIME = 2  # starts and ends of calls
_AROUND = 1  # processes of `python_boot` itself
UNLIMITED = -1

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Resource limits of one run. `processes`, threads too, does not bind root without walls."""

    memory_bytes: int = 512 * _MEGABYTE
    file_bytes: int = 16 * _MEGABYTE
    open_files: int = 64
    processes: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line, and descriptors that it needs: they are passed on to it, and closed here then."""

    argv: list[str]
    descriptors: tuple[int, ...] = ()


class Confinement(Protocol):
    """Walls around a program.

    `has_namespace`: the program is the first process of one, and whatever it leaves behind dies with it.
    `counted_user`: whose processes elsewhere count against the limit on processes, too.
    """

    @property
    def name(self) -> str:
        """What results say: "bwrap", "weak"."""
        ...

    @property
    def has_namespace(self) -> bool:
        """See above."""
        ...

    @property
    def counted_user(self) -> int | None:
        """See above."""
        ...

    def command(self, program: Sequence[str], *, told: int) -> Command:
        """What runs `program` within the walls, in a folder that it can write.

        It keeps its descriptors. The pid of a namespace's first process is written to the descriptor
        `told` as JSON, `{"child-pid": ...}`.
        """
        ...


class NoWalls:
    """The program as it is, as this user."""

    name = "weak"
    has_namespace = False

    @property
    def counted_user(self) -> int | None:
        """This user; the limit does not bind root."""
        return os.geteuid() or None

    def command(self, program: Sequence[str], *, told: int) -> Command:
        """The same."""
        return Command(argv=list(program))


_LIMITS = Limits()
_NO_WALLS = NoWalls()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubprocessRunner:
    """`python -I -S -B` of the base interpreter in an empty folder, with an empty environment."""

    limits: Limits = _LIMITS
    confinement: Confinement = _NO_WALLS

    async def run(self, code: str, *, timeout_seconds: float) -> PythonRun:
        """Run `code`; no process of it is left afterwards, cancelled or not.

        The loop goes on meanwhile: what blocks is done in threads, a few calls at a time.

        Raises:
            InfrastructureError: the walls can't be put up.
        """
        run = _Run(runner=self, code=code, seconds=timeout_seconds)
        try:
            child = await in_line(run.start)
            is_over = await child.over(timeout_seconds)
        finally:
            await in_line(run.end)
        return replace(run.told(), timed_out=not is_over)


class _Run:
    """One run, but for the waiting."""

    def __init__(self, *, runner: SubprocessRunner, code: str, seconds: float) -> None:
        self._limits, self._walls = runner.limits, runner.confinement
        self._code, self._seconds = code, seconds
        self._stack = ExitStack()
        self._lock = threading.Lock()  # a call that is cancelled twice ends while it starts
        self._has_ended = False
        self._child: Child | None = None
        self._told: PythonRun | None = None

    def start(self) -> Child:
        """Start the code."""
        with self._lock:
            if self._has_ended:
                raise InfrastructureError("python_execute_code: ended before it started")
            has_namespace = self._walls.has_namespace
            # Within walls there is another folder to write in.
            folder = Path("/") if has_namespace else self._folder()
            self._child = child = Child(self._stack, folder=folder)
            program = self._program(child)
            command = self._walls.command(program, told=child.told)
            child.start(command.argv, command.descriptors, has_namespace=has_namespace)
            return child

    def end(self) -> None:
        """End the code, read what it printed, and leave nothing behind."""
        with self._lock, self._stack:
            self._has_ended = True
            if self._child is not None:
                self._child.end()
                self._told = self._read(self._child)

    def told(self) -> PythonRun:
        """What came out."""
        assert self._told is not None  # it was started and ended
        return self._told

    def _folder(self) -> Path:
        """An empty one: the note of its owner stays outside."""
        folder = self._stack.enter_context(work_folder(f"{PREFIX}python-")) / "work"
        folder.mkdir()
        return folder

    def _read(self, child: Child) -> PythonRun:
        printed, cut = _shown(child.stdout)
        complained, complaints_cut = _shown(child.stderr)
        return PythonRun(
            stdout=printed,
            stderr=complained,
            exit_code=child.exit_code,
            isolation=self._walls.name,
            timed_out=False,
            stdout_cut_bytes=cut,
            stderr_cut_bytes=complaints_cut,
        )

    def _program(self, child: Child) -> list[str]:
        """Output goes to files: no pipe for a daemon to hold open, and the file limit caps it."""
        limits = self._limits
        numbers = (
            int(self._seconds) + 2,
            limits.memory_bytes,
            limits.file_bytes,
            limits.open_files,
            most_processes(limits.processes + _AROUND, self._walls.counted_user),
            0,
        )
        source, boot = child.source.fileno(), _boot()
        os.write(source, boot)
        os.pwrite(source, self._code.encode("utf-8", "replace"), len(boot))  # is read from here
        load = f"import marshal, os; exec(marshal.loads(os.pread({source}, {len(boot)}, 0)))"
        orphans = "keep" if self._walls.has_namespace else "adopt"
        words = (load, orphans, source, child.answer, *numbers)
        return [base_interpreter(), "-I", "-S", "-B", "-X", "utf8", "-c", *map(str, words)]


def most_processes(allowed: int, counted_user: int | None, processes: Path = Path("/proc")) -> int:
    """The limit for code that may have `allowed` processes: those of `counted_user` elsewhere count, too.

    UNLIMITED where they can't be counted (macOS): any number could be too few for the code's first process.
    """
    elsewhere = 0 if counted_user is None else tasks_of(counted_user, processes)
    return UNLIMITED if elsewhere is None else allowed + elsewhere


async def in_line(work: Callable[[], T]) -> T:
    """What blocking work gives, done in a thread of a few; when cancelled, it is done all the same."""
    done = asyncio.get_running_loop().run_in_executor(_line(), work)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await asyncio.wait([done])
        raise


@cache
def _line() -> ThreadPoolExecutor:
    """Of its own: the loop's threads look names up, and must not wait for sandboxes."""
    return ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="aar-python")


@cache
def _boot() -> bytes:
    """`python_boot` compiled: the base interpreter is of this version."""
    text = Path(__file__).with_name("python_boot.py").read_text(encoding="utf-8")
    return marshal.dumps(compile(text, "python_boot", "exec"))


def _shown(file: IO[bytes]) -> tuple[str, int]:
    """The beginning of what was printed, and how many bytes were left out after it."""
    start = os.pread(file.fileno(), MOST_OUTPUT, 0)
    text = start.decode("utf-8", "surrogateescape")  # so that every byte keeps its place
    shown = text[:SHOWN_OUTPUT].encode("utf-8", "surrogateescape")
    size = os.fstat(file.fileno()).st_size
    return shown.decode("utf-8", "replace"), size - len(shown)
