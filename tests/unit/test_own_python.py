"""The Python that commands find in each kind of box: the standard library alone, whatever this machine has."""

import json
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from box_kinds import KINDS, new_box, spec

from pytest_aar.box import Box, BoxPlace, PlainBox
from pytest_aar.box.own_python import put_python
from pytest_aar.processes import base_interpreter
from pytest_aar.tools import client_source

#: What a started Python says of itself.
LOOK = """
import sys, json
def installed(path):
    return "site-packages" in path or "dist-packages" in path
print(json.dumps({
    "packages": [p for p in sys.path if installed(p)],
    "elsewhere": [p for p in sys.path[1:] if not p.startswith(sys.base_prefix)],
    "prefix": sys.prefix, "base": sys.base_prefix, "executable": sys.executable,
    "version": list(sys.version_info[:2]),
    "foreign": sorted(m for m, module in sys.modules.items()
                      if installed(str(getattr(module, "__file__", "")))),
}))
"""
NAMES = ("python3", "python", f"python{sys.version_info[0]}.{sys.version_info[1]}")


@pytest.fixture(params=KINDS, scope="module")
def boxed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Box, Path]]:
    folder = tmp_path_factory.mktemp("box").resolve() / "race"
    box = new_box(request.param, folder)
    yield box, folder
    box.stop()


@pytest.mark.parametrize("name", NAMES)
def test_python_has_the_standard_library_alone(name: str, boxed: tuple[Box, Path]) -> None:
    box, folder = boxed
    said = box.run(spec((name, "-c", LOOK), folder)).output
    seen, own = json.loads(said), box.python_folder()
    assert (seen["packages"], seen["elsewhere"], seen["foreign"]) == ([], [], [])
    assert (seen["prefix"], seen["executable"]) == (own, f"{own}/bin/{name}")
    assert seen["base"] == sys.base_prefix or Path(seen["base"]).samefile(sys.base_prefix)
    assert seen["version"] == list(sys.version_info[:2])


def test_modules_with_libraries_of_their_own_are_there(boxed: tuple[Box, Path]) -> None:
    box, folder = boxed
    line = "python3 -c 'import ssl, json, decimal, zlib; print(6)'; sh -c 'python -c \"print(7)\"'"
    assert box.run(spec(line, folder)).output == "6\n7\n"


def test_tools_py_runs_on_it(boxed: tuple[Box, Path]) -> None:
    box, folder = boxed
    (folder / "tools.py").write_text(client_source(), encoding="utf-8")
    env = {"AAR_GATEWAY": "http://127.0.0.1:9/r/T"}
    result = box.run(spec("python3 tools.py countries_area '{}'", folder, env=env))
    assert result.output.startswith("tools.py: the gateway did not answer: ")


def test_its_folder_holds_nothing_else(boxed: tuple[Box, Path]) -> None:
    box, folder = boxed
    found = box.run(spec(f"cd {box.python_folder()} && find . | sort", folder)).output.split()
    names = [f"./bin/{name}" for name in NAMES]
    assert found == sorted([".", "./bin", "./pyvenv.cfg", *names])
    config = box.run(spec(f"cat {box.python_folder()}/pyvenv.cfg", folder)).output
    assert config.splitlines() == [
        f"home = {os.path.dirname(base_interpreter())}",
        "include-system-site-packages = false",
        f"version = {platform.python_version()}",
    ]


def test_packages_beside_the_base_interpreter_are_not_on_the_path(
    boxed: tuple[Box, Path],
) -> None:
    box, folder = boxed
    folders = box.run(spec("printf %s $PATH", folder)).output.split(":")
    assert folders == [f"{box.python_folder()}/bin", "/usr/local/bin", "/usr/bin", "/bin"]
    said = box.run(spec("python3 -m pip --version", folder)).output
    assert said == f"{box.python_folder()}/bin/python3: No module named pip\n"


def test_no_command_in_a_sandbox_can_change_it(tmp_path: Path) -> None:
    box = new_box("bwrap-user", tmp_path / "race")
    own = box.python_folder()
    line = (
        f"touch {own}/x {own}/bin/x; rm {own}/bin/python3; echo x >> {own}/pyvenv.cfg; ls -A {own}"
    )
    said = box.run(spec(f"({line}) 2>/dev/null", tmp_path / "race")).output
    box.stop()
    assert said.split() == ["bin", "pyvenv.cfg"]


def test_of_a_plain_box_it_is_gone_with_the_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    (work := tmp_path / "race").mkdir()
    first, second = PlainBox(BoxPlace(workdir=work)), PlainBox(BoxPlace(workdir=work))
    assert first.python_folder() != second.python_folder()  # an agent can write in its own
    assert not Path(first.python_folder()).is_relative_to(work)
    assert first.run(spec("rm -r $(dirname $(which python3)); echo 1", work)).output == "1\n"
    assert second.run(spec("python3 -c 'print(2)'", work)).output == "2\n"
    for box in (first, second, second):
        box.stop()
    assert second.run(spec("echo 3", work)).timed_out
    assert os.listdir(tmp_path / "t") == []


def test_a_folder_that_is_there_already_is_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "python/bin").mkdir(parents=True)
    with pytest.raises(FileExistsError):
        put_python(tmp_path / "python")
