"""Measuring whole processes for the scripts beside this one: CPU and wall seconds, peak memory, medians of runs."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One finished process: seconds, and peak memory in MB (of the largest single process)."""

    wall: float
    cpu: float
    peak_mb: float


def run(
    command: Sequence[str], *, cwd: Path | None = None, expect: Sequence[int] = (0,)
) -> Measured:
    """Run a command to its end; another exit status than the expected ones stops the benchmark."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=cwd)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in expect:
            output.seek(0)
            sys.exit(
                f"{' '.join(command)} ended with {child.returncode}:\n{output.read().decode()[-3000:]}"
            )
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Measured(wall=wall, cpu=usage.ru_utime + usage.ru_stime, peak_mb=usage.ru_maxrss / unit)


def alternate(runs: int, *measures: Callable[[], Measured]) -> list[list[Measured]]:
    """Each measure `runs` times, in turn (A B A B), after one uncounted round; one list per measure."""
    for measure in measures:
        measure()
    rounds = [[measure() for measure in measures] for _ in range(runs)]
    return [list(column) for column in zip(*rounds, strict=True)]


def median(measured: Sequence[Measured], field: str) -> float:
    """The median of one field."""
    return statistics.median(getattr(one, field) for one in measured)
