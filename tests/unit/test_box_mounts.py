"""Projects and interpreters in unusual places: what of them a box shows. In a mount namespace of the test's own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from box_kinds import KINDS, isolation

from pytest_aar.processes import base_interpreter

ROOT = Path(__file__).resolve().parents[2]
WALLED = [kind for kind in KINDS if kind != "none"]
PLACE = "/usr/src/aar-mounted"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="mounts need root on Linux"
)

SCRIPT = """
import asyncio, json, sys, tempfile
from pathlib import Path
from pytest_aar.box import BoxPlace, CommandSpec, Isolation, make_box
from pytest_aar.box.python_walls import PythonWalls
from pytest_aar.tools import SubprocessRunner

form, place = sys.argv[1], Path(sys.argv[2])
legs, agent = place / "deep/project/legs", place / "deep/project/agents/mine/my_agent.py"
with tempfile.TemporaryDirectory() as folder:
    workdir = Path(folder).resolve() / "race"
    workdir.mkdir()
    box = make_box(
        Isolation(name="bwrap", form=form), BoxPlace(workdir=workdir, hidden=(legs,), programs=(agent,))
    )
    line = f"cat {legs}/1.json {place}/.git/history; ls {place} {legs}; cat {agent}; python3 -c 'print(6)'"
    seen = box.run(CommandSpec(command=line, workdir=workdir, timeout=10)).output
    box.stop()
runner = SubprocessRunner(confinement=PythonWalls(form=form, hidden=(legs,)))
ran = asyncio.run(runner.run(f"print(open('{place}/.git/history').read())", timeout_seconds=10))
print(json.dumps([seen, ran.stdout + ran.stderr]))
"""


@pytest.mark.parametrize("kind", WALLED)
def test_a_project_that_is_a_mount_below_usr_is_hidden(kind: str, tmp_path: Path) -> None:
    """As after `docker run -v $PWD:/usr/src/app`; its repository is the one around it."""
    form = isolation(kind).form
    tmp_path.chmod(0o755)
    project = tmp_path / "deep/project"
    (project / "legs").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/history").write_text("ANSWER-7")
    (project / "pyproject.toml").write_text("")
    (project / "legs/1.json").write_text("ANSWER-7")
    (project / "agents/mine").mkdir(parents=True)
    (project / "agents/mine/my_agent.py").write_text("# my agent\n")
    lines = (
        "mount -t tmpfs tmpfs /usr/src && mkdir $2 && chmod 755 /usr/src && "
        'mount --bind $3 $2 && exec "$4" -c "$5" $1 $2'
    )
    argv = ["unshare", "-m", "sh", "-ec", lines, "-", form, PLACE, str(tmp_path)]
    done = subprocess.run(
        [*argv, sys.executable, SCRIPT],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "unshare failed" in done.stderr or "permission denied" in done.stderr.lower():
        pytest.skip(f"no mounts here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    seen, ran = json.loads(done.stdout)
    assert "ANSWER" not in seen + ran
    assert "FileNotFoundError" in ran
    assert seen.endswith("# my agent\n6\n"), seen  # named: shown within what is hidden


HOME_SCRIPT = """
import asyncio, json, sys, tempfile
from pathlib import Path
from pytest_aar.box import BoxPlace, CommandSpec, Isolation, make_box
from pytest_aar.box.python_walls import PythonWalls
from pytest_aar.tools import SubprocessRunner

form, secret = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    workdir = Path(folder).resolve() / "race"
    workdir.mkdir()
    box = make_box(Isolation(name="bwrap", form=form), BoxPlace(workdir=workdir))
    line = f"cat {secret}; python3 -c 'import json, sys; print(sys.executable, sys.base_prefix)'"
    seen = box.run(CommandSpec(command=line, workdir=workdir, timeout=10)).output
    box.stop()
runner = SubprocessRunner(confinement=PythonWalls(form=form))
ran = asyncio.run(runner.run(f"import json; print(open('{secret}').read())", timeout_seconds=10))
print(json.dumps([seen, ran.stdout + ran.stderr]))
"""


@pytest.mark.parametrize("kind", WALLED)
def test_an_interpreter_in_the_home_folder_works_and_shows_nothing_else(
    kind: str, tmp_path: Path
) -> None:
    """As after `./configure --prefix=$HOME`."""
    form = isolation(kind).form
    real, version = Path(base_interpreter()), f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    shutil.copy(real, tmp_path / "bin" / version)
    (tmp_path / "bin/python3").symlink_to(version)
    (tmp_path / "lib" / version).symlink_to(real.parents[1] / "lib" / version)
    (tmp_path / "key").write_text("PRIVATE-KEY")
    (tmp_path / "key").chmod(0o644)
    done = subprocess.run(
        [str(tmp_path / "bin/python3"), "-c", HOME_SCRIPT, form, str(tmp_path / "key")],
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "PYTHONPATH": os.pathsep.join((str(ROOT), *filter(None, sys.path))),
        },
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen, ran = json.loads(done.stdout)
    assert "PRIVATE" not in seen + ran
    assert "FileNotFoundError" in ran
    assert seen.splitlines()[1:] == [f"/run/aar/python/bin/python3 {tmp_path}"], seen
