"""The figures of one race, as plain data."""

from dataclasses import dataclass
from typing import Literal

from pytest_aar.leg import StopKind

ErrorClass = Literal["correct", "navigation", "tool use", "computation"]
ERROR_CLASSES: tuple[ErrorClass, ...] = ("correct", "navigation", "tool use", "computation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a race achieved; every field is a JSON scalar.

    None means that the leg or the trace has no such thing. `fa` is 1 or 0. `rcr` is the profile
    `paper`; `error_class` uses it, `error_class_strict` uses `rcr_strict`. `seed_free_pvr` leaves
    out the seed page. The `needed_` figures are over the stops whose value flows into the digit. A
    divergence is the first stop in topological order that was missed, and its kind: a page not
    visited, a roadblock not complete (strict), or a wrong digit at the finish line; what an agent
    computes in its head is not seen, so a detour never is one. `steps` are counted model calls,
    `tokens` input and output, None where a reply does not say.
    """

    fa: int
    pvr: float
    seed_free_pvr: float | None
    needed_pvr: float | None
    rcr: float | None
    rcr_strict: float | None
    rcr_types: float
    needed_rcr: float | None
    needed_rcr_strict: float | None
    error_class: ErrorClass
    error_class_strict: ErrorClass
    first_divergence: int | None
    first_divergence_kind: StopKind | None
    needed_divergence: int | None
    needed_divergence_kind: StopKind | None
    intermediate_rate: float | None
    right_call_rate: float | None
    valid_call_rate: float | None
    steps: int
    over_budget: bool
    tokens: int | None
    tool_calls: int
    model_calls: int
    pages_unresolved: int
