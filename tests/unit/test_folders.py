import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_aar.folders import SHARED, join, sweep_once, work_folder

DEPTH = 3000


def _deep(place: Path) -> None:
    """Deeper than Python's recursion, and its path longer than the kernel takes."""
    here = os.open(place, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("a", dir_fd=here)
        below = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def _closed(place: Path) -> None:
    for name, mode in (("unreadable", 0o333), ("unwritable", 0o555), ("nothing", 0)):
        (place / name / "in").mkdir(parents=True)
        (place / name / "in" / "file").touch(0o000)
        (place / name / "in").chmod(0o000)
        (place / name).chmod(mode)
    place.chmod(0)
    place.parent.chmod(0)


def _odd(place: Path) -> None:
    os.mkfifo(place / "fifo")
    (place / "gone").symlink_to("nowhere")
    (place / "loop").symlink_to(".", target_is_directory=True)
    (Path(os.fsdecode(bytes(place) + b"/\xff\n"))).mkdir()
    for number in range(30):
        (place / f"wide{number}" / "x").mkdir(parents=True)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """In memory where that can be: thousands of folders take seconds on some disks."""
    memory = Path("/dev/shm")
    if not memory.is_dir():
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(dir=memory))
    yield folder
    folder.rmdir()  # empty, or the test has failed


@pytest.mark.parametrize("fill", [_deep, _closed, _odd])
def test_whatever_is_left_is_removed(
    place: Path, caplog: pytest.LogCaptureFixture, fill: Callable[[Path], None]
) -> None:
    with work_folder(place=place) as folder:
        (folder / "race").mkdir()
        fill(folder / "race")
    assert list(place.iterdir()) == []
    assert caplog.records == []


CLOSED = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from test_folders import _closed
from pytest_aar.folders import work_folder
with work_folder() as folder:
    (folder / "race").mkdir()
    _closed(folder / "race")
print(folder.exists())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be somebody else")
def test_closed_folders_of_somebody_who_is_not_root() -> None:
    words = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-B")
    done = subprocess.run(
        [*words, "-c", CLOSED, str(Path(__file__).parent)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    if "PermissionError" in done.stderr and "folders.py" not in done.stderr:
        pytest.skip("the checkout can't be read by another user")
    if "error while loading shared libraries" in done.stderr:
        pytest.skip("the interpreter can't be read by another user")
    assert done.stdout == "False\n", done.stderr


def test_links_are_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    with work_folder(place=tmp_path) as folder:
        (folder / "link").symlink_to(kept, target_is_directory=True)
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]
    assert (kept / "file").exists()


def test_a_folder_put_in_its_place_is_another_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with work_folder(place=tmp_path) as folder:
        folder.rename(tmp_path / "moved")
        folder.mkdir()
        (folder / "precious").touch()
    assert (folder / "precious").exists()
    assert "not removed" in caplog.text


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount")
def test_what_is_mounted_stays_as_it_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o755)
    (kept / "file").touch()
    with work_folder(place=tmp_path) as folder:
        mounted = folder / "race" / "below" / "mounted"
        mounted.mkdir(parents=True)
        (folder / "race" / "file").touch()
        words = ("mount", "--bind", str(kept), str(mounted))
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"mounting: {done.stderr}")
    try:
        assert (kept / "file").exists()
        assert kept.stat().st_mode & 0o777 == 0o755
        assert "Device or resource busy" in caplog.text
        assert [record.levelno for record in caplog.records] == [logging.WARNING]
    finally:
        for line in Path("/proc/mounts").read_text().splitlines():
            if line.split()[1].startswith(str(folder)):
                subprocess.run(["umount", line.split()[1]], check=True)


def test_a_full_table_of_descriptors(tmp_path: Path) -> None:
    code = """
import os, resource, sys
from pathlib import Path
from pytest_aar.folders import work_folder
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
with work_folder(place=Path(sys.argv[1])) as folder:
    (folder / "race" / "a" / "b").mkdir(parents=True)
    try:
        while True: os.open("/dev/null", 0)
    except OSError as problem: print(problem.strerror)
    try:
        with work_folder(place=Path(sys.argv[1])): print("another")
    except OSError as problem: print(problem.strerror)
"""
    words = (sys.executable, "-c", code, str(tmp_path))
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("Too many open files\n" * 2, "")
    assert list(tmp_path.iterdir()) == []


def test_the_blocks_own_exception_comes_out(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), work_folder(place=tmp_path):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


HELD = """
import sys, time
from pathlib import Path
from pytest_aar.folders import work_folder
with work_folder(place=Path(sys.argv[1])) as folder:
    (folder / "race").mkdir()
    print(folder, flush=True)
    time.sleep(60)
"""


def test_leftovers_of_killed_runs_are_swept(tmp_path: Path) -> None:
    words = (sys.executable, "-c", HELD, str(tmp_path))
    (tmp_path / "aar-of-another-program").mkdir()
    (tmp_path / "aar-file").touch()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        with work_folder(place=tmp_path) as own:
            _swept(tmp_path)
            assert folder.exists()
            assert own.exists()
            process.kill()
            process.wait()
            assert folder.exists()
            _swept(tmp_path)
            assert not folder.exists()
            assert own.exists()
    assert {each.name for each in tmp_path.iterdir()} == {"aar-of-another-program", "aar-file"}


def _swept(place: Path) -> None:
    sweep_once.cache_clear()
    sweep_once(place)


def test_a_sweep_is_once(tmp_path: Path) -> None:
    _swept(tmp_path)
    with work_folder(place=tmp_path) as folder:
        assert (folder / "owner").read_text() == f"{os.getpid()}\n"
    (tmp_path / "aar-left").mkdir()
    (tmp_path / "aar-left" / "owner").write_text("1\n")
    sweep_once(tmp_path)
    assert (tmp_path / "aar-left").exists()


def test_a_shared_folder_is_swept_when_it_is_old_and_nobodys(tmp_path: Path) -> None:
    folder = tmp_path / f"{SHARED}x"
    leave, leave_too = join(folder), join(folder)
    (folder / "pages").mkdir()
    (folder / "pages" / "page").write_text("x")
    assert folder.stat().st_mode & 0o777 == 0o700
    _aged(folder)
    _swept(tmp_path)
    assert folder.exists()
    leave()
    _swept(tmp_path)
    assert folder.exists()  # one of the two is there still
    leave_too()
    os.utime(folder)
    _swept(tmp_path)
    assert folder.exists()  # a worker that died may be replaced
    _aged(folder)
    _swept(tmp_path)
    assert not folder.exists()


def test_who_joins_makes_an_old_folder_young(tmp_path: Path) -> None:
    folder = tmp_path / f"{SHARED}x"
    folder.mkdir()
    _aged(folder)
    join(folder)()
    _swept(tmp_path)
    assert folder.exists()


def test_a_shared_folder_of_killed_processes_is_swept(tmp_path: Path) -> None:
    folder = tmp_path / f"{SHARED}x"
    code = (
        "import sys, time; from pathlib import Path; from pytest_aar.folders import join;"
        " join(Path(sys.argv[1])); print(1, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        _aged(folder)
        _swept(tmp_path)
        assert folder.exists()
        process.kill()
        process.wait()
        _swept(tmp_path)
    assert not folder.exists()


def _aged(folder: Path) -> None:
    moment = folder.stat().st_mtime - 7200
    os.utime(folder, (moment, moment))
