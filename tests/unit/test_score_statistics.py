import pytest
from handmade_legs import leg, linear
from perfect_trace import perfect, right_answer

from pytest_aar.score import (
    accuracy,
    bootstrap_mean,
    error_classes,
    mean_rate,
    recovery,
    score,
    wilson,
)
from pytest_aar.trace import Finish, Trace


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(0, 0, 0, 1), (0, 10, 0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1)],
)
def test_wilson_by_the_textbook(k, n, low, high):
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-5)


def test_the_bootstrap_is_the_same_every_time():
    values = [0.1, 0.41, 0.437, 0.9, 1.0, 0.22, 0.713]
    low, high = bootstrap_mean(values)
    assert bootstrap_mean(values) == (low, high)
    assert low < sum(values) / 7 < high
    assert bootstrap_mean(values, seed=1) != (low, high)


def test_the_bootstrap_is_near_the_normal_interval():
    values = [index / 199 for index in range(200)]
    assert bootstrap_mean(values) == pytest.approx((0.46, 0.54), abs=0.006)


def test_equal_values_have_no_spread():
    assert bootstrap_mean([0.5] * 3) == (0.5, 0.5)


def test_no_values():
    with pytest.raises(ValueError, match="no values"):
        bootstrap_mean([])
    assert mean_rate([None, None]).n == accuracy([]).n == 0
    assert mean_rate([None]).value is None


def races():
    read = leg(linear())
    wrong = Finish(ending="answered", answer=9)
    return [
        score(read, perfect(read), right_answer(read)),
        score(read, perfect(read), wrong),
        score(read, Trace(), wrong),
    ]


def test_over_races():
    fa = accuracy(races())
    assert (fa.n, fa.value) == (3, pytest.approx(1 / 3))
    assert error_classes(races()) == {
        "correct": 1,
        "navigation": 1,
        "tool use": 0,
        "computation": 1,
    }
    assert mean_rate([1.0, None, 0.0]).value == 0.5


def test_recovery():
    arrived, both = recovery(races())
    assert (arrived.fa.n, arrived.fa.value, arrived.few) == (2, 0.5, True)
    assert both.condition == "pvr >= 0.8 and rcr >= 0.8"
    assert both.fa.n == 2
