"""`--aar-only`: legs of other classes are deselected, and the summary tells FA over all and over valid legs."""

import json

import pytest
from click.testing import CliRunner
from handmade_legs import diamond, linear

from pytest_aar.cli import aar

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


@pytest.fixture
def mask(classes, monkeypatch):
    """The mask that `aar validity` wrote."""
    monkeypatch.chdir(classes.path)
    CliRunner().invoke(aar, ["validity", "legs"], catch_exceptions=False)
    return classes.path / ".aar/validity.json"


def edited(mask, leg: str, **changes: object) -> None:
    found = json.loads(mask.read_text())
    found["legs"][leg] |= changes
    mask.write_text(json.dumps(found))


def raced(classes) -> list[str]:
    return sorted(race["leg"] for race in classes.races())


def test_the_mask_of_aar_validity_says_which_legs_are_raced(classes, mask) -> None:
    edited(mask, "linear/easy/001", **{"class": "drifting", "valid": False})
    edited(mask, "dag/easy/002", **{"class": "stable", "valid": True})
    classes.run("legs", "--aar-only=valid", "--aar-results=run")
    assert [(race["leg"], race["validity"]) for race in classes.races()] == [
        ("dag/easy/002", "stable")
    ]


@pytest.mark.usefixtures("wide")
def test_the_summary_judges_by_the_mask_by_which_legs_were_chosen(classes, mask) -> None:
    edited(mask, "linear/easy/001", **{"class": "drifting", "valid": False})
    edited(mask, "dag/easy/002", **{"class": "stable", "valid": True})
    result = classes.run("legs", "--aar-only=valid", "--aar-only=drifting", "--aar-results=run")
    result.stdout.fnmatch_lines(["validity: FA *of valid legs (stable 1, drifting 1)"])
    found = {race["leg"]: race["validity"] for race in classes.races()}
    assert found == {"linear/easy/001": "drifting", "dag/easy/002": "stable"}


def test_a_leg_that_was_changed_since_is_an_error_and_one_without_class_is_judged(
    classes, mask
) -> None:
    classes.write_leg("linear/easy/004", linear())
    classes.run("legs", "--aar-only=valid", "--aar-results=run")
    assert raced(classes) == ["linear/easy/001", "linear/easy/004"]
    classes.write_leg("dag/easy/002", linear())
    result = classes.run("legs", "--aar-only=valid")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert result.parseoutcomes()["errors"] == 1
    result.stdout.fnmatch_lines(
        [
            "leg dag/easy/002 was changed since *.aar/validity.json was written: write it again with `aar validity "
            "PATH`, or remove it, and legs are judged as they are"
        ]
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"class": "sound"}, "class is 'sound'; valid: stable, stable-if-pinned, drifting, faulty"),
        ({"valid": False}, "valid is False and class is 'stable', which contradict each other"),
        ({"sha256": None}, "sha256 is missing"),
        (None, "its format is not 1"),
    ],
)
def test_a_mask_that_is_none_is_one_usage_error_that_says_what_to_do(
    classes, mask, changes, said
) -> None:
    if changes is None:
        mask.write_text("[]")
    else:
        edited(mask, "linear/easy/001", **changes)
    result = classes.run("legs", "--aar-only=valid")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = result.stdout.str() + result.stderr.str()
    assert said in told
    assert told.count("write it again with `aar validity PATH`, or remove it") == 1
    assert classes.run("legs", "--aar-results=run").ret == pytest.ExitCode.TESTS_FAILED
