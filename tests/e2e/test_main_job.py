"""The main job over the committed legs, as a user runs it: a process of its own, in the repository's folder."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Set to 1 by `.ci/run`.
REQUIRE = "AAR_CI_REQUIRE"

#: A network namespace of its own with nothing but loopback, then the command.
_CUT_OFF = (
    "import fcntl, os, socket, struct, sys\n"
    "request = struct.pack('16sh', b'lo', 1)\n"  # IFF_UP
    "fcntl.ioctl(socket.socket(), 0x8914, request)\n"  # SIOCSIFFLAGS
    "os.execvp(sys.argv[1], sys.argv[1:])\n"
)


def race(
    results: Path, *options: str, before: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """`pytest legs/` with these options; its results go to a folder of their own."""
    command = [sys.executable, "-m", "pytest", "legs/", f"--aar-results={results}", *options]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [*before, *command],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def timeless(value: Any) -> Any:
    """A JSON value without the fields that may differ between equal runs."""
    if isinstance(value, dict):
        return {
            key: timeless(inner)
            for key, inner in value.items()
            if not key.endswith(("_at", "_seconds"))
        }
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def lines(path: Path) -> list[Any]:
    return [timeless(json.loads(line)) for line in path.read_text().splitlines()]


def results_of(folder: Path) -> list[Any]:
    return sorted(lines(folder / "results.jsonl"), key=lambda line: (line["leg"], line["repeat"]))


def traces_of(folder: Path) -> dict[str, list[Any]]:
    traces = folder / "traces"
    return {str(path.relative_to(traces)): lines(path) for path in sorted(traces.rglob("*.jsonl"))}


def missing(what: str) -> NoReturn:
    """Skip for want of something; fail where the proof is demanded: a skipped one proves nothing to CI."""
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(f"{what} ({REQUIRE}=1)", pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="module")
def cut_off() -> tuple[str, ...]:
    """The words before a command that take its network away."""
    user = () if os.geteuid() == 0 else ("-r",)
    before = ("unshare", "-n", *user, sys.executable, "-c", _CUT_OFF)
    try:
        tried = subprocess.run([*before, "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        missing("no unshare here (Linux only): the network can't be cut")
    if tried.returncode != 0:
        missing(f"network namespaces are not allowed here: {tried.stderr.strip()}")
    return before


@pytest.fixture
def mini_swe() -> None:
    # Looked for, not imported: its first import reads settings of the user's own.
    if importlib.util.find_spec("minisweagent") is None:
        missing("mini-swe-agent is not installed: aar install mini-swe")


@pytest.mark.parametrize(
    ("value", "outcome"), [("1", pytest.fail.Exception), (None, pytest.skip.Exception)]
)
def test_what_is_missing_skips_here_and_fails_where_it_is_demanded(
    monkeypatch: pytest.MonkeyPatch, value: str | None, outcome: type[BaseException]
) -> None:
    monkeypatch.delenv(REQUIRE, raising=False)
    if value:
        monkeypatch.setenv(REQUIRE, value)
    with pytest.raises(outcome, match="no unshare here"):
        missing("no unshare here")


def test_offline_the_main_job_gives_the_same_twice_and_ends_green(
    mini_swe, cut_off, tmp_path
) -> None:
    runs = [tmp_path / "first", tmp_path / "second"]
    # The second time half of the legs, by other workers: a leg's race is the same whoever else races.
    for folder, options in zip(runs, (("-n", "8"), ("-n", "2", "--aar-variant=dag")), strict=True):
        done = race(folder, "--aar-agent=mini-swe", *options, before=cut_off)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
        assert done.stdout.rstrip().splitlines()[-1].startswith("aar gate: passed: fa 0.")
        assert "scripted stand-in, not a model" in done.stdout
    first, second = (results_of(folder) for folder in runs)
    assert [line for line in first if line["variant"] == "dag"] == second
    assert sum(line["score"]["fa"] for line in first) == 14
    assert len(first) == 24
    assert {line["outcome"] for line in first} == {"answered"}
    assert all(line["replay"]["misses"] == 0 and not line["stale"] for line in first)
    traces, again = (traces_of(folder) for folder in runs)
    assert {name: events for name, events in traces.items() if name.startswith("dag/")} == again
    # The stand-in's plan is the truth that the scores must find.
    assert {line["score"]["error_class"] for line in first} == {
        "correct", "navigation", "tool use", "computation",
    }  # fmt: skip
    assert [line["score"]["error_class"] for line in first] == [
        line["plan"]["error_class"] for line in first
    ]


def test_golden_wins_every_committed_leg_serial_and_parallel(tmp_path) -> None:
    for folder, workers in ((tmp_path / "serial", "0"), (tmp_path / "parallel", "2")):
        done = race(folder, "--aar-agent=golden", "-q", "-n", workers)
        assert done.returncode == 0, done.stdout[-4000:]
        scores = [line["score"] for line in results_of(folder)]
        assert len(scores) == 24
        assert {(score["fa"], score["pvr"], score["rcr"]) for score in scores} == {(1, 1.0, 1.0)}
    assert results_of(tmp_path / "serial") == results_of(tmp_path / "parallel")
    assert traces_of(tmp_path / "serial") == traces_of(tmp_path / "parallel")


@pytest.mark.parametrize(
    ("agent", "where", "repeats"),
    [("react", "", 6), ("mini-swe", "linear_easy", 2)],
)
def test_live_races_are_judged_as_the_stand_in_planned_them(
    request, tmp_path, agent, where, repeats
) -> None:
    if agent == "mini-swe":
        request.getfixturevalue("mini_swe")
    chosen = ["--aar-variant=linear", "--aar-level=easy"] if where else []
    done = race(
        tmp_path / "run", f"--aar-agent={agent}", "--aar-record=off", f"--aar-repeat={repeats}", "-q", "-n", "2",
        "--aar-pacer=navigation=0.6,tools=0.6,arithmetic=0.6,seed=11", "--aar-gate=errors <= 0", *chosen,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    races = results_of(tmp_path / "run")
    assert len(races) == repeats * (3 if where else 24)
    assert [race["score"]["error_class"] for race in races] == [
        race["plan"]["error_class"] for race in races
    ]
    faulty = [race for race in races if race["plan"]["faults"]]
    assert faulty
    agreed = [r for r in faulty if r["score"]["first_divergence"] == r["plan"]["faults"][0]["stop"]]
    assert len(agreed) >= 0.99 * len(faulty)
