"""Legs made over real saved articles on the tests' own internet: linted, recorded, and replayed when it is gone."""

import os
from contextlib import ExitStack
from itertools import islice

import pytest
from click.testing import CliRunner
from fake_internet import (
    KEYS,
    AnswerBook,
    Internet,
    Library,
    article_of,
    saved_rows,
    serving,
)

from pytest_aar.cli.generate import command as generate
from pytest_aar.cli.lint import command as lint

#: Twenty legs over all saved articles, not two over some of them.
_ALL = "AAR_TEST_ALL_PAGES" in os.environ
#: How many legs of each variant and level.
_CELLS = {
    (variant, level): count
    for variant in ("linear", "dag")
    for level, count in {"easy": 3, "medium": 3, "hard": 2, "extreme": 2}.items()
}
_FEW_CELLS = {("linear", "easy"): 1, ("dag", "easy"): 1}
#: Articles that are read without _ALL, from the beginning of the file: some of them are within reach of the seed.
_FEW_ARTICLES = 200
_FEW_SEEDS = ("Galileo_(satellite_navigation)",)
_SEEDS = ("England", "Shanghai", "Milan", "Chicago", "Vienna", "Singapore", "Warsaw", "Finland")
_WIKI = "https://en.wikipedia.org/wiki/"
_LIMIT = "wikipedia=99999/min, 3 parallel"


@pytest.fixture(scope="module")
def saved(shared) -> Internet:
    """An internet whose encyclopedia has nothing but saved articles."""
    library = Library()
    rows = saved_rows(shared / "data/wiki/pages.jsonl.xz")
    for number, row in enumerate(rows if _ALL else islice(rows, _FEW_ARTICLES), 1):
        library.add(article_of(row, number), saved_as=row["title"])
    return Internet(library=library, book=AnswerBook.over(library))


def clean(project, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    project.drop_legs()
    monkeypatch.chdir(project.path)


def asked(command, *options: str) -> str:
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


@pytest.mark.parametrize(
    ("variant", "level", "count"),
    [(*cell, count) for cell, count in (_CELLS if _ALL else _FEW_CELLS).items()],
)
def test_legs_of_saved_articles(project, saved, monkeypatch, variant, level, count):
    clean(project, monkeypatch)
    seeds = project.path / "seeds.txt"
    seeds.write_text("\n".join(f"{_WIKI}{title}" for title in (_SEEDS if _ALL else _FEW_SEEDS)))
    golden = ("legs", "--aar-agent=golden")
    with ExitStack() as stack:
        served = stack.enter_context(serving(saved))
        led = [f"--services={name}={url}" for name, url in served.overrides.items()]
        made = asked(
            generate, "--world=live", "--contact=x@example.org", f"--variant={variant}",
            f"--difficulty={level}", f"-n{count}", f"--seed-file={seeds}", f"--limits={_LIMIT}", *led,
        )  # fmt: skip
        assert made.count("stops, digit") == count
        assert "no findings" in asked(lint, "legs")
        project.pytester.makeini(
            f"[pytest]\nfilterwarnings = error\naar_world = live\n{served.ini}"
        )
        project.run(
            *golden, "--aar-record=all", f"--aar-limits={_LIMIT}", agent=None
        ).assert_outcomes(passed=count)
    # nobody listens there any more
    replayed = project.run(*golden, "--aar-record=none", "--aar-results=run", agent=None)
    replayed.assert_outcomes(passed=count)
    scores = [race["score"] for race in project.races()]
    assert [(score["fa"], score["pvr"], score["rcr"]) for score in scores] == [(1, 1, 1)] * count
