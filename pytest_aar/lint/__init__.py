"""Static checks of legs: rules that are pure functions of a leg or a set, findings with place and repair."""

from .finding import Finding, Severity
from .rules import RULES, Rule
from .run import Linted, fixed, lint_files, lint_leg, lint_set

__all__ = [
    "RULES",
    "Finding",
    "Linted",
    "Rule",
    "Severity",
    "fixed",
    "lint_files",
    "lint_leg",
    "lint_set",
]
