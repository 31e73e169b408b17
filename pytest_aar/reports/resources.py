"""What races took: tokens, money, calls, time."""

from collections.abc import Sequence
from math import fsum

from pytest_aar.cost import dollars
from pytest_aar.results import SKIPPED, RaceRecord


def line(races: Sequence[RaceRecord]) -> str:
    """One line: tokens, cost, calls and time; "" when no race was begun."""
    races = [race for race in races if race.outcome != SKIPPED]
    if not races:
        return ""
    known = [race.tokens for race in races if race.tokens is not None]
    tokens = f"{sum(known):,} ({sum(known) / len(known):,.0f} a race)" if known else "unknown"
    calls = sum(race.model_calls for race in races), sum(race.tool_calls for race in races)
    seconds = sum(race.race_seconds for race in races)
    replayed = sum(race.replay is not None for race in races)
    note = _recorded_note(replayed, len(races))
    return (
        f"resources: tokens {tokens}{note if known else ''}, {_cost(races, note)}; {_model_time(races, note)}"
        f"model calls {calls[0]:,}, tool calls {calls[1]:,}; "
        f"{'replay took ' if replayed == len(races) else ''}{seconds:.1f} s in all, "
        f"{seconds / len(races):.2f} s a race; "
        f"races over the step budget {sum(race.over_budget for race in races)}"
    )


def _cost(races: Sequence[RaceRecord], note: str) -> str:
    """Of the races whose price is known; the others are named, not counted as free."""
    known = [race.cost for race in races if race.cost is not None]
    if not known:
        return "cost unknown"
    part = (
        "" if len(known) == len(races) else f" in {len(known)} of {len(races)} races, else unknown"
    )
    return f"cost {dollars(fsum(known))} ({dollars(fsum(known) / len(known))} a race){part}{note}"


def _recorded_note(replayed: int, races: int) -> str:
    """What figures of replayed races are labelled with."""
    if not replayed:
        return ""
    return ", as recorded" if replayed == races else f", as recorded in {replayed} of {races} races"


def _model_time(races: Sequence[RaceRecord], note: str) -> str:
    recorded = [race.recorded_seconds for race in races if race.recorded_seconds is not None]
    return f"model time {sum(recorded):.1f} s{note}; " if recorded else ""
