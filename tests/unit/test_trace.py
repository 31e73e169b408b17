from dataclasses import replace

import pytest
from handmade_legs import leg, linear
from perfect_trace import right_answer

from pytest_aar.race.records import Attempt, Circumstances, Entrant, line_of
from pytest_aar.score import over_budget, score
from pytest_aar.trace import ModelCall, Trace, total

CALL = ModelCall(protocol="chat", model="m", status=200, input_tokens=10, output_tokens=1)


@pytest.mark.parametrize(
    ("counts", "expected"), [((1, 2), 3), ((1, None), None), ((None,), None), ((), None), ((0,), 0)]
)
def test_a_part_is_not_the_whole(counts, expected):
    assert total(counts) == expected


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([CALL, CALL], (20, 2, 22)),
        ([CALL, replace(CALL, output_tokens=None)], (20, None, None)),
        ([CALL, replace(CALL, status=429, input_tokens=None, output_tokens=None)], (10, 1, 11)),
        ([], (None, None, None)),
    ],
)
def test_tokens_are_counted_the_same_everywhere(calls, expected):
    trace, read = Trace(events=tuple(calls)), leg(linear())
    assert (trace.input_tokens, trace.output_tokens, trace.tokens) == expected
    scored = score(read, trace, right_answer(read))
    attempt = Attempt(trace=trace, finish=right_answer(read))
    line = line_of(read, Entrant(agent="x"), attempt, scored, Circumstances())
    assert (line.input_tokens, line.output_tokens, line.tokens) == expected
    assert scored.tokens == expected[2]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([], False),
        ([CALL], False),
        ([CALL, replace(CALL, status=400)], True),
        ([replace(CALL, status=400), CALL], False),
        ([CALL, replace(CALL, status=0)], False),  # no reply at all: an infrastructure error
        ([CALL, replace(CALL, status=400, counts_as_step=False)], False),
    ],
)
def test_an_agent_was_refused_if_its_last_step_was(calls, expected):
    assert Trace(events=tuple(calls)).was_refused is expected


@pytest.mark.parametrize(("steps", "expected"), [(10, False), (11, True)])
def test_steps_over_the_budget(steps, expected):
    side = replace(CALL, counts_as_step=False)
    trace, read = Trace(events=(*[CALL] * steps, side)), leg(linear())
    assert trace.steps == steps
    assert over_budget(read, trace) is expected
    assert score(read, trace, right_answer(read)).over_budget is expected
