"""Which races of a run cost money, and what a track does when there is none left."""

from pathlib import Path

import httpx
import pytest
from little_world import LEG, chat, gateway, open_world
from model_wires import Upstream

from pytest_aar.agents import Course, Limits
from pytest_aar.cassettes import RaceFiles
from pytest_aar.cost import Ledger, RunBudget, Spent
from pytest_aar.errors import AgentCrashed, ModelUnavailable
from pytest_aar.gateway import Gateway
from pytest_aar.gateway.retries import ModelServer
from pytest_aar.leg import ClueEnvelope
from pytest_aar.race import Race, Track
from pytest_aar.race.records import Entrant
from pytest_aar.race.tapes import goes_live
from pytest_aar.settings import RecordMode, Settings
from pytest_aar.trace import Finish

ENTRANT = Entrant(agent="a", model="m", world="sandbox")


@pytest.mark.parametrize(
    ("mode", "recorded", "again", "live"),
    [
        ("none", False, False, False),
        ("off", True, False, True),
        ("tools", True, False, True),
        ("all", True, False, True),
        ("once", True, False, False),
        ("once", False, False, True),
        ("diverged", True, False, False),
        ("diverged", True, True, True),
    ],
)
def test_the_record_mode_tells_whether_a_race_goes_to_the_model(
    tmp_path: Path, mode: RecordMode, recorded: bool, again: bool, live: bool
) -> None:
    settings = Settings(record=mode, cassettes=tmp_path)
    path = RaceFiles.of(tmp_path, LEG.leg_id, agent="a", model="m").model
    assert path is not None
    if recorded:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    assert goes_live(settings, LEG, ENTRANT, again=again) is live
    assert not goes_live(settings, LEG, Entrant(agent="golden"), again=again)


class Spends:
    """Uses the whole budget up, then crashes or answers."""

    name = "spends"

    def __init__(self, ledger: Ledger, *, crashes: bool = False) -> None:
        self.ledger, self.crashes, self.races = ledger, crashes, 0

    def version(self) -> str:
        return "1"

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        self.races += 1
        self.ledger.add(Spent(tokens=10))
        if self.crashes:
            raise AgentCrashed("spent it all")
        return Finish(ending="answered", answer=6)


@pytest.mark.parametrize("crashes", [False, True])
def test_a_race_without_budget_is_skipped_and_a_failed_one_not_tried_again(
    tmp_path: Path, crashes: bool
) -> None:
    ledger = Ledger(tmp_path / "spent.jsonl")
    settings = Settings(model="some-model", record="off", infra_retries=3)
    track = Track(
        settings,
        tmp_path / "run",
        gateway=gateway(),
        budget=RunBudget(ledger=ledger, max_tokens=10),
    )
    agent = Spends(ledger, crashes=crashes)
    try:
        first, second = (track.race(LEG, agent, repeat=number) for number in (1, 2))
    finally:
        track.close()
    assert agent.races == 1
    assert first.outcome == ("infrastructure" if crashes else "answered")
    assert first.record.attempts == 1
    assert (second.outcome, second.skipped, second.problem) == ("skipped", True, None)
    assert (second.score, second.finish, second.won) == (None, None, False)
    assert second.record.detail == "the run's budget of 10 tokens is used up (10 spent)"
    assert second.record.trace is None
    assert not second.trace_path.exists()
    assert track.take_ended() == [first.record, second.record]


def test_calls_made_by_hand_stand_in_the_ledger_too(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "spent.jsonl")
    budget = RunBudget(ledger=ledger, max_tokens=10)
    track = Track(Settings(model="m"), tmp_path / "run", gateway=gateway(), budget=budget)
    try:
        with track.open_course(LEG) as course:
            assert course.order.budget.ledger is ledger
    finally:
        track.close()


class Asks:
    """Asks the model; crashes in its first race or in each, as it is told."""

    name = "asks"

    def __init__(self, *, crashes: int = 0) -> None:
        self.crashes, self.races = crashes, 0

    def version(self) -> str:
        return "1"

    async def run(self, envelope: ClueEnvelope, course: Course, limits: Limits) -> Finish:
        self.races += 1
        await course.http.post("openai/v1/chat/completions", json={"messages": []})
        if self.races <= self.crashes:
            raise AgentCrashed("on the way")
        return Finish(ending="answered", answer=6)


def raced(agent: Asks, tmp_path: Path, upstream: httpx.AsyncBaseTransport) -> Race:
    settings = Settings(model="some-model", record="off", infra_retries=2)
    track = Track(settings, tmp_path / "run", gateway=gateway(upstream))
    try:
        return track.race(LEG, agent)
    finally:
        track.close()


def test_what_failed_attempts_spent_stands_in_the_line(tmp_path: Path) -> None:
    answers = httpx.MockTransport(lambda _: httpx.Response(200, json=chat()))
    race = raced(Asks(crashes=2), tmp_path, answers)
    assert (race.outcome, race.record.attempts) == ("answered", 3)
    assert (race.record.input_tokens, race.record.output_tokens) == (33, 9)
    assert race.record.model_calls == 1  # in the trace
    assert race.score is not None
    assert race.score.tokens == 14


def test_an_attempt_that_found_no_server_leaves_the_counts_known(tmp_path: Path) -> None:
    server = Upstream(ModelUnavailable("no server"), httpx.Response(200, json=chat()))
    race = raced(Asks(), tmp_path, server)
    assert (race.outcome, race.record.attempts) == ("answered", 2)
    assert (race.record.input_tokens, race.record.output_tokens) == (11, 3)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (401, "no such key"),
        (404, "no such model"),
        (429, "insufficient_quota"),
        (400, "temperature is not supported"),
    ],
)
def test_what_is_refused_for_good_is_not_raced_again(
    tmp_path: Path, status: int, text: str
) -> None:
    network = httpx.MockTransport(
        lambda _: httpx.Response(status, json={"error": {"message": text, "code": text}})
    )
    agent = Asks()
    race = raced(agent, tmp_path, ModelServer(environment={}, network=network))
    assert (race.record.error, race.record.attempts, agent.races) == ("ModelUnavailable", 1, 1)
    assert text in race.record.detail


def test_a_missing_key_is_not_waited_for(tmp_path: Path) -> None:
    agent = Asks()
    settings = Settings(model="m", record="off", infra_retries=2)
    made = Gateway(settings, upstream=ModelServer(environment={}), open_world=open_world)
    track = Track(settings, tmp_path / "run", gateway=made)
    try:
        race = track.race(LEG, agent)
    finally:
        track.close()
    assert "needs a key and none is set" in race.record.detail
    assert (race.record.attempts, agent.races) == (1, 1)


def test_a_server_that_fails_may_do_better_in_the_next_race(tmp_path: Path) -> None:
    network = httpx.MockTransport(lambda _: httpx.Response(503, text="busy"))
    agent = Asks()
    server = ModelServer(environment={}, network=network, fixed_wait=0.0)
    race = raced(agent, tmp_path, server)
    assert (race.record.error, race.record.attempts) == ("ModelUnavailable", 3)
