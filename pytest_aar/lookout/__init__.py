"""The lookout: sees in a race's traffic what gives the leg away, and pages read past the gateway."""

from .decoy import DECOY_CANARY, DECOY_NAME, DecoyWatch, decoy_at, why_unwatched
from .needles import Needle, guid_needle, leg_needles, leg_paths, path_needle
from .undumpable import undumpable
from .watch import Lookout
from .web import web_access

__all__ = [
    "DECOY_CANARY",
    "DECOY_NAME",
    "DecoyWatch",
    "Lookout",
    "Needle",
    "decoy_at",
    "guid_needle",
    "leg_needles",
    "leg_paths",
    "path_needle",
    "undumpable",
    "web_access",
    "why_unwatched",
]
