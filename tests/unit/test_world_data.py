"""The shipped data file: what it holds, how its pages hang together, how fast and small it is."""

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest

from pytest_aar.errors import InfrastructureError
from pytest_aar.world import World, load
from pytest_aar.world.archive import write_archive
from pytest_aar.world.build.sources import PACKAGES
from pytest_aar.world.store import DATA_FILE

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def world() -> World:
    return load()


def in_new_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_counts(world: World) -> None:
    kinds = Counter(summary.kind for summary in world.summaries())
    assert len(world) > 15_000
    assert kinds["country"] == 248
    assert kinds["city"] > 6_000
    assert kinds["airport"] > 7_800
    assert kinds["disambiguation"] > 100
    for kind, least in {"region": 800, "language": 270, "mountain": 200, "river": 80}.items():
        assert kinds[kind] >= least
    assert len(world.redirects) > 5_000


def test_the_file_is_small() -> None:
    assert 4 * MEGABYTE < DATA_FILE.stat().st_size < 6.3 * MEGABYTE


def test_pages_form_one_strongly_connected_core(world: World) -> None:
    graph = nx.DiGraph()
    for title in world.pages():
        links = world.page(title).links
        assert links, f"{title} is a dead end"
        graph.add_edges_from((title, link.title) for link in links)
    assert graph.number_of_nodes() == len(world), "a link leads to no page"
    assert graph.number_of_edges() > 75_000
    core = max(nx.strongly_connected_components(graph), key=len)
    assert len(core) >= 14_000


def test_every_redirect_leads_to_a_page_and_hides_none(world: World) -> None:
    titles = set(world.pages())
    for name, title in world.redirects.items():
        assert title in titles
        assert name not in titles
        assert world.resolve(name) == title


def test_population_and_area_have_one_source(world: World) -> None:
    for country in world.countries:
        facts = {fact.label: fact.value for fact in world.page(country.name).facts[:12]}
        assert facts.get("Population") == country.population
        assert facts.get("Area") == country.area_km2
    bhutan = world.country("Bhutan")
    assert bhutan is not None
    assert bhutan.population == 892_877  # the atlas's older figure is 754,394


def test_figures_in_words_are_read(world: World) -> None:
    chad = world.country("Chad")
    assert chad is not None
    assert chad.area_km2 == 1_284_000  # "1.284 million sq km"


def test_no_entities_and_no_tags_in_the_texts(world: World) -> None:
    for country in world.countries:
        html = world.page(country.name).html
        assert "&amp;ocirc;" not in html
        assert "&lt;br" not in html


def test_a_name_and_its_namesakes_lead_to_each_other(world: World) -> None:
    armenia = world.page("Armenia")
    assert armenia.kind == "country"
    assert world.page("Armenia, Colombia").kind == "city"
    notes = [link.title for link in armenia.links if link.section == "lead"]
    assert "Armenia (disambiguation)" in notes
    listed = {link.title for link in world.page("Armenia (disambiguation)").links}
    assert {"Armenia", "Armenia, Colombia"} <= listed
    assert "Nigeria" in {link.title for link in world.page("Niger").links if link.section == "lead"}


def test_an_unknown_page_says_so(world: World) -> None:
    with pytest.raises(KeyError, match="no page 'Atlantis of the moon'"):
        world.page("Atlantis of the moon")


def test_both_spellings_of_a_first_letter_lead_to_a_page(world: World) -> None:
    assert world.resolve("eMbalenhle") == world.resolve("EMbalenhle") == "EMbalenhle"
    for title in world.pages():
        assert world.resolve(title) == title
        if len(title[0].lower()) == 1:  # not so of a Turkish dotted I
            assert world.resolve(title[0].lower() + title[1:]) == title


def test_missing_data_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"none\.zip.*python -m pytest_aar\.world\.build"):
        load(tmp_path / "none.zip")


def _half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _one_bit(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def _without_a_directory_entry(data: bytes) -> bytes:
    return data.replace(b"grid", b"gird")


@pytest.mark.parametrize(
    "damage", [_half, _one_bit, _without_a_directory_entry, lambda _: b"", lambda _: b"no zip"]
)
def test_damaged_data_are_named_with_what_to_do(
    damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "torn.zip"
    path.write_bytes(damage(DATA_FILE.read_bytes()))
    with pytest.raises(InfrastructureError) as caught:
        load(path)
    message = str(caught.value)
    assert f"{path} are damaged" in message
    assert "pip install --force-reinstall pytest-aar" in message


def test_a_failed_build_leaves_the_old_data_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "world.zip"
    path.write_bytes(b"old")

    class Breaks(dict[str, list[bytes]]):
        def items(self):  # type: ignore[no-untyped-def]
            yield "index", [b"{}"]
            raise RuntimeError("no disk left")

    with pytest.raises(RuntimeError):
        write_archive(path, Breaks())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="peak memory is read from /proc (Linux)"
)
def test_loading_is_light() -> None:
    # VmHWM, not ru_maxrss: the latter begins at the size of the process that started this one.
    code = (
        "from pytest_aar.world import load; load().page('Bhutan').html;"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    assert int(in_new_process(code).split()[1]) < 150_000  # kB


def test_importing_the_package_is_free() -> None:
    code = "import json, sys, pytest_aar.world; print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(in_new_process(code)))
    assert not {"httpx", "networkx", "uvicorn", "pytest_aar.world.store"} & loaded


@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in PACKAGES),
    reason="the dependency group world-data is not installed: the data can't be built anew",
)
def test_building_gives_the_shipped_bytes(tmp_path) -> None:
    target = tmp_path / "world.zip"
    command = [sys.executable, "-m", "pytest_aar.world.build", str(target)]
    subprocess.run(command, check=True, capture_output=True)
    assert target.read_bytes() == DATA_FILE.read_bytes()
