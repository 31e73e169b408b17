"""Many legs over limited services, killed and resumed: benchmarks/manners.py at a small scale."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
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
        [*command, *limits], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    assert figures["most_in_window"] == 2
    assert figures["most_parallel"] <= 2
    assert 1 <= figures["finished_before_the_kill"] < LEGS
    assert figures["waited_seconds"] > 0
    assert figures["asked_after_the_kill"] > 0


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("benchmark_of_manners", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BEFORE = {"a": frozenset({"1", "both"}), "b": frozenset({"2"})}
AFTER = {
    "a": frozenset({"1", "both"}),
    "b": frozenset({"2", "3", "both"}),
    "c": frozenset({"both", "4"}),
}


@pytest.mark.parametrize(
    ("asked_later", "again"),
    [
        (["3", "4", "both", "both"], []),
        (["3", "4", "both"], []),  # b or c had it from the run's page cache
        (["3", "3", "4", "both"], ["3"]),
        (["1", "3", "4", "both"], ["1"]),
        (["3", "4", "both", "both", "both"], ["both"]),
        (["3", "4", "both", "on no tape"], ["on no tape"]),
    ],
)
def test_a_request_may_come_again_only_for_legs_that_had_not_recorded_it(
    script: Any, asked_later: list[str], again: list[str]
) -> None:
    found = script.compare(BEFORE, AFTER, answered={"1", "2", "both"}, asked_later=asked_later)
    assert found["asked_again"] == again
    assert found["asked_after_the_kill"] == len(asked_later)
    assert found["could_hide"] == (asked_later.count("both") < 2)
    assert found["of_one_leg"] == sum(not each.startswith(("both", "on")) for each in asked_later)
    assert found["never_recorded"] == found["lost_from_tapes"] == []


def test_what_was_answered_but_is_on_no_tape_and_what_left_one_is_told(script: Any) -> None:
    without = {**AFTER, "a": frozenset({"1"})}
    found = script.compare(BEFORE, without, answered={"1", "x"}, asked_later=[])
    assert found["never_recorded"] == ["x"]
    assert found["lost_from_tapes"] == ["a"]
