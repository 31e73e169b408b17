"""Legs of The Amazing Agent Race: pit stops in route order. The finish line computes, so it is a step."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_aar.compositionality.documents import files_below
from pytest_aar.compositionality.records import Fault, Reading, ToolGraph
from pytest_aar.errors import LegError
from pytest_aar.leg import Leg, route_graph
from pytest_aar.leg_file import looks_like_leg, read_leg
from pytest_aar.levels import VARIANTS


def read(paths: Sequence[Path]) -> Reading:
    """The legs in files and below folders, by variant; a file that is no leg is a fault."""
    files = [
        file for file in files_below(paths, (".json",)) if file in paths or looks_like_leg(file)
    ]
    found = list(_graphs(files))
    graphs = [each for each in found if isinstance(each, ToolGraph)]
    graphs.sort(key=lambda graph: VARIANTS.index(graph.part))
    return Reading(
        graphs=tuple(graphs), faults=tuple(each for each in found if isinstance(each, Fault))
    )


def graph_of(leg: Leg, where: str) -> ToolGraph:
    """The leg's route."""
    return ToolGraph(
        instance=leg.leg_id,
        where=where,
        nodes=len(leg.stops),
        edges=frozenset(route_graph(leg).edges),
        part=leg.variant,
    )


def _graphs(files: Iterable[Path]) -> Iterator[ToolGraph | Fault]:
    for file in files:
        try:
            yield graph_of(read_leg(file), str(file))
        except LegError as error:
            yield Fault(kind="no leg", instance=file.stem, where=str(file), what=error.problem)
