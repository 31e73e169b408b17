"""Step 2, plan: a seeded route over the page graph, and what hangs on its pages."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

from .asked_route import asked_route
from .draft import Bench, PageFact, PageGraph, PageNode, Rejected, RoutePlan, RouteStep, Thread
from .facts import usable_facts
from .flow import MOST_OPERANDS, Counts, counts_for, flow_of
from .route import route_over
from .uses import Use, diamond_carrier, partner_of, uses

_OWN_VALUE_SHARE = 0.85
_SCARCE = ("date_computation", "weather_snowfall", "geocode_distance", "directions_duration")
_SCARCE_SHARE = 0.6
#: Share of the threads at a name whose detour takes the name, not the roadblock's figure.
_ON_NAME_SHARE = 0.5
#: Uses kept for a thread whose first choice gives no fair value.
_MOST_OTHERS = 4


@dataclass(slots=True)
class _Plotted:
    """A page of the route while its plan is made; `by_value`: its fact names what its diamond is about."""

    page: PageNode
    by_search: bool
    facts: tuple[PageFact, ...]
    fact: PageFact | None = None
    has_diamond: bool = False
    by_value: bool = False


async def plan(graph: PageGraph, bench: Bench) -> RoutePlan:
    """A route and what hangs on it, within the level's ranges.

    Raises:
        Rejected: the walk runs into a dead end, too few pages can carry what is wanted, or too
            little of it can flow into the digit.
    """
    counts = counts_for(bench.level, bench.variant, bench.chance)
    plotted = [
        _Plotted(page=page, by_search=by_search, facts=usable_facts(page, bench.level))
        for page, by_search in await _route(graph, counts.pages, bench)
    ]
    return _Planner(graph, plotted, counts, bench).plan()


async def _route(graph: PageGraph, length: int, bench: Bench) -> list[tuple[PageNode, bool]]:
    if bench.planner is None:
        return route_over(graph, length, bench)
    return await asked_route(graph, length, bench.planner, bench)


class _Planner:
    """Makes one plan over a route."""

    def __init__(
        self, graph: PageGraph, plotted: list[_Plotted], counts: Counts, bench: Bench
    ) -> None:
        self._route, self._counts, self._bench = plotted, counts, bench
        self._peek = partial(bench.page, graph)
        self._used: Counter[str] = Counter()
        self._slack = 0

    def plan(self) -> RoutePlan:
        """Diamonds first: few pages can carry them; then roadblocks on the pages left."""
        self._hang_diamonds()
        heads = self._heads()
        threads = [
            thread for place in range(len(self._route)) for thread in self._at(place, heads[place])
        ]
        flow = flow_of(threads, [self._gain(each) for each in self._route if each.has_diamond])
        if not self._counts.flows(flow):
            raise Rejected("plan", "too little can flow into the digit")
        self._slack = self._counts.slack(flow)
        spare = self._spare()
        return RoutePlan(
            route=tuple(self._step(each) for each in self._route),
            threads=self._with_detours(threads, self._counts.detours - spare),
            diamonds=tuple(i for i, each in enumerate(self._route) if each.has_diamond),
            spare_detours=spare,
        )

    def _hang_diamonds(self) -> None:
        """On pages whose fact names a place or country, else on pages about one."""
        chance = self._bench.chance
        order = list(self._route)
        chance.shuffle(order)
        for each in order:
            named = [f for f in each.facts if diamond_carrier(each.page, f, self._peek)]
            if named:
                each.fact, each.by_value = chance.choice(named), True
        carriers = [each for each in order if each.by_value]
        carriers += [each for each in order if not each.by_value and diamond_carrier(each.page)]
        if len(carriers) < self._counts.diamonds:
            raise Rejected("plan", "too few pages can carry a diamond")
        for each in carriers[: self._counts.diamonds]:
            each.has_diamond = True
        for each in self._route:
            if not each.has_diamond:
                each.fact, each.by_value = None, False

    def _gain(self, each: _Plotted) -> int:
        """Stops that flow through a diamond: branches, merge, and the page that names the entity."""
        return 4 if each.by_value else 3

    def _heads(self) -> Counter[int]:
        """Place in the route -> number of roadblocks there, pages without a diamond first."""
        chance, heads = self._bench.chance, Counter[int]()
        free = [i for i, each in enumerate(self._route) if not each.has_diamond]
        taken = [i for i, each in enumerate(self._route) if each.has_diamond]
        chance.shuffle(free)
        chance.shuffle(taken)
        order = [*free, *taken]
        for number in range(self._counts.roadblocks):
            heads[order[number % len(order)]] += 1
        return heads

    def _at(self, place: int, count: int) -> list[Thread]:
        """The threads that begin on a page, its fact chosen for them."""
        each, chance = self._route[place], self._bench.chance
        if not count:
            if each.fact is None:
                numbers = [fact for fact in each.facts if fact.value_type == "number"]
                each.fact = chance.choice(numbers or list(each.facts))
            return [Thread(page=place, template=None)]
        choices = self._choices(place)
        if not choices:
            raise Rejected("plan", "nothing to ask about a page")
        by_value = [choice for choice in choices if choice[1][1]]
        if by_value and chance.random() < _OWN_VALUE_SHARE:
            choices = by_value
        family = self._family(sorted({use[0] for _, use in choices}))
        each.fact, first = chance.choice([c for c in choices if c[1][0] == family])
        others = [use for fact, use in self._choices(place) if fact is each.fact and use != first]
        return self._threads(place, (first, others), count)

    def _choices(self, place: int) -> list[tuple[PageFact, Use]]:
        each = self._route[place]
        partner = partner_of([other.page for other in self._route], place)
        facts = each.facts if each.fact is None else (each.fact,)
        return [
            (fact, use)
            for fact in facts
            for use in uses(each.page, fact, self._peek, partner=partner)
        ]

    def _threads(self, place: int, chosen: tuple[Use, list[Use]], count: int) -> list[Thread]:
        first, others = chosen
        chance = self._bench.chance
        further = [use for use in others if use[0] != first[0]]
        if len(further) < count - 1:
            raise Rejected("plan", "too few templates for a page")
        picked = [first, *chance.sample(further, count - 1)]
        self._used.update(name for name, _ in picked)
        left = [use for use in others if use[0] not in {name for name, _ in picked}]
        return [
            Thread(page=place, template=name, by_value=value, others=self._fallbacks(left, value))
            for name, value in picked
        ]

    def _fallbacks(self, left: list[Use], by_value: bool) -> tuple[Use, ...]:  # noqa: FBT001 - a use's half
        """Uses of the same kind, in a seeded order: they carry as much of the flow."""
        alike = [use for use in left if use[1] == by_value]
        return tuple(self._bench.chance.sample(alike, min(_MOST_OTHERS, len(alike))))

    def _family(self, families: list[str]) -> str:
        """A template that the leg has least of; those that few pages can feed come first."""
        chance = self._bench.chance
        scarce = [name for name in families if name in _SCARCE and not self._used[name]]
        if scarce and chance.random() < _SCARCE_SHARE:
            return chance.choice(scarce)
        rarest = min(self._used[name] for name in families)
        return chance.choice([name for name in families if self._used[name] == rarest])

    def _spare(self) -> int:
        """Detours kept for the diamonds' merges."""
        if not self._counts.detours:
            return 0
        if not self._counts.diamonds:
            return 1  # kept for `augment` to end on the digit
        if self._counts.diamonds >= MOST_OPERANDS:
            return self._counts.detours
        return self._bench.chance.randint(1, self._counts.detours)

    def _with_detours(self, threads: list[Thread], detours: int) -> tuple[Thread, ...]:
        """Detours dealt out to at most as many threads as the finish line has operands."""
        chance = self._bench.chance
        places = list(range(len(threads)))
        chance.shuffle(places)
        places.sort(key=lambda i: (threads[i].template is None, not threads[i].by_value))
        favoured = places[: max(1, MOST_OPERANDS - self._counts.diamonds)]
        dealt = Counter(favoured[i % len(favoured)] for i in range(detours))
        return tuple(
            replace(thread, detours=dealt[i], on_name=self._is_on_name(thread, dealt[i]))
            for i, thread in enumerate(threads)
        )

    def _is_on_name(self, thread: Thread, detours: int) -> bool:
        """Whether a thread's detours take the page's text: its roadblock then flows nowhere."""
        fact = self._route[thread.page].fact
        fits = detours == 1 and thread.template and fact and fact.value_type == "text"
        if fits and self._slack and self._bench.chance.random() < _ON_NAME_SHARE:
            self._slack -= 1
            return True
        return False

    def _step(self, each: _Plotted) -> RouteStep:
        assert each.fact is not None  # `_at` chose one for every page
        return RouteStep(
            title=each.page.title, kind=each.page.kind, fact=each.fact, by_search=each.by_search
        )
