"""The rules of the code's structure that no linter knows: sizes, names, imports at start-up, public surface."""

import ast
import importlib
import re
import shutil
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pytest_aar"
MODULES = sorted(PACKAGE.rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "helpers", "common", "models", "base"}

#: Modules that may only be imported once a race, a report or a command needs them.
HEAVY = (
    "httpx", "networkx", "pydantic", "selectolax", "starlette", "uvicorn", "vcr", "yaml", "click", "tabulate",
    "stamina", "asyncio",
)  # fmt: skip


def _lines(function: ast.AST) -> int:
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    body = function.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1:] if documented and len(body) > 1 else body
    assert first[-1].end_lineno is not None
    return first[-1].end_lineno - first[0].lineno + 1


def _functions() -> list[tuple[str, int]]:
    return [
        (f"{path.relative_to(PACKAGE)}:{node.name}", _lines(node))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_keeps_its_size_and_a_name_that_means_something(path: Path) -> None:
    assert path.stem not in FORBIDDEN_NAMES
    assert len(path.read_text().splitlines()) <= 300


@pytest.mark.parametrize(
    ("forbidden", "allowed"),
    [
        ("pytest", {"plugin", "collect", "fixtures", "hooks", "session"}),
        ("vcr", {"cassettes"}),
    ],
)
def test_a_new_module_falls_under_the_contracts(forbidden: str, allowed: set[str]) -> None:
    """import-linter looks only at the modules that a contract lists."""
    settings = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())
    (contract,) = (
        each
        for each in settings["tool"]["importlinter"]["contracts"]
        if forbidden in each.get("forbidden_modules", ())
    )
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    modules |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {f"pytest_aar.{name}" for name in modules - allowed} == set(contract["source_modules"])


def test_what_tests_share_lives_in_no_file_of_tests() -> None:
    """Else a change to one file's tests breaks another's, and both are run to run one."""
    importing = re.compile(r"^(?:from|import) test_\w+", re.MULTILINE)
    files = sorted(Path(__file__).parent.rglob("*.py"))
    assert len(files) > 200
    found = [
        f"{path.name}: {line}" for path in files for line in importing.findall(path.read_text())
    ]
    assert found == ["test_folders.py: from test_folders"]  # its own, in a process of its own


def test_functions_are_short() -> None:
    lengths = sorted(_functions(), key=lambda item: item[1])
    sizes = [size for _, size in lengths]
    assert statistics.median(sizes) <= 8
    assert sizes[int(len(sizes) * 0.9)] <= 26, lengths[-20:]


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import pytest_aar.plugin;"
        "print('\\n'.join(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in out.stdout.split()}
    assert "pytest_aar" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "name",
    ["agents", "cassettes", "compositionality", "gateway", "leg", "score", "tools", "world"],
)
def test_a_package_says_what_is_public_and_has_it(name: str) -> None:
    module = importlib.import_module(f"pytest_aar.{name}")
    assert module.__all__
    for public in module.__all__:
        assert hasattr(module, public), f"{name}.{public}"


@pytest.mark.skipif(shutil.which("ruff") is None, reason="needs ruff: group lint")
def test_every_module_is_linted() -> None:
    """ruff leaves out folders named `build` unless it is told otherwise."""
    command = ["ruff", "check", "--show-files", str(PACKAGE)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    assert {str(path) for path in MODULES} <= set(shown.stdout.splitlines())


def test_every_silenced_lint_has_its_reason() -> None:
    silent = re.compile(r"# noqa(?!: [A-Z0-9, ]+ - \S)|# type: ignore(?!\[[\w, -]+\] +# \S)")
    bare = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in MODULES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if silent.search(line)
    ]
    assert not bare


#: Modules that write files by themselves, and why these need no search for secrets.
WRITERS = {
    "guarded.py": "the one place through which files go that are kept",
    "cassettes/journal.py": "opens and cuts the journal; what is added goes through guarded.append",
    "results/folder.py": "opens results.jsonl for guarded.append; cuts a torn line; a constant .gitignore",
    "cassettes/cassette_file.py": "renames a file that guarded has written",
    "cost/ledger.py": "numbers, in a temporary folder",
    "manners/page_cache.py": "public pages, in a temporary folder, gone with the run",
    "manners/shared_state.py": "times, and refusals of services, in a temporary folder that is this user's alone",
    "agents/claude_code.py": "the race's own work folder, gone with the race",
    "agents/codex.py": "same",
    "agents/human/seat.py": "same",
    "agents/workdir.py": "same",
    "cli/mcp_lines.py": "the client's pipe",
    "box/inside/command.py": "pipes, inside the box",
    "box/own_python.py": "where the interpreter is, in a temporary folder, gone with the box",
    "folders.py": "a pid, in a temporary folder",
    "tools/python_runner.py": "the code, in memory",
    "tools/python_boot.py": "the tool's own work folder, gone with the call",
}


def _writes(tree: ast.AST) -> list[str]:
    """Calls that write, rename or open files for writing."""
    names = {"write_text", "write_bytes", "mkstemp", "FileIO", "rename"}
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        modes = [each.value for each in node.args if isinstance(each, ast.Constant)]
        for_writing = any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes)
        of_os = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "os"
        if (
            name in names
            or (name == "open" and for_writing and not of_os)
            or (of_os and name in ("write", "replace", "ftruncate"))
            or (of_os and name == "open" and "O_WRONLY" in ast.dump(node))
        ):
            found.append(name)
    return found


def test_files_that_are_kept_are_written_by_one_module() -> None:
    """A new writer goes through `guarded`, which refuses secrets, or says here why it need not."""
    writers = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if "world/build" not in str(path) and _writes(ast.parse(path.read_text()))
    }
    assert writers <= WRITERS.keys()
