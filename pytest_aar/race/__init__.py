"""Running races: one leg, one agent, one attempt after another, to a scored result."""

from .boxes import is_boxed
from .checks import check_box, check_settings
from .records import Race
from .shared import SharedRaces
from .subject import subject_of
from .track import Track, WorldInUse
from .watched import Grounds

__all__ = [
    "Grounds",
    "Race",
    "SharedRaces",
    "Track",
    "WorldInUse",
    "check_box",
    "check_settings",
    "is_boxed",
    "subject_of",
]
