"""Fixtures that every test may use."""

import os
import secrets
import shutil
import sys
import tempfile
import time
from pathlib import Path

# A pytest run inside this process takes the modules that it imported with it when it ends. httpx, which
# stays, would then map the exceptions of an httpcore that is no longer the one it calls.
import httpcore  # noqa: F401 - loaded for good
import pytest

from pytest_aar.box.box import MARKER
from pytest_aar.box.sweep import marked

_SUITE = pytest.StashKey[str]()
_TEMPORARY = pytest.StashKey[str]()
_PATIENCE = 3.0  # seconds for what was told to end

_REFERENCE = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data beside the checkout: published legs, recorded replies. Not on a user's machine."""
    if not _REFERENCE.is_dir():
        pytest.skip(
            f"no reference data at {_REFERENCE}: this test compares with published material"
        )
    return _REFERENCE


def pytest_configure(config: pytest.Config) -> None:
    """The marks of all boxes that this suite makes, in whichever process, begin with the suite's own.

    So does its folder for temporary files, also for what its programs leave there; a short name, since the paths of
    sockets are.
    """
    if not hasattr(config, "workerinput"):
        config.stash[_SUITE] = os.environ[MARKER] = f"suite-{secrets.token_hex(4)}"
        config.stash[_TEMPORARY] = os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="s-")
        os.chmod(os.environ["TMPDIR"], 0o1777)  # boxes of other users lie in it, as in /tmp
    tempfile.tempdir = None  # what was found before is another one


def pytest_unconfigure(config: pytest.Config) -> None:
    """The folder goes, with the folders of failed tests: --basetemp keeps those."""
    temporary = config.stash.get(_TEMPORARY, None)
    if temporary is not None:
        shutil.rmtree(temporary, ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """No process of any race may outlive the suite."""
    suite = session.config.stash.get(_SUITE, None)
    if suite is None or sys.platform != "linux":
        return
    end = time.monotonic() + _PATIENCE
    while (left := marked(f"{suite}.")) and time.monotonic() < end:
        time.sleep(0.05)
    if left:
        lines = "\n".join(f"  {pid}: {_command_line(pid)}" for pid in left)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\nprocesses of races that outlived the suite:\n{lines}", file=sys.stderr)


def _command_line(pid: int) -> str:
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:
        return "(gone meanwhile)"
