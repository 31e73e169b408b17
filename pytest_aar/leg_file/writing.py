"""A `Leg` to the published JSON, and to what an agent may see of it."""

import json
from typing import Any

from pytest_aar.leg import ClueEnvelope, Leg

from .stops import wire_of


def write_leg(leg: Leg) -> bytes:
    """The leg's file: published format, two-space indent, UTF-8, unknown fields kept."""
    return (json.dumps(wire_leg(leg), indent=2, ensure_ascii=False) + "\n").encode()


def wire_leg(leg: Leg) -> dict[str, Any]:
    """The leg as the published format's JSON value."""
    difficulty = leg.difficulty
    return {
        "trail_id": leg.trail_id,
        "seed_url": leg.seed_url,
        "seed_title": leg.seed_title,
        "stops": [wire_of(stop) for stop in leg.stops],
        "passcode": leg.digit,
        "difficulty": {
            "level": difficulty.level,
            "depth": difficulty.depth,
            "tool_stop_count": difficulty.tool_stop_count,
            "reason_stop_count": difficulty.reason_stop_count,
            "extraction_difficulty": difficulty.extraction_difficulty,
            "bridge_obscurity": difficulty.bridge_obscurity,
        }
        | dict(difficulty.extra),
        "riddle": leg.clues,
        "metadata": dict(leg.metadata),
        "generated_at": leg.generated_at,
    } | dict(leg.extra)


def envelope(leg: Leg, *, tools: tuple[str, ...], step_budget: int | None) -> ClueEnvelope:
    """All that the agent may see: `tools` on offer, and the step budget when one is shown."""
    return ClueEnvelope(
        seed_url=leg.seed_url, clues=leg.clues, tools=tools, step_budget=step_budget
    )
