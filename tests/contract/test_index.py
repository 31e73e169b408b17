"""Every recorded reply is read by a contract test, or that says why it is none that anything of ours meets."""

import csv
import importlib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = [*(path.stem for path in sorted(HERE.glob("test_*_replies.py"))), "test_page_facts"]
MODULES = [importlib.import_module(name) for name in NAMES]
READ = [file for module in MODULES for file in module.READ]
NOT_A_REPLY = {
    file: why for module in MODULES for file, why in getattr(module, "NOT_A_REPLY", {}).items()
}


@pytest.fixture(scope="module")
def index(shared: Path) -> set[str]:
    with (shared / "data/contracts/INDEX.tsv").open(encoding="utf-8", newline="") as lines:
        return {row["file"] for row in csv.DictReader(lines, delimiter="\t")}


def test_every_file_of_the_index_is_read_or_has_a_reason(index: set[str]) -> None:
    assert index - {*READ, *NOT_A_REPLY} == set()


def test_only_files_of_the_index_are_named_and_reasons_are_for_what_is_not_read(
    index: set[str],
) -> None:
    assert {*READ, *NOT_A_REPLY} <= index
    assert set(READ).isdisjoint(NOT_A_REPLY)
    assert all(why.strip() for why in NOT_A_REPLY.values())
