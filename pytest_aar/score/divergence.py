"""The first stop that an agent missed."""

from collections.abc import Callable, Iterable

from pytest_aar.leg import Detour, FinishLine, Leg, PitStop, Roadblock, RouteInfo

from .records import StopKind

_KINDS: dict[type, StopKind] = {
    RouteInfo: "route info",
    Roadblock: "roadblock",
    Detour: "detour",
    FinishLine: "finish line",
}


def kind_of(stop: PitStop) -> StopKind:
    """The stop's kind in the paper's words."""
    return _KINDS[type(stop)]


def first_missed(
    leg: Leg, order: Iterable[int], missed: Callable[[PitStop], bool]
) -> tuple[int | None, StopKind | None]:
    """Index and kind of the first stop of `order` that was missed; (None, None) without one."""
    for index in order:
        stop = leg.stops[index]
        if missed(stop):
            return index, kind_of(stop)
    return None, None
