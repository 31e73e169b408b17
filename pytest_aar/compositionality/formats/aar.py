"""Legs of The Amazing Agent Race: pit stops in route order. The finish line computes, so it is a step."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_aar.compositionality.documents import files_below
from pytest_aar.compositionality.entries import Collected
from pytest_aar.compositionality.records import Fault, Reading, ToolGraph
from pytest_aar.errors import LegError
from pytest_aar.leg import Leg, route_graph
from pytest_aar.leg_file import looks_like_leg, read_leg
from pytest_aar.levels import VARIANTS


def read(paths: Sequence[Path]) -> Reading:
    """The legs in files and below folders, by variant; a file that is no leg is a fault.

    A leg is known by its content: legs of two sets may have one id.
    """
    files = [
        file for file in files_below(paths, (".json",)) if file in paths or looks_like_leg(file)
    ]
    collected = Collected()
    for file in files:
        try:
            leg = read_leg(file)
        except LegError as error:
            collected.add(
                Fault(kind="no leg", instance=file.stem, where=str(file), what=error.problem)
            )
        else:
            collected.add(graph_of(leg, str(file)), key=leg.sha256)
    found = collected.reading()
    graphs = sorted(found.graphs, key=lambda graph: VARIANTS.index(graph.part))
    return replace(found, graphs=tuple(graphs))


def graph_of(leg: Leg, where: str) -> ToolGraph:
    """The leg's route."""
    return ToolGraph(
        instance=leg.leg_id,
        where=where,
        nodes=len(leg.stops),
        edges=frozenset(route_graph(leg).edges),
        part=leg.variant,
    )
