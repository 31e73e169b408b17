"""The lookout: sees in a race's traffic what gives the leg away, and pages read past the gateway."""

from .decoy import DECOY_NAME, DecoyWatch, read_decoy, why_unwatched
from .needles import Needle, guid_needle, leg_needles, leg_paths, path_needle
from .undumpable import undumpable
from .watch import Lookout
from .web import web_access

__all__ = [
    "DECOY_NAME",
    "DecoyWatch",
    "Lookout",
    "Needle",
    "guid_needle",
    "leg_needles",
    "leg_paths",
    "path_needle",
    "read_decoy",
    "undumpable",
    "web_access",
    "why_unwatched",
]
