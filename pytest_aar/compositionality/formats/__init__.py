"""The formats of benchmarks: one module each reads files into graphs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.compositionality.records import Reading

from . import aar, bfcl, gaia, nestful, taskbench, teval, toolbench, toolhop


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format by its name on the command line.

    `undefined` is why instances have no shape. `note` is what a reader of the figures must know.
    """

    name: str
    title: str
    read: Callable[[Sequence[Path]], Reading]
    undefined: str | None = None
    note: str | None = None


_ALL = (
    Format(name="aar", title="AAR", read=aar.read),
    Format(name="teval", title="T-Eval", read=teval.read),
    Format(name="nestful", title="NESTFUL", read=nestful.read),
    Format(name="taskbench", title="TaskBench", read=taskbench.read),
    Format(
        name="toolbench",
        title="ToolBench",
        read=toolbench.read,
        note="recorded runs, call after call: paths by construction; there is no gold graph",
    ),
    Format(
        name="bfcl",
        title="BFCL",
        read=bfcl.read,
        undefined="its answers list calls and don't say which call needs another's result",
    ),
    Format(
        name="gaia",
        title="GAIA",
        read=gaia.read,
        note="steps as the annotators counted them, in a numbered list: paths by construction",
    ),
    Format(
        name="toolhop",
        title="ToolHop",
        read=toolhop.read,
        note="hops in their order: paths by construction",
    ),
)
FORMATS: Mapping[str, Format] = {each.name: each for each in _ALL}
