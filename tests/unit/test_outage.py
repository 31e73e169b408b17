from types import SimpleNamespace

import httpx
import pytest
from test_retries import GOOD, Network, ask

from pytest_aar.errors import ModelUnavailable
from pytest_aar.race.attempt import outage_of
from pytest_aar.trace import Finish

LATE = Finish(ending="timeout", detail="no end after 5 s")


def test_a_race_knows_which_server_it_waits_for() -> None:
    race = SimpleNamespace(waits_for=None)
    told: list[str | None] = []

    def network(request: httpx.Request) -> httpx.Response:
        told.append(race.waits_for)
        return httpx.Response(503, text="busy") if len(told) < 3 else GOOD

    assert ask(network, race=race).status_code == 200
    assert told == [None, *["model server model.test: answered 503: busy"] * 2]
    assert race.waits_for is None


def test_giving_up_keeps_what_was_last_waited_for() -> None:
    race = SimpleNamespace(waits_for=None)
    with pytest.raises(ModelUnavailable, match="after 6 attempts"):
        ask(Network(httpx.Response(503, text="busy")), race=race)
    assert race.waits_for == "model server model.test: answered 503: busy"


def test_a_time_out_in_the_midst_of_retries_is_the_servers() -> None:
    problem = outage_of(LATE, "model server m: answered 503: busy")
    assert isinstance(problem, ModelUnavailable)
    assert str(problem).endswith("did not answer: model server m: answered 503: busy")


@pytest.mark.parametrize(
    ("finish", "waits_for"),
    [
        (LATE, None),
        (None, "m"),
        (Finish(ending="no-answer"), "m"),
        (Finish(ending="timeout", answer=3), "m"),
    ],
)
def test_every_other_ending_is_the_agents(finish: Finish | None, waits_for: str | None) -> None:
    assert outage_of(finish, waits_for) is None
