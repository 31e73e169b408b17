"""Step 2, plan: a seeded route over the page graph, and what hangs on its pages."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

from .asked_route import asked_route
from .draft import Bench, PageFact, PageGraph, PageNode, Rejected, RoutePlan, RouteStep, Thread
from .facts import is_well_known, usable_facts
from .flow import MOST_OPERANDS, Counts, counts_for, enough, flow_of
from .rare import tells
from .route import route_over
from .templates import COUNTRY_TEMPLATES
from .uses import Use, diamond_carrier, named_page, partner_of, uses

_OWN_VALUE_SHARE = 0.85
_SCARCE = ("date_computation", "weather_snowfall", "geocode_distance", "directions_duration")
_SCARCE_SHARE = 0.6
#: Share of the choices in which well-known facts are not asked for, if others do as well.
_LESSER_KNOWN_SHARE = 0.9
#: The same where it may cost the templates that only such facts feed.
_LESSER_FAMILY_SHARE = 0.3
#: Templates that have one answer for each place or country.
_ONE_ANSWER = (*COUNTRY_TEMPLATES, "geocode_elevation")
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
        self._asked: set[tuple[str, str]] = set()

    def plan(self) -> RoutePlan:
        """Diamonds first: few pages can carry them; then roadblocks on the pages left."""
        self._hang_diamonds()
        heads = self._heads()
        threads = [
            thread for place in range(len(self._route)) for thread in self._at(place, heads[place])
        ]
        for spare in self._spares():
            dealt = self._with_detours(threads, self._counts.detours - spare)
            if self._flows(dealt, spare):
                return RoutePlan(
                    route=tuple(self._step(each) for each in self._route),
                    threads=self._with_names(dealt, spare),
                    diamonds=tuple(self._diamonds()),
                    spare_detours=spare,
                )
        raise Rejected("plan", "too little can flow into the digit")

    def _flows(self, threads: tuple[Thread, ...], spare: int) -> bool:
        """Whether the digit hangs on enough of the leg."""
        figures = {i for i, each in enumerate(self._route) if _is_figure(each.fact)}
        flow = flow_of(threads, self._diamonds(), spare, figures)
        return enough(flow, self._counts.stops)

    def _diamonds(self) -> dict[int, bool]:
        return {i: each.by_value for i, each in enumerate(self._route) if each.has_diamond}

    def _hang_diamonds(self) -> None:
        """On pages whose fact names a place or country, else on pages about one."""
        order = self._bench.chance.sample(self._route, len(self._route))
        order.sort(key=self._many_named)  # who has least to choose from comes first
        for by_value in (True, False):
            for each in order:
                if not each.has_diamond and len(self._diamonds()) < self._counts.diamonds:
                    self._hang_diamond(each, by_value)
        if len(self._diamonds()) < self._counts.diamonds:
            raise Rejected("plan", "too few pages can carry a diamond")

    def _many_named(self, each: _Plotted) -> int:
        return sum(diamond_carrier(each.page, f, self._peek) is not None for f in each.facts)

    def _hang_diamond(self, each: _Plotted, by_value: bool) -> None:  # noqa: FBT001 - as in `_Plotted`
        """If the page has something to ask about that no other diamond asks about."""
        for fact in self._lesser_first(each.facts) if by_value else (None,):
            about = diamond_carrier(each.page, fact, self._peek)
            questions = {(name, about.title) for name in COUNTRY_TEMPLATES} if about else set()
            if about is not None and not questions & self._asked:
                each.fact, each.by_value, each.has_diamond = fact, by_value, True
                self._asked |= questions
                return

    def _lesser_first(self, facts: tuple[PageFact, ...]) -> list[PageFact]:
        chance = self._bench.chance
        order = chance.sample(facts, len(facts))
        if chance.random() < _LESSER_KNOWN_SHARE:
            order.sort(key=is_well_known)
        return order

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
            each.fact = each.fact or self._figure(each)
            return [Thread(page=place, template=None)]
        choices = self._choices(place)
        if not choices:
            raise Rejected("plan", "nothing to ask about a page")
        by_value = [choice for choice in choices if choice[1][1]]
        if by_value and chance.random() < _OWN_VALUE_SHARE:
            choices = by_value
        choices = self._of_one_family(choices)
        each.fact, first = chance.choice(self._lesser(choices, _LESSER_KNOWN_SHARE))
        others = [use for use in self._uses(place, each.fact) if use != first]
        return self._threads(place, (first, others), count)

    def _of_one_family(self, choices: list[tuple[PageFact, Use]]) -> list[tuple[PageFact, Use]]:
        """The choices of one template: of the leg's rare one, or often of one that a lesser-known fact feeds."""
        rare = self._bench.rare_template
        family = rare if rare and not self._used[rare] else None
        if family is None or not any(use[0] == family for _, use in choices):
            choices = self._lesser(choices, _LESSER_FAMILY_SHARE)
            family = self._family(sorted({use[0] for _, use in choices}))
        return [choice for choice in choices if choice[1][0] == family]

    def _lesser(
        self, choices: list[tuple[PageFact, Use]], share: float
    ) -> list[tuple[PageFact, Use]]:
        """In that share of cases the choices without well-known facts, if there are others."""
        lesser = [choice for choice in choices if not is_well_known(choice[0])]
        return lesser if lesser and self._bench.chance.random() < share else choices

    def _figure(self, each: _Plotted) -> PageFact:
        """A number if the page has one, for the leg's rare transform if one fits that."""
        numbers = [fact for fact in each.facts if _is_figure(fact)]
        rare = self._bench.rare
        fitting = [fact for fact in numbers if rare and tells(rare, fact.value)]
        lesser = [fact for fact in each.facts if not is_well_known(fact)]
        return self._bench.chance.choice(fitting or numbers or lesser or list(each.facts))

    def _choices(self, place: int) -> list[tuple[PageFact, Use]]:
        each = self._route[place]
        facts = each.facts if each.fact is None else (each.fact,)
        return [(fact, use) for fact in facts for use in self._uses(place, fact)]

    def _uses(self, place: int, fact: PageFact) -> list[Use]:
        """What a page's fact can feed, without what was asked before."""
        page = self._route[place].page
        partner = partner_of([other.page for other in self._route], place)
        found = uses(page, fact, self._peek, partner=partner)
        return [use for use in found if self._question(page, fact, use) not in self._asked]

    def _question(self, page: PageNode, fact: PageFact, use: Use) -> tuple[str, str]:
        """A template and what it is about."""
        template, by_value = use
        about = named_page(page, fact, self._peek) if by_value else page
        return template, about.title if about else ""

    def _threads(self, place: int, chosen: tuple[Use, list[Use]], count: int) -> list[Thread]:
        first, others = chosen
        chance = self._bench.chance
        further = [use for use in others if use[0] != first[0]]
        if len(further) < count - 1:
            raise Rejected("plan", "too few templates for a page")
        picked = [first, *chance.sample(further, count - 1)]
        self._note(place, picked)
        left = [use for use in others if use[0] not in {name for name, _ in picked}]
        return [
            Thread(page=place, template=name, by_value=value, others=self._fallbacks(left, value))
            for name, value in picked
        ]

    def _note(self, place: int, picked: list[Use]) -> None:
        """Count templates; questions that have one answer only are asked once."""
        each = self._route[place]
        assert each.fact is not None  # `_at` chose it
        self._used.update(name for name, _ in picked)
        for use in picked:
            if use[0] in _ONE_ANSWER:
                self._asked.add(self._question(each.page, each.fact, use))

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

    def _spares(self) -> list[int]:
        """How many detours may be kept for `augment`: for the merges, and to end on the digit."""
        detours = self._counts.detours
        if not self._counts.diamonds or not detours:
            return [min(1, detours)]
        if self._counts.diamonds >= MOST_OPERANDS:
            return [detours]
        return self._bench.chance.sample(range(1, detours + 1), detours)

    def _with_detours(self, threads: list[Thread], detours: int) -> tuple[Thread, ...]:
        """Detours dealt out to at most as many threads as the finish line has operands."""
        places = list(range(len(threads)))
        self._bench.chance.shuffle(places)
        places.sort(key=lambda i: self._rank(threads[i]))
        favoured = places[: max(1, MOST_OPERANDS - self._counts.diamonds)]
        dealt = Counter(favoured[i % len(favoured)] for i in range(detours))
        return tuple(replace(thread, detours=dealt[i]) for i, thread in enumerate(threads))

    def _rank(self, thread: Thread) -> int:
        """Detours hang where the leg's rare transform fits, else where most flows through them."""
        fact, rare = self._route[thread.page].fact, self._bench.rare
        if thread.template is None:
            return 0 if rare and fact and tells(rare, fact.value) else 3
        if thread.template == "date_computation":
            return 0
        return 1 if thread.by_value else 2

    def _with_names(self, threads: tuple[Thread, ...], spare: int) -> tuple[Thread, ...]:
        """Some detours take a page's text instead of its roadblock's figure, where that can be spared."""
        for i, thread in enumerate(threads):
            fact = self._route[thread.page].fact
            fits = thread.detours == 1 and thread.template and fact and fact.value_type == "text"
            if fits and self._bench.chance.random() < _ON_NAME_SHARE:
                changed = (*threads[:i], replace(thread, on_name=True), *threads[i + 1 :])
                threads = changed if self._flows(changed, spare) else threads
        return threads

    def _step(self, each: _Plotted) -> RouteStep:
        assert each.fact is not None  # `_at` chose one for every page
        return RouteStep(
            title=each.page.title, kind=each.page.kind, fact=each.fact, by_search=each.by_search
        )


def _is_figure(fact: PageFact | None) -> bool:
    return fact is not None and fact.value_type == "number"
