"""Population and area of a country: REST Countries v5 with a key, else the World Bank and shipped data.

A country that v5 lacks, or has no figure of, gets the others' figure, which says so.
Names are exact in both: a search for "niger" finds Nigeria as well.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from pytest_aar.manners.reply_text import message_in, without_stop
from pytest_aar.tools import world_bank
from pytest_aar.tools.arguments import Country
from pytest_aar.tools.country_names import CountryBook, CountryRecord, ambiguous, folded, is_shared
from pytest_aar.tools.exchange import Ask, Astray, fetch_json, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.service_keys import KEY_SOURCES
from pytest_aar.tools.services import Services

_SOURCE = "REST Countries v5"
_FIELDS = "names,codes,population,area"
_CODE_NAMES = ("alpha_2", "alpha_3")
_CODE_FIELDS = {2: "codes.alpha_2", 3: "codes.alpha_3"}
_KEY = "RESTCOUNTRIES_API_KEY"
#: How the shut versions begin: what is repeated of a request comes later.
_SHUT = re.compile(r"This (?:API )?version (?:is|has been) deprecated", re.IGNORECASE)
#: What all its replies have, some of them.
_ENVELOPE = frozenset({"data", "errors"})
_NO_PATH = re.compile(r"\b(?:route|path|endpoint|url)\b", re.IGNORECASE)
_LACKS = f"{_SOURCE} has no such country"
_HAS_NO_FIGURE = f"{_SOURCE} has no figure"
_WITH_KEY = f"with a key in {_KEY} REST Countries is asked instead: {KEY_SOURCES[_KEY]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shipped:
    """A country that REST Countries has no answer for: there is no key, or `lack` says why."""

    record: CountryRecord
    book: CountryBook
    lack: str = ""

    def source(self, name: str) -> str:
        """The source of that name, and why it stands in for REST Countries where that was asked."""
        return f"{name}; {self.lack}" if self.lack else name

    def hint(self) -> str:
        """Why nobody is left to ask, or who would be."""
        return self.lack or _WITH_KEY


async def population(arguments: Country, services: Services) -> ToolResult:
    """`{country, population, source}`."""
    country = await _country(arguments.country, services)
    if not isinstance(country, _Shipped):
        with reading(_SOURCE):
            people = _known(country["population"])
            if people is not None:
                return answer(_told(country, services, population=int(people)))
        country = _without(country, "population", arguments.country, services)
    return answer(await _people(country, services))


async def area(arguments: Country, services: Services) -> ToolResult:
    """`{country, area_km2, source}`."""
    country = await _country(arguments.country, services)
    if not isinstance(country, _Shipped):
        with reading(_SOURCE):
            size = _known(country["area"] and country["area"]["kilometers"])
            if size is not None:
                return answer(_told(country, services, area_km2=size))
        country = _without(country, "area", arguments.country, services)
    return answer(_size(country))


def countries_in(body: Any) -> list[dict[str, Any]]:
    """The countries of a reply; the shut versions 1 to 4 answer HTTP 200 with `success: false`."""
    with reading(_SOURCE):
        if body.get("success") is False:
            kind = _kind_told(body)
            raise ToolFailure(kind, _with_remedy(f"{_SOURCE} answered: {message_in(body)}", body))
        return list(body["data"]["objects"])


async def _people(country: _Shipped, services: Services) -> dict[str, Any]:
    """The World Bank's figure, or the shipped one of a country that it doesn't count."""
    record = country.record
    is_asked = bool(services.endpoints.world_bank)
    figure = await world_bank.population(record, services) if is_asked else None
    people = figure.people if figure else record.population
    if people is None:
        raise ToolFailure(
            "not_found",
            f"neither the World Bank{'' if is_asked else ' (not asked)'} nor the {country.book.source} knows"
            f" the population of {record.name}; {country.hint()}",
        )
    year = f", estimate of {record.population_year}" if record.population_year else ""
    why = "has no figure" if is_asked else "is not asked"
    shipped = f"{country.book.source}{year}; the World Bank {why}"
    source = country.source(figure.source if figure else shipped)
    return {"country": record.name, "population": people, "source": source}


def _size(country: _Shipped) -> dict[str, Any]:
    record, source = country.record, country.book.source
    if not record.area_km2:
        raise ToolFailure(
            "not_found", f"the {source} have no area of {record.name}; {country.hint()}"
        )
    return {
        "country": record.name,
        "area_km2": record.area_km2,
        "source": country.source(source),
    }


async def _country(name: str, services: Services) -> dict[str, Any] | _Shipped:
    """The one country of that name: of REST Countries, by its code where the book knows it, else of the book."""
    book = services.country_book() if services.country_book else None
    record = book.find(name) if book else None
    if book and record:
        found = await _by_code(record, services) if _is_open(services) else None
        return found or _Shipped(
            record=record, book=book, lack=_LACKS if _is_open(services) else ""
        )
    if book and not _is_open(services):
        raise book.not_found(name)
    for field in _fields_for(name):
        found = _named(name, await _ask(field, name, services))
        if found:
            return found
    if book:
        raise book.not_found(name)
    raise ToolFailure(
        "not_found",
        f"{_SOURCE} has no country with the common or official name {name!r}:"
        " give the English name, or a two- or three-letter code",
    )


def _is_open(services: Services) -> bool:
    """Whether REST Countries can be asked: there is a key, or none is needed."""
    endpoints = services.endpoints
    needs_key = endpoints.needs_keys and "countries" not in endpoints.own
    return not needs_key or bool(services.keys.get(_KEY))


async def _by_code(record: CountryRecord, services: Services) -> dict[str, Any] | None:
    """The country of the record's code; another one in its place is the service's fault, not a country it lacks."""
    found = await _ask("codes.alpha_2", record.alpha2, services, is_ours=True)
    with reading(_SOURCE):
        same = [country for country in found if _is_of(record, country)]
        if found and not same:
            others = ", ".join(map(_name, found))
            raise ToolFailure(
                "upstream",
                f"{_SOURCE} answered for {others} instead of {record.name} ({record.alpha2})",
            )
        return same[0] if same else None


def _is_of(record: CountryRecord, country: dict[str, Any]) -> bool:
    """By its codes; by its names where it comes without any."""
    codes = _codes(country)
    if codes:
        return bool(codes & {record.alpha2, record.alpha3})
    names = (record.name, record.official_name, *record.aliases)
    return bool(_all_names(country) & set(map(folded, names)))


def _named(name: str, found: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The only country that goes by exactly this name; None for a single one of another name."""
    with reading(_SOURCE):
        same = [country for country in found if folded(name) in _all_names(country)]
        if len(found) <= 1:
            return same[0] if same else None
        if len(same) == 1 and not is_shared(name):
            return same[0]
        raise ambiguous(name, [_name(country) for country in found])


def _all_names(country: dict[str, Any]) -> set[str]:
    names = country["names"]
    given = (names.get("common"), names.get("official"), *_codes(country))
    return {folded(str(name)) for name in given if name}


def _codes(country: dict[str, Any]) -> set[str]:
    codes = country.get("codes") or {}
    return {str(code) for name in _CODE_NAMES if (code := codes.get(name))}


def _fields_for(name: str) -> Iterator[str]:
    """Which of its fields may hold the name; the book's codes are asked by `_by_code`."""
    if len(name) in _CODE_FIELDS and name.isalpha() and name.isupper():
        yield _CODE_FIELDS[len(name)]
    yield "names.common"
    yield "names.official"


async def _ask(
    field: str, name: str, services: Services, *, is_ours: bool = False
) -> list[dict[str, Any]]:
    """The countries whose field is that; `is_ours`: the name is the book's, no agent's wording."""
    is_own = "countries" in services.endpoints.own
    key = services.keys.get(_KEY) if is_own else services.key(_KEY)
    try:
        body = await fetch_json(
            services,
            Ask(
                service=_SOURCE,
                endpoint="countries",
                url=f"{services.endpoints.countries}/countries/v5/{field}/{quote(name, safe='')}",
                params={"response_fields": _FIELDS},
                headers={"Authorization": f"Bearer {key}"} if key else None,
                is_ours=is_ours,
            ),
            partial(_classify, name),
        )
        return countries_in(body)
    except ToolFailure as failure:
        if failure.kind != "not_found":
            raise services.blamed(failure, _KEY) from failure
        return []  # a 404 of its own means the same as an empty list


def _classify(name: str, status: int, body: Any, message: str) -> ErrorKind | Astray | None:
    """A shut version is the address's fault, not a bad argument; a 404 in another shape is not its own."""
    if status < 500 and _is_shut(message):  # noqa: PLR2004 - HTTP's own line
        return "astray"
    is_own = isinstance(body, dict) and bool(_ENVELOPE & body.keys())
    is_lacking = status == 404 and is_own and not _NO_PATH.search(_besides(name, message))  # noqa: PLR2004 - the same
    return "not_found" if is_lacking else None


def _besides(name: str, message: str) -> str:
    """A message without what it repeats of the request: a name may hold any word."""
    repeated = "|".join(map(re.escape, (name, quote(name, safe=""))))
    return re.sub(rf"(?<!\w)(?:{repeated})(?!\w)", "", message, flags=re.IGNORECASE)


def _kind_told(body: Any) -> ErrorKind:
    """The kind of errors that come with HTTP 200, by their codes: authKeyMissing, and the like."""
    codes = " ".join(
        str(each.get("code", "")) for each in body.get("errors") or () if isinstance(each, dict)
    )
    if re.search("auth|key", codes, re.IGNORECASE):
        return "denied"
    return "quota" if re.search("limit|quota", codes, re.IGNORECASE) else "upstream"


def _with_remedy(said: str, body: Any) -> str:
    """What it said, and what to do where the address leads to a version that is shut."""
    if not _is_shut(message_in(body)):
        return said
    return (
        f"{without_stop(said)}. Its versions 1 to 4 are shut: `countries` of aar_services must lead to a"
        " service that speaks version 5, or be left out"
    )


def _is_shut(message: str) -> bool:
    return _SHUT.match(message) is not None


def _name(country: dict[str, Any]) -> str:
    return str(country["names"]["common"])


def _told(country: dict[str, Any], services: Services, **figure: float) -> dict[str, Any]:
    return {
        "country": _name(country),
        **figure,
        "source": services.endpoints.countries_source,
    }


def _known(figure: Any) -> float | None:
    """A missing or negative figure is "unknown" in such data."""
    return None if figure is None or number(figure) < 0 else number(figure)


def _without(country: dict[str, Any], what: str, name: str, services: Services) -> _Shipped:
    """The country of the book, for others to answer where REST Countries doesn't know `what`."""
    book = services.country_book() if services.country_book else None
    record = book.find(name) if book else None
    if book is None or record is None:
        raise ToolFailure("not_found", f"{_SOURCE} knows no {what} of {_name(country)}")
    return _Shipped(record=record, book=book, lack=_HAS_NO_FIGURE)
