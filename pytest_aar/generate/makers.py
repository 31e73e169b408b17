"""Stops made from recipes: roadblocks that yield a number, detours within their domain."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_aar.golden.chains import run_chain
from pytest_aar.leg import ChainStep, Value
from pytest_aar.readings import number_of
from pytest_aar.transforms import TRANSFORMS, apply

from .computed import converted, days_between
from .conversions import CONVERSIONS, unit_words
from .days import as_day, some_day, some_weekday
from .draft import Bench, DraftStop, PageFact, PageNode, Question, Ref
from .rare import OF_YEARS, day_for, tells
from .templates import (
    COINS,
    COUNTRY_TEMPLATES,
    PAIR_TEMPLATES,
    PLACE_TEMPLATES,
    STOCKS,
    Entity,
    Recipe,
    country,
    quotation,
)
from .uses import Peek, named_page

_TRIES = 40
_JITTER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a roadblock hangs: a page of the route, its fact, its key, and where drives begin.

    `named` is what the fact names, if it names a page.
    """

    page: PageNode
    fact: PageFact
    key: str
    start: Entity
    named: Entity | None = None


def subject(page: PageNode, key: str) -> Entity:
    """The page's subject as an entity: clues say "the city of clue 3"."""
    return Entity(name=page.title, kind=page.kind, ref=Ref(key=key, what="page", noun=page.kind))


def named(page: PageNode, fact: PageFact, key: str, peek: Peek) -> Entity | None:
    """What a page's text fact names, as an entity: clues say "the city you named in clue 3"."""
    target = named_page(page, fact, peek)
    if target is None:
        return None
    return Entity(
        name=str(fact.value), kind=target.kind, ref=Ref(key=key, what="value", noun=target.kind)
    )


def recipes(use: tuple[str, bool], spot: Spot, bench: Bench) -> Iterator[Recipe]:
    """Recipes of one template for a page, with ever new dates and categories, none twice; finite."""
    template, by_value = use
    entity = spot.named if by_value else subject(spot.page, spot.key)
    tried: list[tuple[ChainStep, ...]] = []
    for _ in range(_TRIES):
        recipe = _about_figure(template, spot.fact, spot.key, bench) or _about_entity(
            template, entity, spot.start, bench
        )
        if recipe is not None and recipe.chain not in tried:
            tried.append(recipe.chain)
            yield recipe


def _about_figure(template: str, fact: PageFact, key: str, bench: Bench) -> Recipe | None:
    """Templates that take a page's date or figure, or nothing at all."""
    chance = bench.chance
    if template == "date_computation":
        day = as_day(str(fact.value))
        if day is None:
            return None
        return days_between(key, day, day_for(bench.rare, day, chance, some_day(chance)))
    if template == "math_conversion":
        fitting = [each for each in CONVERSIONS if each.start == unit_words(fact.unit)]
        number = number_of(fact.value)
        return converted(key, float(number), chance.choice(fitting)) if number else None
    if template.startswith("stock"):
        return quotation(template, chance.choice(STOCKS), some_weekday(chance))
    if template.startswith("crypto"):
        return quotation(template, chance.choice(COINS), some_day(chance, 2019))
    return None


def _about_entity(
    template: str, entity: Entity | None, start: Entity, bench: Bench
) -> Recipe | None:
    if entity is None:
        return None
    if template in COUNTRY_TEMPLATES:
        return country(template, entity)
    if template in PAIR_TEMPLATES:
        return PAIR_TEMPLATES[template](start, entity)
    if template in PLACE_TEMPLATES:
        return PLACE_TEMPLATES[template](entity, bench.chance)
    return None


async def first_measured(
    candidates: Iterable[Recipe], key: str, place: str, bench: Bench
) -> DraftStop | None:
    """The first recipe whose chain yields a fair number, as a stop; None if none of them does."""
    for recipe in candidates:
        stop = await measured(recipe, key, place, bench)
        if stop is not None:
            return stop
    return None


async def measured(recipe: Recipe, key: str, place: str, bench: Bench) -> DraftStop | None:
    """A recipe with its value; None if the chain breaks or yields less than one."""
    value: Value | None = recipe.value
    if value is None:
        try:
            value = await run_chain(recipe.chain, bench.read)
        except ValueError:
            return None
    number = number_of(value)
    if value is None or number is None or number < 1:
        return None
    return DraftStop(
        key=key,
        kind="merge" if recipe.template == "merge" else "roadblock",
        place=place,
        target=recipe.target,
        value=value,
        value_type="number",
        question=recipe.question,
        sources=recipe.sources,
        chain=recipe.chain,
        template=recipe.template,
    )


def is_whole(value: Value) -> bool:
    """Whether a number has no fraction that a clue must tell the reader to drop."""
    number = number_of(value)
    return number is None or number == int(number)


def detours(
    source: DraftStop, keys: Sequence[str], used: Iterable[str | None], bench: Bench
) -> list[DraftStop] | None:
    """Seeded detours with these keys that build on one another; None if no transforms fit so."""
    if not keys:
        return []
    taken = set(used)
    fitting = [name for name in TRANSFORMS if name not in taken and tells(name, source.value)]
    order = bench.chance.sample(fitting, len(fitting))
    for name in sorted(order, key=lambda name: (name != bench.rare, name not in OF_YEARS)):
        first = _detour(source, keys[0], name)
        rest = detours(first, keys[1:], {*taken, name}, bench)
        if rest is not None:
            return [first, *rest]
    return None


def _detour(source: DraftStop, key: str, name: str) -> DraftStop:
    takes_text = TRANSFORMS[name].takes == "text"
    noun = "name" if takes_text else "" if is_whole(source.value) else "whole"
    slot = "name" if takes_text else "figure"
    return DraftStop(
        key=key,
        kind="detour",
        place=source.place,
        target=f"{name} of an earlier value",
        value=apply(name, source.value),
        value_type="number",
        question=Question(rule=name, slots={slot: Ref(key=source.key, what="value", noun=noun)}),
        sources=(source.key,),
        transform=name,
        code=TRANSFORMS[name].code(source.value),
    )


def inserted(
    stops: list[DraftStop], stop: DraftStop, after: str, chance: random.Random
) -> list[DraftStop]:
    """`stops` with `stop` a little way after the stop `after`, never inside a diamond."""
    place = next(i for i, each in enumerate(stops) if each.key == after) + 1
    place = min(place + chance.randint(0, _JITTER), len(stops))
    while place < len(stops) and _inside_diamond(stops, place):
        place += 1
    return [*stops[:place], stop, *stops[place:]]


def _inside_diamond(stops: list[DraftStop], place: int) -> bool:
    """Whether a stop put at `place` would come between a diamond's page, branches and merge."""
    return any(stop.kind == "merge" for stop in stops[place : place + 3]) and (
        stops[place].key.startswith("diamond")
    )
