"""A leg as records, and views on it: graph, value dependencies, chain forms."""

from .ancestry import ancestry, used_operands, value_graph
from .graph import Diamond, diamonds, is_linear, route_graph, topological_order
from .marks import drifts, marks_of, templates_of
from .records import (
    KINDS,
    ChainStep,
    ClueEnvelope,
    Detour,
    Difficulty,
    FinishLine,
    Leg,
    PitStop,
    Roadblock,
    RouteInfo,
    StopKind,
    Value,
    kind_of,
)
from .templates import TEMPLATE_NAMES, TEMPLATES, Template, template_of
from .validity import CLASSES, PINNED, VALID, Reason, Validity, ValidityClass, validity_of

__all__ = [
    "CLASSES",
    "KINDS",
    "PINNED",
    "TEMPLATES",
    "TEMPLATE_NAMES",
    "VALID",
    "ChainStep",
    "ClueEnvelope",
    "Detour",
    "Diamond",
    "Difficulty",
    "FinishLine",
    "Leg",
    "PitStop",
    "Reason",
    "Roadblock",
    "RouteInfo",
    "StopKind",
    "Template",
    "Validity",
    "ValidityClass",
    "Value",
    "ancestry",
    "diamonds",
    "drifts",
    "is_linear",
    "kind_of",
    "marks_of",
    "route_graph",
    "template_of",
    "templates_of",
    "topological_order",
    "used_operands",
    "validity_of",
    "value_graph",
]
