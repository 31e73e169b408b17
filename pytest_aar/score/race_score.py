"""The score of one race: a pure function of the leg, the trace and the answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_aar.leg import (
    FinishLine,
    Leg,
    PitStop,
    Roadblock,
    RouteInfo,
    ancestry,
    topological_order,
)
from pytest_aar.trace import Finish, Trace

from .divergence import first_missed
from .matching import StrictMatch, match
from .pages import Pages, pages_of
from .records import ErrorClass, Score
from .roadblocks import names_called, paper_complete, share, types_used
from .values import values_seen

THETA = 0.5


def score(
    leg: Leg,
    trace: Trace,
    finish: Finish,
    *,
    theta: float = THETA,
    titles: Mapping[str, str] | None = None,
) -> Score:
    """Every figure of a race.

    `theta` is the threshold of the error classes; `titles` says which golden pages redirect where.
    """
    facts = _Facts(
        leg=leg,
        names=names_called(trace),
        pages=pages_of(leg, trace, titles),
        strict=match(leg, trace),
        needed=ancestry(leg),
        right=finish.answer == leg.digit,
    )
    order = topological_order(leg)
    needed_order = [i for i in order if i in facts.needed or i == leg.finish.index]
    first, first_kind = first_missed(leg, order, facts.missed)
    needed_first, needed_kind = first_missed(leg, needed_order, facts.missed)
    pvr, rcr, rcr_strict = facts.pvr(), facts.rcr(), facts.rcr_strict()
    seen, values = values_seen(leg, trace)
    return Score(
        fa=int(facts.right),
        pvr=pvr,
        seed_free_pvr=facts.pages.rate(facts.pages.without_seed()),
        needed_pvr=facts.pages.rate(sorted(facts.needed)),
        rcr=rcr,
        rcr_strict=rcr_strict,
        rcr_types=types_used(leg, facts.names),
        needed_rcr=facts.rcr(needed=True),
        needed_rcr_strict=facts.rcr_strict(needed=True),
        error_class=error_class(right=facts.right, pvr=pvr, rcr=rcr, theta=theta),
        error_class_strict=error_class(right=facts.right, pvr=pvr, rcr=rcr_strict, theta=theta),
        first_divergence=first,
        first_divergence_kind=first_kind,
        needed_divergence=needed_first,
        needed_divergence_kind=needed_kind,
        intermediate_rate=_rate(seen, values),
        right_call_rate=_rate(facts.strict.matched, sum(len(r.chain) for r in leg.roadblocks)),
        valid_call_rate=_rate(sum(c.ok for c in trace.tool_calls), len(trace.tool_calls)),
        steps=trace.steps,
        over_budget=over_budget(leg, trace),
        tokens=trace.tokens,
        tool_calls=len(trace.tool_calls),
        model_calls=len(trace.model_calls),
        pages_unresolved=facts.pages.unresolved,
    )


def error_class(*, right: bool, pvr: float, rcr: float | None, theta: float) -> ErrorClass:
    """The one class of a race: a rate below `theta` (strictly) is the error, pages before tools."""
    if right:
        return "correct"
    if pvr < theta:
        return "navigation"
    if rcr is not None and rcr < theta:
        return "tool use"
    return "computation"


def over_budget(leg: Leg, trace: Trace) -> bool:
    """Whether a race took more steps than the paper's budget for its leg."""
    return trace.steps > leg.step_budget


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What the figures are made of."""

    leg: Leg
    names: frozenset[str]
    pages: Pages
    strict: StrictMatch
    needed: frozenset[int]
    right: bool

    def pvr(self) -> float:
        """Over all pages; 1 for a leg without any, where none can be missed."""
        rate = self.pages.rate(self.pages.page)
        return 1.0 if rate is None else rate

    def rcr(self, *, needed: bool = False) -> float | None:
        return share(self._roadblocks(needed=needed), lambda r: paper_complete(r, self.names))

    def rcr_strict(self, *, needed: bool = False) -> float | None:
        return share(self._roadblocks(needed=needed), lambda r: self.strict.complete(r.index))

    def missed(self, stop: PitStop) -> bool:
        match stop:
            case RouteInfo():
                return not self.pages.visited[stop.index]
            case Roadblock():
                return not self.strict.complete(stop.index)
            case FinishLine():
                return not self.right
            case _:
                return False

    def _roadblocks(self, *, needed: bool) -> tuple[Roadblock, ...]:
        return tuple(r for r in self.leg.roadblocks if not needed or r.index in self.needed)


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None
