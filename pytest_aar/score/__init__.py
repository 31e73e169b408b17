"""The only scorer: pure functions of leg and trace.

FA, PVR, RCR in three profiles, error classes, divergence, and what is made of many races.
"""

from .aggregate import (
    FEW_RACES,
    GUESSING_FLOOR,
    Rate,
    Recovery,
    accuracy,
    error_classes,
    mean_rate,
    recovery,
)
from .pages import canonical_title, visits_of
from .race_score import THETA, error_class, over_budget, score
from .records import ERROR_CLASSES, ErrorClass, Score
from .statistics import bootstrap_mean, wilson
from .upstream import upstream_compat

__all__ = [
    "ERROR_CLASSES",
    "FEW_RACES",
    "GUESSING_FLOOR",
    "THETA",
    "ErrorClass",
    "Rate",
    "Recovery",
    "Score",
    "accuracy",
    "bootstrap_mean",
    "canonical_title",
    "error_class",
    "error_classes",
    "mean_rate",
    "over_budget",
    "recovery",
    "score",
    "upstream_compat",
    "visits_of",
    "wilson",
]
