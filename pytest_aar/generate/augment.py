"""Step 6, augment: diamonds for DAG legs, the spare detours, and the finish line."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial, reduce
from itertools import combinations, islice
from operator import or_

from pytest_aar.leg.arithmetic import digital_root
from pytest_aar.readings import number_of

from .computed import merge
from .days import some_day
from .draft import Bench, Draft, DraftStop, Question, Rejected
from .flow import FEWEST_OPERANDS, MOST_OPERANDS, enough
from .makers import detours, first_measured, inserted, measured, named, subject
from .templates import (
    CATEGORIES,
    DIAMONDS,
    Entity,
    Recipe,
    country,
    elevation,
    place_rating,
    poi_count,
    weather,
)
from .uses import COUNTRY_KIND, PLACE_KINDS

_TRIES = 40
_MOST_SETS = 400
#: Other detours tried before a draft that can't end on its digit is given up.
_ENDINGS = 12


async def augment(draft: Draft, bench: Bench) -> Draft:
    """The draft with diamonds, detours on their merges, and a finish line.

    Raises:
        Rejected: a page can't carry its diamond, or no finish line uses enough of the route and ends
            on the wanted digit.
    """
    draft = replace(draft, stops=tuple(await _with_diamonds(list(draft.stops), draft, bench)))
    rejected = Rejected("augment", "no ending")
    for _ in range(_ENDINGS):
        try:
            stops = _with_spare_detours(list(draft.stops), draft.plan.spare_detours, bench)
            return _with_finish(replace(draft, stops=tuple(stops)), bench)
        except Rejected as why:
            rejected = why
            if not draft.plan.spare_detours:
                break
            bench = replace(bench, rare=None)  # now the digit matters more
    raise rejected


async def _with_diamonds(stops: list[DraftStop], draft: Draft, bench: Bench) -> list[DraftStop]:
    for number, place in enumerate(draft.plan.diamonds):
        title = draft.plan.route[place].title
        page = next(stop for stop in stops if stop.kind == "page" and stop.place == title)
        trio = await _diamond(page, f"diamond{number}", replace(draft, stops=tuple(stops)), bench)
        if trio is None:
            raise Rejected("augment", "a page can't carry its diamond")
        at = stops.index(page) + 1
        stops = [*stops[:at], *trio, *stops[at:]]
    return stops


async def _diamond(
    page: DraftStop, key: str, draft: Draft, bench: Bench
) -> tuple[DraftStop, ...] | None:
    """Two branches on one entity and their merge; None if the page has no such entity or values."""
    node = draft.graph.pages[page.place]
    fact = next(step.fact for step in draft.plan.route if step.title == page.place)
    peek = partial(bench.page, draft.graph)
    entities = [named(node, fact, page.key, peek), subject(node, page.key)]
    asked = [stop.chain for stop in draft.stops]
    used = Counter(stop.template for stop in draft.stops)
    for entity in filter(None, entities):
        types = [name for name in DIAMONDS if _carries(entity, name)]
        bench.chance.shuffle(types)
        types.sort(key=lambda name: sum(used[branch] for branch in DIAMONDS[name]))  # rare first
        for name in types:
            branches = await _branches(name, entity, key, page.place, bench)
            if branches and not any(branch.chain in asked for branch in branches):
                return await _merged(branches, key, page.place, bench)
    return None


def _carries(entity: Entity, diamond: str) -> bool:
    kinds = {COUNTRY_KIND} if diamond == "population_area" else PLACE_KINDS
    return entity.kind in kinds


async def _branches(
    diamond: str, entity: Entity, key: str, place: str, bench: Bench
) -> tuple[DraftStop, DraftStop] | None:
    for _ in range(_TRIES):
        first, second = _pair(diamond, entity, bench)
        # The second first: no rain and no rating are commoner than neither height nor warmth.
        right = await measured(second, f"{key}-right", place, bench)
        left = await measured(first, f"{key}-left", place, bench) if right else None
        if left and right:
            return left, right
    return None


def _pair(diamond: str, entity: Entity, bench: Bench) -> tuple[Recipe, Recipe]:
    """The two branches' recipes; a weather pair asks for one and the same day."""
    match diamond:
        case "population_area":
            return country("country_population", entity), country("country_area", entity)
        case "temperature_precipitation":
            day = some_day(bench.chance)
            return (
                weather("weather_temperature", entity, day),
                weather("weather_precipitation", entity, day),
            )
    category = bench.chance.choice(CATEGORIES)
    other = poi_count if diamond == "elevation_poi" else place_rating
    return elevation(entity), other(entity, category)


async def _merged(
    branches: tuple[DraftStop, DraftStop], key: str, place: str, bench: Bench
) -> tuple[DraftStop, ...] | None:
    left, right = branches
    values = (number_of(left.value) or 0, number_of(right.value) or 0)
    signs = [True, False]
    bench.chance.shuffle(signs)
    candidates = [
        merge((left.key, right.key), values, difference=difference) for difference in signs
    ]
    merged = await first_measured(candidates, f"{key}-merge", place, bench)
    return (left, right, merged) if merged else None


def _with_spare_detours(stops: list[DraftStop], count: int, bench: Bench) -> list[DraftStop]:
    for number in range(count):
        extra = _spare(stops, f"spare{number}", bench)
        stops = inserted(stops, extra, extra.sources[0], bench.chance)
    return stops


def _spare(stops: list[DraftStop], key: str, bench: Bench) -> DraftStop:
    """A detour on a merge that has none yet, else where most flows together."""
    tails = _tails(stops)
    bench.chance.shuffle(tails)
    tails.sort(key=lambda stop: (stop.kind != "merge", -len(flowing(stops, [stop.key]))))
    names = [stop.transform for stop in stops]
    for tail in tails:
        made = detours(tail, [key], names, bench)
        if made:
            return made[0]
    raise Rejected("augment", "no value left for a detour")


def _tails(stops: Iterable[DraftStop]) -> list[DraftStop]:
    """Stops whose value is a number that no other stop takes up."""
    stops = list(stops)
    taken = {key for stop in stops for key in stop.sources}
    return [stop for stop in stops if stop.key not in taken and (number_of(stop.value) or 0) >= 1]


def flowing(stops: Iterable[DraftStop], operands: Iterable[str]) -> set[str]:
    """Keys of the stops whose values flow into the operands, the operands among them."""
    sources = {stop.key: stop.sources for stop in stops}
    flow, waiting = set(), list(operands)
    while waiting:
        key = waiting.pop()
        if key not in flow:
            flow.add(key)
            waiting.extend(sources[key])
    return flow


_Ending = tuple[str, tuple[DraftStop, ...]]


def _with_finish(draft: Draft, bench: Bench) -> Draft:
    """A finish line over 2-4 tails with enough flow, ending on the wanted digit."""
    finishes = _finishes(draft, bench)
    if not finishes:
        raise Rejected("augment", "too little of the route flows into the digit")
    digit = bench.chance.choice(sorted(finishes)) if bench.digit is None else bench.digit
    if digit not in finishes:
        raise Rejected("augment", "no finish line ends on the wanted digit")
    rule, operands = bench.chance.choice(finishes[digit])
    keys = tuple(stop.key for stop in operands)
    stop = DraftStop(
        key="finish",
        kind="finish",
        place="",
        target="Finish line: one digit",
        value=digit,
        value_type="number",
        question=Question(rule=rule),
        sources=keys,
    )
    return replace(
        draft,
        stops=(*draft.stops, stop),
        operands=keys,
        expression=_expression(rule, [_whole(stop) for stop in operands]),
        digit=digit,
    )


def _finishes(draft: Draft, bench: Bench) -> dict[int, list[_Ending]]:
    """Digit -> finish lines that end on it; a digital root, which is never 0, where it may be one."""
    rules = ["digital_root"] if bench.may_root else ["sum", "difference"]
    found: dict[int, list[_Ending]] = {}
    for operands in islice(_operand_sets(draft), _MOST_SETS):
        numbers = [_whole(stop) for stop in operands]
        for rule in rules:
            if rule != "difference" or len(operands) == FEWEST_OPERANDS:
                found.setdefault(_digit(rule, numbers), []).append((rule, operands))
    return found


def _operand_sets(draft: Draft) -> Iterator[tuple[DraftStop, ...]]:
    """Sets of tails through which enough of all stops, finish line included, flow."""
    bits = {stop.key: 1 << place for place, stop in enumerate(draft.stops)}
    flows = {
        tail.key: sum(bits[key] for key in flowing(draft.stops, [tail.key]))
        for tail in _tails(draft.stops)
    }
    for size in range(FEWEST_OPERANDS, MOST_OPERANDS + 1):
        for operands in combinations(flows, size):
            flow = reduce(or_, (flows[key] for key in operands))
            if enough(flow.bit_count(), len(draft.stops) + 1):
                yield tuple(draft.stop(key) for key in operands)


def _whole(stop: DraftStop) -> int:
    return int(number_of(stop.value) or 0)


def _digit(rule: str, numbers: list[int]) -> int:
    if rule == "difference":
        return abs(numbers[0] - numbers[1]) % 10
    return digital_root(sum(numbers)) if rule == "digital_root" else sum(numbers) % 10


def _expression(rule: str, numbers: list[int]) -> str:
    if rule == "difference":
        return f"abs({numbers[0]} - {numbers[1]}) % 10"
    total = " + ".join(map(str, numbers))
    return f"digital_root({total})" if rule == "digital_root" else f"({total}) % 10"
