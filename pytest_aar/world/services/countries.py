"""Countries in the shape of REST Countries v5."""

from typing import TYPE_CHECKING, Any

from pytest_aar.world.records import Country
from pytest_aar.world.services.answers import Answer, Request, json_answer

if TYPE_CHECKING:
    from pytest_aar.world.store import World

_PREFIX = "/countries/v5"


def _object(country: Country) -> dict[str, Any]:
    point = country.capital_location
    capital: dict[str, Any] = {"name": country.capital, "attributes": {"primary": True}}
    if point:
        capital["coordinates"] = {"lat": point[0], "lng": point[1]}
    return {
        "names": {
            "common": country.name,
            "official": country.official_name,
            "alternates": list(country.aliases),
        },
        "codes": {"alpha_2": country.alpha2, "alpha_3": country.alpha3},
        "capitals": [capital] if country.capital else [],
        "coordinates": _point(country),
        "area": {"kilometers": country.area_km2},
        "population": country.population,
        "region": country.region,
        "subregion": country.subregion,
        "currencies": [
            {"code": code, "name": name, "symbol": symbol}
            for code, name, symbol in country.currencies
        ],
        "languages": [{"iso639_1": code, "name": name} for code, name in country.languages],
        "borders": list(country.borders),
        "calling_codes": list(country.calling_codes),
        "tlds": [country.top_level_domain] if country.top_level_domain else [],
        "independence": {"date": country.independence},
    }


def _point(country: Country) -> dict[str, float] | None:
    return {"lat": country.location[0], "lng": country.location[1]} if country.location else None


def _reply(found: list[Country], fields: str) -> Answer:
    objects = [_object(country) for country in found]
    if fields:
        wanted = {name.strip().split(".")[0] for name in fields.split(",")}
        objects = [{k: v for k, v in item.items() if k in wanted} for item in objects]
    meta = {"total": len(objects), "count": len(objects), "more": False}
    return json_answer({"success": True, "data": {"objects": objects, "meta": meta}, "errors": []})


def countries(world: "World", request: Request) -> Answer:
    """`/countries/v5/FIELD/VALUE` for names and codes, exact; an unknown one has no objects."""
    if not request.path.startswith(_PREFIX):
        message = "Not found. The sandbox serves /countries/v5/names.common/{name} and its like."
        return json_answer({"success": False, "data": None, "errors": [{"message": message}]}, 404)
    parts = request.path.removeprefix(_PREFIX).strip("/").split("/", 1)
    fields = request.query.get("response_fields", "")
    if parts == [""]:
        query = request.query.get("q", "").casefold()
        return _reply([c for c in world.countries if query in c.name.casefold()], fields)
    field, value = (*parts, "")[:2]
    found = world.countries.by_field(field, value)
    return _reply([found] if found else [], fields)
