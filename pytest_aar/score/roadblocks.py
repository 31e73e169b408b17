"""Roadblock completion under the profiles `paper` and `types`; `strict` is in `matching`."""

from collections.abc import Callable, Iterable

from pytest_aar.leg import Leg, Roadblock
from pytest_aar.trace import Trace

from .matching import PYTHON


def paper_complete(roadblock: Roadblock, names: frozenset[str]) -> bool:
    """As the authors computed it: every tool name of the chain occurs anywhere in the trace.

    One call may serve many roadblocks, and need not have succeeded.
    """
    return all(step.tool in names for step in roadblock.chain)


def names_called(trace: Trace) -> frozenset[str]:
    """The names of the tools that a trace calls, successfully or not."""
    return frozenset(call.name for call in trace.tool_calls)


def share(roadblocks: Iterable[Roadblock], complete: Callable[[Roadblock], bool]) -> float | None:
    """Completed roadblocks / roadblocks; None without any."""
    outcomes = [complete(roadblock) for roadblock in roadblocks]
    return sum(outcomes) / len(outcomes) if outcomes else None


def types_used(leg: Leg, names: frozenset[str]) -> float:
    """Share of the distinct expected tools that were used, as the authors' task verifier has it.

    The finish line expects the code tool, so that there is always one.
    """
    expected = {step.tool for roadblock in leg.roadblocks for step in roadblock.chain} | {PYTHON}
    return len(expected & names) / len(expected)
