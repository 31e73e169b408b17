"""Every recorded reply is read by a contract test, or it says here or there why it isn't a tool's reply."""

import csv
import importlib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODULES = [importlib.import_module(path.stem) for path in sorted(HERE.glob("test_*_replies.py"))]
#: Folder -> why the tools don't read its files.
FOLDERS = {"llm": "replies of models: the gateway's wires, not the tools, meet them"}
#: Folders whose contract tests are being written: their files need not be covered yet.
NOT_YET = {"wikipedia_html"}


@pytest.fixture(scope="module")
def index(shared: Path) -> set[str]:
    with (shared / "data/contracts/INDEX.tsv").open(encoding="utf-8", newline="") as lines:
        return {row["file"] for row in csv.DictReader(lines, delimiter="\t")}


def _named() -> list[str]:
    return [
        file for module in MODULES for file in (*module.READ, *getattr(module, "NOT_A_REPLY", ()))
    ]


def test_every_file_of_the_index_is_read_or_has_a_reason(index: set[str]) -> None:
    left = {file for file in index - set(_named()) if file.split("/")[0] not in FOLDERS}
    assert {file for file in left if file.split("/")[0] not in NOT_YET} == set()
    assert {file.split("/")[0] for file in left} == NOT_YET, (
        "a folder is done: take it out of NOT_YET"
    )


def test_no_test_module_names_a_file_twice_or_one_that_does_not_exist(index: set[str]) -> None:
    named = _named()
    assert set(named) <= index
    assert len(named) == len(set(named))
