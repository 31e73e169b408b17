"""Leg files: which files are legs, reading them with every check, writing them back.

The wire format's words (`trail`, `stop_type`, `riddle`, `passcode`, `bridge`) stop in this package.
"""

from .identity import is_hidden, leg_id_of, legs_in, looks_like_leg
from .reading import LARGEST_BYTES, parse_leg, read_leg
from .writing import envelope, wire_leg, write_leg

__all__ = [
    "LARGEST_BYTES",
    "envelope",
    "is_hidden",
    "leg_id_of",
    "legs_in",
    "looks_like_leg",
    "parse_leg",
    "read_leg",
    "wire_leg",
    "write_leg",
]
