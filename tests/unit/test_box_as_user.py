"""The boxes of a plain user: in the tests of CI containers everything else runs as root."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from box_kinds import KINDS, STUBBORN, with_argument

ROOT = Path(__file__).resolve().parents[2]
USER = 65534
PYTHON = "/usr/bin/python3"

SCRIPT = """
import json, os, sys, tempfile, time
from pathlib import Path
from pytest_aar.box import BoxPlace, CommandSpec, Isolation, make_box, probe
from pytest_aar.box.sweep import marked

kind, stubborn, argument = sys.argv[1:]
found = probe("auto")
name, _, form = kind.partition("-")
folder = Path(tempfile.mkdtemp()).resolve() / "race"
folder.mkdir()
place = BoxPlace(workdir=folder)
box = make_box(Isolation(name=name, form=form), place)

def run(command, timeout=10.0):
    return box.run(CommandSpec(command=command, workdir=folder, timeout=timeout))

facts = {"probe": [found.name, found.form, found.detail]}
facts["id"] = run("id -u").output
facts["wrote"] = run("echo 5 > answer.txt; cat answer.txt").output
facts["read"] = (folder / "answer.txt").read_text()
start = time.monotonic()
result = run((sys.executable, "-c", stubborn, argument), timeout=0.7)
facts["stubborn"] = [result.timed_out, result.output.split()]
bomb = '''
import os, time
made = 0
try:
    while made < 3000:
        if os.fork() == 0:
            time.sleep(60)
        made += 1
except BlockingIOError:
    pass
print(made < 1100)
'''
facts["bomb"] = run((sys.executable, "-c", bomb)).output if form else None  # no limit without a sandbox
facts["marked"] = len(marked(place.marker))
box.stop()
facts["left"] = marked(place.marker)
facts["seconds"] = time.monotonic() - start
print(json.dumps(facts))
"""


def _why_not() -> str | None:
    if os.geteuid() != 0:
        return "this is a plain user: the other tests are enough"
    if shutil.which("setpriv") is None:
        return "no setpriv to become another user"
    check = [
        *_as_user(),
        PYTHON,
        "-c",
        "import sys, pytest_aar.box; assert sys.version_info >= (3, 11)",
    ]
    done = subprocess.run(check, env=_env(), capture_output=True, text=True, check=False)
    return (
        f"no Python 3.11 for another user here: {done.stderr[-200:]}" if done.returncode else None
    )


def _as_user() -> list[str]:
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]


def _env() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("AAR_BOX",) if name in os.environ}
    return {
        **kept,
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="setpriv is Linux's")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "bwrap-root"])
def test_a_plain_user_has_the_same_boxes(kind: str, tmp_path: Path) -> None:
    why_not = _why_not()
    if why_not is not None:
        pytest.skip(why_not)
    argument = f"as-user-{kind}-{tmp_path.name}"
    done = subprocess.run(
        [*_as_user(), PYTHON, "-c", SCRIPT, kind, STUBBORN, argument],
        env=_env(),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    if facts["probe"][0] == "none" and kind != "none":
        pytest.skip(f"no sandbox for a plain user here: {facts['probe'][2]}")
    assert facts["id"] == f"{USER}\n"
    assert (facts["wrote"], facts["read"]) == ("5\n", "5\n")
    assert facts["stubborn"][0] is True
    assert facts["stubborn"][1][0] == "up"
    assert facts["bomb"] == (None if kind == "none" else "True\n")
    assert facts["marked"] >= 1  # this user's sweep sees the command server, whatever its memory is
    assert (facts["left"], with_argument(argument)) == ([], [])
    assert facts["seconds"] < 12
