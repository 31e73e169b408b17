"""Words and constants that many modules need stand in one place."""

import ast
from functools import cache
from pathlib import Path

import pytest
from handmade_legs import leg, linear
from race_records import record

from pytest_aar.cli.stats import statistics
from pytest_aar.generate import levels as generated
from pytest_aar.leg import kind_of
from pytest_aar.levels import LENGTHS, LEVELS, VARIANTS, cell_rank, length_bin, length_bins
from pytest_aar.options import OPTIONS
from pytest_aar.reports import figures
from pytest_aar.sandbox_hosts import WIKI_HOST
from pytest_aar.world.services.dispatch import HOSTS

PACKAGE = Path(__file__).parents[2] / "pytest_aar"


@cache
def literals_of(path: Path) -> list[str]:
    """The strings of a module's code, without docstrings."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    notes = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, documented)
    }
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and text not in notes]


@pytest.mark.parametrize(
    ("literal", "home"),
    [
        (WIKI_HOST, {"sandbox_hosts.py", "prompt.py"}),  # the prompt's text is an example to read
        ("extreme", {"levels.py", "generate/levels.py"}),
        ("route info", {"leg/records.py"}),
        ("finish line", {"leg/records.py"}),
        ("computation", {"score/records.py", "score/race_score.py", "pacer/plan.py"}),
    ],
)
def test_a_word_has_one_home(literal, home):
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if any(
            literal == text or (literal == WIKI_HOST and literal in text)
            for text in literals_of(path)
        )
    }
    assert found <= home


def test_the_sandbox_answers_its_encyclopaedia():
    assert WIKI_HOST in HOSTS


def test_the_generator_makes_the_four_levels():
    assert tuple(generated.LEVELS) == LEVELS


def test_the_options_offer_them():
    values = {option.name: option.values for option in OPTIONS}
    assert values["variant"] == ", ".join(VARIANTS)
    assert values["level"].startswith(", ".join(LEVELS))


def test_the_order_of_cells():
    cells = [("dag", "easy"), ("linear", "mine"), ("linear", "extreme"), ("linear", "easy")]
    assert sorted(cells, key=lambda cell: cell_rank(*cell)) == cells[::-1]


@pytest.mark.parametrize(
    ("stops", "name"),
    [(1, "1-2"), (2, "1-2"), (3, "3-8"), (8, "3-8"), (9, "9-14"), (40, "27-40"), (41, "41+")],
)
def test_rows_of_lengths_are_the_same_everywhere(stops, name):
    assert length_bin(stops) == name
    assert list(figures.by_length([record("dag/easy/1", stops=stops)])) == [name]


def test_all_rows_stand_in_the_statistics():
    read = leg(linear())
    assert list(statistics([read])["lengths"]) == list(length_bins())
    assert statistics([read])["lengths"][length_bin(len(read.stops))] == 1
    assert len(LENGTHS) == len(length_bins())


def test_kinds_of_stops():
    assert [kind_of(stop) for stop in leg(linear()).stops] == [
        "route info", "route info", "roadblock", "detour", "roadblock", "finish line",
    ]  # fmt: skip
