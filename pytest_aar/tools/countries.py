"""REST Countries v5: exact names only, since a search for "niger" finds Nigeria as well."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from pytest_aar.tools.arguments import Country
from pytest_aar.tools.exchange import Ask, fetch_json, message_in, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.services import Services

_SOURCE = "REST Countries v5"
_FIELDS = "names,codes,population,area"
_CODE_FIELDS = {2: "codes.alpha_2", 3: "codes.alpha_3"}


async def population(arguments: Country, services: Services) -> ToolResult:
    """`{country, population, source}`."""
    country = await _country(arguments.country, services)
    source = services.endpoints.countries_source
    with reading(_SOURCE):
        people = _positive(country["population"], "population", country)
        return answer({"country": _name(country), "population": int(people), "source": source})


async def area(arguments: Country, services: Services) -> ToolResult:
    """`{country, area_km2, source}`."""
    country = await _country(arguments.country, services)
    source = services.endpoints.countries_source
    with reading(_SOURCE):
        size = _positive(country["area"]["kilometers"], "area", country)
        return answer({"country": _name(country), "area_km2": size, "source": source})


def countries_in(body: Any) -> list[dict[str, Any]]:
    """The countries of a reply; the shut versions 1 to 4 answer HTTP 200 with `success: false`."""
    with reading(_SOURCE):
        if body.get("success") is False:
            raise ToolFailure("upstream", f"{_SOURCE} answered: {message_in(body)}")
        return list(body["data"]["objects"])


async def _country(name: str, services: Services) -> dict[str, Any]:
    for field in _fields_for(name):
        found = countries_in(await _ask(field, name, services))
        if len(found) > 1:
            names = ", ".join(str(_name(country)) for country in found)
            raise ToolFailure("ambiguous", f"{name!r} may be {names}: give one of these names")
        if found:
            return found[0]
    raise ToolFailure(
        "not_found",
        f"{_SOURCE} has no country with the common or official name {name!r}:"
        " give the English name, or a two- or three-letter code",
    )


def _fields_for(name: str) -> Iterator[str]:
    if len(name) in _CODE_FIELDS and name.isupper():
        yield _CODE_FIELDS[len(name)]
    yield "names.common"
    yield "names.official"


async def _ask(field: str, name: str, services: Services) -> Any:
    key = services.key("RESTCOUNTRIES_API_KEY")
    try:
        return await fetch_json(
            services,
            Ask(
                service=_SOURCE,
                url=f"{services.endpoints.countries}/countries/v5/{field}/{quote(name, safe='')}",
                params={"response_fields": _FIELDS},
                headers={"Authorization": f"Bearer {key}"} if key else None,
            ),
            _classify,
        )
    except ToolFailure as failure:
        if failure.kind != "not_found":
            raise
        return {"data": {"objects": []}}  # a 404 means the same as an empty list


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """A shut version is the service's fault, not a bad argument."""
    del body
    is_shut = status < 500 and "deprecated" in message.lower()  # noqa: PLR2004 - HTTP's own line
    return "upstream" if is_shut else None


def _name(country: dict[str, Any]) -> str:
    return str(country["names"]["common"])


def _positive(figure: Any, what: str, country: dict[str, Any]) -> float:
    """A missing or negative figure is "unknown" in such data, and no answer."""
    if figure is None or number(figure) < 0:
        raise ToolFailure("not_found", f"{_SOURCE} knows no {what} of {_name(country)}")
    return number(figure)
