"""Cassettes: recorded traffic, replayed exactly or refused with the first difference.

Importing this package imports vcrpy; `pytest_aar.cassettes.paths` and the rest come with it. Code
on the way to pytest's start-up imports it inside the function that needs it.
"""

from pytest_aar.cassettes.canonical import GATEWAY_TAG
from pytest_aar.cassettes.metadata import Metadata
from pytest_aar.cassettes.misses import Miss
from pytest_aar.cassettes.opening import TapeMode, TapeOptions, open_tape
from pytest_aar.cassettes.paths import cassette_path, tools_path
from pytest_aar.cassettes.race_tapes import RaceFiles, RaceTapes, tapes_for
from pytest_aar.cassettes.silent import SilentTape
from pytest_aar.cassettes.tape import Tape
from pytest_aar.cassettes.transport import ENDPOINT, TapeTransport

__all__ = [
    "ENDPOINT",
    "GATEWAY_TAG",
    "Metadata",
    "Miss",
    "RaceFiles",
    "RaceTapes",
    "SilentTape",
    "Tape",
    "TapeMode",
    "TapeOptions",
    "TapeTransport",
    "cassette_path",
    "open_tape",
    "tapes_for",
    "tools_path",
]
