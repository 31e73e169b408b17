"""Step 3, build: page facts, roadblocks with their values, and detours within their domains."""

from collections.abc import AsyncIterator
from functools import partial

from .conversions import unit_words
from .draft import (
    Bench,
    Draft,
    DraftStop,
    PageFact,
    PageGraph,
    Question,
    Rejected,
    RoutePlan,
    RouteStep,
    Thread,
)
from .makers import Spot, detours, first_measured, inserted, named, recipes, subject
from .templates import Entity
from .uses import PLACE_KINDS, partner_of

#: Values of one template tried for a thread whose detours don't fit the first.
_HEADS = 3


async def build(graph: PageGraph, plan: RoutePlan, bench: Bench) -> Draft:
    """The plan's stops with their values, in a seeded route order.

    Raises:
        Rejected: a roadblock yields no fair number, or no transform fits a value.
    """
    return Draft(graph=graph, plan=plan, stops=await _Builder(graph, plan, bench).build())


def page_key(place: int) -> str:
    """The key of the route's page number `place`."""
    return f"page{place}"


def _page_stop(step: RouteStep, place: int) -> DraftStop:
    fact = step.fact
    return DraftStop(
        key=page_key(place),
        kind="page",
        place=step.title,
        target=fact.label,
        value=fact.value,
        value_type=fact.value_type,
        section=None if fact.section == "infobox" else fact.section,
        question=Question(rule=fact.value_type, slots=_fact_slots(fact)),
    )


def _fact_slots(fact: PageFact) -> dict[str, str]:
    words = unit_words(fact.unit)
    return {"unit": f", in {words}" if words else ""}


class _Builder:
    """Makes a plan's stops one thread after the other."""

    def __init__(self, graph: PageGraph, plan: RoutePlan, bench: Bench) -> None:
        self._plan, self._bench = plan, bench
        self._pages = [graph.pages[step.title] for step in plan.route]
        self._peek = partial(bench.page, graph)
        self._stops = [_page_stop(step, place) for place, step in enumerate(plan.route)]

    async def build(self) -> tuple[DraftStop, ...]:
        """All stops, in a seeded route order."""
        for number, thread in enumerate(self._plan.threads):
            for stop in await self._thread(thread, number):
                after = stop.sources[0] if stop.kind == "detour" else page_key(thread.page)
                self._stops = inserted(self._stops, stop, after, self._bench.chance)
        return tuple(self._stops)

    async def _thread(self, thread: Thread, number: int) -> list[DraftStop]:
        """The thread's roadblock, if it has one, and its detours: by its own template, else another."""
        page = self._stop(page_key(thread.page))
        keys = [f"detour{number}-{each}" for each in range(thread.detours)]
        used = [stop.transform for stop in self._stops]
        if not thread.template:
            made = detours(page, keys, used, self._bench)
            if made is None:
                raise Rejected("build", "no transform fits a page's value")
            return made
        measured_heads = 0
        async for head in self._heads(thread, number):
            made = detours(page if thread.on_name else head, keys, used, self._bench)
            if made is not None:
                return [head, *made]
            measured_heads += 1
        why = "no transform fits the value of" if measured_heads else "no fair value for"
        raise Rejected("build", f"{why} {thread.template}")

    async def _heads(self, thread: Thread, number: int) -> AsyncIterator[DraftStop]:
        """A few roadblocks that may begin a thread, those of its own template first."""
        asked = [stop.chain for stop in self._stops]
        spot = self._spot(thread.page)
        for use in ((thread.template or "", thread.by_value), *thread.others):
            fresh = (each for each in recipes(use, spot, self._bench) if each.chain not in asked)
            for _ in range(_HEADS):
                key = f"roadblock{number}"
                head = await first_measured(fresh, key, spot.page.title, self._bench)
                if head is None:
                    break
                yield head

    def _spot(self, place: int) -> Spot:
        page, fact, key = self._pages[place], self._plan.route[place].fact, page_key(place)
        return Spot(
            page=page,
            fact=fact,
            key=key,
            start=self._start(place),
            named=named(page, fact, key, self._peek),
        )

    def _start(self, place: int) -> Entity:
        """Where a drive to this page's place begins: an earlier place, or else the page's subject.

        A place that an earlier page names comes before one that such a page is about: its value then
        flows on.
        """
        here = self._pages[place]
        for other in reversed(range(place)):
            entity = named(
                self._pages[other], self._plan.route[other].fact, page_key(other), self._peek
            )
            if entity and entity.kind in PLACE_KINDS and here.country == self._pages[other].country:
                return entity
        partner = partner_of(self._pages, place)
        at = self._pages.index(partner) if partner else place
        return subject(self._pages[at], page_key(at))

    def _stop(self, key: str) -> DraftStop:
        return next(stop for stop in self._stops if stop.key == key)
