"""The shape of an instance's graph, by networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .records import Fault, Shape, ToolGraph

if TYPE_CHECKING:
    import networkx as nx

_MERGE = 2


def judged(graph: ToolGraph) -> Shape | Fault | None:
    """The graph's shape with its finish action; None where the benchmark does not say what follows what.

    A fault for what has no shape: no action at all, or a cycle.
    """
    if not graph.nodes:
        return _fault(graph, "no steps", "it holds no call")
    if graph.edges is None:
        return None
    drawn = _drawn(graph)
    cycle = _cycle(drawn)
    if cycle:
        return _fault(graph, "cycle", f"steps {' -> '.join(map(str, cycle))} (the first is 0)")
    return _shape(drawn)


def _drawn(graph: ToolGraph) -> nx.DiGraph[int]:
    import networkx as nx  # noqa: PLC0415 - takes long to import; not for --help

    drawn: nx.DiGraph[int] = nx.DiGraph()
    drawn.add_nodes_from(range(graph.nodes))
    drawn.add_edges_from(graph.edges or ())
    return drawn


def _cycle(drawn: nx.DiGraph[int]) -> list[int]:
    import networkx as nx  # noqa: PLC0415 - see _drawn

    if nx.is_directed_acyclic_graph(drawn):
        return []
    edges = nx.find_cycle(drawn)
    return [*(before for before, _ in edges), edges[0][0]]


def _shape(drawn: nx.DiGraph[int]) -> Shape:
    import networkx as nx  # noqa: PLC0415 - see _drawn

    if any(degree >= _MERGE for _, degree in drawn.in_degree()):
        return "dag"
    if not nx.is_weakly_connected(drawn):
        return "apart"
    forks = any(degree >= _MERGE for _, degree in drawn.out_degree())
    return "fork" if forks else "path"


def _fault(graph: ToolGraph, kind: str, what: str) -> Fault:
    return Fault(kind=kind, instance=graph.instance, where=graph.where, what=what)
