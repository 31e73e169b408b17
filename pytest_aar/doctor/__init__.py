"""What this machine has and lacks for races: small checks, run side by side, in one table."""

from .check import EVERYTHING, PURPOSES, Check, in_the_way
from .examination import Patient, examine
from .table import table

__all__ = ["EVERYTHING", "PURPOSES", "Check", "Patient", "examine", "in_the_way", "table"]
