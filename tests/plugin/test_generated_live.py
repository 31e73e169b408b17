"""Legs made over the live world on the tests' own internet: recorded by the golden walk, replayed when it is gone."""

import json
from contextlib import ExitStack

import pytest
from click.testing import CliRunner
from fake_internet import KEYS, AnswerBook, Article, Internet, Library, Served, serving

from pytest_aar.cli.generate import command

TOWNS = (
    "Harbour",
    "Brookfield",
    "Eastmoor",
    "Kingsbridge",
    "Oakdale",
    "Westholm",
    "Nordby",
    "Sandvik",
)


def town(place: int) -> Article:
    """A town of Norland with its river, its height, and its neighbours."""
    name, others = TOWNS[place], [each for each in TOWNS if each != TOWNS[place]]
    north = 46.5 + place
    links = "\n".join(f"- [{each}](/wiki/{each})" for each in others)
    body = f"""[Coordinates](/wiki/Grid): [{north}°N 14.25°E / {north}; 14.25](https://geo.org/x)

Town in Norland

| {name} | |
| --- | --- |
| Country | [Norland](/wiki/Norland) |
| Twin | [{others[place % 7]}](/wiki/{others[place % 7]}) |
| Elevation | {120 + 37 * place} m |
| Population | {12_345 + 1_111 * place} |
| Founded | {place + 3} May {1204 + 31 * place} |

**{name}** is a town.

## Neighbours

{links}

## Roads

All towns have roads to [{others[0]}](/wiki/{others[0]}) and [{others[-1]}](/wiki/{others[-1]}).
"""
    return Article(title=name, body=body, revision=place + 1)


@pytest.fixture
def served(project, monkeypatch: pytest.MonkeyPatch):
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    project.drop_legs()
    library = Library.of([town(place) for place in range(len(TOWNS))])
    internet = Internet(library=library, book=AnswerBook.over(library))
    with ExitStack() as stack:
        yield stack.enter_context(serving(internet)), stack


def generated(served: Served, variant: str) -> None:
    options = ["--world", "live", "--contact", "x@example.org", "--difficulty", "easy"]
    for name, url in served.overrides.items():
        options += ["--services", f"{name}={url}"]
    options += ["--limits", "wikipedia=9999/min, 3 parallel", "--variant", variant]
    options += ["--seed-url", "https://en.wikipedia.org/wiki/Harbour"]
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 0, (result.output, result.exception)


def test_legs_of_saved_articles_are_recorded_and_replayed_without_a_network(project, served):
    internet, stack = served
    monkey = pytest.MonkeyPatch()
    monkey.chdir(project.path)
    try:
        generated(internet, "linear")
    finally:
        monkey.undo()
    path = project.path / "legs/linear/easy/001.json"
    leg = json.loads(path.read_text())
    assert leg["seed_url"] == "https://en.wikipedia.org/wiki/Harbour"
    assert leg["metadata"]["world"] == "live"
    visited = {stop["page_url"].rpartition("/")[2] for stop in leg["stops"] if stop["page_url"]}
    assert len(visited) > 1
    assert not any(name in leg["riddle"] for name in visited)
    ini = f"[pytest]\nfilterwarnings = error\naar_world = live\n{internet.ini}"
    project.pytester.makeini(ini)
    golden = ("legs", "--aar-agent=golden")
    project.run(*golden, "--aar-record=all", agent=None).assert_outcomes(passed=1)
    stack.close()  # nobody listens there any more
    project.run(*golden, "--aar-record=none", agent=None).assert_outcomes(passed=1)
