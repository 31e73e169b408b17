"""A leg as records, and views on it: graph, value dependencies, chain forms."""

from .ancestry import ancestry, used_operands, value_graph
from .graph import Diamond, diamonds, is_linear, route_graph, topological_order
from .marks import drifts, marks_of, templates_of
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
from .templates import TEMPLATE_NAMES, TEMPLATES, Template, template_of

__all__ = [
    "TEMPLATES",
    "TEMPLATE_NAMES",
    "TRANSITIONS",
    "VALUE_TYPES",
    "ChainStep",
    "ClueEnvelope",
    "Detour",
    "Diamond",
    "Difficulty",
    "FinishLine",
    "Leg",
    "PitStop",
    "Roadblock",
    "RouteInfo",
    "Template",
    "Value",
    "ancestry",
    "diamonds",
    "drifts",
    "is_linear",
    "marks_of",
    "route_graph",
    "template_of",
    "templates_of",
    "topological_order",
    "used_operands",
    "value_graph",
]
