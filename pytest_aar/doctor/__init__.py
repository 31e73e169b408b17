"""What this machine has and lacks for races: small checks, run side by side, in one table."""

from .check import EVERYTHING, LIVE, PURPOSES, SANDBOX, Check, concerning, in_the_way
from .examination import Patient, examine
from .ini_file import contact_in_ini, folder_in_ini, services_in_ini
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
    "contact_in_ini",
    "examine",
    "folder_in_ini",
    "in_the_way",
    "services_in_ini",
    "table",
]
