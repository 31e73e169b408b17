"""The roadblock templates: one table from wire chain to the paper's names.

Table 6 of the paper is cut short in print; its missing rows are named in its manner.
"""

from dataclasses import dataclass

from .records import PitStop, Roadblock

MERGE = "diamond_merge"
UNKNOWN = "custom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """`chain`: (tool, output key) of each call; `name`: Table 6's; `label`: Table 7's, if any."""

    name: str
    chain: tuple[tuple[str, str], ...]
    label: str | None = None


_GEOCODE = ("maps_geocode", "coords")
_WEATHER = "weather_historical"

TEMPLATES = (
    Template(name="geocode_elevation", chain=(_GEOCODE, ("maps_elevation", "elevation"))),
    Template(
        name="geocode_distance",
        chain=(
            ("maps_geocode", "coords_a"),
            ("maps_geocode", "coords_b"),
            ("maps_distance_matrix", "distance_km"),
        ),
        label="geocode_dist",
    ),
    Template(name="geocode_directions_duration", chain=(("maps_directions", "duration"),)),
    Template(name="geocode_weather_historical", chain=(_GEOCODE, (_WEATHER, "temperature"))),
    Template(name="geocode_weather_precipitation", chain=(_GEOCODE, (_WEATHER, "precipitation"))),
    Template(name="geocode_weather_snowfall", chain=(_GEOCODE, (_WEATHER, "snowfall"))),
    Template(name="geocode_weather_sunshine", chain=(_GEOCODE, (_WEATHER, "sunshine"))),
    Template(name="date_computation", chain=(("python_execute_code", "days"),), label="date_comp"),
    Template(
        name="math_conversion", chain=(("python_execute_code", "converted"),), label="math_conv"
    ),
    Template(name="poi_count", chain=(("maps_search_places", "poi_count"),)),
    Template(name="place_rating", chain=(("maps_search_places", "place_rating"),)),
    Template(
        name="country_population",
        chain=(("countries_population", "population"),),
        label="country_pop",
    ),
    Template(name="country_area", chain=(("countries_area", "area_km2"),), label="country_area"),
    Template(name="stock_price", chain=(("stock_historical_price", "stock_price"),)),
    Template(name="stock_volume", chain=(("stock_volume", "stock_volume"),)),
    Template(name="crypto_price", chain=(("crypto_historical_price", "crypto_price"),)),
    Template(name="crypto_volume", chain=(("crypto_volume", "crypto_volume"),)),
)

_NAMES = {template.chain: template.name for template in TEMPLATES} | {
    (("python_execute_code", "merged"),): MERGE
}

#: Every name that `template_of` can give, in the table's order.
TEMPLATE_NAMES = (*(template.name for template in TEMPLATES), MERGE, UNKNOWN)


def is_merge(stop: PitStop) -> bool:
    """Whether a stop is a diamond's merge."""
    return isinstance(stop, Roadblock) and template_of(stop) == MERGE


def template_of(roadblock: Roadblock) -> str:
    """The template's Table 6 name; `diamond_merge` for a merge, `custom` for any other chain."""
    chain = tuple((step.tool, step.output_key or "") for step in roadblock.chain)
    return _NAMES.get(chain, UNKNOWN)
