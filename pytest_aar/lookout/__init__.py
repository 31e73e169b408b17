"""The lookout: sees in a race's traffic what gives the leg away, and pages read past the gateway."""

from .decoy import DECOY_CANARY, DECOY_NAME, DecoyWatch, decoy_at, why_unwatched
from .needles import NamedPath, Needle, found_in, guid_needle, leg_needles, leg_paths, path_needle
from .neighbours import names_another, names_gateway
from .undumpable import stay_undumpable, undumpable
from .watch import Lookout
from .web import code_access, web_access

__all__ = [
    "DECOY_CANARY",
    "DECOY_NAME",
    "DecoyWatch",
    "Lookout",
    "NamedPath",
    "Needle",
    "code_access",
    "decoy_at",
    "found_in",
    "guid_needle",
    "leg_needles",
    "leg_paths",
    "names_another",
    "names_gateway",
    "path_needle",
    "stay_undumpable",
    "undumpable",
    "web_access",
    "why_unwatched",
]
