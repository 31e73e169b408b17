"""Step 2, plan: a seeded route over the page graph, and the threads of tasks that hang on it."""

import re
from collections import Counter
from dataclasses import dataclass

from pytest_aar.golden.pages import dates, typed
from pytest_aar.golden.records import same
from pytest_aar.readings import number_of

from .draft import Bench, PageFact, PageGraph, PageNode, Rejected, RoutePlan, RouteStep, Thread
from .uses import partner_of, uses
from .ways import way_by_search, ways_to

_SEARCH_SHARE = 0.2
_FEWEST_PAGES = 2
_MOST_OPERANDS = 4
_TWO_DIGITS = 10
_OWN_VALUE_SHARE = 0.75
_CHANGE_SHARE = 0.7
_SCARCE = ("date_computation", "weather_snowfall", "geocode_distance", "directions_duration")
_SCARCE_SHARE = 0.6
_NAME = re.compile(r"[^\W\d_][^\d_/()]{3,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    """How many stops of each kind a leg is to have, diamonds apart."""

    pages: int
    roadblocks: int
    detours: int
    diamonds: int


def plan(graph: PageGraph, bench: Bench) -> RoutePlan:
    """A route and threads within the level's ranges.

    Raises:
        Rejected: the walk runs into a dead end, or a page of the route has no fact to ask for.
    """
    counts = _counts(bench)
    titles = _route(graph, counts.pages, bench)
    pages = [graph.pages[title] for title, _ in titles]
    spare = bench.chance.randint(1, counts.detours) if counts.diamonds else 0
    used: Counter[str] = Counter()
    heads = _heads(len(pages), counts, bench)
    route, threads = [], []
    for place, (page, (_, by_search)) in enumerate(zip(pages, titles, strict=True)):
        partner = partner_of(pages, place)
        fact, thread = _stop(
            page, place, partner=partner, count=heads[place], used=used, bench=bench
        )
        step = RouteStep(title=page.title, kind=page.kind, fact=fact, by_search=by_search)
        route.append(step)
        threads.extend(thread)
    return RoutePlan(
        route=tuple(route),
        threads=_with_detours(threads, counts.detours - spare, bench),
        diamonds=counts.diamonds,
        spare_detours=spare,
    )


def _counts(bench: Bench) -> _Counts:
    level, chance = bench.level, bench.chance
    roadblocks = chance.randint(*level.roadblocks)
    detours = chance.randint(*level.detours)
    lowest = max(level.stops[0], roadblocks + detours + _FEWEST_PAGES)
    if lowest > level.stops[1]:
        raise Rejected("plan", "no room for two pages")
    stops = chance.randint(lowest, level.stops[1])
    diamonds = chance.randint(*level.diamonds) if bench.variant == "dag" else 0
    return _Counts(
        pages=stops - roadblocks - detours,
        roadblocks=roadblocks,
        detours=detours,
        diamonds=diamonds,
    )


def _route(graph: PageGraph, length: int, bench: Bench) -> list[tuple[str, bool]]:
    """Titles in order, each with whether a search leads to it; no page twice."""
    titles = [(graph.seed, False)]
    while len(titles) < length:
        visited = {title for title, _ in titles}
        here = graph.pages[titles[-1][0]]
        if len(titles) > 1 and bench.chance.random() < _SEARCH_SHARE:
            found = _by_search(graph, visited, bench)
            if found is not None:
                titles.append((found, True))
                continue
        titles.append((_by_link(graph, here, visited, bench), False))
    return titles


def _by_search(graph: PageGraph, visited: set[str], bench: Bench) -> str | None:
    by_kind: dict[str, list[str]] = {}
    for page in graph.pages.values():
        if page.title not in visited and page.facts and way_by_search(page) is not None:
            by_kind.setdefault(page.kind, []).append(page.title)
    return bench.chance.choice(by_kind[bench.chance.choice(sorted(by_kind))]) if by_kind else None


def _by_link(graph: PageGraph, here: PageNode, visited: set[str], bench: Bench) -> str:
    """A linked page; kinds first, so that long lists of one kind don't take the whole route."""
    by_kind: dict[str, list[str]] = {}
    for title in dict.fromkeys(link.title for link in here.links):
        page = graph.pages.get(title)
        if page is not None and title not in visited and page.facts and ways_to(here, title):
            by_kind.setdefault(page.kind, []).append(title)
    if not by_kind:
        raise Rejected("plan", "dead end")
    others = sorted(set(by_kind) - {here.kind})
    change = bool(others) and bench.chance.random() < _CHANGE_SHARE
    kind = bench.chance.choice(others if change else sorted(by_kind))
    return bench.chance.choice(by_kind[kind])


def _heads(pages: int, counts: _Counts, bench: Bench) -> Counter[int]:
    """Place in the route -> number of roadblocks that hang on that page, spread evenly."""
    heads: Counter[int] = Counter()
    while heads.total() < counts.roadblocks:
        heads.update(
            bench.chance.sample(range(pages), min(pages, counts.roadblocks - heads.total()))
        )
    return heads


def _stop(
    page: PageNode,
    place: int,
    *,
    partner: PageNode | None,
    count: int,
    used: Counter[str],
    bench: Bench,
) -> tuple[PageFact, list[Thread]]:
    """The fact to ask for on a page and the threads that begin there, rare templates first."""
    facts = usable_facts(page)
    if not facts:
        raise Rejected("plan", "a page without a usable fact")
    if not count:
        numbers = [fact for fact in facts if fact.value_type == "number"] or facts
        return bench.chance.choice(numbers), [Thread(page=place, template=None)]
    choices = [
        (fact, use) for fact in facts for use in uses(page, fact, bench.atlas, partner=partner)
    ]
    by_value = [choice for choice in choices if choice[1][1]]
    if by_value and bench.chance.random() < _OWN_VALUE_SHARE:
        choices = by_value
    family = _family(sorted({use[0] for _, use in choices}), used, bench)
    fact, first = bench.chance.choice([choice for choice in choices if choice[1][0] == family])
    chosen = [first, *_further(page, fact, first, count - 1, bench)]
    used.update(template for template, _ in chosen)
    return fact, [Thread(page=place, template=name, by_value=value) for name, value in chosen]


def _family(families: list[str], used: Counter[str], bench: Bench) -> str:
    """A template that the leg has least of; those that few pages can feed come first."""
    scarce = [name for name in families if name in _SCARCE and not used[name]]
    if scarce and bench.chance.random() < _SCARCE_SHARE:
        return bench.chance.choice(scarce)
    rarest = min(used[name] for name in families)
    return bench.chance.choice([name for name in families if used[name] == rarest])


def _further(
    page: PageNode, fact: PageFact, first: tuple[str, bool], count: int, bench: Bench
) -> list[tuple[str, bool]]:
    """More templates for the same page and fact."""
    others = [use for use in uses(page, fact, bench.atlas) if use[0] != first[0]]
    if len(others) < count:
        raise Rejected("plan", "too few templates for a page")
    return bench.chance.sample(others, count)


def usable_facts(page: PageNode) -> list[PageFact]:
    """Facts that make a fair question: one value per label, none from the lead, readable by rule."""
    by_label: dict[str, list[PageFact]] = {}
    for fact in page.facts:
        by_label.setdefault(fact.label.casefold(), []).append(fact)
    single = [facts[0] for facts in by_label.values() if len({fact.value for fact in facts}) == 1]
    return [fact for fact in single if fact.section != "lead" and _fair(fact)]


def _fair(fact: PageFact) -> bool:
    """Figures of two digits or more, dates, names in plain letters; no codes or coordinates."""
    if fact.value_type == "text":
        return bool(_NAME.fullmatch(fact.text)) and fact.text == fact.value
    if not same(typed(fact.text, fact.value_type), fact.value):
        return False
    if fact.value_type == "date":
        return len(dates(fact.text)) == 1
    number = number_of(fact.value)
    return number is not None and number >= _TWO_DIGITS


def _with_detours(threads: list[Thread], detours: int, bench: Bench) -> tuple[Thread, ...]:
    """Detours dealt out to at most as many threads as the finish line has operands."""
    chance = bench.chance
    with_roadblock = [i for i, thread in enumerate(threads) if thread.template]
    chance.shuffle(with_roadblock)
    bare = [i for i, thread in enumerate(threads) if not thread.template]
    chance.shuffle(bare)
    favoured = (with_roadblock + bare)[:_MOST_OPERANDS]
    dealt = Counter(favoured[i % len(favoured)] for i in range(detours))
    return tuple(
        Thread(page=t.page, template=t.template, by_value=t.by_value, detours=dealt[i])
        for i, t in enumerate(threads)
    )
