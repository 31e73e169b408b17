"""Legs made over a ZIM file: linted, recorded by the golden walk, and replayed when the file is gone."""

import json

import pytest
from click.testing import CliRunner
from zim_files import Recipe, made_zim

from pytest_aar.cli.generate import command as generate
from pytest_aar.cli.lint import command as lint
from pytest_aar.zim import open_zim

NAME = "wikipedia_en_all_nopic_2026-03.zim"
SEED = "https://en.wikipedia.org/wiki/Lyon"
#: Cities that the sandbox world's maps know, too, with their latitude and longitude.
CITIES = {
    "Lyon": (45.749, 4.847),
    "Bordeaux": (44.84, -0.58),
    "Toulouse": (43.604, 1.444),
    "Marseille": (43.297, 5.381),
    "Nantes": (47.217, -1.553),
    "Rennes": (48.111, -1.674),
    "Strasbourg": (48.584, 7.745),
    "Montpellier": (43.611, 3.877),
}


def article(place: int) -> str:
    """A city as mwoffliner has it: infobox with a group, sections with links."""
    name, others = list(CITIES)[place], [each for each in CITIES if each != list(CITIES)[place]]
    north, east = CITIES[name]
    links = "".join(f'<li><a href="{each}" title="{each}">{each}</a></li>' for each in others)
    rows = {
        "Country": '<a href="France" title="France">France</a>',
        "Twin": f'<a href="{others[place % 7]}" title="{others[place % 7]}">{others[place % 7]}</a>',
        "Elevation": f"{120 + 37 * place} m",
        "Founded": f"{place + 3} May {1204 + 31 * place}",
    }
    head = "".join(f"<tr><th>{label}</th><td>{data}</td></tr>" for label, data in rows.items())
    return f"""<p><span id="coordinates"><a href="Geographic_coordinate_system">Coordinates</a>:
<a class="external text" href="https://geohack.toolforge.org/x">{north}°N {east}°E / {north}; {east}</a></span></p>
<table class="infobox"><tbody><tr><th colspan="2">{name}</th></tr>{head}
<tr><th colspan="2">Area</th></tr><tr><th>• Land</th><td>{40 + 7 * place} km2</td></tr></tbody></table>
<p><b>{name}</b> is a city in France.</p><h2 id="Roads">Roads</h2>
<p>There are roads to <a href="{others[0]}">{others[0]}</a> and to <a href="{others[-1]}">{others[-1]}</a>.</p>
<h2 id="Neighbours">Neighbours</h2><ul>{links}</ul>"""


@pytest.fixture
def zimmed(project, monkeypatch: pytest.MonkeyPatch):
    """The project without legs, in its folder, with a file of eight cities."""
    open_zim.cache_clear()
    project.drop_legs()
    monkeypatch.chdir(project.path)
    articles = {name: article(place) for place, name in enumerate(CITIES)}
    project.file = made_zim(project.path / NAME, Recipe(articles=articles, redirects={}))
    project.pytester.makeini(f"[pytest]\nfilterwarnings = error\naar_world = zim:{NAME}+sandbox\n")
    yield project
    open_zim.cache_clear()


@pytest.mark.parametrize("variant", ["linear", "dag"])
def test_legs_of_a_file_are_recorded_and_replayed_without_it(zimmed, variant):
    made = CliRunner().invoke(
        generate,
        [f"--world=zim:{NAME}+sandbox", f"--variant={variant}", "--difficulty=easy", f"--seed-url={SEED}"],
    )  # fmt: skip
    assert made.exit_code == 0, (made.output, made.exception)
    leg = json.loads((zimmed.path / f"legs/{variant}/easy/001.json").read_text())
    assert leg["metadata"]["world"] == f"zim:{NAME}+sandbox"
    assert leg["metadata"]["world_hash"].startswith("wikipedia_en_all_nopic_2026-03-12:")
    assert leg["generated_at"].startswith("2026-03-12")
    assert CliRunner().invoke(lint, ["legs"]).exit_code == 0
    golden = ("legs", "--aar-agent=golden", "--aar-results=run")
    zimmed.run(*golden, "--aar-record=all", agent=None).assert_outcomes(passed=1)
    zimmed.file.unlink()
    open_zim.cache_clear()
    replayed = (*golden[:2], "--aar-results=again", "--aar-record=none")
    zimmed.run(*replayed, agent=None).assert_outcomes(passed=1)
    (race,) = zimmed.races("again")
    assert (race["score"]["fa"], race["score"]["pvr"], race["score"]["rcr"]) == (1, 1, 1)
