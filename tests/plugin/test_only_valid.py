"""`--aar-only`: legs of other classes are deselected, and the summary tells FA over all and over valid legs."""

import pytest
from handmade_legs import diamond, linear

LIVE = "https://en.wikipedia.org/wiki/Somewhere"


@pytest.fixture
def classes(project):
    """`linear/easy/001` is stable, `dag/easy/002` drifts, `linear/easy/003` is faulty."""
    project.write_leg("dag/easy/002", diamond() | {"seed_url": LIVE})
    wire = linear()
    expression = wire["stops"][-1]["bridge"]["expression"]
    project.write_leg("linear/easy/003", wire | {"riddle": f"1. Compute {expression}."})
    return project


@pytest.mark.parametrize(
    ("only", "left"),
    [
        (["valid"], ["linear/easy/001"]),
        (["stable"], ["linear/easy/001"]),
        (["drifting", "faulty"], ["dag/easy/002", "linear/easy/003"]),
    ],
)
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_other_legs_are_deselected(classes, only, left, workers) -> None:
    options = [f"--aar-only={name}" for name in only]
    run = classes.run_subprocess if workers else classes.run
    result = run("legs", *options, *workers, "--aar-results=run")
    assert sorted(race["leg"] for race in classes.races()) == left
    if not workers:
        assert result.parseoutcomes()["deselected"] == 3 - len(left)


@pytest.mark.usefixtures("wide")
def test_the_summary_gives_fa_over_all_and_over_valid_legs(classes) -> None:
    result = classes.run("legs", "--aar-results=run")
    result.stdout.fnmatch_lines(
        [
            "validity: FA 0.67 [[]*[]] (N = 3) over all races, 1.00 [[]*[]] (N = 1) over those of valid legs "
            "(stable 1, drifting 1, faulty 1)"
        ]
    )
    found = {race["leg"]: race["validity"] for race in classes.races()}
    assert found == {
        "linear/easy/001": "stable", "dag/easy/002": "drifting", "linear/easy/003": "faulty",
    }  # fmt: skip
    short = classes.run("legs", "-q", "--aar-only=valid", "--aar-results=second")
    assert "validity:" not in short.stdout.str()


def test_a_class_that_is_none_names_the_valid_ones(classes) -> None:
    result = classes.run("legs", "--aar-only=sound")
    assert (
        "'sound' is not valid; valid: valid, stable, stable-if-pinned, drifting, faulty"
        in result.stderr.str()
    )
