"""The figures of other benchmarks' published data, which are not in the repository."""

import pytest

from pytest_aar.compositionality import FORMATS, measure


@pytest.fixture
def rows(shared):
    def read(name):
        found = measure(FORMATS[name], [shared / "data/bench" / name])
        return {row.part: row for row in found.rows}, found

    return read


def figures(row):
    shares = (row.percent("path"), row.percent("dag"))
    return (
        row.instances,
        row.steps and round(row.steps, 2),
        *(round(share, 1) for share in shares),
    )


def test_teval(rows):
    found, _ = rows("teval")
    assert figures(found[""]) == (553, 4.81, 62.0, 13.6)
    assert found[""].shapes == {"path": 343, "dag": 75, "fork": 135, "apart": 0}


def test_nestful(rows):
    found, whole = rows("nestful")
    assert figures(found["v2"]) == (74, 3.80, 59.5, 39.2)
    assert found["v1"].instances + len(whole.faults) == 300
    assert {fault.kind for fault in whole.faults} == {"dangling reference"}


def test_taskbench_from_its_published_counts(rows):
    found, _ = rows("taskbench")
    assert figures(found[""]) == (17_450, None, 90.4, 9.6)


def test_toolbench(rows):
    found, whole = rows("toolbench")
    assert figures(found[""]) == (600, 3.88, 100.0, 0.0)
    assert not whole.faults


def test_bfcl(rows):
    found, _ = rows("bfcl")
    row = found[""]
    assert (row.instances, round(row.steps, 2), row.shapes) == (3301, 2.40, None)
    assert row.undefined
