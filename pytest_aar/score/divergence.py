"""The first stop that an agent missed."""

from collections.abc import Callable, Iterable

from pytest_aar.leg import Leg, PitStop, StopKind, kind_of


def first_missed(
    leg: Leg, order: Iterable[int], missed: Callable[[PitStop], bool]
) -> tuple[int | None, StopKind | None]:
    """Index and kind of the first stop of `order` that was missed; (None, None) without one."""
    for index in order:
        stop = leg.stops[index]
        if missed(stop):
            return index, kind_of(stop)
    return None, None
