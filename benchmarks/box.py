"""What a race's box costs: from nothing to the end of the first command, each further command, and the end.

`python benchmarks/box.py [RUNS]`: the boxes of this machine in turn (A B C, A B C, ...) beside a plain
`subprocess.run` of the same command in the same run. Medians in milliseconds. Target: a start below 80 ms. The
last column is processor time of a whole box with these commands, which other load on the machine changes less.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pytest_aar.box import BoxPlace, CommandSpec, Isolation, make_box
from pytest_aar.box.isolation import tried

RUNS, COMMANDS = 15, 10
TARGET_MS = 80.0
COMMAND = "true"


Times = tuple[float, float, float, float]


def processor_ms() -> float:
    """Of this process and of its children that have ended."""
    spent = os.times()
    return (spent.user + spent.system + spent.children_user + spent.children_system) * 1e3


def box_times(isolation: Isolation, folder: Path) -> Times:
    """Milliseconds: start with the first command, a further command, stop; processor time of it all."""
    before = processor_ms()
    box = make_box(isolation, BoxPlace(workdir=folder))
    spec = CommandSpec(command=COMMAND, workdir=folder, timeout=30)
    started = time.perf_counter()
    assert box.run(spec).exit_code == 0
    first = time.perf_counter()
    for _ in range(COMMANDS):
        box.run(spec)
    ran = time.perf_counter()
    box.stop()
    stopped = time.perf_counter()
    each = (ran - first) / COMMANDS * 1e3
    return (first - started) * 1e3, each, (stopped - ran) * 1e3, processor_ms() - before


def plain_times(folder: Path) -> Times:
    """The same command by subprocess: there is nothing to start or stop."""
    before = processor_ms()
    started = time.perf_counter()
    for _ in range(COMMANDS):
        subprocess.run(["/bin/bash", "-c", COMMAND], cwd=folder, capture_output=True, check=True)
    each = (time.perf_counter() - started) / COMMANDS * 1e3
    return each, each, 0.0, processor_ms() - before


def main(runs: int) -> None:
    measures: dict[str, Callable[[Path], Times]] = {
        "subprocess": plain_times,
        "none": lambda folder: box_times(Isolation(name="none"), folder),
    }
    for form in ("user", "root") if os.geteuid() == 0 else ("user",):
        fault = tried(form)  # type: ignore[arg-type]
        if fault is not None:
            print(f"bwrap, {form} form: not here ({fault})")
            continue
        isolation = Isolation(name="bwrap", form=form)
        measures[f"bwrap {form}"] = lambda folder, one=isolation: box_times(one, folder)  # type: ignore[misc]
    taken: dict[str, list[Times]] = {name: [] for name in measures}
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top).resolve() / "race"
        folder.mkdir()
        for number in range(runs + 1):
            for name, measure in measures.items():
                times = measure(folder)
                if number:  # the first round warms up
                    taken[name].append(times)
    print(
        f"{'ms, medians':<14}{'first command':>15}{'each further':>14}{'stop':>8}{'processor':>11}   ({runs} runs)"
    )
    for name, rows in taken.items():
        first, each, stop, spent = (statistics.median(column) for column in zip(*rows, strict=True))
        met = (
            ""
            if name == "subprocess"
            else f"   target {TARGET_MS:g}: {'met' if first < TARGET_MS else 'MISSED'}"
        )
        print(f"{name:<14}{first:>15.1f}{each:>14.2f}{stop:>8.1f}{spent:>11.1f}{met}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
