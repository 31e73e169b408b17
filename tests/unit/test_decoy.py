"""The decoy beside the legs: who opens it is noticed, and nothing of ours does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_aar.cli import aar
from pytest_aar.leg_file import looks_like_leg, read_leg
from pytest_aar.lookout import (
    DECOY_CANARY,
    DECOY_NAME,
    DecoyWatch,
    decoy_at,
    guid_needle,
    why_unwatched,
)
from pytest_aar.lookout.decoy import has_inotify
from pytest_aar.results.provenance import git_commit

LEGS = Path(__file__).parents[2] / "legs"
needs_inotify = pytest.mark.skipif(not has_inotify(), reason="this system has no inotify")


@pytest.fixture
def decoy(tmp_path: Path) -> Path:
    path = tmp_path / DECOY_NAME
    path.write_text('{"canary": "8c224261-a9b4-5810-8663-9deb374ec5dc"}')
    return path


@needs_inotify
@pytest.mark.parametrize("command", ["cat {}", "grep -r canary {}/..", "cp {} /dev/null"])
def test_who_opens_it_is_noticed(decoy: Path, command: str) -> None:
    watch = DecoyWatch.on(decoy)
    assert watch is not None
    assert not watch.seen()
    line = command.format(decoy if "grep" not in command else decoy.parent / "x")
    (decoy.parent / "x").mkdir()
    subprocess.run(["sh", "-c", line], check=True, stdout=subprocess.DEVNULL)
    assert watch.seen()
    watch.close()
    watch.close()
    assert watch.seen()


@needs_inotify
def test_who_only_lists_the_folder_is_not(decoy: Path) -> None:
    watch = DecoyWatch.on(decoy)
    assert watch is not None
    subprocess.run(
        ["sh", "-c", f"ls -la {decoy.parent}; find {decoy.parent}; stat {decoy}"], check=True
    )
    watch.close()
    assert not watch.seen()


def test_without_the_file_there_is_no_watch_and_a_reason(tmp_path: Path) -> None:
    assert decoy_at(tmp_path) is None
    assert DecoyWatch.on(tmp_path / DECOY_NAME) is None
    assert f"no decoy at {tmp_path / DECOY_NAME}" in (why_unwatched(tmp_path) or "")


@needs_inotify
def test_with_the_file_there_is_nothing_to_say(decoy: Path) -> None:
    assert why_unwatched(decoy.parent) is None


def test_an_interpreter_without_ctypes_loses_the_watch_alone(decoy: Path) -> None:
    script = f"""
import sys
sys.modules["ctypes"] = None
from pathlib import Path
from pytest_aar.lookout import DecoyWatch, undumpable, why_unwatched
decoy = Path({str(decoy)!r})
with undumpable():
    print(DecoyWatch.on(decoy), why_unwatched(decoy.parent))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == (
        f"None the decoy {decoy} is watched for by its text only: this Python has no ctypes, "
        "which also keeps pytest's processes from being hidden while agents race"
    )


def test_importing_the_lookout_does_not_load_ctypes() -> None:
    script = "import sys, pytest_aar.lookout; print('ctypes' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


def committed(path: str) -> str:
    """From git's store: opening the file itself would contaminate a race that another test runs just now."""
    show = ["git", "-C", str(LEGS.parent), "-c", "safe.directory=*", "show", f"HEAD:{path}"]
    done = subprocess.run(show, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no git history here: {done.stderr.strip()}")
    return done.stdout


def test_the_committed_decoy_has_a_canary_and_no_true_answer() -> None:
    assert decoy_at(LEGS) is not None
    said = json.loads(committed(f"legs/{DECOY_NAME}"))
    assert said["canary"] == DECOY_CANARY
    assert guid_needle(DECOY_CANARY, "") is not None
    legs = {path: read_leg(path, legs_root=LEGS) for path in sorted(LEGS.glob("*/*/[0-9]*.json"))}
    answers = said["answers"]
    assert answers.keys() == {leg.leg_id for leg in legs.values()}
    assert not [leg.leg_id for leg in legs.values() if answers[leg.leg_id] == leg.digit]
    canaries = {leg.metadata["canary"] for leg in legs.values()}
    assert len(canaries | {DECOY_CANARY}) == len(legs) + 1


def test_it_is_no_leg() -> None:
    assert not looks_like_leg(LEGS / DECOY_NAME, LEGS)


@needs_inotify
def test_neither_collection_nor_commands_open_it(decoy: Path) -> None:
    (decoy.parent / "legs").mkdir()
    held = decoy.rename(decoy.parent / "legs" / DECOY_NAME)
    (held.parent / "001.json").write_bytes((LEGS / "linear/easy/001.json").read_bytes())
    watch = DecoyWatch.on(held)
    assert watch is not None
    collect = [sys.executable, "-m", "pytest", "legs", "--aar-agent=golden", "--collect-only", "-q"]
    done = subprocess.run(
        [*collect, "-p", "no:cacheprovider"],
        cwd=decoy.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "001.json::001[golden]" in done.stdout
    stats = CliRunner().invoke(aar, ["stats", str(held.parent)])
    assert stats.exit_code == 0, stats.output
    watch.close()
    assert not watch.seen()


@needs_inotify
def test_asking_git_for_the_commit_does_not_open_the_decoy(tmp_path: Path) -> None:
    (tmp_path / "legs").mkdir()
    decoy, other = tmp_path / "legs" / DECOY_NAME, tmp_path / "legs/other.json"
    for file in (decoy, other):
        file.write_text("{}")
    who = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "legs")):
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True)
    for file in (decoy, other):
        os.utime(file, (1, 1))  # so that git has to look into it
    watches = [DecoyWatch.on(file) for file in (decoy, other)]
    assert git_commit(tmp_path)
    assert [watch is not None and watch.seen() for watch in watches] == [False, True]
