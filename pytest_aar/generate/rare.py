"""Transforms that few values fit and templates that few legs can have, dealt out over an order's legs.

A set has all of them then. Like digits they are fixed beforehand by seed and number. A leg has what
fell to it if one of its values, or one of its pages, allows that.
"""

import random
from collections.abc import Sequence
from datetime import date, timedelta

from pytest_aar.leg import Value
from pytest_aar.transforms import TRANSFORMS, apply, whole_number
from pytest_aar.transforms.years import FIRST_YEAR, LAST_YEAR, YEARS

#: Few numbers can be years.
OF_YEARS = frozenset(each.name for each in YEARS)
_RARE = (*sorted(OF_YEARS), "next_prime")
#: Figures that hardly differ from place to place or that each place has only one of, and what few pages feed.
_RARE_TEMPLATES = ("place_rating", "geocode_elevation", "weather_temperature", "date_computation")
_TRIES = 40


def rare_for(key: str, number: int) -> str:
    """The rare transform of leg `number` (from 1) of the order that `key` stands for."""
    return _dealt(_RARE, f"{key}/rare", number)


def rare_template_for(key: str, number: int) -> str:
    """The rare template of leg `number` (from 1), dealt likewise."""
    return _dealt(_RARE_TEMPLATES, f"{key}/rare template", number)


def tells(name: str, value: Value) -> bool:
    """Whether a transform takes a value, makes another of it, and tells it from the next number."""
    transform = TRANSFORMS[name]
    if not transform.domain(value):
        return False
    if transform.takes == "text":
        return True
    number = whole_number(value)
    return apply(name, number) not in {number, apply(name, number + 1)}


def day_for(name: str | None, start: date, chance: random.Random, first: date) -> date:
    """A day so many days from `start` that the transform `name` takes their number; else `first`."""
    if name is None:
        return first
    for _ in range(_TRIES):
        if name in OF_YEARS:
            day = start + timedelta(days=chance.randint(FIRST_YEAR, LAST_YEAR))
        else:
            day = first + timedelta(days=chance.randrange(365))
        if tells(name, abs((day - start).days)):
            return day
    return first


def _dealt(cards: Sequence[str], key: str, number: int) -> str:
    """The card of leg `number` (from 1), from decks shuffled one by one."""
    deck, place = divmod(number - 1, len(cards))
    return random.Random(f"{key}/{deck}").sample(cards, len(cards))[place]
