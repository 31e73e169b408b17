"""Running races: one leg, one agent, one attempt after another, to a scored result."""

from .checks import check_settings
from .records import Race
from .shared import SharedRaces
from .track import Track, WorldInUse

__all__ = ["Race", "SharedRaces", "Track", "WorldInUse", "check_settings"]
