"""Collecting 1,400 legs against collecting an empty folder, in one run.

`python benchmarks/collection.py [FOLDER]`: FOLDER holds legs; without it the repository's own are copied
until there are 1,400. Prints wall seconds (medians of alternating runs), the difference, and peak memory.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from timing import alternate, median, run

LEGS = 1_400
ROOT = Path(__file__).parents[1]


def _copies(folder: Path) -> Path:
    sources = sorted((ROOT / "legs").rglob("[0-9]*.json"))
    for number in range(LEGS):
        source = sources[number % len(sources)]
        target = folder / "legs" / source.parent.relative_to(ROOT / "legs") / f"{number:04}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return folder / "legs"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        legs = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else _copies(Path(scratch))
        empty = Path(scratch) / "empty"
        empty.mkdir()
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
        agent = ["--aar-agent=golden", f"--rootdir={scratch}"]
        full, bare = alternate(
            5,
            lambda: run([*command, *agent, str(legs)], cwd=Path(scratch)),
            lambda: run([*command, f"--rootdir={scratch}", str(empty)], cwd=empty, expect=(0, 5)),
        )
    over = median(full, "wall") - median(bare, "wall")
    print(
        f"collect {LEGS} legs: {median(full, 'wall'):.2f} s wall, {median(full, 'cpu'):.2f} s CPU, "
        f"peak {median(full, 'peak_mb'):.0f} MB"
    )
    print(f"collect an empty folder: {median(bare, 'wall'):.2f} s wall")
    print(f"difference: {over:.2f} s (target: at most 1.0 s, peak under 250 MB)")


if __name__ == "__main__":
    main()
