"""The roadblock templates (the paper's Table 6) that ask a service: from an entity to tool calls and a question.

A recipe holds what the golden executor needs (the chain) and what the clue asks (the question); its
value comes from running the chain.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from pytest_aar.leg import ChainStep

from .days import some_day, winter_day
from .draft import Question, Ref

STOCKS = ("AAPL", "MSFT", "GOOG", "XOM", "IBM", "KO", "JNJ", "GE", "T", "PG", "DIS", "SHEL")
COINS = ("BTCUSDT", "ETHUSDT", "LTCUSDT", "BNBUSDT", "XRPUSDT", "ADAUSDT")
CATEGORIES = ("museums", "hotels", "parks", "restaurants", "libraries", "theatres", "temples")

_DAILY = {
    "weather_temperature": ("temperature_2m_max", "temperature"),
    "weather_precipitation": ("precipitation_sum", "precipitation"),
    "weather_snowfall": ("snowfall_sum", "snowfall"),
    "weather_sunshine": ("sunshine_duration", "sunshine"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """What a roadblock is about: its name as a tool takes it, and how clues refer to it."""

    name: str
    kind: str
    ref: Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A roadblock to be: `sources` are keys of stops whose values its arguments hold.

    `value` is what its code gives, where no service has to be asked.
    """

    template: str
    chain: tuple[ChainStep, ...]
    question: Question
    target: str
    sources: tuple[str, ...]
    code: str | None = None
    value: int | None = None


def sources_of(*entities: Entity) -> tuple[str, ...]:
    """The stops whose values name these entities."""
    return tuple(entity.ref.key for entity in entities if entity.ref.what == "value")


def elevation(place: Entity) -> Recipe:
    """Geocode, then the terrain's height in metres."""
    chain = (
        _call("maps_geocode", {"address": place.name}, "coords"),
        _call("maps_elevation", {"__from_previous_as_locations": "coords"}, "elevation"),
    )
    return _about("geocode_elevation", chain, f"Elevation of {place.name} in metres", place)


def distance(place: Entity, other: Entity) -> Recipe:
    """Geocode both ends, then the driving distance in kilometres."""
    chain = (
        _call("maps_geocode", {"address": place.name}, "coords_a"),
        _call("maps_geocode", {"address": other.name}, "coords_b"),
        _call(
            "maps_distance_matrix",
            {"__from_previous_as_origins_destinations": ["coords_a", "coords_b"]},
            "distance_km",
        ),
    )
    target = f"Driving distance from {place.name} to {other.name} in km"
    return _between("geocode_distance", chain, target, place, other)


def duration(place: Entity, other: Entity) -> Recipe:
    """The drive's whole minutes."""
    arguments = {"origin": place.name, "destination": other.name, "mode": "driving"}
    chain = (_call("maps_directions", arguments, "duration"),)
    target = f"Driving duration from {place.name} to {other.name} in minutes"
    return _between("directions_duration", chain, target, place, other)


def weather(template: str, place: Entity, day: date) -> Recipe:
    """Geocode, then one daily figure of the archive."""
    field, key = _DAILY[template]
    arguments = {
        "__from_previous": "coords",
        "start_date": day.isoformat(),
        "end_date": day.isoformat(),
        "select": [f"daily.{field}[0]"],
    }
    chain = (
        _call("maps_geocode", {"address": place.name}, "coords"),
        _call("weather_historical", arguments, key),
    )
    target = f"{key.capitalize()} at {place.name} on {day.isoformat()}"
    return _about(template, chain, target, place, date=day.isoformat())


def poi_count(place: Entity, category: str) -> Recipe:
    """How many places a search lists."""
    chain = (_call("maps_search_places", {"query": f"{category} near {place.name}"}, "poi_count"),)
    target = f"Number of {category} near {place.name}"
    return _about("poi_count", chain, target, place, category=category)


def place_rating(place: Entity, category: str) -> Recipe:
    """The rating of a search's first place."""
    query = f"{category} near {place.name}"
    chain = (_call("maps_search_places", {"query": query}, "place_rating"),)
    target = f"Rating of the first of the {category} near {place.name}"
    return _about("place_rating", chain, target, place, category=category)


def country(template: str, land: Entity) -> Recipe:
    """Population, or area in square kilometres."""
    key = "population" if template == "country_population" else "area_km2"
    chain = (_call(f"countries_{key.removesuffix('_km2')}", {"country": land.name}, key),)
    question = Question(rule=template, slots={"country": land.ref})
    return Recipe(
        template=template,
        chain=chain,
        question=question,
        target=f"{key} of {land.name}",
        sources=sources_of(land),
    )


def quotation(template: str, symbol: str, day: date) -> Recipe:
    """Price or volume of a share or a crypto pair on one day."""
    tool = {
        "stock_price": "stock_historical_price",
        "stock_volume": "stock_volume",
        "crypto_price": "crypto_historical_price",
        "crypto_volume": "crypto_volume",
    }[template]
    name = "ticker" if template.startswith("stock") else "symbol"
    arguments = {name: symbol, "date": day.isoformat()}
    return Recipe(
        template=template,
        chain=(_call(tool, arguments, template),),
        question=Question(rule=template, slots={name: symbol, "date": day.isoformat()}),
        target=f"{template.replace('_', ' ')} of {symbol} on {day.isoformat()}",
        sources=(),
    )


def _weather_maker(template: str) -> Callable[[Entity, random.Random], Recipe]:
    pick = winter_day if template == "weather_snowfall" else some_day
    return lambda place, chance: weather(template, place, pick(chance))


#: The two branches of each of the four diamond types.
DIAMONDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "elevation_poi": ("geocode_elevation", "poi_count"),
        "elevation_rating": ("geocode_elevation", "place_rating"),
        "population_area": ("country_population", "country_area"),
        "temperature_precipitation": ("weather_temperature", "weather_precipitation"),
    }
)

PLACE_TEMPLATES: Mapping[str, Callable[[Entity, random.Random], Recipe]] = MappingProxyType(
    {
        "geocode_elevation": lambda place, _: elevation(place),
        "poi_count": lambda place, chance: poi_count(place, chance.choice(CATEGORIES)),
        "place_rating": lambda place, chance: place_rating(place, chance.choice(CATEGORIES)),
        **{name: _weather_maker(name) for name in _DAILY},
    }
)
COUNTRY_TEMPLATES = ("country_population", "country_area")
PAIR_TEMPLATES: Mapping[str, Callable[[Entity, Entity], Recipe]] = MappingProxyType(
    {"geocode_distance": distance, "directions_duration": duration}
)
QUOTATIONS = ("stock_price", "stock_volume", "crypto_price", "crypto_volume")


def _call(tool: str, arguments: Mapping[str, Any], output_key: str) -> ChainStep:
    return ChainStep(tool=tool, arguments=arguments, output_key=output_key)


def _about(
    template: str, chain: tuple[ChainStep, ...], target: str, place: Entity, **slots: str
) -> Recipe:
    question = Question(rule=template, slots={"place": place.ref, **slots})
    return Recipe(
        template=template, chain=chain, question=question, target=target, sources=sources_of(place)
    )


def _between(
    template: str, chain: tuple[ChainStep, ...], target: str, place: Entity, other: Entity
) -> Recipe:
    question = Question(rule=template, slots={"place": place.ref, "other": other.ref})
    return Recipe(
        template=template,
        chain=chain,
        question=question,
        target=target,
        sources=sources_of(place, other),
    )
