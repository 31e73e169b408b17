"""What a lost race's failure says: short, and without the golden digit unless it was asked for."""

import re
from textwrap import indent

from pytest_aar.leg import Leg
from pytest_aar.results import RaceRecord
from pytest_aar.score import Score

_CLUE_CHARACTERS = 300


def lost_race(leg: Leg, race: RaceRecord, *, trace: str) -> str:
    """The failure's text: verdict, figures, where the agent left the route, the clue there, the trace."""
    lines = [f"leg {leg.leg_id} lost by {race.agent}: {_verdict(race)}"]
    if race.detail:
        lines.append(indent(race.detail, "  "))
    lines.append(f"  {_figures(race.score)}, outcome {race.outcome}" if race.score else "")
    lines += _divergence(leg, race.score)
    lines.append(f"  trace: {trace}")
    return "\n".join(line for line in lines if line)


_SANDBOX = "  the isolation bwrap shows agents no such file (--aar-isolation, docs/isolation.md)"


def contaminated_race(race: RaceRecord, *, trace: str) -> str:
    """The failure's text of a race whose agent saw what gives the answer away; its digit says nothing."""
    lines = [
        f"leg {race.leg} contaminated by {race.agent}: never correct, whatever its digit; what was seen:",
        *(f"  {line}" for line in race.evidence),
        *([indent(race.detail, "  ")] if race.error else []),
        *([] if race.isolation == "bwrap" else [_SANDBOX]),
        f"  trace: {trace}",
    ]
    return "\n".join(lines)


def _verdict(race: RaceRecord) -> str:
    given = "no valid answer" if race.answer is None else f"answer {race.answer} is wrong"
    return given if race.golden is None else f"{given}, the digit is {race.golden}"


def _figures(score: Score) -> str:
    rates = (("PVR", score.pvr), ("RCR", score.rcr))
    shown = [f"{name} {'-' if value is None else format(value, '.2f')}" for name, value in rates]
    return ", ".join([f"{score.error_class} error", *shown])


def _divergence(leg: Leg, score: Score | None) -> list[str]:
    if score is None or score.first_divergence is None:
        return []
    index = score.first_divergence
    lines = [f"  first divergence: stop {index} ({score.first_divergence_kind})"]
    clue = clue_of(leg, index)
    return [*lines, f"  its clue: {clue}"] if clue else lines


def clue_of(leg: Leg, index: int) -> str:
    """The numbered clue of a stop (clue 1 is stop 0's), cut; empty where the numbering does not fit."""
    parts = re.split(r"(?m)^\s*(\d+)[.)]\s+", leg.clues)
    numbered = dict(zip(parts[1::2], parts[2::2], strict=False))
    if len(numbered) != len(leg.stops):
        return ""
    text = " ".join(numbered.get(str(index + 1), "").split())
    return text if len(text) <= _CLUE_CHARACTERS else f"{text[: _CLUE_CHARACTERS - 1]}…"
