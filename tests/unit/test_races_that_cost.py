"""Which races of a run cost money, and what a track does when there is none left."""

from pathlib import Path

import pytest
from little_world import LEG, gateway

from pytest_aar.agents import Course, Limits
from pytest_aar.cassettes import RaceFiles
from pytest_aar.cost import Ledger, RunBudget, Spent
from pytest_aar.errors import AgentCrashed
from pytest_aar.leg import ClueEnvelope
from pytest_aar.race import Track
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
