"""Codex and Claude Code over the committed legs, as a user races them."""

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from main_job import ROOT, cli, cut_off, missing, race, results_of, traces_of
from planned_rates import planned_rates

from pytest_aar.agents import make_agent
from pytest_aar.agents.from_npm import FROM_NPM
from pytest_aar.errors import AgentNotInstalled
from pytest_aar.leg_file import read_leg

__all__ = ["cli", "cut_off"]  # fixtures

LEG = "legs/linear/easy/002.json"
#: A race of Claude Code takes 3 to 7 s of CPU: few of the recorded legs (the small set), live one leg of each variant
#: and level; AAR_TEST_ALL_LEGS=1 takes more.
_ALL = "AAR_TEST_ALL_LEGS" in os.environ
REPLAYED, LIVE = (16, 96) if _ALL else (4, 8)
RECORDED = "aar_smoke" if _ALL else "aar_smoke and aar_hard"


@pytest.fixture
def as_recorded(cli: str) -> str:
    """The same, in the version that the committed recordings are of: another one asks other things."""
    version, tested = make_agent(cli).version(), FROM_NPM[cli]().tested
    if version != tested:
        pytest.skip(f"{cli} {version} is installed, the committed recordings are of {tested}")
    return cli


CELLS = {
    (variant, level)
    for variant in ("linear", "dag")
    for level in ("easy", "medium", "hard", "extreme")
}


def classes(races: list[dict]) -> list[tuple[str, str]]:
    """What the scores found, beside what the stand-in planned."""
    return [(race["score"]["error_class"], race["plan"]["error_class"]) for race in races]


def test_offline_the_committed_recordings_replay_to_the_end(
    as_recorded: str, cut_off, tmp_path
) -> None:
    done = race(
        tmp_path / "run", f"--aar-agent={as_recorded}", "-m", RECORDED, "-n", "4",
        before=cut_off,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.rstrip().splitlines()[-1].startswith("aar gate: passed: fa 0.")
    races = results_of(tmp_path / "run")
    assert len(races) == REPLAYED
    assert {(line["variant"], line["level"]) for line in races} <= CELLS
    assert {line["outcome"] for line in races} == {"answered"}
    assert all(line["replay"]["misses"] == line["replay"]["unplayed"] == 0 for line in races)
    assert all(found == planned for found, planned in classes(races))
    assert not any(line["stale"] for line in races)
    assert "not a version that pytest-aar was tested with" not in done.stdout
    assert len(traces_of(tmp_path / "run")) == REPLAYED


def test_live_races_are_judged_as_the_stand_in_planned_them(cli: str, tmp_path: Path) -> None:
    done = race(
        tmp_path / "run", f"--aar-agent={cli}", f"--aar-sample={LIVE}", "--aar-record=off", "-q", "-n", "4",
        "--aar-pacer=navigation=0.6,tools=0.6,arithmetic=0.6,seed=7", "--aar-gate=errors <= 0",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    races = results_of(tmp_path / "run")
    assert len(races) == LIVE
    assert {(line["variant"], line["level"]) for line in races} == CELLS
    assert {line["outcome"] for line in races} == {"answered"}
    assert {planned for _, planned in classes(races)} == {
        "correct", "navigation", "tool use", "computation",
    }  # fmt: skip
    assert all(found == planned for found, planned in classes(races))
    for line in races:
        leg = read_leg(ROOT / "legs" / f"{line['leg']}.json", legs_root=ROOT / "legs")
        found = {rate: line["score"][rate] for rate in ("fa", "pvr", "rcr")}
        assert found == pytest.approx(planned_rates(leg, line["plan"])), line["leg"]
    faulty = [line for line in races if line["plan"]["faults"]]
    assert all(
        line["score"]["first_divergence"] == line["plan"]["faults"][0]["stop"] for line in faulty
    )


#: Would stand in a request that anything of the user's own got into.
MARK = "Answer in the words of the parrot"


@pytest.fixture
def users_project(tmp_path: Path) -> Path:
    """A project with one leg, instructions, settings and servers of its owner's, and his home below it."""
    project = tmp_path / "project"
    server = {"command": "sh", "args": ["-c", f"echo {MARK}"]}
    codex = f'developer_instructions = "{MARK}"\nmodel_instructions_file = "AGENTS.md"\n'
    settings = json.dumps({"outputStyle": MARK, "env": {"ANTHROPIC_CUSTOM_HEADERS": MARK}})
    files = {
        "AGENTS.md": MARK, "CLAUDE.md": MARK, "CLAUDE.local.md": MARK,
        ".mcp.json": json.dumps({"mcpServers": {"parrot": server}}),
        ".codex/config.toml": codex, ".claude/settings.json": settings, ".claude/CLAUDE.md": MARK,
        ".claude/skills/parrot/SKILL.md": f"---\nname: parrot\ndescription: {MARK}\n---\n{MARK}",
        ".claude.json": json.dumps({"mcpServers": {"parrot": server}}),
    }  # fmt: skip
    for folder in (project, project / "home"):
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    (project / "home/.codex/AGENTS.md").write_text(MARK)
    (project / "tmp").mkdir()
    (project / LEG).parent.mkdir(parents=True)
    (project / LEG).write_bytes((ROOT / LEG).read_bytes())
    subprocess.run(["git", "init", "-q", project], check=True)
    return project


def race_in(project: Path, results: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A race of the user's, whose work folder lies in the project: its parents hold his files, too."""
    skills = "navigation=0.8,tools=0.85,arithmetic=0.9,seed=2"  # of the committed recordings
    command = [
        sys.executable, "-m", "pytest", "legs/", f"--aar-results={results}", "--aar-model=pacer",
        f"--aar-pacer={skills}", "--aar-gate=errors <= 0", *options,
    ]  # fmt: skip
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env |= {"HOME": str(project / "home"), "TMPDIR": str(project / "tmp")}
    return subprocess.run(
        command, cwd=project, env=env, capture_output=True, text=True, timeout=600, check=False
    )


def test_what_was_recorded_without_a_box_replays_in_one_and_holds_nothing_of_the_users(
    cli: str, users_project: Path, tmp_path: Path
) -> None:
    options = [f"--aar-agent={cli}", f"--aar-cassettes={tmp_path / 'tapes'}"]
    made = race_in(
        users_project, tmp_path / "made", "--aar-record=all", "--aar-isolation=none", *options
    )
    assert made.returncode == 0, made.stdout[-4000:]
    done = race_in(users_project, tmp_path / "done", "--aar-isolation=auto", *options)
    assert done.returncode == 0, done.stdout[-4000:]
    (line,) = results_of(tmp_path / "done")
    # With a request that differs in anything of the user's there were a miss.
    assert (line["replay"]["misses"], line["stale"]) == (0, [])
    (bodies,) = (tmp_path / "tapes").rglob("*.bodies.gz")
    recorded = gzip.decompress(bodies.read_bytes()).decode()
    (committed,) = (ROOT / "cassettes/linear/easy/002").glob(f"{cli}--pacer-*.bodies.gz")
    if make_agent(cli).version() == FROM_NPM[cli]().tested:
        assert recorded == gzip.decompress(committed.read_bytes()).decode()
    (index,) = (tmp_path / "tapes").rglob("*.json")
    for private in (MARK, str(tmp_path), str(Path.home()), "/tmp/", socket.gethostname()):
        assert private not in recorded + index.read_text(), private


def test_what_lies_in_the_users_project_would_show_in_recordings(
    users_project: Path, tmp_path: Path
) -> None:
    try:
        make_agent("codex").version()
    except AgentNotInstalled as error:
        missing(str(error))
    asked_for = "args=-c project_doc_max_bytes=32768"  # set to 0 otherwise
    made = race_in(
        users_project, tmp_path / "made", "--aar-record=all", "--aar-isolation=none", "--aar-agent=codex",
        f"--aar-cassettes={tmp_path / 'tapes'}", f"--aar-agent-option={asked_for}",
    )  # fmt: skip
    assert made.returncode == 0, made.stdout[-4000:]
    (bodies,) = (tmp_path / "tapes").rglob("*.bodies.gz")
    assert MARK in gzip.decompress(bodies.read_bytes()).decode()


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
    where = ["-k", Path(LEG).stem, "--aar-level=easy", "--aar-variant=linear"]
    return race(tmp_path / "run", "-q", *where, *options)


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
