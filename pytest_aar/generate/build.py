"""Step 3, build: page facts, roadblocks with their values, and detours within their domains."""

from .conversions import unit_words
from .draft import (
    Bench,
    Draft,
    DraftStop,
    PageFact,
    PageGraph,
    PageNode,
    Question,
    Rejected,
    RoutePlan,
    RouteStep,
    Thread,
)
from .makers import Spot, detour, first_measured, inserted, recipes, subject
from .templates import Entity
from .uses import partner_of

#: Share of the threads at a name whose detours take the name, not the roadblock's figure.
_ON_NAME_SHARE = 0.25


async def build(graph: PageGraph, plan: RoutePlan, bench: Bench) -> Draft:
    """The plan's stops with their values, in a seeded route order.

    Raises:
        Rejected: a roadblock yields no fair number, or no transform fits a value.
    """
    stops = [_page_stop(step, place) for place, step in enumerate(plan.route)]
    for number, thread in enumerate(plan.threads):
        stops = await _with_thread(stops, thread, number, (graph, plan), bench)
    return Draft(graph=graph, plan=plan, stops=tuple(stops))


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
    box = fact.section == "infobox"
    where = "in its summary box" if box else f"in its section “{fact.section}”"
    words = unit_words(fact.unit)
    return {"label": fact.label, "where": where, "unit": f", in {words}" if words else ""}


def _start(route: list[PageNode], place: int) -> Entity:
    """Where a drive to this page's place begins: an earlier place, or else the page's subject."""
    partner = partner_of(route, place)
    return subject(partner or route[place], page_key(route.index(partner) if partner else place))


async def _with_thread(
    stops: list[DraftStop],
    thread: Thread,
    number: int,
    made: tuple[PageGraph, RoutePlan],
    bench: Bench,
) -> list[DraftStop]:
    graph, plan = made
    step = plan.route[thread.page]
    route = [graph.pages[each.title] for each in plan.route]
    tail = next(stop for stop in stops if stop.key == page_key(thread.page))
    if thread.template:
        use = (thread.template, thread.by_value)
        spot = Spot(
            page=route[thread.page],
            fact=step.fact,
            key=tail.key,
            start=_start(route, thread.page),
        )
        asked = [stop.chain for stop in stops]
        candidates = (each for each in recipes(use, spot, bench) if each.chain not in asked)
        head = await first_measured(candidates, f"roadblock{number}", step.title, bench)
        if head is None:
            raise Rejected("build", f"no fair value for {thread.template}")
        stops, tail = inserted(stops, head, tail.key, bench.chance), head
    if step.fact.value_type == "text" and bench.chance.random() < _ON_NAME_SHARE:
        tail = next(stop for stop in stops if stop.key == page_key(thread.page))
    for count in range(thread.detours):
        made_detour = detour(tail, f"detour{number}-{count}", [s.transform for s in stops], bench)
        if made_detour is None:
            raise Rejected("build", "no transform fits a value")
        stops, tail = inserted(stops, made_detour, tail.key, bench.chance), made_detour
    return stops
