"""Step 6, augment: diamonds for DAG legs, the spare detours, and the finish line."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from pytest_aar.golden.arithmetic import evaluate
from pytest_aar.leg.ancestry import FLOW
from pytest_aar.readings import number_of

from .draft import Bench, Draft, DraftStop, Question, Rejected
from .makers import detour, first_measured, inserted, measured, named, subject
from .templates import (
    CATEGORIES,
    DIAMONDS,
    Entity,
    Recipe,
    country,
    elevation,
    merge,
    place_rating,
    poi_count,
    some_day,
    weather,
)
from .uses import COUNTRY_KIND, PLACE_KINDS

_TRIES = 40
_OPERANDS = (2, 3, 4)
_ROOT_SHARE = 1 / 3
_MOST_SETS = 400


async def augment(draft: Draft, bench: Bench) -> Draft:
    """The draft with diamonds, detours on their merges, and a finish line.

    Raises:
        Rejected: too few pages can carry a diamond, or no finish line uses enough of the route.
    """
    stops = list(draft.stops)
    stops = await _with_diamonds(stops, draft, bench)
    stops = _with_spare_detours(stops, draft.plan.spare_detours, bench)
    return _with_finish(replace(draft, stops=tuple(stops)), bench)


async def _with_diamonds(stops: list[DraftStop], draft: Draft, bench: Bench) -> list[DraftStop]:
    pages = [stop for stop in stops if stop.kind == "page"]
    bench.chance.shuffle(pages)
    built = 0
    for page in pages:
        if built == draft.plan.diamonds:
            break
        used = Counter(stop.template for stop in stops)
        trio = await _diamond(page, f"diamond{built}", draft, used, bench)
        if trio and not any(branch.chain == stop.chain for branch in trio for stop in stops):
            place = stops.index(page) + 1
            stops = [*stops[:place], *trio, *stops[place:]]
            built += 1
    if built < draft.plan.diamonds:
        raise Rejected("augment", "too few pages can carry a diamond")
    return stops


async def _diamond(
    page: DraftStop, key: str, draft: Draft, used: Counter[str | None], bench: Bench
) -> tuple[DraftStop, ...] | None:
    """Two branches on one entity and their merge; None if the page has no such entity or values."""
    node = draft.graph.pages[page.place]
    fact = next(step.fact for step in draft.plan.route if step.title == page.place)
    entity = named(node, fact, page.key, bench) or subject(node, page.key)
    types = [name for name in DIAMONDS if _carries(entity, name)]
    bench.chance.shuffle(types)
    types.sort(key=lambda name: sum(used[branch] for branch in DIAMONDS[name]))  # rare types first
    taken = {stop.template for stop in draft.stops if stop.place == page.place}
    for name in types:
        if not taken & set(DIAMONDS[name]):
            branches = await _branches(name, entity, key, page.place, bench)
            if branches:
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
        left = await measured(first, f"{key}-left", place, bench)
        right = await measured(second, f"{key}-right", place, bench) if left else None
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
        tails = [stop for stop in _tails(stops) if stop.kind != "page"] or list(_tails(stops))
        bench.chance.shuffle(tails)
        tails.sort(key=lambda stop: stop.kind != "merge")  # merges first
        names = [stop.transform for stop in stops]
        made = (detour(tail, f"spare{number}", names, bench) for tail in tails)
        extra = next((stop for stop in made if stop is not None), None)
        if extra is None:
            raise Rejected("augment", "no value left for a detour")
        stops = inserted(stops, extra, extra.sources[0], bench.chance)
    return stops


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


def _with_finish(draft: Draft, bench: Bench) -> Draft:
    """A finish line over 2-4 tails with enough flow; digits equally likely."""
    finishes = _finishes(draft, bench)
    if not finishes:
        raise Rejected("augment", "too little of the route flows into the digit")
    digit = bench.chance.choice(sorted(finishes))
    rule, operands, expression = bench.chance.choice(finishes[digit])
    stop = DraftStop(
        key="finish",
        kind="finish",
        place="",
        target="Finish line: one digit",
        value=digit,
        value_type="number",
        question=Question(rule=rule),
        sources=operands,
    )
    return replace(
        draft,
        stops=(*draft.stops, stop),
        operands=operands,
        expression=expression,
        digit=digit,
    )


def _finishes(draft: Draft, bench: Bench) -> dict[int, list[tuple[str, tuple[str, ...], str]]]:
    rules = ["sum", "difference"]
    if bench.chance.random() < _ROOT_SHARE:
        rules = ["digital_root"]
    found: dict[int, list[tuple[str, tuple[str, ...], str]]] = {}
    for operands in _operand_sets(draft):
        for rule in rules:
            if rule != "difference" or len(operands) == _OPERANDS[0]:
                expression = _expression(rule, [draft.stop(key) for key in operands])
                digit = int(evaluate(expression))
                found.setdefault(digit, []).append((rule, operands, expression))
    return found


def _operand_sets(draft: Draft) -> list[tuple[str, ...]]:
    """Sets of tails through which at least `FLOW` of all stops, finish line included, flow."""
    tails = [stop.key for stop in _tails(draft.stops)]
    needed = FLOW * (len(draft.stops) + 1)
    sets = (each for size in _OPERANDS for each in combinations(tails, size))
    return [operands for operands in sets if len(flowing(draft.stops, operands)) + 1 >= needed][
        :_MOST_SETS
    ]


def _expression(rule: str, operands: list[DraftStop]) -> str:
    literals = [str(int(number_of(stop.value) or 0)) for stop in operands]
    if rule == "difference":
        return f"abs({literals[0]} - {literals[1]}) % 10"
    total = " + ".join(literals)
    return f"digital_root({total})" if rule == "digital_root" else f"({total}) % 10"
