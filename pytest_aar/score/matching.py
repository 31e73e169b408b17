"""The strict profile: which steps of the golden chains were called, each by a call of its own.

A maximum bipartite matching of successful calls to steps; identical steps count as one, so that
one call may serve several roadblocks.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from pytest_aar.leg import ChainStep, Leg, Roadblock, Value
from pytest_aar.leg.placeholders import references, resolve
from pytest_aar.readings import (
    ReadingError,
    number_of,
    numbers_agree,
    point_of,
    points_agree,
    printed,
    read,
)
from pytest_aar.trace import ToolCall, Trace

from .arguments import PLACE_SEARCH, arguments_agree

PYTHON = "python_execute_code"
_GEOCODE = "maps_geocode"
#: Combinations of the agent's own earlier outputs that are tried for one step.
_MOST_COMBINATIONS = 64

_Output = tuple[int, Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictMatch:
    """Per roadblock (by stop index), which steps of its chain have a call."""

    steps: Mapping[int, tuple[bool, ...]]

    def complete(self, index: int) -> bool:
        """Whether every step of a roadblock was called."""
        return all(self.steps[index])

    @property
    def matched(self) -> int:
        """Steps with a call, over all chains."""
        return sum(map(sum, self.steps.values()))


def match(leg: Leg, trace: Trace) -> StrictMatch:
    """The strict matching of a trace to a leg's chains."""
    search = _Search(calls=trace.tool_calls, by_tool=_by_tool(trace.tool_calls))
    keys = {roadblock.index: search.steps(roadblock) for roadblock in leg.roadblocks}
    served = _served(search.candidates)
    return StrictMatch(
        steps={index: tuple(key in served for key in steps) for index, steps in keys.items()}
    )


@dataclass(kw_only=True)
class _Search:
    """Finds, for each distinct step, the calls that could serve it."""

    calls: tuple[ToolCall, ...]
    by_tool: Mapping[str, list[int]]
    candidates: dict[str, tuple[int, ...]] = field(default_factory=dict)
    outputs: dict[str, list[_Output]] = field(default_factory=dict)
    printed: dict[int, float | None] = field(default_factory=dict)
    located: list[tuple[tuple[float, float], str]] | None = None

    def steps(self, roadblock: Roadblock) -> list[str]:
        """The keys of a roadblock's steps; identical steps of any roadblock have one key."""
        keys: list[str] = []
        names: dict[str, str] = {}
        for step in roadblock.chain:
            golden = _golden_of(roadblock, step)
            key = _key(step, names)
            if key not in self.candidates:
                self.candidates[key] = tuple(self._serving(step, golden))
            if step.output_key is not None:
                names[step.output_key] = key
                self.outputs[step.output_key] = self._outputs(key, step.output_key)
            keys.append(key)
        return keys

    def _serving(self, step: ChainStep, golden: float | None) -> Iterator[int]:
        for index in self.by_tool.get(step.tool, ()):
            if self._serves(index, self.calls[index], step, golden):
                yield index

    def _serves(self, index: int, call: ToolCall, step: ChainStep, golden: float | None) -> bool:
        if step.tool == PYTHON:
            # Agents write their own code: its output is what counts.
            number = self._printed(index)
            return golden is None or (number is not None and numbers_agree(golden, number))
        places = self._places(call) if step.tool == PLACE_SEARCH else ()
        return any(
            arguments_agree(arguments, call.arguments, places_found=places)
            for arguments in self._resolved(step, index)
        )

    def _resolved(self, step: ChainStep, before: int) -> Iterator[Mapping[str, Any]]:
        """The step's arguments, placeholders filled with outputs the agent had at that time."""
        keys = references(step.arguments)
        if not keys:
            yield step.arguments
            return
        options = [
            [value for index, value in self.outputs.get(key, ()) if index < before] for key in keys
        ]
        for values in islice(product(*options), _MOST_COMBINATIONS):
            try:
                yield resolve(step.arguments, dict(zip(keys, values, strict=True)))
            except (KeyError, ValueError):
                continue

    def _outputs(self, key: str, output_key: str) -> list[_Output]:
        found: list[_Output] = []
        for index in self.candidates[key]:
            try:
                found.append((index, read(output_key, self.calls[index].text)))
            except ReadingError:
                continue
        return found

    def _printed(self, index: int) -> float | None:
        if index not in self.printed:
            try:
                self.printed[index] = printed(self.calls[index].text)
            except ReadingError:
                self.printed[index] = None
        return self.printed[index]

    def _places(self, call: ToolCall) -> tuple[str, ...]:
        """The addresses that the agent geocoded to the point where this call searches."""
        point = point_of(call.arguments.get("location"))
        if point is None:
            return ()
        if self.located is None:
            self.located = list(_located(self.calls))
        return tuple(address for place, address in self.located if points_agree(place, point))


def _by_tool(calls: tuple[ToolCall, ...]) -> dict[str, list[int]]:
    """The positions of the successful calls, by tool."""
    found: dict[str, list[int]] = {}
    for index, call in enumerate(calls):
        if call.ok:
            found.setdefault(call.name, []).append(index)
    return found


def _located(calls: tuple[ToolCall, ...]) -> Iterator[tuple[tuple[float, float], str]]:
    for call in calls:
        address = call.arguments.get("address")
        if call.name != _GEOCODE or not call.ok or not isinstance(address, str):
            continue
        try:
            point = point_of(read("coords", call.text))
        except ReadingError:
            continue
        if point is not None:
            yield point, address


def _golden_of(roadblock: Roadblock, step: ChainStep) -> float | None:
    """The number that a step should yield: the roadblock's value at its end, else what is noted."""
    if step is roadblock.chain[-1]:
        return number_of(roadblock.value)
    return number_of(step.expected_output)


def _key(step: ChainStep, names: Mapping[str, str]) -> str:
    """Equal for steps that one call can serve: same tool, same arguments, same earlier steps."""
    earlier = [names.get(key, key) for key in references(step.arguments)]
    return json.dumps([step.tool, step.arguments, earlier], sort_keys=True)


def _served(candidates: Mapping[str, tuple[int, ...]]) -> set[str]:
    """The steps that get a call in a maximum matching.

    Taking the steps with the fewest candidates first nearly always serves all that can be; only
    when one is left over is the graph library asked (its import alone costs more than many races).
    """
    used: set[int] = set()
    served: set[str] = set()
    left_over = False
    for key in sorted(candidates, key=lambda key: len(candidates[key])):
        free = next((call for call in candidates[key] if call not in used), None)
        if free is not None:
            used.add(free)
            served.add(key)
        elif candidates[key]:
            left_over = True
    return _maximum(candidates) if left_over else served


def _maximum(candidates: Mapping[str, tuple[int, ...]]) -> set[str]:
    import networkx as nx  # noqa: PLC0415 - see _served

    graph: nx.Graph[int | str] = nx.Graph()
    graph.add_edges_from((key, call) for key, calls in candidates.items() for call in calls)
    steps = [key for key, calls in candidates.items() if calls]
    pairs = nx.bipartite.hopcroft_karp_matching(graph, top_nodes=steps)
    return {key for key in steps if key in pairs}
