"""Which stops' values flow into the digit: a second graph beside the route.

Its edges: a detour's source, the branches of a merge, outputs of earlier roadblocks that a chain's
placeholders name, stops that a roadblock refers to (`referenced_stops`: the generator writes there
whose value stands in the arguments), and those operands of the finish line whose values stand in
its expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .arithmetic import operand_literals
from .graph import diamonds
from .operands import held_operands
from .placeholders import references
from .records import Detour, FinishLine, Leg, PitStop, Roadblock

if TYPE_CHECKING:
    import networkx as nx

#: The share of a leg's stops, finish line included, that should be in the digit's ancestry.
FLOW = 0.6


def value_graph(leg: Leg) -> nx.DiGraph[int]:
    """An edge from each stop to those whose value is computed from its value."""
    import networkx as nx  # noqa: PLC0415 - see pytest_aar.leg.graph

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(stop.index for stop in leg.stops)
    for index, sources in value_sources(leg).items():
        graph.add_edges_from((source, index) for source in sources)
    return graph


def ancestry(leg: Leg) -> frozenset[int]:
    """The indexes of the stops whose value flows into the digit; the finish line is not one."""
    sources = value_sources(leg)
    found: set[int] = set()
    waiting = list(sources[leg.finish.index])
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            waiting.extend(sources[index])
    return frozenset(found)


def value_sources(leg: Leg) -> Mapping[int, tuple[int, ...]]:
    """For every stop, the stops that its value is computed from."""
    branches = {diamond.merge: diamond.branches for diamond in diamonds(leg)}
    producers: dict[str, int] = {}
    sources: dict[int, tuple[int, ...]] = {}
    for stop in leg.stops:
        sources[stop.index] = branches.get(stop.index, ()) + _sources(leg, stop, producers)
        if isinstance(stop, Roadblock):
            producers |= {step.output_key: stop.index for step in stop.chain if step.output_key}
    return sources


def used_operands(leg: Leg) -> tuple[int, ...]:
    """The operands whose whole value stands in the finish line's expression, in the order of the list.

    Published legs often list more stops than the expression uses. None where the expression is none.
    """
    try:
        used = set(
            held_operands(leg.finish, {stop.index: stop.value for stop in leg.stops}).values()
        )
    except ValueError:
        return ()
    return tuple(operand for operand in dict.fromkeys(leg.finish.operands) if operand in used)


def operand_count(leg: Leg) -> int:
    """How many numbers stand in the finish line's expression, the modulus left out; 0 where it is none."""
    try:
        return len(operand_literals(leg.finish.expression))
    except ValueError:
        return 0


def _sources(leg: Leg, stop: PitStop, producers: Mapping[str, int]) -> tuple[int, ...]:
    match stop:
        case Detour():
            return (stop.source,)
        case FinishLine():
            return used_operands(leg)
        case Roadblock():
            return (
                *_earlier_outputs(stop, producers),
                *stop.bridge_extra.get("referenced_stops", ()),
            )
        case _:
            return ()


def _earlier_outputs(stop: Roadblock, producers: Mapping[str, int]) -> tuple[int, ...]:
    own: set[str | None] = set()
    earlier: dict[int, None] = {}
    for step in stop.chain:
        for key in references(step.arguments):
            if key not in own and key in producers:
                earlier[producers[key]] = None
        own.add(step.output_key)
    return tuple(earlier)
