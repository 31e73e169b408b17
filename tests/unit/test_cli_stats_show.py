import json

import pytest
from click.testing import CliRunner
from handmade_legs import diamond, linear

from pytest_aar.cli import aar
from pytest_aar.errors import ConfigurationError, LegError


@pytest.fixture
def legs(tmp_path):
    for name, wire in {"linear/easy/1": linear(), "dag/easy/1": diamond()}.items():
        path = tmp_path / f"{name}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(wire))
    (tmp_path / "package.json").write_text("{}")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(aar, [str(each) for each in arguments])


def test_stats_as_json(legs):
    found = json.loads(run("stats", legs, "--json").output)
    counts = ("legs", "stops", "roadblocks", "detours", "tool_calls")
    assert [(c["variant"], c["level"], *(c[n] for n in counts)) for c in found["cells"]] == [
        ("linear", "easy", 1, 6, 2, 1, 3),
        ("dag", "easy", 1, 9, 4, 1, 5),
    ]
    assert found["lengths"]["3-8"] == found["lengths_dag"]["9-14"] == 1
    assert found["templates"]["date_computation"] == 1
    assert found["templates_dag"]["diamond_merge"] == 1
    assert found["total"]["diamonds"] == 1


def test_means_ranges_and_diversity(legs):
    found = json.loads(run("stats", legs, "--json").output)
    assert [(row["variant"], row["level"], row["stops"]) for row in found["means"]] == [
        ("linear", "easy", 6),
        ("linear", "all", 6),
        ("dag", "easy", 9),
        ("dag", "all", 9),
    ]
    linear_row, dag_row = found["ranges"]
    assert linear_row["stops"] == {"found": [5, 5], "level": [3, 6], "outside": 0}
    assert linear_row["diamonds"] == {"found": [0, 0], "level": [0, 0], "outside": 0}
    assert (dag_row["stops"]["found"], dag_row["roadblocks"]["found"]) == ([5, 5], [1, 1])
    assert dag_row["diamonds"] == {"found": [1, 1], "level": [1, 1], "outside": 0}
    assert found["diversity"] == {
        "pages": 4,
        "mean_jaccard": 0.25,
        "pairs_above_half": 0,
        "digits": [0, 0, 0, 1, 1, 0, 0, 0, 0, 0],
        "digits_chi_square": pytest.approx(8),
    }


def test_stats_as_tables(legs):
    out = run("stats", legs).output
    assert "linear     easy" in out
    assert "5-5 of 3-6, 0 out" in out
    assert "4 pages; mean Jaccard similarity of two legs 0.2500; pairs above 0.5: 0\n" in out
    assert "3: 1, 4: 1, 5: 0, 6: 0, 7: 0, 8: 0, 9: 0; chi-square 8.0 (even up to 21.7)" in out
    alone = run("stats", legs / "dag").output
    assert "3 pages; one leg alone; pairs" in alone
    assert ["date_computation", "date_comp", "1", "0"] in map(str.split, out.splitlines())


def test_hidden_copies_of_legs_are_left_alone(legs):
    for place in (".ipynb_checkpoints", "dag/.copies"):
        (legs / place).mkdir()
        (legs / place / "1.json").write_text(json.dumps(linear()))
    assert json.loads(run("stats", legs, "--json").output)["total"]["legs"] == 2
    judged = run("validity", legs, "--json", "--mask", legs / ".mask.json")
    assert json.loads(judged.stdout)["total"]["legs"] == 2
    named = run("stats", legs / ".ipynb_checkpoints", "--json")  # named is meant
    assert json.loads(named.output)["total"]["legs"] == 1


def test_a_file_named_twice_counts_once(legs):
    out = run("stats", legs, legs / "dag" / "easy" / "1.json", "--json").output
    assert json.loads(out)["total"]["legs"] == 2


def test_lengths_outside_the_papers_rows(tmp_path):
    wire = linear()
    del wire["stops"][1:5]
    wire["stops"][1] |= {"index": 1}
    wire["stops"][1]["bridge"]["referenced_stops"] = [0]
    (tmp_path / "short.json").write_text(json.dumps(wire))
    assert json.loads(run("stats", tmp_path, "--json").output)["lengths"]["1-2"] == 1


def test_no_legs(tmp_path):
    error = run("stats", tmp_path).exception
    assert isinstance(error, ConfigurationError)
    assert "name a leg's JSON file, or a folder of them" in str(error)


def test_a_broken_leg(legs):
    (legs / "bad.json").write_text('{"trail_id": "x", "stops": []}')
    error = run("stats", legs).exception
    assert isinstance(error, LegError)
    assert error.where.endswith("bad.json")


def test_show_the_envelope(legs):
    out = run("show", legs / "dag" / "easy" / "1.json").output
    assert "step budget  13" in out
    assert "maps_geocode" in out
    assert "1. Start where it starts." in out
    assert "1692" not in out


def test_show_the_graph(legs):
    out = run("show", legs / "dag" / "easy" / "1.json", "--graph").output
    assert "dag/easy/1: dag, easy, 9 stops, 1 diamond\n" in out
    assert (
        "*  4 <- 2, 3     roadblock    diamond_merge (python_execute_code)  [diamond 1: merge]"
        in out
    )
    assert "   6 <- 5        route info   https://wiki.aar.test/wiki/Lake_Ulna" in out


def test_show_the_golden_trace(legs):
    out = run("show", legs / "linear" / "easy" / "1.json", "--golden").output
    assert "1672.9066" in out
    assert "detour       digit_sum of stop 2" in out
    assert out.endswith("digit: 3\n")


def test_show_wants_one_view(legs):
    assert run("show", legs / "nothing.json").exit_code == 2


def test_several_views_are_printed_one_after_another(legs):
    path = legs / "dag/easy/1.json"
    graph, golden = (run("show", path, view).output for view in ("--graph", "--golden"))
    assert run("show", path, "--golden", "--graph").output == f"{graph}\n{golden}"
