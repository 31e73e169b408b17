"""What the plugin adds to pytest's start-up when no AAR option is used: `pytest --version`-like runs, in turn.

`python benchmarks/startup.py`: an empty folder collected with the plugin and with `-p no:aar`.
"""

import sys
import tempfile
from pathlib import Path

from timing import alternate, median, run


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        command = [sys.executable, "-m", "pytest", "-q", f"--rootdir={scratch}", scratch]
        with_plugin, without = alternate(
            15,
            lambda: run(command, cwd=folder, expect=(5,)),
            lambda: run([*command, "-p", "no:aar"], cwd=folder, expect=(5,)),
        )
    for name, measured in (("with the plugin", with_plugin), ("-p no:aar", without)):
        print(
            f"{name}: {1000 * median(measured, 'wall'):.0f} ms wall, {1000 * median(measured, 'cpu'):.0f} ms CPU"
        )
    added = 1000 * (median(with_plugin, "wall") - median(without, "wall"))
    print(f"the plugin adds {added:.1f} ms (target: under 30 ms)")


if __name__ == "__main__":
    main()
