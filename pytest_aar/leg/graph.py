"""A leg's route as a graph: order, diamonds, linear or not.

networkx takes longer to import than a short run takes in all: functions that need it import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from .records import Leg, Roadblock
from .route import previous_stops

if TYPE_CHECKING:
    import networkx as nx

_BRANCHES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Diamond:
    """Source stop -> two branch roadblocks -> merge roadblock, as stop indexes."""

    source: int
    branches: tuple[int, int]
    merge: int


def route_graph(leg: Leg) -> nx.DiGraph[int]:
    """An edge from each stop to those that follow it; nodes hold their stop as `stop`."""
    import networkx as nx  # noqa: PLC0415 - see the module's docstring

    graph: nx.DiGraph[int] = nx.DiGraph()
    for stop in leg.stops:
        graph.add_node(stop.index, stop=stop)
    graph.add_edges_from(
        (before, stop.index) for stop in leg.stops for before in previous_stops(stop)
    )
    return graph


def topological_order(leg: Leg) -> tuple[int, ...]:
    """The stops' indexes, each after those it depends on; by index where that is free."""
    if all(before < stop.index for stop in leg.stops for before in previous_stops(stop)):
        return tuple(stop.index for stop in leg.stops)
    sorter = TopologicalSorter({stop.index: previous_stops(stop) for stop in leg.stops})
    sorter.prepare()
    order: list[int] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order.extend(ready)
        sorter.done(*ready)
    return tuple(order)


def diamonds(leg: Leg) -> tuple[Diamond, ...]:
    """The diamonds, in route order; never stored, always derived from `depends_on`."""
    found = (_diamond(leg, stop) for stop in leg.roadblocks)
    return tuple(diamond for diamond in found if diamond is not None)


def is_linear(leg: Leg) -> bool:
    """Whether every stop before the finish line follows exactly one stop, and no two the same."""
    followed: set[int] = set()
    for stop in leg.stops[:-1]:
        before = previous_stops(stop)
        if len(before) > 1 or followed.intersection(before):
            return False
        followed.update(before)
    return True


def _diamond(leg: Leg, merge: Roadblock) -> Diamond | None:
    if len(previous_stops(merge)) != _BRANCHES:
        return None
    first, second = (leg.stops[index] for index in previous_stops(merge))
    sources = previous_stops(first)
    if not (isinstance(first, Roadblock) and isinstance(second, Roadblock)):
        return None
    if len(sources) != 1 or sources != previous_stops(second):
        return None
    return Diamond(source=sources[0], branches=(first.index, second.index), merge=merge.index)
