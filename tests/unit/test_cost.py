"""Prices, what a call takes of the budgets, and the ledger that several processes write."""

import json
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest

from pytest_aar.cost import (
    Ledger,
    RaceBudget,
    RunBudget,
    Spent,
    dollars,
    read_prices,
    spent_on,
)
from pytest_aar.errors import ConfigurationError
from pytest_aar.trace import ModelCall, Trace

TABLE = {
    "prices": [
        {"models": ["swift-20*", "swift"], "input": 2.0, "cached_input": 0.5, "output": 10.0},
        {
            "models": ["tiered*"],
            "input": 1,
            "cache_write": 1.25,
            "output": 4,
            "long": {"over": 1000, "input": 3, "output": 8},
        },
    ]
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(TABLE))
    return path


def call(model: str = "swift", **fields: object) -> ModelCall:
    given = {"input_tokens": 1000, "output_tokens": 100, **fields}
    return ModelCall(protocol="p", model=model, **{"status": 200, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "cost"),
    [
        (call(), 0.003),
        (call("swift-2026-09-22"), 0.003),
        (call("someone/swift"), 0.003),
        (call(cached_tokens=800), (200 * 2 + 800 * 0.5 + 100 * 10) / 1e6),
        (call("tiered", cached_tokens=100, cache_write_tokens=400), (600 + 500 + 400) / 1e6),
        (call("tiered-x", input_tokens=1001), (1001 * 3 + 800) / 1e6),
        (call("swifter"), None),
        (call("swift-mini"), None),
        (call(input_tokens=None), None),
        (call(output_tokens=None), None),
        (call(input_tokens=0, output_tokens=0), 0.0),
    ],
)
def test_what_a_call_costs(table: Path, made: ModelCall, cost: float | None) -> None:
    assert read_prices(table).cost_of(made) == pytest.approx(cost)


def test_a_race_with_one_unknown_cost_has_an_unknown_cost() -> None:
    known, unknown, refused = call(cost=0.25), call(), call(cost=None, status=429)
    assert Trace(events=(known, known, refused)).cost == 0.5
    assert Trace(events=(known, unknown)).cost is None
    assert Trace().cost is None


@pytest.mark.parametrize(
    ("model", "rates"),
    [
        ("claude-opus-5", (5, 0.5, 6.25, 25)),
        ("claude-opus-5-5", (4, 0.2, 5, 20)),
        ("claude-sonnet-5-5", (2, 0.1, 2.5, 10)),
        ("gpt-6.1-terra", (1, 0.05, 1.25, 5)),
        ("openai/gpt-6-luna", (0.1, 0.01, 0.125, 0.5)),
        ("gemini-3.5-flash", (1.5, 0.15, 1.5, 9)),
    ],
)
def test_the_table_of_the_package(model: str, rates: tuple[float, ...]) -> None:
    price = read_prices().of(model)
    assert price is not None
    assert (price.input, price.cached_input, price.cache_write, price.output) == rates


def test_the_table_of_the_package_says_where_it_comes_from() -> None:
    table = json.loads((files("pytest_aar.cost") / "prices.json").read_text())
    assert table["as_of"].startswith("2026-")
    assert all(source.startswith("https://") for source in table["sources"])
    for entry in table["prices"]:
        assert entry["cached_input"] < entry["input"] < entry["output"], entry["models"]
    assert read_prices().of("gpt-6-sol-pro") is None
    assert read_prices().of("pacer-95c0ef75") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Expecting property name"),
        ("[]", "no list `prices`"),
        ("[" * 100_000, "recursion"),
        ('{"prices": []}', "no list `prices`"),
        ('{"prices": [7]}', "entry 1 is no object"),
        ('{"prices": [{"models": "x", "input": 1, "output": 1}]}', "`models` is no list of names"),
        ('{"prices": [{"models": ["x"], "output": 1}]}', r"\(x\): `input` is None, not a number"),
        (
            '{"prices": [{"models": ["x"], "input": -1, "output": 1}]}',
            "`input` is -1, not a number",
        ),
        (
            '{"prices": [{"models": ["x"], "input": true, "output": 1}]}',
            "`input` is True, not a number",
        ),
        (
            '{"prices": [{"models": ["x"], "input": NaN, "output": 1}]}',
            "`input` is nan, not a number",
        ),
        (
            '{"prices": [{"models": ["x"], "input": 1, "output": 1, "outputs": 2}]}',
            "unknown field 'outputs', valid: models, input, cached_input",
        ),
        (
            '{"prices": [{"models": ["x"], "input": 1, "output": 1, "long": 3}]}',
            "`long` is no object",
        ),
        (
            '{"prices": [{"models": ["x"], "input": 1, "output": 1, "long": {"input": 1, "output": 1}}]}',
            "`over` is None",
        ),
    ],
)
def test_what_is_no_table_of_prices(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=said) as raised:
        read_prices(path)
    assert "--aar-prices" in str(raised.value)
    assert '{"prices": [{"models"' in str(raised.value)


@pytest.mark.parametrize(
    ("made", "spent"),
    [
        (call(), Spent(tokens=1100, cost=0.003)),
        (call("unpriced"), Spent(tokens=1100)),
        (call(input_tokens=None, output_tokens=None), Spent(tokens=220, cost=0.0014)),
        (call(output_tokens=None), Spent(tokens=1020 + 100, cost=0.0032)),
        (call(status=429), Spent()),
        (call(status=0, input_tokens=None, output_tokens=None), Spent(tokens=220, cost=0.0014)),
    ],
)
def test_what_a_call_takes_of_the_budgets(table: Path, made: ModelCall, spent: Spent) -> None:
    found = spent_on(made, read_prices(table), sent=299, received=360)
    assert found == Spent(tokens=spent.tokens, cost=pytest.approx(spent.cost))


def test_a_call_that_never_reached_the_model_costs_nothing(table: Path) -> None:
    unknown = call(status=0, input_tokens=None, output_tokens=None)
    assert spent_on(unknown, read_prices(table), sent=0, received=0) == Spent()


def test_the_budget_of_a_race() -> None:
    budget = RaceBudget(max_tokens=1000, max_cost=0.5)
    assert budget.used_up(Spent(tokens=999, cost=0.49)) is None
    assert budget.used_up(Spent(tokens=1000)) == (
        "the race's budget of 1,000 tokens is used up (1,000 spent)"
    )
    assert budget.used_up(Spent(cost=0.512)) == (
        "the race's budget of $0.50 is used up ($0.51 spent)"
    )
    assert RaceBudget().used_up(Spent(tokens=10**9, cost=1e6)) is None
    assert RaceBudget(max_cost=0.0).used_up(Spent()) is not None


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0.0, "$0.00"), (0.5, "$0.50"), (12.346, "$12.35"), (0.0042, "$0.0042"), (0.1234, "$0.12")],
)
def test_amounts_for_people(amount: float, shown: str) -> None:
    assert dollars(amount) == shown


SPEND = """
import sys, time
from pathlib import Path
from pytest_aar.cost import Ledger, Spent

ledger = Ledger(Path(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    ledger.add(Spent(tokens=3, cost=0.5))
    ledger.spent()
time.sleep(float(sys.argv[3]))
"""


def spender(path: Path, *, times: int, then_wait: int = 0) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", SPEND, str(path), str(times), str(then_wait)]
    return subprocess.Popen(words)


def test_the_ledger_of_several_processes_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "not yet there" / "spent.jsonl"
    assert Ledger(path).spent() == Spent()
    workers = [spender(path, times=300) for _ in range(4)]
    assert [worker.wait(60) for worker in workers] == [0] * 4
    budget = RunBudget(ledger=Ledger(path), max_tokens=3600)
    assert budget.ledger.spent() == Spent(tokens=3600, cost=600.0)
    assert budget.used_up() == "the run's budget of 3,600 tokens is used up (3,600 spent)"


def test_a_killed_process_takes_nothing_of_the_ledger_with_it(tmp_path: Path) -> None:
    path = tmp_path / "spent.jsonl"
    with spender(path, times=10, then_wait=60) as worker:
        ledger, deadline = Ledger(path), time.monotonic() + 30
        while ledger.spent().tokens < 30:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        worker.kill()
    assert RunBudget(ledger=Ledger(path), max_cost=5.0).used_up() == (
        "the run's budget of $5.00 is used up ($5.00 spent)"
    )
    assert RunBudget(ledger=Ledger(path), max_cost=5.01).used_up() is None


def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "spent.jsonl"
    ledger = Ledger(path)
    path.write_bytes(b"[1, 0.5]\n[2, ")
    assert ledger.spent() == Spent(tokens=1, cost=0.5)
    with path.open("ab") as stream:
        stream.write(b"0.25]\n")
    assert ledger.spent() == Spent(tokens=3, cost=0.75)
