"""Whatever requests do, a server never counts more of them than its limits allow, and each has its turn."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_aar.manners.book import Book
from pytest_aar.manners.policies import Policy, Rate


@dataclass(frozen=True)
class Request:
    """When it is wanted, how long it takes, at which share of that the server counts it, whether its process dies."""

    wanted: float
    takes: float
    seen: float
    dies: bool


REQUESTS = st.lists(
    st.builds(
        Request,
        wanted=st.sampled_from([0.0, 0.0, 0.3, 8.0]),
        takes=st.sampled_from([0.001, 0.4, 3.0]),
        seen=st.sampled_from([0.0, 1.0]),
        dies=st.booleans(),
    ),
    min_size=5,
    max_size=25,
)
POLICIES = st.builds(
    Policy,
    rates=st.lists(
        st.builds(Rate, count=st.integers(1, 6), seconds=st.sampled_from([0.5, 1.0, 10.0])),
        max_size=2,
    ).map(tuple),
    parallel=st.none() | st.integers(1, 4),
)


@given(REQUESTS, POLICIES)
@settings(max_examples=60, deadline=None)
def test_no_window_and_no_moment_sees_more_than_allowed(
    requests: list[Request], policy: Policy
) -> None:
    starts = _raced(requests, policy)
    assert len(starts) == len(requests)
    seen = sorted(start + requests[n].takes * requests[n].seen for n, start in starts.items())
    for rate in policy.rates:
        for first, later in zip(seen, seen[rate.count :], strict=False):
            assert later - first >= rate.seconds - 1e-6
    spans = [(start, start + requests[n].takes) for n, start in starts.items()]
    if policy.parallel is not None:
        for moment, _ in spans:
            assert sum(a <= moment < b for a, b in spans) <= policy.parallel


def _raced(requests: list[Request], policy: Policy) -> dict[int, float]:
    """Each request asks when it is wanted and then as often as it is told to; its start by number."""
    values: dict = {}
    now, starts, dead = 0.0, dict[int, float](), set[str]()
    asks = {n: request.wanted for n, request in enumerate(requests)}
    ends: dict[int, float] = {}
    while asks or ends:
        now = min([*asks.values(), *ends.values()])
        book = Book(values, policy)
        for n in [n for n, end in ends.items() if end <= now]:
            del ends[n]
            if requests[n].dies:
                dead.add(f"p{n}")
            else:
                book.end(f"p{n}:0", now)
        for n in [n for n, at in asks.items() if at <= now]:
            wait = book.admit(f"p{n}:0", now, lambda process: process not in dead)
            if wait:
                asks[n] = now + wait
            else:
                del asks[n]
                starts[n] = now
                ends[n] = now + requests[n].takes
    return starts
