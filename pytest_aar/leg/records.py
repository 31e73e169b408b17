"""The records of a leg: frozen data in the paper's words, no behaviour beyond look-ups.

The wire format's words (`trail`, `stop_type`, `riddle`, `passcode`, `bridge`) stop in `leg_file`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from pytest_aar.sandbox_hosts import WIKI_HOST

#: A stop's value as JSON holds it: int, float or str; three published stops hold a dict or list.
Value = int | float | str | dict[str, Any] | list[Any]

#: The kinds of pit stop in the paper's words.
StopKind = Literal["route info", "roadblock", "detour", "finish line"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainStep:
    """One tool call of a roadblock's chain.

    `arguments` may hold the placeholders `__from_previous`, `__from_previous_as_locations` and
    `__from_previous_as_origins_destinations`, which name output keys of earlier steps.
    """

    tool: str
    arguments: Mapping[str, Any]
    output_key: str | None
    expected_output: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stop:
    """What the four kinds of stop share.

    `depends_on` is route order as the file gives it: None when the field is absent (linear files),
    () when it is empty; both mean "the previous stop". `extra` and `bridge_extra` keep unknown wire
    fields, and known ones that this kind of stop does not use: writing gives back what was read.
    """

    index: int
    value: Value
    value_type: str
    page_url: str | None
    target: str
    section: str | None = None
    reasoning: str = ""
    depends_on: tuple[int, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    bridge_extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteInfo(_Stop):
    """A route-info stop: go to a page, extract a fact. `transition` leads on to the next page."""

    transition: str
    link_url: str | None = None
    search_query: str | None = None
    search_result_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roadblock(_Stop):
    """A roadblock: a chain of 1-3 tool calls; the value is what the last call yields."""

    chain: tuple[ChainStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detour(_Stop):
    """A detour: the named transform of an earlier stop's value; `code` is its author's Python."""

    transform: str
    source: int
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishLine(_Stop):
    """The finish line: `expression` over literals or stop values gives one digit.

    `operands` are the indexes of the stops it refers to (wire: `referenced_stops`).
    """

    expression: str
    operands: tuple[int, ...]
    code: str | None = None


PitStop = RouteInfo | Roadblock | Detour | FinishLine

#: A stop's kind in the paper's words, by its record.
KINDS: Mapping[type, StopKind] = {
    RouteInfo: "route info",
    Roadblock: "roadblock",
    Detour: "detour",
    FinishLine: "finish line",
}


def kind_of(stop: PitStop) -> StopKind:
    """The stop's kind in the paper's words."""
    return KINDS[type(stop)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difficulty:
    """The leg's declared level and its author's counts."""

    level: str
    depth: int | None = None
    tool_stop_count: int | None = None
    reason_stop_count: int | None = None
    extraction_difficulty: str | None = None
    bridge_obscurity: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One leg: its stops in route order (the finish line last), its clues, its digit (0-9).

    `leg_id` is the path without suffix below the legs root; `variant` is "linear" or "dag"; `level`
    "easy", "medium", "hard" or "extreme" (or a custom level's name). `sha256` is of the file.
    """

    leg_id: str
    variant: str
    level: str
    sha256: str
    trail_id: str
    seed_url: str
    seed_title: str
    stops: tuple[PitStop, ...]
    digit: int
    difficulty: Difficulty
    clues: str
    metadata: Mapping[str, Any]
    generated_at: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_sandbox(self) -> bool:
        """Whether it is raced in the sandbox world, which never changes: its seed page tells."""
        return urlsplit(self.seed_url).hostname == WIKI_HOST

    @property
    def finish(self) -> FinishLine:
        """The finish line."""
        last = self.stops[-1]
        assert isinstance(last, FinishLine)  # leg_file refuses anything else
        return last

    @property
    def route_infos(self) -> tuple[RouteInfo, ...]:
        """The route-info stops, in route order."""
        return tuple(stop for stop in self.stops if isinstance(stop, RouteInfo))

    @property
    def roadblocks(self) -> tuple[Roadblock, ...]:
        """The roadblocks, in route order."""
        return tuple(stop for stop in self.stops if isinstance(stop, Roadblock))

    @property
    def detours(self) -> tuple[Detour, ...]:
        """The detours, in route order."""
        return tuple(stop for stop in self.stops if isinstance(stop, Detour))

    @property
    def step_budget(self) -> int:
        """B = max(10, floor(1.5 K)), K the number of pit stops."""
        return max(10, 3 * len(self.stops) // 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClueEnvelope:
    """All that the agent sees of a leg. It has no golden field, so a leak is a type error.

    `tools` are the names of the tools on offer; `step_budget` is None when no budget is shown.
    """

    seed_url: str
    clues: str
    tools: tuple[str, ...]
    step_budget: int | None
