"""What this machine has and lacks for races: small checks, run side by side, in one table."""

from .check import EVERYTHING, LIVE, PURPOSES, SANDBOX, Check, concerning, in_the_way
from .examination import Patient, examine
from .probes import Probes
from .table import table

__all__ = [
    "EVERYTHING",
    "LIVE",
    "PURPOSES",
    "SANDBOX",
    "Check",
    "Patient",
    "Probes",
    "concerning",
    "examine",
    "in_the_way",
    "table",
]
