"""Countries in the live world: exact names, REST Countries with a key, else the World Bank and shipped data."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from tool_calls import Handler, Recorder, ask, failure, reply, value
from waiting import metered

from pytest_aar.gateway.country_book import country_book
from pytest_aar.tools import LIVE

NO_KEY = {"endpoints": LIVE, "country_book": country_book}
WITH_KEY = {**NO_KEY, "keys": {"RESTCOUNTRIES_API_KEY": "rc"}}
FACTBOOK = "data shipped with pytest-aar (CIA World Factbook)"


def area(name: str) -> Any:
    """Of the shipped data: no request goes out."""
    return value(ask("countries_area", {"country": name}, **NO_KEY))


def population(name: str, handler: Handler) -> Any:
    return ask("countries_population", {"country": name}, handler, **NO_KEY)


def figures(*rows: tuple[str, Any], code: str = "NER") -> list[Any]:
    """A reply of the World Bank's on an indicator."""
    country = {"id": code[:2], "value": "x"}
    meta = {"page": 1, "pages": 1, "per_page": 50, "total": len(rows), "sourceid": "2"}
    return [
        meta,
        [
            {"country": country, "countryiso3code": code, "date": year, "value": number}
            for year, number in rows
        ],
    ]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("Niger", "niger", "NE", "NER", "Republic of the Niger"), "Niger"),
        (("Nigeria", "NGA"), "Nigeria"),
        (("Guinea", "GIN", "Republic of Guinea"), "Guinea"),
        (("Guinea-Bissau", "Guinea Bissau"), "Guinea-Bissau"),
        (("Equatorial Guinea",), "Equatorial Guinea"),
        (("Papua New Guinea", "png"), "Papua New Guinea"),
        (("DR Congo", "COD", "Congo-Kinshasa", "Congo, Dem. Rep."), "Democratic Republic of the Congo"),
        (("Congo-Brazzaville", "Republic of the Congo", "COG"), "Republic of the Congo"),
        (("Georgia", "GEO"), "Georgia"),
        (("South Georgia and the South Sandwich Islands",), "South Georgia and the South Sandwich Islands"),
        (("China", "CHN", "People's Republic of China", "People\u2019s Republic of China"), "China"),
        (("India", "IN", "Republic of India"), "India"),
        (("British Indian Ocean Territory",), "British Indian Ocean Territory"),
        (("South Korea", "Korea", "KR", "Republic of Korea", "Korea, Rep."), "South Korea"),
        (("North Korea", "DPRK", "Democratic People's Republic of Korea"), "North Korea"),
        (("U.S. Virgin Islands", "US Virgin Islands", "VIR"), "U.S. Virgin Islands"),
        (("British Virgin Islands", "VG"), "British Virgin Islands"),
        (("USA", "U.S.A.", "US", "United States", "the United States of America"), "United States"),
        (("UK", "U.K.", "GB", "Great Britain", "United Kingdom"), "United Kingdom"),
        (("Ivory Coast", "Côte d'Ivoire", "Côte d\u2019Ivoire", "Cote d'Ivoire"), "Ivory Coast"),
        (("Czechia", "Czech Republic"), "Czechia"),
        (("Türkiye", "Turkey", "TURKIYE"), "Turkey"),
        (("The Gambia", "Gambia", "Gambia, The"), "Gambia"),
        (("Holland", "The Netherlands", "Kingdom of the Netherlands"), "Netherlands"),
        (("Kingdom of Denmark",), "Denmark"),
        (("Burma", "Myanmar"), "Myanmar"),
        (("Swaziland", "Eswatini"), "Eswatini"),
        (("St. Lucia", "Saint Lucia"), "Saint Lucia"),
        (("Trinidad & Tobago",), "Trinidad and Tobago"),
        (("São Tomé and Príncipe",), "Sao Tome and Principe"),
        (("Curaçao",), "Curacao"),
        (("Macau",), "Macao"),
        (("East Timor", "Timor-Leste"), "Timor Leste"),
        (("Holy See", "Vatican"), "Vatican City"),
        (("Kosovo", "XKX"), "Kosovo"),
        (("Taiwan", "TWN"), "Taiwan"),
    ],
)  # fmt: skip
def test_a_name_is_one_country_whole_or_not_at_all(names: tuple[str, ...], found: str) -> None:
    assert {area(name)["country"] for name in names} == {found}


def test_the_area_is_of_the_shipped_data_and_says_so() -> None:
    assert area("Niger") == {"country": "Niger", "area_km2": 1267000, "source": FACTBOOK}
    assert area("Vatican City")["area_km2"] == 0.44
    assert area("Palestine")["area_km2"] == 6220
    assert area("Kosovo")["area_km2"] == 10887


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("Congo", "ambiguous", "Republic of the Congo, Democratic Republic of the Congo"),
        ("Virgin Islands", "ambiguous", "British Virgin Islands, U.S. Virgin Islands"),
        ("Nigera", "not_found", "Niger"),
        ("Ginea", "not_found", "Guinea"),
        ("Sandwich Islands", "not_found", "South Georgia and the South Sandwich Islands"),
        ("Atlantis", "not_found", "two- or three-letter code"),
        ("Chin", "not_found", "'Chin'"),
    ],
)
def test_other_names_are_refused_with_what_they_may_mean(name: str, kind: str, said: str) -> None:
    for tool in ("countries_area", "countries_population"):
        for options in (NO_KEY, WITH_KEY):
            found = Recorder({"data": {"objects": []}})
            told = failure(ask(tool, {"country": name}, found, **options))
            assert told[0] == kind
            assert said in told[1]


def test_a_country_without_an_area_says_what_would_help() -> None:
    asked = {"country": "United States Minor Outlying Islands"}
    kind, message = failure(ask("countries_area", asked, **NO_KEY))
    assert kind == "not_found"
    assert "no area of United States Minor Outlying Islands" in message
    assert "RESTCOUNTRIES_API_KEY" in message
    assert "https://restcountries.com" in message


@pytest.mark.parametrize("number", [27032412, "27032412", 27032412.0])
def test_the_population_is_the_world_banks_latest(number: Any) -> None:
    seen = Recorder(figures(("2023", 26159867), ("2024", number), ("2025", None)))
    assert value(population("Niger", seen)) == {
        "country": "Niger",
        "population": 27032412,
        "source": "World Bank, SP.POP.TOTL of 2024",
    }
    assert str(seen.requests[0].url) == (
        "https://api.worldbank.org/v2/country/NER/indicator/SP.POP.TOTL?format=json&mrnev=1"
    )


INVALID = [{"message": [{"id": "120", "key": "Invalid value", "value": "not valid"}]}]


@pytest.mark.parametrize(
    "handler",
    [
        reply(INVALID),
        reply(INVALID, 404),
        reply([INVALID[0], None]),
        reply(figures(("2024", None), code="XKX")),
        reply([{"page": 0, "pages": 0, "total": 0}, None]),
        reply([{"page": 0, "pages": 0, "total": 0}, []]),
    ],
)
def test_a_country_that_the_world_bank_leaves_out(handler: Handler) -> None:
    kind, message = failure(population("Kosovo", handler))
    assert kind == "not_found"
    assert "knows the population of Kosovo" in message
    assert "RESTCOUNTRIES_API_KEY" in message
    assert value(population("Guernsey", handler)) == {
        "country": "Guernsey",
        "population": 67923,
        "source": f"{FACTBOOK}; the World Bank has no figure",
    }
    assert value(population("Taiwan", handler)) == {
        "country": "Taiwan",
        "population": 23600776,
        "source": f"{FACTBOOK}, estimate of 2025; the World Bank has no figure",
    }


BRAZIL = {"id": "BRA", "iso2Code": "BR", "name": "Brazil", "capitalCity": "Brasilia"}


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (reply([{"message": [{"id": "175", "key": "Invalid format", "value": "gone"}]}]), "gone"),
        (reply(figures(("2024", 1), code="NGA")), "answered for NG, NGA instead of NER"),
        (reply([{"page": 1}, [BRAZIL]]), "unknown shape"),
        (reply({"page": 1}), "unknown shape"),
        (reply(figures(("2024", "many"))), "unknown shape"),
        (lambda _: httpx.Response(200, text="<?xml version='1.0'?>"), "not JSON"),
        (reply("down", 502), "HTTP 502"),
    ],
)
def test_a_world_bank_that_fails_is_no_answer(handler: Handler, said: str) -> None:
    kind, message = failure(population("Niger", handler))
    assert kind == "upstream"
    assert "World Bank" in message
    assert said in message


def germany(name: str = "Germany", *, code: str = "DE", **more: Any) -> dict[str, Any]:
    return {
        "names": {"common": name, "official": f"Federal Republic of {name}"},
        "codes": {"alpha_2": code, "alpha_3": f"{code}U"},
        "population": 83_491_249,
        "area": {"kilometers": 357114.0, "miles": 137882.0},
        **more,
    }


def objects(*found: dict[str, Any]) -> dict[str, Any]:
    return {"data": {"objects": list(found), "meta": {"total": len(found), "more": False}}}


def test_with_a_key_rest_countries_is_asked_by_code() -> None:
    seen = Recorder(objects(germany()))
    for name in ("Germany", "Federal Republic of Germany", "DEU", "germany"):
        found = value(ask("countries_population", {"country": name}, seen, **WITH_KEY))
        assert found == {
            "country": "Germany",
            "population": 83_491_249,
            "source": "REST Countries v5",
        }
        assert seen.requests[-1].url.path == "/countries/v5/codes.alpha_2/DE"
    assert len(seen.requests) == 4
    assert seen.requests[0].url.host == "api.restcountries.com"
    assert seen.requests[0].headers["authorization"] == "Bearer rc"
    size = value(ask("countries_area", {"country": "Germany"}, seen, **WITH_KEY))
    assert size["area_km2"] == 357114.0


def test_a_country_that_it_lacks_has_the_figures_of_the_others_which_say_so() -> None:
    lacks = "; REST Countries v5 has no such country"
    asked = {"country": "Federal Republic of Germany"}
    told = {"success": False, "data": None, "errors": [{"message": "No such country"}]}
    for nothing in (objects(), httpx.Response(404, json=told)):
        seen = Recorder(nothing)
        found = value(ask("countries_area", asked, seen, **WITH_KEY))
        assert found == {"country": "Germany", "area_km2": 357022.0, "source": FACTBOOK + lacks}
        assert [request.url.path for request in seen.requests] == ["/countries/v5/codes.alpha_2/DE"]
    seen = Recorder(objects(), figures(("2024", 83_510_950), code="DEU"))
    found = value(ask("countries_population", asked, seen, **WITH_KEY))
    assert found["population"] == 83_510_950
    assert found["source"] == f"World Bank, SP.POP.TOTL of 2024{lacks}"
    assert seen.requests[-1].url.host == "api.worldbank.org"


@pytest.mark.parametrize("options", [NO_KEY, WITH_KEY])
@pytest.mark.parametrize(
    "astray",
    [
        (404, {"message": "no Route matched with those values"}),
        (404, {"success": False, "errors": [{"message": "Route not found"}]}),
        (410, {}),
        (400, {"success": False, "errors": [{"message": "Unknown response field"}]}),
    ],
)
def test_an_address_that_leads_nowhere_says_nothing_of_a_country(
    options: dict[str, Any], astray: tuple[int, Any]
) -> None:
    status, body = astray
    asked = {"country": "Germany"}
    kind, message = failure(ask("countries_population", asked, reply(body, status), **options))
    option = "world_bank" if options is NO_KEY else "countries"
    assert (kind, f"name another with --aar-services {option}=URL" in message) == ("upstream", True)


@pytest.mark.parametrize("name", ["ZZ", "ZZZ", "Q.Z", "Nowhere"])
def test_a_request_in_an_agents_own_wording_is_an_arguments_fault(name: str) -> None:
    """Capitals that the book doesn't know are no code of ours, and lose a race to nobody else."""
    refused = reply({"success": False, "errors": [{"message": "alpha_3 has three letters"}]}, 400)
    asked = {"country": name}
    with metered() as meter:
        kind, message = failure(ask("countries_population", asked, refused, **WITH_KEY))
    assert (kind, meter.astray) == ("bad_arguments", "")
    assert message == "REST Countries v5 answered HTTP 400: alpha_3 has three letters"


@pytest.mark.parametrize("status", [400, 404, 410])
@pytest.mark.parametrize("name", ["Germany", "ZZ", "Nowhere"])
def test_a_shut_version_is_told_with_the_option_whatever_was_asked(name: str, status: int) -> None:
    told = {"errors": [{"message": "This API version has been deprecated. Use v5."}]}
    with metered() as meter:
        asked = {"country": name}
        found = failure(ask("countries_area", asked, reply(told, status), **WITH_KEY))
    said = f"REST Countries v5 answered HTTP {status}: This API version has been deprecated. Use v5"
    advice = "its address may have changed: name another with --aar-services countries=URL"
    assert found == ("upstream", f"{said}; {advice}")
    assert meter.astray == found[1]


@pytest.mark.parametrize(
    ("name", "path"), [("ZZ", "codes.alpha_2/ZZ"), ("Q.Z", "names.common/Q.Z")]
)
def test_only_letters_are_asked_for_as_a_code(name: str, path: str) -> None:
    seen = Recorder(objects())
    assert failure(ask("countries_area", {"country": name}, seen, **WITH_KEY))[0] == "not_found"
    assert seen.requests[0].url.path == f"/countries/v5/{path}"


@pytest.mark.parametrize(
    ("name", "said", "kind"),
    [
        ("Endpoint Island", "no country 'endpoint island'", "not_found"),
        ("Endpoint Island", "none at names.common/Endpoint%20Island", "not_found"),
        ("Endpoint Island", "Endpoint not found", "upstream"),
        ("O", "Route not found: O", "upstream"),
    ],
)
def test_what_a_reply_repeats_of_a_name_says_nothing_of_the_address(
    name: str, said: str, kind: str
) -> None:
    lacks = reply({"success": False, "errors": [{"message": said}]}, 404)
    found = failure(ask("countries_area", {"country": name}, lacks, **WITH_KEY))
    assert found[0] == kind, found


def test_where_it_lacks_a_country_no_key_is_asked_for() -> None:
    asked = {"country": "United States Minor Outlying Islands"}
    kind, message = failure(ask("countries_area", asked, reply(objects()), **WITH_KEY))
    assert (kind, message) == (
        "not_found",
        f"the {FACTBOOK} have no area of United States Minor Outlying Islands;"
        " REST Countries v5 has no such country",
    )


def test_a_name_that_the_book_lacks_is_asked_for_as_it_is() -> None:
    seen = Recorder(objects(), objects(germany("Atlantis")))
    assert value(ask("countries_area", {"country": "Atlantis"}, seen, **WITH_KEY))
    assert [request.url.path.split("/")[3:] for request in seen.requests] == [
        ["names.common", "Atlantis"],
        ["names.official", "Atlantis"],
    ]


def test_of_several_countries_the_one_of_that_name_counts() -> None:
    several = reply(objects(germany("Nigeria", code="NG"), germany("Niger", code="NE")))
    asked = {"country": "Niger"}
    assert value(ask("countries_area", asked, several, **WITH_KEY))["country"] == "Niger"
    none = reply(objects(germany("Upper Atlantis"), germany("Lower Atlantis")))
    kind, message = failure(ask("countries_area", {"country": "Atlantis"}, none, **WITH_KEY))
    assert (kind, "Upper Atlantis, Lower Atlantis" in message) == ("ambiguous", True)


def test_another_country_than_the_one_asked_for_is_no_answer() -> None:
    nigeria = reply(objects(germany("Nigeria", code="NG")))
    asked = {"country": "Niger"}
    assert failure(ask("countries_area", asked, nigeria, **WITH_KEY)) == (
        "upstream",
        "REST Countries v5 answered for Nigeria instead of Niger (NE)",
    )
    without_book = {**WITH_KEY, "country_book": None}
    kind, message = failure(ask("countries_area", asked, nigeria, **without_book))
    assert (kind, "common or official name 'Niger'" in message) == ("not_found", True)


def test_a_country_without_codes_is_known_by_its_name() -> None:
    ivory = germany("Côte d'Ivoire", codes=None)
    found = value(ask("countries_area", {"country": "CIV"}, reply(objects(ivory)), **WITH_KEY))
    assert found["country"] == "Côte d'Ivoire"
    other = reply(objects(germany("Guinea", codes=None)))
    kind, message = failure(ask("countries_area", {"country": "CIV"}, other, **WITH_KEY))
    assert (kind, "answered for Guinea instead of Ivory Coast (CI)" in message) == (
        "upstream",
        True,
    )


@pytest.mark.parametrize(
    ("handler", "kind", "said"),
    [
        (
            reply({"errors": [{"code": "authKeyMissing", "message": "No API key"}]}, 401),
            *(
                "denied",
                "No API key (the key is that of RESTCOUNTRIES_API_KEY; its source: https://",
            ),
        ),
        (reply({"errors": [{"message": "Monthly limit reached"}]}, 429), "quota", "Monthly limit"),
        (reply(objects(germany(population="?"))), "upstream", "unknown shape"),
        (reply({"data": {}}), "upstream", "unknown shape"),
        (
            reply({"success": False, "errors": [{"message": "This version is deprecated."}]}),
            *(
                "upstream",
                "answered: This version is deprecated. Its versions 1 to 4 are shut: `countries` of aar_services must",
            ),
        ),
    ],
)
def test_failures_of_rest_countries(handler: Handler, kind: str, said: str) -> None:
    found = failure(ask("countries_population", {"country": "Germany"}, handler, **WITH_KEY))
    assert found[0] == kind
    assert said in found[1]


def test_a_month_that_is_used_up_is_not_asked_again() -> None:
    seen = Recorder(httpx.Response(429, json={"errors": [{"message": "Monthly limit reached"}]}))
    asked = {"country": "Germany"}
    assert failure(ask("countries_area", asked, seen, attempts=3, **WITH_KEY))[0] == "quota"
    assert len(seen.requests) == 1


def test_a_country_that_a_mirror_lacks_has_the_shipped_figure_where_nobody_else_is_asked() -> None:
    seen = Recorder(objects())
    own = LIVE.with_overrides({"countries": "https://mirror.test"})
    options = {**WITH_KEY, "endpoints": own}
    found = value(ask("countries_population", {"country": "Germany"}, seen, **options))
    assert found["source"] == (
        f"{FACTBOOK}; the World Bank is not asked; REST Countries v5 has no such country"
    )
    assert found["population"] > 80_000_000
    assert len(seen.requests) == 1
    kind, message = failure(ask("countries_population", {"country": "Kosovo"}, seen, **options))
    assert kind == "not_found"
    assert message.startswith(f"neither the World Bank (not asked) nor the {FACTBOOK} knows")


@pytest.mark.parametrize("nothing", [None, {"kilometers": None}])
def test_an_area_that_it_does_not_know(nothing: Any) -> None:
    asked, handler = {"country": "Germany"}, reply(objects(germany(area=nothing)))
    found = value(ask("countries_area", asked, handler, **WITH_KEY))
    source = f"{FACTBOOK}; REST Countries v5 has no figure"
    assert found == {"country": "Germany", "area_km2": 357022.0, "source": source}
    without_book = {**WITH_KEY, "country_book": None}
    assert failure(ask("countries_area", asked, handler, **without_book)) == (
        "not_found",
        "REST Countries v5 knows no area of Germany",
    )


@pytest.mark.parametrize("nothing", [None, -1])
def test_a_population_that_it_does_not_know(nothing: Any) -> None:
    kosovo = objects(germany("Kosovo", code="XK", population=nothing))
    seen = Recorder(kosovo, figures(("2024", 1_527_324), code="XKX"))
    found = value(ask("countries_population", {"country": "Kosovo"}, seen, **WITH_KEY))
    source = "World Bank, SP.POP.TOTL of 2024; REST Countries v5 has no figure"
    assert found == {"country": "Kosovo", "population": 1_527_324, "source": source}
    nobody = Recorder(kosovo, INVALID)
    kind, message = failure(ask("countries_population", {"country": "Kosovo"}, nobody, **WITH_KEY))
    assert (kind, message.endswith("; REST Countries v5 has no figure")) == ("not_found", True)


def test_an_address_of_ones_own_is_asked_without_a_key() -> None:
    own = LIVE.with_overrides({"countries": "https://mirror.test/"})
    seen = Recorder(objects(germany()))
    options = {"endpoints": own, "country_book": country_book}
    found = value(ask("countries_population", {"country": "Germany"}, seen, **options))
    assert found["population"] == 83_491_249
    assert seen.requests[0].url.host == "mirror.test"
    assert "authorization" not in seen.requests[0].headers


def test_the_countries_of_the_published_legs_have_their_area(shared: Path) -> None:
    """All but one, which is part of a country."""
    legs = (shared / "data/aar").rglob("*.json")
    names = {name for leg in legs for name in re.findall(r'"country": "([^"]+)"', leg.read_text())}
    assert len(names) == 72
    book = country_book()
    records = {name: book.find(name) for name in names}
    assert {name for name, record in records.items() if record is None} == {"Northern Ireland"}
    assert all(record.area_km2 for record in records.values() if record)
