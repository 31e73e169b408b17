"""The main job over the committed legs beside pytest itself: wall and CPU seconds, and their ratios.

`python benchmarks/main_job.py [RUNS]` (default 3, after one uncounted round):
the replayed races of mini-swe with `-n 8`; its peer, as many tests that do nothing with `-n 8`;
the golden races in one process; their peer, the same tests in one process.
CPU is of the whole process tree: workers, shells, and each `python3 tools.py`.
"""

import sys
import tempfile
from functools import partial
from pathlib import Path

from timing import Measured, alternate, median, run

ROOT = Path(__file__).parents[1]
MINI_SWE_TARGET, GOLDEN_TARGET = 120.0, 40.0


def _pytest(*arguments: str, cwd: Path) -> Measured:
    return run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments], cwd=cwd
    )


def _race(scratch: Path, *options: str) -> Measured:
    results = tempfile.mkdtemp(prefix="results-", dir=scratch)  # a folder holds one run
    return _pytest("legs/", f"--aar-results={results}/run", *options, cwd=ROOT)


def _trivial_tests(folder: Path, count: int) -> Path:
    (folder / "test_trivial.py").write_text(
        "import pytest\n\n"
        f'@pytest.mark.parametrize("number", range({count}))\n'
        "def test_nothing(number):\n    assert number >= 0\n"
    )
    return folder


def _report(name: str, job: list[Measured], peer: list[Measured], target: float) -> None:
    wall, cpu = median(job, "wall"), median(job, "cpu")
    bare_wall, bare_cpu = median(peer, "wall"), median(peer, "cpu")
    print(f"{name}: {wall:.1f} s wall (target: at most {target:.0f} s), {cpu:.1f} s CPU")
    print(f"  bare pytest: {bare_wall:.1f} s wall, {bare_cpu:.1f} s CPU")
    print(f"  ratio: {wall / bare_wall:.1f} in wall, {cpu / bare_cpu:.1f} in CPU")


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    legs = len(list((ROOT / "legs").rglob("[0-9]*.json")))
    with tempfile.TemporaryDirectory() as scratch:
        trivial = _trivial_tests(Path(scratch), legs)
        bare = partial(_pytest, f"--rootdir={scratch}", str(trivial), cwd=trivial)
        mini_swe, eight, golden, one = alternate(
            runs,
            partial(_race, Path(scratch), "--aar-agent=mini-swe", "-n", "8"),
            partial(bare, "-n", "8"),
            partial(_race, Path(scratch), "--aar-agent=golden"),
            bare,
        )
    print(f"{legs} legs")
    _report("mini-swe, replayed, -n 8", mini_swe, eight, MINI_SWE_TARGET)
    _report("golden, one process", golden, one, GOLDEN_TARGET)


if __name__ == "__main__":
    main()
