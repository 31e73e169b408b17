"""How long commands take from their call to their end: `aar --help`, `aar tool`, `aar mcp`, `aar doctor`.

`python benchmarks/commands.py [RUNS]`: in turn, beside a Python that does nothing and one that only loads the SDK of
MCP, which is most of what `aar mcp` waits for. CPU seconds tell of a busy machine what it takes when it is alone.
"""

import shutil
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from timing import alternate, median, run

RUNS = 5
#: `aar doctor` ends with 1 where the sandbox can't run.
FINDINGS = (0, 1)


def commands() -> dict[str, list[str]]:
    """What is measured, by the name under which it is printed."""
    aar = [sys.executable, "-c", "from pytest_aar.cli import main; main()"]
    found = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "aar --help": [*aar, "--help"],
        "aar tool": [*aar, "tool"],
        "aar tool maps_geocode ...": [*aar, "tool", "maps_geocode", '{"address": "Lima"}'],
        "aar doctor": [*aar, "doctor"],
        "aar doctor --for golden": [*aar, "doctor", "--for", "golden"],
    }
    if find_spec("mcp"):
        found["import mcp"] = [sys.executable, "-c", "import mcp.server.lowlevel"]
        # Standard input is at its end: the server starts, and ends.
        found["aar mcp"] = [
            shutil.which("sh") or "sh",
            "-c",
            'exec "$@" </dev/null',
            "sh",
            *aar,
            "mcp",
        ]
    return found


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    named = commands()
    with tempfile.TemporaryDirectory() as scratch:
        each = [
            partial(run, command, cwd=Path(scratch), expect=FINDINGS) for command in named.values()
        ]
        measured = alternate(runs, *each)
    if sys.dont_write_bytecode:
        print(
            "Python keeps no bytecode here (PYTHONDONTWRITEBYTECODE): each start compiles all anew"
        )
    for name, runs_of_it in zip(named, measured, strict=True):
        wall, cpu = (median(runs_of_it, field) for field in ("wall", "cpu"))
        print(f"{name:<26} {wall:6.2f} s wall {cpu:6.2f} s CPU")


if __name__ == "__main__":
    main()
