"""Codex and Claude Code over the committed legs, as a user races them."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from test_main_job import ROOT, cut_off, missing, race, results_of, traces_of

from pytest_aar.agents import make_agent
from pytest_aar.agents.from_npm import FROM_NPM
from pytest_aar.errors import AgentNotInstalled

__all__ = ["cut_off"]  # a fixture

LEG = "legs/linear/easy/003.json"


@pytest.fixture(params=sorted(FROM_NPM))
def cli(request: pytest.FixtureRequest) -> str:
    """The agent's name; skipped where it is not installed."""
    name: str = request.param
    try:
        make_agent(name).version()
    except AgentNotInstalled as error:
        missing(str(error))
    return name


@pytest.fixture
def as_recorded(cli: str) -> str:
    """The same, in the version that the committed recordings are of: another one asks other things."""
    version, tested = make_agent(cli).version(), FROM_NPM[cli]().tested
    if version != tested:
        pytest.skip(f"{cli} {version} is installed, the committed recordings are of {tested}")
    return cli


def classes(races: list[dict]) -> list[tuple[str, str]]:
    """What the scores found, beside what the stand-in planned."""
    return [(race["score"]["error_class"], race["plan"]["error_class"]) for race in races]


def test_offline_the_committed_recordings_replay_to_the_end(
    as_recorded: str, cut_off, tmp_path
) -> None:
    done = race(tmp_path / "run", f"--aar-agent={as_recorded}", "-n", "4", before=cut_off)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.rstrip().splitlines()[-1].startswith("aar gate: passed: fa 0.583 >= 0.3")
    races = results_of(tmp_path / "run")
    assert len(races) == 24
    assert {line["outcome"] for line in races} == {"answered"}
    assert all(line["replay"]["misses"] == line["replay"]["unplayed"] == 0 for line in races)
    assert all(found == planned for found, planned in classes(races))
    assert not any(line["stale"] for line in races)
    assert "not a version that pytest-aar was tested with" not in done.stdout
    assert len(traces_of(tmp_path / "run")) == 24


def test_live_races_are_judged_as_the_stand_in_planned_them(cli: str, tmp_path) -> None:
    done = race(
        tmp_path / "run", f"--aar-agent={cli}", "--aar-record=off", "-q", "-n", "2", "--aar-level=easy",
        "--aar-variant=linear", "--aar-gate=errors <= 0",
        "--aar-pacer=navigation=0.6,tools=0.6,arithmetic=0.6,seed=7",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    races = results_of(tmp_path / "run")
    assert [planned for _, planned in classes(races)] == ["computation", "tool use", "navigation"]
    assert all(found == planned for found, planned in classes(races))
    assert all(
        line["score"]["first_divergence"] == line["plan"]["faults"][0]["stop"] for line in races
    )


def test_what_was_recorded_without_a_box_replays_in_one(cli: str, tmp_path) -> None:
    tapes = f"--aar-cassettes={tmp_path / 'tapes'}"
    options = [
        f"--aar-agent={cli}",
        tapes,
        "--aar-gate=errors <= 0",
        "--deselect=legs/linear/easy/001.json",
    ]
    options += ["--aar-level=easy", "--aar-variant=linear", "--deselect=legs/linear/easy/002.json"]
    made = race(tmp_path / "made", "--aar-record=all", "--aar-isolation=none", *options)
    assert made.returncode == 0, made.stdout[-4000:]
    done = race(tmp_path / "done", "--aar-isolation=auto", *options)
    assert done.returncode == 0, done.stdout[-4000:]
    (line,) = results_of(tmp_path / "done")
    assert (line["replay"]["misses"], line["stale"]) == (0, [])
    recorded = sorted(path.read_bytes() for path in (tmp_path / "tapes").rglob("*.bodies.gz"))
    (committed,) = (ROOT / "cassettes/linear/easy/003").glob(f"{cli}--pacer-*.bodies.gz")
    if make_agent(cli).version() == FROM_NPM[cli]().tested:
        assert recorded == [committed.read_bytes()]
    for private in (str(tmp_path), str(Path.home()), "/tmp/", socket.gethostname()):
        assert private not in "".join(_texts(tmp_path / "tapes")), private


def _texts(folder: Path) -> list[str]:
    shown = subprocess.run(
        [sys.executable, "-m", "gzip", "-d", *map(str, folder.rglob("*.bodies.gz"))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    return [
        path.read_text() for path in folder.rglob("*") if path.is_file() and path.suffix != ".gz"
    ]


def test_a_changed_prompt_is_a_miss_that_shows_the_first_difference(
    as_recorded: str, tmp_path
) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Race, and be quick.\n{seed_url}\n{clues}\n{tools}\n{how_to_call}\n")
    done = _one_leg(tmp_path, f"--aar-agent={as_recorded}", f"--aar-prompt={prompt}")
    assert done.returncode == 1
    (line,) = results_of(tmp_path / "run")
    assert (line["outcome"], line["error"], line["score"]) == (
        "infrastructure", "ReplayDiverged", None,
    )  # fmt: skip
    assert line["replay"]["misses"] == 1
    assert line["attempts"] == 1
    assert "Race, and be quick." in line["detail"]
    assert "--aar-record=all" in line["detail"]


def _one_leg(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    others = [
        f"--deselect={path.relative_to(ROOT)}" for path in ROOT.glob("legs/linear/easy/00[12].json")
    ]
    where = ["--aar-level=easy", "--aar-variant=linear"]
    return race(tmp_path / "run", "-q", *where, *others, *options)


def test_ctrl_c_ends_the_race_with_all_that_belongs_to_it(cli: str, tmp_path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:  # takes the model call and never answers
        asked = threading.Event()

        def accept() -> None:
            connection, _ = server.accept()
            with connection:
                asked.set()
                while connection.recv(65536):
                    pass

        waiting = threading.Thread(target=accept)
        waiting.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        command = [
            sys.executable, "-m", "pytest", LEG, f"--aar-agent={cli}", "--aar-model=m", "--aar-record=off",
            f"--aar-base-url={address}", f"--aar-results={tmp_path / 'run'}", "-o", "aar_gate=",
        ]  # fmt: skip
        env = {**os.environ, "AAR_API_KEY": "none", "TMPDIR": str(tmp_path)}
        started = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
        assert asked.wait(60), started.kill()
        assert _mentioning(tmp_path)
        started.send_signal(signal.SIGINT)
        said, _ = started.communicate(timeout=60)
        waiting.join(10)
    assert started.returncode == 2, said
    assert "KeyboardInterrupt" in said
    assert _mentioning(tmp_path) == []
    assert list(tmp_path.glob("aar-*")) == []


def _mentioning(folder: Path) -> list[str]:
    """Command lines of living processes whose environment names the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode().replace("\0", " "))
        except OSError:
            continue  # gone meanwhile, or another user's
    return found
