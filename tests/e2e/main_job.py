"""The main job over the committed legs, as a user runs it: a process of its own, and what came of it."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from pytest_aar.agents import make_agent
from pytest_aar.agents.from_npm import FROM_NPM
from pytest_aar.errors import AgentNotInstalled

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


@pytest.fixture(params=sorted(FROM_NPM))
def cli(request: pytest.FixtureRequest) -> str:
    """The agent's name; skipped where it is not installed."""
    name: str = request.param
    try:
        make_agent(name).version()
    except AgentNotInstalled as error:
        missing(str(error))
    return name
