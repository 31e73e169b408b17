"""Running races: one leg, one agent, one attempt after another, to a scored result."""

from .records import Race, crashed
from .track import Track, WorldInUse, check_settings

__all__ = ["Race", "Track", "WorldInUse", "check_settings", "crashed"]
