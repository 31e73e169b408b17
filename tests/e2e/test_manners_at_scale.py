"""Many legs over limited services, killed and resumed: benchmarks/manners.py at a small scale."""

import json
import subprocess
import sys
from pathlib import Path

from handmade_legs import linear

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "manners.py"
#: Each asks the encyclopedia three times.
LEGS = 4


def test_a_killed_and_resumed_run_keeps_to_limits_and_loses_nothing(tmp_path: Path) -> None:
    for number in range(LEGS):
        # Each leg has pages of its own: nothing but the limits slows the run down.
        wire = json.dumps(linear()).replace(
            "wiki.aar.test/wiki/", f"en.wikipedia.org/wiki/P{number}_"
        )
        path = tmp_path / "linear" / "easy" / f"{number:03}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wire)
    command = [sys.executable, str(SCRIPT), str(tmp_path), f"--sample={LEGS}", "--workers=2"]
    # So long a window is full on a slow machine, too.
    limits = ["--requests=2", "--window=2", "--parallel=2", "--delay=0.01"]
    done = subprocess.run(
        [*command, *limits], capture_output=True, text=True, timeout=170, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    assert figures["most_in_window"] == 2
    assert figures["most_parallel"] <= 2
    assert 1 <= figures["finished_before_the_kill"] < LEGS
    assert figures["waited_seconds"] > 0
