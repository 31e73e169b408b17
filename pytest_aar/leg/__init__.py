"""A leg as records, and views on it: graph, value dependencies, chain forms."""

from .records import (
    TRANSITIONS,
    VALUE_TYPES,
    ChainStep,
    ClueEnvelope,
    Detour,
    Difficulty,
    FinishLine,
    Leg,
    PitStop,
    Roadblock,
    RouteInfo,
    Value,
)

__all__ = [
    "TRANSITIONS",
    "VALUE_TYPES",
    "ChainStep",
    "ClueEnvelope",
    "Detour",
    "Difficulty",
    "FinishLine",
    "Leg",
    "PitStop",
    "Roadblock",
    "RouteInfo",
    "Value",
]
