"""What a golden walk takes and gives."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_aar.leg import StopKind, Value
from pytest_aar.readings import fold, number_of


class ToolReply(Protocol):
    """What a tool call must give back; `tools.ToolResult` is one."""

    @property
    def ok(self) -> bool:
        """False for an error result."""

    @property
    def text(self) -> str:
        """The canonical result text (JSON, or markdown for a page)."""


#: Calls one tool by name with its arguments: in process, or through the gateway.
CallTool = Callable[[str, Mapping[str, Any]], Awaitable[ToolReply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """One stop whose recomputed value is not the leg's; `new` is None if there is none."""

    stop: int
    kind: StopKind
    old: Value
    new: Value | None
    why: str

    def __str__(self) -> str:
        """One line for people: stop, kind, old and new value, reason."""
        new = "none" if self.new is None else repr(self.new)
        return (
            f"stop {self.stop} ({self.kind}): golden value {self.old!r}, "
            f"recomputed value {new} ({self.why})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A recomputed leg: `values` by stop index (the golden one where nothing could be computed).

    `unverifiable` are route-info stops whose golden value still stands on the page, though no rule
    extracts it. `digit` is the recomputed finish line, None if its expression can't be evaluated.
    `calls` counts the tool calls made.
    """

    values: Mapping[int, Value]
    mismatches: tuple[Mismatch, ...]
    unverifiable: tuple[int, ...] = ()
    digit: int | None
    calls: int

    @property
    def clean(self) -> bool:
        """Whether every stop gave the golden value again."""
        return not self.mismatches


def same(old: Value | None, new: Value | None) -> bool:
    """Equal as numbers (to 9 digits) if both are numbers, else as folded text or as JSON values.

    Narrower than `readings.agree`, which forgives an agent 1 % and 0.02 degrees: a walk reports every
    value that has changed at all, and near 0 its 9 digits are absolute.
    """
    first, second = number_of(old), number_of(new)
    if first is not None and second is not None:
        return abs(first - second) <= 1e-9 * max(1.0, abs(first), abs(second))
    if isinstance(old, str) and isinstance(new, str):
        return fold(old) == fold(new)
    return old == new
