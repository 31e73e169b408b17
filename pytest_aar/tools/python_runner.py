"""Runs Python in a process of its own with resource limits and a deadline: weak isolation.

What it stops: endless loops, memory and file bombs, floods of output, leftovers in its process
group. What it doesn't: reading files that the user may read, opening sockets, a daemon that leaves
its group and session. That takes a box.
"""

import asyncio
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.processes import base_interpreter, kill_group
from pytest_aar.tools.services import PythonRun

#: Bytes of each stream that are read at all, and characters of them that come back.
MOST_OUTPUT = 1_000_000
SHOWN_OUTPUT = 8_000
_MEGABYTE = 1024 * 1024
_POLL_SECONDS = 0.005

#: Sets the limits inside the child (a hook between fork and exec is not safe in a process with
#: threads), then runs the code as `__main__`; its own frame is taken out of tracebacks.
_BOOT = """
import resource as _r, sys
def _limit(kind, value):
    hard = _r.getrlimit(kind)[1]
    value = value if hard == _r.RLIM_INFINITY else min(value, hard)
    _r.setrlimit(kind, (value, value))
for _name, _value in zip(("CPU", "AS", "FSIZE", "NOFILE", "NPROC", "CORE"), sys.argv[1:]):
    try:
        _limit(getattr(_r, "RLIMIT_" + _name), int(_value))
    except (AttributeError, ValueError, OSError):
        pass
sys.argv = ["code.py"]
sys.excepthook = lambda kind, error, trace: sys.__excepthook__(
    kind, error.with_traceback(trace.tb_next), trace.tb_next)
exec(compile(open("code.py", encoding="utf-8").read(), "code.py", "exec"), {"__name__": "__main__"})
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Resource limits of one run; `processes` does not bind root."""

    memory_bytes: int = 512 * _MEGABYTE
    file_bytes: int = 16 * _MEGABYTE
    open_files: int = 64
    processes: int = 8


_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubprocessRunner:
    """`python -I -S -B` of the base interpreter in an empty folder, with an empty environment."""

    limits: Limits = _LIMITS

    async def run(self, code: str, *, timeout_seconds: float) -> PythonRun:
        """Run `code`; its whole process group is dead afterwards, cancelled or not."""
        with (
            tempfile.TemporaryDirectory(prefix="aar-out-") as outputs,
            tempfile.TemporaryDirectory(prefix="aar-python-", ignore_cleanup_errors=True) as folder,
        ):
            Path(folder, "code.py").write_text(code, encoding="utf-8", errors="replace")
            stdout, stderr = Path(outputs, "stdout"), Path(outputs, "stderr")
            process = self._start(folder, stdout, stderr, timeout_seconds)
            try:
                is_over = await _over(process, timeout_seconds)
            finally:
                kill_group(process.pid)
                process.wait()
            printed, cut = _shown(stdout)
            complained, complaints_cut = _shown(stderr)
            return PythonRun(
                stdout=printed,
                stderr=complained,
                exit_code=process.returncode,
                isolation="weak",
                timed_out=not is_over,
                stdout_cut_bytes=cut,
                stderr_cut_bytes=complaints_cut,
            )

    def _start(
        self, folder: str, stdout: Path, stderr: Path, timeout_seconds: float
    ) -> "subprocess.Popen[bytes]":
        """Output goes to files: no pipe for a daemon to hold open, and the file limit caps it."""
        limits = self.limits
        numbers = (
            int(timeout_seconds) + 2,
            limits.memory_bytes,
            limits.file_bytes,
            limits.open_files,
            limits.processes,
            0,
        )
        command = (
            base_interpreter(),
            "-I",
            "-S",
            "-B",
            "-X",
            "utf8",
            "-c",
            _BOOT,
            *map(str, numbers),
        )
        with stdout.open("wb") as out, stderr.open("wb") as err:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder,
                env={},
                start_new_session=True,
            )


async def _over(process: "subprocess.Popen[bytes]", timeout_seconds: float) -> bool:
    """Wait for the end, False at the deadline; by pidfd where there is one: it can't be reused."""
    if not hasattr(os, "pidfd_open"):
        return await _polled(process, timeout_seconds)
    handle = os.pidfd_open(process.pid)
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(handle, ended.set)
    try:
        async with asyncio.timeout(timeout_seconds):
            await ended.wait()
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(handle)
        os.close(handle)
    return True


async def _polled(process: "subprocess.Popen[bytes]", timeout_seconds: float) -> bool:
    deadline = time.monotonic() + timeout_seconds
    while process.poll() is None:
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(_POLL_SECONDS)
    return True


def _shown(path: Path) -> tuple[str, int]:
    """The beginning of what was printed, and how many bytes were left out after it."""
    with path.open("rb") as file:
        start = file.read(MOST_OUTPUT)
    text = start.decode("utf-8", "surrogateescape")  # so that every byte keeps its place
    shown = text[:SHOWN_OUTPUT].encode("utf-8", "surrogateescape")
    return shown.decode("utf-8", "replace"), path.stat().st_size - len(shown)
