"""Budgets at the gateway: what is counted, what is refused, how the race ends."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from little_world import LEG, OpenWorld, chat, envelope, gateway, order, post
from recorded_race import MODEL

from pytest_aar.agents import Agent, Course, Limits, drive, make_agent
from pytest_aar.agents.refusals import refused
from pytest_aar.agents.walker import GoldenAgent
from pytest_aar.box import BoxPlace, Doors
from pytest_aar.box.plain import PlainBox
from pytest_aar.cassettes import open_tape
from pytest_aar.cost import Ledger, RaceBudget, Spent
from pytest_aar.errors import AgentCrashed
from pytest_aar.gateway import Gateway, RaceOrder, RaceSession, Tapes
from pytest_aar.gateway.protocols import PROTOCOLS
from pytest_aar.settings import Settings
from pytest_aar.tools import SANDBOX, Services, TransportDecides
from pytest_aar.trace import Finish

CHAT = "openai/v1/chat/completions"
CODE = "tools/python_generate_code"
BODY = {"model": "any", "messages": [{"role": "user", "content": "hi"}]}
#: A chat() has 11 tokens in, 4 of them cached, and 3 out.
COST = (7 * 100 + 4 * 10 + 3 * 1000) / 1e6
TOKENS = 14


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    entry = {"models": ["some-model"], "input": 100, "cached_input": 10, "output": 1000}
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"prices": [entry]}))
    return path


def model(reply: dict[str, object] | None = None) -> httpx.MockTransport:
    return httpx.MockTransport(lambda request: httpx.Response(200, json=reply or chat()))


def bounded(**budget: object) -> RaceOrder:
    return RaceOrder(leg=LEG, envelope=envelope(), budget=RaceBudget(**budget))  # type: ignore[arg-type]


def test_each_call_has_its_cost_in_the_trace(prices: Path) -> None:
    with gateway(model(), prices=prices) as gate, gate.open_race(order()) as race:
        post(race, gate, CHAT, json=BODY)
        post(race, gate, CHAT, json=BODY)
    assert [call.cost for call in race.trace().model_calls] == [pytest.approx(COST)] * 2
    assert race.trace().cost == pytest.approx(2 * COST)
    assert race.spent == Spent(tokens=2 * TOKENS, cost=pytest.approx(2 * COST))


def test_a_model_without_a_price_has_an_unknown_cost() -> None:
    with gateway(model()) as gate, gate.open_race(order()) as race:
        post(race, gate, CHAT, json=BODY)
    assert race.trace().cost is None


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"max_tokens": 2 * TOKENS}, "the race's budget of 28 tokens is used up (28 spent)"),
        ({"max_cost": 1.5 * COST}, "the race's budget of $0.0056 is used up ($0.0075 spent)"),
    ],
)
def test_a_used_up_budget_is_refused_for_good(
    prices: Path, limits: dict[str, object], said: str
) -> None:
    with gateway(model(), prices=prices) as gate, gate.open_race(bounded(**limits)) as race:
        replies = [post(race, gate, CHAT, json=BODY) for _ in range(4)]
    assert [reply.status_code for reply in replies] == [200, 200, 404, 404]
    assert replies[2].json()["error"]["code"] == "aar_budget"
    assert said in replies[2].json()["error"]["message"]
    assert (race.used_up, race.steps) == ("budget", 2)
    assert refused(404, replies[2].text).ending == "budget"


@pytest.mark.parametrize("path", sorted(PROTOCOLS))
def test_every_protocol_says_so(prices: Path, path: str) -> None:
    with gateway(model(), prices=prices) as gate, gate.open_race(bounded(max_cost=0.0)) as race:
        reply = post(race, gate, path, json=BODY)
    assert reply.status_code in (400, 404)
    assert "aar_budget" in reply.text
    assert race.used_up == "budget"
    assert not race.trace().model_calls


def test_a_reply_without_usage_is_counted_by_its_size(prices: Path) -> None:
    silent = {name: value for name, value in chat("x" * 3000).items() if name != "usage"}
    upstream = model(silent)
    with gateway(upstream, prices=prices) as gate, gate.open_race(bounded(max_tokens=1000)) as race:
        replies = [post(race, gate, CHAT, json=BODY) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [200, 404]
    assert race.spent.tokens > 1000
    assert race.trace().cost is None


def test_code_asked_of_the_model_counts_and_is_denied_at_the_end(prices: Path) -> None:
    with gateway(model(), prices=prices) as gate, gate.open_race(bounded(max_tokens=1)) as race:
        first = post(race, gate, CODE, json={"description": "print 7"})
        second = post(race, gate, CODE, json={"description": "print 7"})
        third = post(race, gate, CHAT, json=BODY)
    assert first.status_code == 200
    assert second.json()["error"]["kind"] == "denied"
    assert "the race's budget of 1 tokens is used up" in second.text
    assert third.json()["error"]["code"] == "aar_budget"
    assert race.used_up == "budget"


def test_code_of_a_model_without_a_price_is_denied_under_a_limit_on_cost(prices: Path) -> None:
    arguments = {"description": "print 7", "model": "nobody-knows"}
    with (
        gateway(model(), prices=prices, max_cost=9.0) as gate,
        gate.open_race(bounded()) as race,
    ):
        reply = post(race, gate, CODE, json=arguments)
    assert "no price of model 'nobody-knows' is known: leave `model` out" in reply.text
    assert race.used_up is None


def test_live_calls_stand_in_the_runs_ledger_and_replayed_ones_do_not(
    prices: Path, tmp_path: Path
) -> None:
    cassette = tmp_path / "cassette.json"
    ledgers = [Ledger(tmp_path / "live.jsonl"), Ledger(tmp_path / "replayed.jsonl")]
    costs = []
    for mode, ledger in zip(("all", "none"), ledgers, strict=True):
        tape = open_tape(cassette, mode=mode, options=MODEL)  # type: ignore[arg-type]
        what = RaceOrder(
            leg=LEG,
            envelope=envelope(),
            tapes=Tapes(model=tape),
            budget=RaceBudget(ledger=ledger),
        )
        with gateway(model(), prices=prices) as gate, gate.open_race(what) as race:
            assert post(race, gate, CHAT, json=BODY).status_code == 200
        tape.save()
        tape.close()
        costs.append((race.trace().cost, race.spent))
    assert costs[0] == costs[1]
    assert costs[0][0] == pytest.approx(COST)
    assert ledgers[0].spent() == Spent(tokens=TOKENS, cost=pytest.approx(COST))
    assert ledgers[1].spent() == Spent()


def test_a_ledger_that_can_not_be_written_is_a_problem_of_the_race(
    prices: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    ledger = Ledger(tmp_path / "file" / "spent.jsonl")
    with gateway(model(), prices=prices) as gate, gate.open_race(bounded(ledger=ledger)) as race:
        post(race, gate, CHAT, json=BODY)
    assert "can't note what the run has spent" in str(race.problem)


def test_what_touches_the_cache_is_part_of_the_input_on_every_wire() -> None:
    """Messages counts it beside the input, the other two within: the price is the same."""
    chat_usage = {
        "prompt_tokens": 60,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 30},
    }
    responses_usage = {
        "input_tokens": 60,
        "output_tokens": 5,
        "input_tokens_details": {"cached_tokens": 30},
    }
    messages_usage = {
        "input_tokens": 30,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 30,
        "output_tokens": 5,
    }
    told = {
        CHAT: chat_usage,
        "openai/v1/responses": responses_usage,
        "anthropic/v1/messages": messages_usage,
    }
    assert set(told) == set(PROTOCOLS)
    found = [PROTOCOLS[path].usage({"usage": usage}) for path, usage in told.items()]
    counts = [(each.input_tokens, each.cached_tokens, each.output_tokens) for each in found]
    assert counts == [(60, 30, 5)] * 3
    written = {**messages_usage, "cache_creation_input_tokens": 20}
    usage = PROTOCOLS["anthropic/v1/messages"].usage({"usage": written})
    assert (usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens) == (80, 30, 20)


class Asks:
    """Asks until it is refused, then ends as it was told to."""

    name = "asks"

    def __init__(self, end: Finish | Exception, answer: str = "") -> None:
        self._end, self._answer = end, answer

    def version(self) -> str:
        return "1"

    async def run(self, envelope: object, course: Course, limits: Limits) -> Finish:
        if self._answer:
            (course.workdir / "answer.txt").write_text(self._answer)
        while (await course.http.post(CHAT, json=BODY)).is_success:
            pass
        if isinstance(self._end, Exception):
            raise self._end
        return self._end


def driven(
    agent: Agent, gate: Gateway, race: RaceSession, workdir: Path, *, seconds: float = 60.0
) -> Finish:
    doors = Doors(http=race.url, socket=race.socket, path=f"/r/{race.token}")
    box = PlainBox(BoxPlace(workdir=workdir, doors=doors))

    async def run() -> Finish:
        async with race.client() as http:
            course = Course(
                workdir=workdir, http=http, prompt="", box=box, open_url=race.url, model="m"
            )
            limits = Limits(seconds=seconds)
            return await drive(agent, envelope(), course, limits, used_up=lambda: race.used_up)

    return gate.run(run())


GAVE_UP = Finish(ending="no-answer", detail="refused")


@pytest.mark.parametrize(
    ("limits", "agent", "ending"),
    [
        ({"budget": RaceBudget(max_tokens=20)}, Asks(GAVE_UP), "budget"),
        ({"budget": RaceBudget(max_tokens=20)}, Asks(AgentCrashed("died of it")), "budget"),
        ({"budget": RaceBudget(max_tokens=20)}, Asks(GAVE_UP, answer="6"), "answered"),
        ({"budget": RaceBudget(max_tokens=20), "step_limit": 1}, Asks(GAVE_UP), "step-limit"),
        ({"budget": RaceBudget(max_tokens=20), "step_limit": 9}, Asks(GAVE_UP), "budget"),
        ({"step_limit": 2}, Asks(AgentCrashed("died of it")), "step-limit"),
    ],
)
def test_the_endings_tell_which_limit_it_was(
    prices: Path, tmp_path: Path, limits: dict[str, object], agent: Asks, ending: str
) -> None:
    what = RaceOrder(leg=LEG, envelope=envelope(), **limits)  # type: ignore[arg-type]
    with gateway(model(), prices=prices) as gate, gate.open_race(what) as race:
        assert driven(agent, gate, race, tmp_path).ending == ending


class Hangs(Asks):
    """Is refused, and then waits for something that never comes."""

    async def run(self, envelope: object, course: Course, limits: Limits) -> Finish:
        await super().run(envelope, course, limits)
        await asyncio.sleep(60)
        return GAVE_UP


def test_a_wall_clock_that_runs_out_is_a_timeout_whatever_was_refused(
    prices: Path, tmp_path: Path
) -> None:
    with gateway(model(), prices=prices) as gate, gate.open_race(bounded(max_tokens=20)) as race:
        finish = driven(Hangs(GAVE_UP), gate, race, tmp_path, seconds=0.3)
    assert (finish.ending, race.used_up) == ("timeout", "budget")
    assert "0.3 s" in finish.detail


class Silent(httpx.AsyncBaseTransport):
    """Never answers."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(60)
        raise AssertionError("nobody waited for this")


@asynccontextmanager
async def silent_world(name: str, settings: Settings, **_: Any) -> AsyncIterator[OpenWorld]:
    async with httpx.AsyncClient(transport=Silent()) as http:
        services = Services(http=http, endpoints=SANDBOX, guard=TransportDecides())
        yield OpenWorld(name=name, services=services)


@pytest.mark.parametrize("name", ["golden", "react", "mini-swe"])
def test_the_deadline_holds_whatever_the_agent_waits_for(name: str, tmp_path: Path) -> None:
    if name == "mini-swe":
        pytest.importorskip("minisweagent")
    (tmp_path / "answer.txt").write_text("6")
    agent = make_agent(name, {})
    settings = Settings(model="m", base_url="https://model.test/v1")
    start = time.monotonic()
    with (
        Gateway(settings, upstream=Silent(), open_world=silent_world) as gate,
        gate.open_race(order()) as race,
    ):
        bound = agent.for_leg(LEG) if isinstance(agent, GoldenAgent) else agent
        finish = driven(bound, gate, race, tmp_path, seconds=0.5)
    assert (finish.ending, finish.answer) == ("timeout", 6)
    assert time.monotonic() - start < 20
