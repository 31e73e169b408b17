"""How well the steps read from the clues agree with a leg: four parts, their mean, and stops lost.

Steps are compared with stops place by place, so order counts, and what a clue refers to counts as
what stands at that number now. A list of another length, or misnumbered, is worth nothing as a
count: every later number would be off. A mean hides a single bad clue among thirty good ones, and
one is enough to end a race: a stop that its clue does not lead to halves it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_aar.leg import Detour, FinishLine, Leg, PitStop, Roadblock, RouteInfo, kind_of
from pytest_aar.leg.templates import is_merge

from .page_match import tells_page, topic
from .records import ReadStep
from .task_match import names_task

_PARTS = 4
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Four agreements between 0 and 1, and the stops (by index) lost: see `docs/clues.md`."""

    steps: float
    topics: float
    tools: float
    formula: float
    lost: tuple[int, ...]

    @property
    def mean(self) -> float:
        """The alignment as one number: at most a half if a stop is lost."""
        mean = (self.steps + self.topics + self.tools + self.formula) / _PARTS
        return mean * _HALF if self.lost else mean


def align(leg: Leg, steps: Sequence[ReadStep]) -> Alignment:
    """The agreement of steps, as `read_clues` gives them, with a leg's stops."""
    gold = _Gold(leg)
    pairs = [(stop, _at(steps, place)) for place, stop in enumerate(leg.stops)]
    return Alignment(
        steps=float([step.number for step in steps] == [*range(1, len(leg.stops) + 1)]),
        topics=_mean(
            topic(stop, gold.before(stop), step)
            for stop, step in pairs
            if isinstance(stop, RouteInfo)
        ),
        tools=_mean(tool_match(stop, step) for stop, step in pairs),
        formula=gold.formula(steps),
        lost=tuple(stop.index for stop, step in pairs if not gold.told(stop, step, steps)),
    )


def tool_match(stop: PitStop, step: ReadStep | None) -> float:
    """How far a step's kind and tools are the stop's: the shared part of both sets of tools."""
    if step is None or step.kind != kind_of(stop):
        return 0.0
    wanted = _tools(stop)
    either = wanted | step.tools
    return len(wanted & step.tools) / len(either) if either else 1.0


def _tools(stop: PitStop) -> frozenset[str]:
    if isinstance(stop, Roadblock):
        return frozenset(step.tool for step in stop.chain)
    return frozenset({"fetch_webpage"} if isinstance(stop, RouteInfo) else ())


class _Gold:
    """What each stop of a leg is computed from, and how its page is reached, as clue numbers."""

    def __init__(self, leg: Leg) -> None:
        self._leg = leg
        self._pages = [stop for stop in leg.stops if isinstance(stop, RouteInfo)]

    def before(self, stop: RouteInfo) -> RouteInfo | None:
        """The page stop from which a page is come by; None for the first."""
        place = self._pages.index(stop)
        return self._pages[place - 1] if place else None

    def told(self, stop: PitStop, step: ReadStep | None, steps: Sequence[ReadStep]) -> bool:
        """Whether a stop's clue says what has to be done there, as far as the leg knows it."""
        if isinstance(stop, RouteInfo):
            return tells_page(stop, self.before(stop), step)
        if not self._computed(stop, steps):
            return False
        return step is not None and tool_match(stop, step) == 1 and names_task(stop, step)

    def formula(self, steps: Sequence[ReadStep]) -> float:
        """The share of computed stops read with operation and operands; 0 without the finish line."""
        if not self._computed(self._leg.finish, steps):
            return 0.0
        stops = (stop for stop in self._leg.stops if not isinstance(stop, RouteInfo))
        return _mean(float(self._computed(stop, steps)) for stop in stops)

    def _computed(self, stop: PitStop, steps: Sequence[ReadStep]) -> bool:
        step = _at(steps, stop.index)
        if step is None or not tool_match(stop, step):
            return False
        wanted = self._operands(stop)
        said = [operand - 1 for operand in step.operands]
        exact = isinstance(stop, Detour | FinishLine) or is_merge(stop)
        right = sorted(said) == sorted(wanted) if exact else set(wanted) <= set(said)
        agrees = _operation(stop) == step.operation and _days_agree(stop, step)
        return right and agrees and self._stand(wanted, steps)

    def _stand(self, operands: Sequence[int], steps: Sequence[ReadStep]) -> bool:
        """Whether each operand's own clue asks for what its stop is."""
        return all(tool_match(self._leg.stops[each], _at(steps, each)) > 0 for each in operands)

    def _operands(self, stop: PitStop) -> tuple[int, ...]:
        match stop:
            case Detour():
                return (stop.source,)
            case FinishLine():
                return stop.operands
            case Roadblock():
                return self._taken(stop)
        return ()

    def _taken(self, stop: Roadblock) -> tuple[int, ...]:
        """A merge's branches; the stops whose values a roadblock takes; else its page's stop."""
        if is_merge(stop):
            return stop.depends_on or ()
        named = tuple(stop.bridge_extra.get("referenced_stops", ()))
        about_page = [page.index for page in self._pages if page.page_url == stop.page_url]
        alone = {"stock", "crypto"} & {step.tool.partition("_")[0] for step in stop.chain}
        return named or (() if alone else tuple(about_page[:1]))


def _days_agree(stop: PitStop, step: ReadStep) -> bool:
    """Whether the clue names a day if the chain takes one, and none that the chain does not take."""
    if not isinstance(stop, Roadblock):
        return True
    taken = set(_DAY.findall(" ".join(str(call.arguments) for call in stop.chain)))
    return bool(step.days) == bool(taken) and step.days <= taken


def _operation(stop: PitStop) -> str | None:
    match stop:
        case Detour():
            return stop.transform
        case FinishLine():
            return _shape(stop.expression)
        case Roadblock() if is_merge(stop):
            return _shape(str(stop.chain[0].arguments.get("code")))
    return None


def _shape(code: str) -> str:
    if "digital_root" in code:
        return "digital_root"
    return "difference" if "abs(" in code else "sum"


def _at(steps: Sequence[ReadStep], place: int) -> ReadStep | None:
    return steps[place] if place < len(steps) else None


def _mean(values: Iterator[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 1.0
