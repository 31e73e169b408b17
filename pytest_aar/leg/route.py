"""Route order: which stops come directly before a stop."""

from .records import PitStop


def previous_stops(stop: PitStop) -> tuple[int, ...]:
    """The indexes that a stop depends on; a missing or empty list means the stop before it."""
    if stop.depends_on:
        return stop.depends_on
    return (stop.index - 1,) if stop.index else ()
