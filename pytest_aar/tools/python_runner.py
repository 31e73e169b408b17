"""Runs Python in a process of its own, with resource limits and a deadline, within walls where there are some.

Without walls (isolation "weak") the code can read files that the user may read, and open sockets. Endless loops,
memory and file bombs, floods of output and daemons end in both cases. `python_boot` is what runs around the code.
"""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Protocol

from pytest_aar.processes import base_interpreter, tasks_of
from pytest_aar.tools.python_child import Child
from pytest_aar.tools.services import PythonRun

#: Bytes of each stream that are read at all, and characters of them that come back.
MOST_OUTPUT = 1_000_000
SHOWN_OUTPUT = 8_000
_MEGABYTE = 1024 * 1024
_AROUND = 1  # processes of `python_boot` itself


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

        Raises:
            InfrastructureError: the walls can't be put up.
        """
        walls = self.confinement
        with ExitStack() as stack:
            child = Child(stack, code)
            program = self._program(child, timeout_seconds)
            command = walls.command(program, told=child.told)
            child.start(command.argv, command.descriptors, has_namespace=walls.has_namespace)
            try:
                is_over = await child.over(timeout_seconds)
            finally:
                child.end()
            printed, cut = _shown(child.stdout)
            complained, complaints_cut = _shown(child.stderr)
        return PythonRun(
            stdout=printed,
            stderr=complained,
            exit_code=child.exit_code,
            isolation=walls.name,
            timed_out=not is_over,
            stdout_cut_bytes=cut,
            stderr_cut_bytes=complaints_cut,
        )

    def _program(self, child: Child, seconds: float) -> list[str]:
        """Output goes to files: no pipe for a daemon to hold open, and the file limit caps it."""
        limits, user = self.limits, self.confinement.counted_user
        elsewhere = 0 if user is None else tasks_of(user)
        numbers = (
            int(seconds) + 2,
            limits.memory_bytes,
            limits.file_bytes,
            limits.open_files,
            limits.processes + _AROUND + elsewhere,
            0,
        )
        flags = ("-I", "-S", "-B", "-X", "utf8", "-c", _boot())
        orphans = "keep" if self.confinement.has_namespace else "adopt"
        words = (orphans, child.source.fileno(), child.answer, *numbers)
        return [base_interpreter(), *flags, *map(str, words)]


@cache
def _boot() -> str:
    return Path(__file__).with_name("python_boot.py").read_text(encoding="utf-8")


def _shown(file: IO[bytes]) -> tuple[str, int]:
    """The beginning of what was printed, and how many bytes were left out after it."""
    start = os.pread(file.fileno(), MOST_OUTPUT, 0)
    text = start.decode("utf-8", "surrogateescape")  # so that every byte keeps its place
    shown = text[:SHOWN_OUTPUT].encode("utf-8", "surrogateescape")
    size = os.fstat(file.fileno()).st_size
    return shown.decode("utf-8", "replace"), size - len(shown)
