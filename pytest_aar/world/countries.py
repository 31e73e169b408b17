"""The country records, by every name they go by."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pytest_aar.world.records import Country
from pytest_aar.world.text import fold


class CountryTable:
    """All countries; a name matches as a whole or not at all (so "Niger" is never Nigeria)."""

    def __init__(self, raw: list[dict[str, Any]]) -> None:
        self._countries = tuple(_country(row) for row in raw)
        self.by_alpha2 = {country.alpha2: country for country in self._countries}

    def __iter__(self) -> Iterator[Country]:
        return iter(self._countries)

    @cached_property
    def _names(self) -> dict[str, Country]:
        names: dict[str, Country] = {}
        for country in self._countries:
            names[fold(country.name)] = country
        for country in self._countries:
            own = (country.official_name, country.alpha2, country.alpha3, *country.aliases)
            for name in own:
                names.setdefault(fold(name), country)
            names.setdefault(fold(f"the {country.name}"), country)
        return names

    @cached_property
    def _fields(self) -> dict[tuple[str, str], Country]:
        fields: dict[tuple[str, str], Country] = {}
        for country in self._countries:
            fields["names.common", country.name.casefold()] = country
            fields["names.official", country.official_name.casefold()] = country
            fields["codes.alpha_2", country.alpha2.casefold()] = country
            fields["codes.alpha_3", country.alpha3.casefold()] = country
        return fields

    def by_field(self, field: str, value: str) -> Country | None:
        """The country whose `field` (REST Countries' name for it) is exactly this, case aside."""
        return self._fields.get((field, value.casefold())) if value else None

    def find(self, name: str) -> Country | None:
        """The country of a common or official name, an alias or a code, or None."""
        return self._names.get(fold(name))


def _pairs(rows: list[list[str]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row) for row in rows)


def _country(row: dict[str, Any]) -> Country:
    capital, own = row["capital_location"], row["location"]
    return Country(
        alpha2=row["alpha2"],
        alpha3=row["alpha3"],
        name=row["name"],
        official_name=row["official_name"],
        capital=row["capital"],
        capital_location=(capital[0], capital[1]) if capital else None,
        location=(own[0], own[1]) if own else None,
        population=row["population"],
        area_km2=row["area_km2"],
        region=row["region"],
        subregion=row["subregion"],
        currencies=_pairs(row["currencies"]),
        languages=_pairs(row["languages"]),
        borders=tuple(row["borders"]),
        calling_codes=tuple(row["calling_codes"]),
        top_level_domain=row["top_level_domain"],
        independence=row["independence"],
        aliases=tuple(row["aliases"]),
    )
