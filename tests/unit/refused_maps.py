"""A world whose maps refuse, and a call that needs them."""

from dataclasses import dataclass

from pytest_aar.tools import Services

DENIED = {"status": "REQUEST_DENIED", "error_message": "billing is off", "results": []}
GEOCODE = ("tools/maps_geocode", {"address": "Norland"})


@dataclass
class World:
    name: str
    services: Services
    world_hash: str | None = None
