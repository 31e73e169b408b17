"""The World Bank's population figures: no key, one number per country and year."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_aar.tools.country_names import CountryRecord
from pytest_aar.tools.exchange import Ask, fetch_json, number, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services

_SERVICE = "World Bank"
_INDICATOR = "SP.POP.TOTL"
_INVALID_VALUE = "120"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """People in the middle of a year."""

    people: int
    year: str

    @property
    def source(self) -> str:
        """The figure's origin, as a result names it."""
        return f"World Bank, {_INDICATOR} of {self.year}"


async def population(country: CountryRecord, services: Services) -> Figure | None:
    """The latest figure; None where the World Bank counts no such country.

    Raises:
        ToolFailure: upstream where it answers with an error, another country or another shape.
    """
    code = country.alpha3
    ask = Ask(
        service=_SERVICE,
        endpoint="world_bank",
        url=f"{services.endpoints.world_bank}/v2/country/{code}/indicator/{_INDICATOR}",
        params={"format": "json", "mrnev": "1"},
        is_ours=True,
    )
    try:
        body = await fetch_json(services, ask, _classify)
    except ToolFailure as failure:
        if failure.kind != "not_found":
            raise
        return None
    return figure_in(body, country)


def figure_in(body: Any, country: CountryRecord) -> Figure | None:
    """The latest figure of a reply `[meta, rows]`, whose errors come as HTTP 200, too."""
    with reading(_SERVICE):
        for problem in _problems(body):
            if str(problem.get("id")) == _INVALID_VALUE:
                return None
            said = f"{problem.get('key')}: {problem.get('value')}"
            raise ToolFailure("upstream", f"{_SERVICE} answered: {said}")
        rows = [row for row in body[1] or () if row["value"] is not None]
        if not rows:
            return None
        latest = max(rows, key=lambda row: str(row["date"]))
        _check_country(latest, country)
        return Figure(people=int(number(latest["value"])), year=str(latest["date"]))


def _problems(body: Any) -> Iterator[dict[str, Any]]:
    """`[{"message": [{id, key, value}]}]` is how it says that something is wrong."""
    first = body[0]
    if isinstance(first, dict) and "message" in first:
        yield from first["message"]


def _check_country(row: Any, country: CountryRecord) -> None:
    """The figure of another country would be a wrong answer that looks like a right one."""
    known = {country.alpha2, country.alpha3}
    said = {row.get("countryiso3code"), (row.get("country") or {}).get("id")} - {None, ""}
    if said and not said & known:
        raise ToolFailure(
            "upstream",
            f"{_SERVICE} answered for {', '.join(sorted(said))} instead of {country.alpha3}",
        )


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """An unknown code may come as HTTP 400 or 404 as well."""
    del status, message
    is_list = isinstance(body, list) and body and isinstance(body[0], dict)
    problems = body[0].get("message") if is_list else None
    if not isinstance(problems, list) or not all(isinstance(each, dict) for each in problems):
        return None
    is_invalid = any(str(each.get("id")) == _INVALID_VALUE for each in problems)
    return "not_found" if is_invalid else None
