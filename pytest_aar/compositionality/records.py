"""The records of the comparison: one instance of a benchmark, what was read of a benchmark, its figures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

#: `path`: one chain, weakly connected, no branch. `dag`: a step that needs two others or more. The rest has
#: no such step: `fork` in one piece, `apart` in several.
Shape = Literal["path", "dag", "fork", "apart"]
SHAPES: tuple[Shape, ...] = get_args(Shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGraph:
    """One instance: `nodes` actions, numbered from 0, and which action follows which.

    `edges` are pairs (before, after), None where the benchmark does not say. `finish` are the actions that
    only end the run. `part` is the part or edition of the benchmark that the instance belongs to, and
    `where` the file.
    """

    instance: str
    where: str
    nodes: int
    edges: frozenset[tuple[int, int]] | None
    finish: frozenset[int] = frozenset()
    part: str = ""

    @property
    def steps(self) -> int:
        """The actions that do more than end the run."""
        return self.nodes - len(self.finish)

    def repeats(self, other: "ToolGraph") -> bool:
        """Whether the other is the same graph, from wherever it was read."""
        mine = (self.nodes, self.edges, self.finish, self.part)
        return mine == (other.nodes, other.edges, other.finish, other.part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An instance that can't be measured: `kind` for counting, `what` was found."""

    kind: str
    instance: str
    where: str
    what: str

    def __str__(self) -> str:
        """One line for people."""
        place = "" if self.where in self.instance else f" in {self.where}"
        return f"{self.instance}{place}: {self.kind}: {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What a benchmark's authors counted themselves: instances by shape, no steps."""

    shapes: Mapping[Shape, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read of a benchmark.

    `passed_over` are the files of folders that are not of its format, `repeated` the instances that were
    found again, equal.
    """

    graphs: tuple[ToolGraph, ...] = ()
    faults: tuple[Fault, ...] = ()
    published: tuple[Published, ...] = ()
    passed_over: tuple[str, ...] = ()
    repeated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The figures of one benchmark, or of a part of it.

    `steps` is the mean number of steps, None where only counts are published. `shapes` counts instances,
    None where the benchmark does not say what follows what (`undefined` is the reason).
    """

    benchmark: str
    format: str
    part: str
    instances: int
    steps: float | None
    shapes: Mapping[Shape, int] | None
    undefined: str | None = None
    note: str | None = None

    def percent(self, *shapes: Shape) -> float | None:
        """The share of instances of these shapes, in per cent; None where it is undefined."""
        if self.shapes is None:
            return None
        return 100 * sum(self.shapes[shape] for shape in shapes) / self.instances
