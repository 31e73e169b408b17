"""The countries of the sandbox world's data, for the live world's tools.

They name countries exactly, and stand in for services that need a key or leave a country out.
"""

from functools import cache

from pytest_aar.tools import CountryBook, CountryRecord

_SOURCE = "data shipped with pytest-aar (CIA World Factbook)"
#: In place of the data's: Palestine there is the West Bank alone, the other two are missing. Figures are the
#: Factbook's; a population stands here only where the World Bank, which counts each year, leaves a country out.
_OWN = (
    CountryRecord(
        alpha2="PS",
        alpha3="PSE",
        name="Palestine",
        official_name="State of Palestine",
        area_km2=6_220,
    ),
    CountryRecord(
        alpha2="TW",
        alpha3="TWN",
        name="Taiwan",
        official_name="Taiwan",
        population=23_600_776,
        population_year=2025,
        area_km2=35_980,
    ),
    CountryRecord(
        alpha2="XK",
        alpha3="XKX",
        name="Kosovo",
        official_name="Republic of Kosovo",
        area_km2=10_887,
    ),
)
#: Areas that the data round to nothing.
_SMALL = {"VA": 0.44}


@cache
def country_book() -> CountryBook:
    """All countries, read from the world's data file once per process."""
    from pytest_aar.world import load  # noqa: PLC0415 - opens the data file

    shipped = (
        CountryRecord(
            alpha2=country.alpha2,
            alpha3=country.alpha3,
            name=country.name,
            official_name=country.official_name,
            population=country.population,
            area_km2=_SMALL.get(country.alpha2, country.area_km2),
            aliases=country.aliases,
        )
        for country in load().countries
    )
    records = {record.alpha2: record for record in (*shipped, *_OWN)}
    return CountryBook(source=_SOURCE, countries=tuple(records.values()))
