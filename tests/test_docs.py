"""The documentation says what the code does: tables, quotations, links, and samples that run."""

import re
import string
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click import Context
from click.testing import CliRunner
from doc_tables import ARGUMENTS, DOCS, FIRST_COLUMN, WHOLE, first_column, found_in
from pydantic import BaseModel, ValidationError
from sybil.document import Document
from sybil.example import Example
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

from pytest_aar.cli import aar
from pytest_aar.errors import AarError
from pytest_aar.lookout import DECOY_CANARY
from pytest_aar.options import OPTIONS
from pytest_aar.tools.arguments import Country, PlaceDetails, Stock

ROOT = DOCS.parent
PAGES = sorted(DOCS.rglob("*.md"))
SERVICE_PAGES = [page for page in PAGES if page.parent.name == "services"]
README = ROOT / "README.md"
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def test_every_table_that_the_code_knows_stands_in_one_page():
    names = [name for page in PAGES if page not in SERVICE_PAGES for name in found_in(page)]
    assert sorted(names) == sorted([*WHOLE, *FIRST_COLUMN])


def test_the_pages_on_services_have_the_arguments_of_each_tool_once():
    names = [name for page in SERVICE_PAGES for name in found_in(page)]
    assert sorted(names) == sorted(ARGUMENTS)


@pytest.mark.parametrize("page", SERVICE_PAGES, ids=lambda page: page.stem)
def test_the_pages_on_services_say_for_each_tool_what_changed(page: Path):
    parts = page.read_text(encoding="utf-8").split("\n## ")[1:]
    if not any(part.startswith("What changed by 2026") for part in parts):
        tools = [part for part in parts if part.startswith("`")]
        assert [
            part.split("\n")[0] for part in tools if "**What changed by 2026**" not in part
        ] == []


@pytest.mark.parametrize(
    ("stem", "argument", "model"),
    [("countries", "country", Country), ("maps", "place_id", PlaceDetails), ("stocks", "ticker", Stock)],
)  # fmt: skip
def test_the_pages_on_services_name_the_signs_that_an_argument_takes(
    stem: str, argument: str, model: type[BaseModel]
):
    def is_taken(sign: str) -> bool:
        try:
            model.model_validate({argument: f"a{sign}b", **day})
        except ValidationError:
            return False
        return True

    day = {"date": "2024-01-05"} if "date" in model.model_fields else {}
    page = (DOCS / f"services/{stem}.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if "with other characters than" in line)
    told = {
        sign for span in re.findall("`([^`]+)`", row) for sign in span.split() if len(sign) == 1
    }
    taken = set(filter(is_taken, string.punctuation)) - set("`/")  # told in words
    assert "| `bad_arguments` |" in row
    assert told == taken


@each_page
def test_tables_agree_with_the_code(page: Path):
    generated = WHOLE | ARGUMENTS
    for name, table in found_in(page).items():
        if name in generated:
            assert table == generated[name](), f"run python tests/doc_tables.py ({name})"
        else:
            assert first_column(table) == FIRST_COLUMN[name](), name


@pytest.mark.parametrize(
    "page", [*PAGES, README, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.stem
)
def test_links_lead_somewhere(page: Path):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_refusal_of_a_model_call_is_named():
    gateway = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "pytest_aar/gateway").rglob("*.py")
    )
    codes = set(re.findall(r'(?:code|_TIME_UP) ?= ?"(aar_\w+)"', gateway))
    assert len(codes) >= 5
    named = set(re.findall(r"`(aar_\w+)`", (DOCS / "agents.md").read_text(encoding="utf-8")))
    assert codes <= named


def test_the_readme_names_every_command_and_no_other():
    text = README.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|bin/)aar (\w+)", text))
    assert named == set(aar.list_commands(Context(aar)))


def test_the_readme_names_only_options_that_exist():
    text = README.read_text(encoding="utf-8")
    named = set(re.findall(r"--aar-[\w-]+", text))
    assert named
    assert named <= {option.cli for option in OPTIONS}


def test_the_readme_has_the_commands_that_ci_runs():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    asked = re.findall(r"(?m)^run_readme_command (\w+)", script)
    marked = re.findall(r"<!-- command: (\w+) -->\n```sh\n", README.read_text(encoding="utf-8"))
    assert asked == marked == ["main", "tests"]
    assert subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=False).returncode == 0


def test_contributing_shows_the_layers_that_are_checked():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```\n(plugin \| cli.*?)\n```", text, re.DOTALL)
    assert [re.split(r"\s{2,}", line)[0] for line in shown.splitlines()] == layers


@pytest.mark.parametrize(
    "folder", [DOCS, DOCS / "services", DOCS / "lint"], ids=lambda folder: folder.name
)
def test_the_index_names_every_page(folder: Path):
    index = (folder / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in PAGES if page.parent == folder} - {"README.md"}
    assert pages == set(re.findall(r"\(([\w-]+\.md)\)", index))


def test_every_cheat_of_the_table_is_tried_and_no_other():
    text = (DOCS / "isolation.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"<!-- cheats -->\n(.*?)\n\n", text, re.DOTALL)
    tried = (ROOT / "tests" / "e2e" / "test_cheats.py").read_text(encoding="utf-8")
    names = re.findall(r'(?m)^    "(\w+)": Cheat\(', tried)
    assert len(names) == 12
    assert first_column(table) == names
    assert {len(re.split(r"(?<!\\)\|", row)) for row in table.splitlines()} == {6}, (
        "four cells a row"
    )


def test_the_decoy_in_the_docs_has_the_canary_that_is_looked_for():
    text = (DOCS / "isolation.md").read_text(encoding="utf-8")
    assert f'{{"canary": "{DECOY_CANARY}"' in text


@pytest.mark.parametrize("name", ["async_agent.py", "openai_agent.py", "shell_agent.sh"])
def test_examples_are_quoted_whole(name: str):
    quoted = (DOCS / "agents.md").read_text(encoding="utf-8")
    assert (ROOT / "examples" / name).read_text(encoding="utf-8") in quoted


def run_console(example: Example) -> str | None:
    """Run `$ aar ...` lines in this process; what follows each is its output, `...` is anything."""
    for block in re.split(r"(?m)^\$ ", example.parsed)[1:]:
        line, _, expected = block.partition("\n")
        pattern = ".*".join(map(re.escape, expected.strip().split("...")))
        seen = output_of(line)
        if not re.fullmatch(pattern, seen.strip(), re.DOTALL):
            return f"$ {line}\nexpected:\n{expected}\ngot:\n{seen}"
    return None


def output_of(line: str) -> str:
    program, *words = re.findall(r"'[^']*'|\S+", line)
    assert program == "aar", f"only aar runs here: {line}"
    done = CliRunner().invoke(aar, [word.strip("'") for word in words], catch_exceptions=True)
    if isinstance(done.exception, AarError):
        return f"aar: {done.exception}"
    return done.output


SAMPLES = [
    (page, example)
    for page in PAGES
    for example in Document.parse(
        str(page), PythonCodeBlockParser(), CodeBlockParser("console", run_console)
    ).examples()
]


@pytest.mark.parametrize(
    ("page", "example"), SAMPLES, ids=[f"{page.stem}-{each.line}" for page, each in SAMPLES]
)
def test_samples_run(page: Path, example: Example, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "examples")])
    example.evaluate()
