"""Recorded replies of Google Maps, read through the tools with live endpoints.

`ask` gives the same reply to every request: a legacy reply reaches the parsers by whichever road.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import Asked, ErrorCase, check_error, value

GEOCODE = {"address": "anything"}
POINT = {"latitude": 1, "longitude": 2}
PAIR = {"origins": ["a", "b"], "destinations": ["c", "d"]}
ENDS = {"origin": "a", "destination": "b"}
QUERY = {"query": "x"}

KINKAKUJI = (
    "Japan, 〒603-8361 Kyōto-fu, Kyōto-shi, Kita-ku, Kinkakujichō, "
    "\N{FULLWIDTH DIGIT ONE} 北山鹿苑寺金閣寺"
)

#: file -> address, latitude, longitude, place id, whether it is a partial match
ADDRESSES: dict[str, tuple[str, float, float, str | None, bool]] = {
    "geocode_ok_new_york": (
        "New York, NY, USA", 40.7127837, -74.0059413, "ChIJOwg_06VPwokRYv534QaPC8g", False),
    "geocode_ok_no_locality_component": ("55100, Turkey", 41.3112221, 36.3322118, None, False),
    "geocode_ok_postcode_only_many": (
        "Hedge End, Southampton, Hampshire SO30 4RT, UK", 50.9173897, -1.3125111, None, True),
    "geocode_ok_multi_results_utf8": (
        "1 Rue Fernand Raynaud, 36000 Châteauroux, France",
        46.8024498, 1.6551494, "ChIJaTxVlWSg-0cR0flO9_azzKY", False),
    "reverse_geocode_ok_sydney": (
        "277 Bedford Ave, Brooklyn, NY 11211, USA",
        40.7142205, -73.9612903, "ChIJd8BlQ2BZwokRAFUEcm_qrcA", False),
    "reverse_geocode_ok_kyoto_ja": (
        KINKAKUJI, 35.0393986, 135.7293744, "ChIJLxi4xCCoAWAR0nKK_sUaOtM", False),
    "reverse_geocode_address_descriptors": (
        KINKAKUJI, 35.0393986, 135.7293744, "ChIJLxi4xCCoAWAR0nKK_sUaOtM", False),
}  # fmt: skip

#: file, HTTP status, tool, arguments -> kind, and a part of the message
ERRORS: list[ErrorCase] = [
    ("google/geocode_zero_results.json", 200, "maps_geocode", GEOCODE,
     "not_found", "answered ZERO_RESULTS for the address 'anything'; try another spelling"),
    ("google/geocode_request_denied_billing.json", 200, "maps_geocode", GEOCODE,
     "denied", "You must enable Billing on the Google Cloud Project"),
    ("google/geocode_request_denied_no_key.json", 200, "maps_geocode", GEOCODE,
     "denied", "REQUEST_DENIED for the address 'anything': You must use an API key"),
    ("google/over_query_limit_with_message.json", 200, "maps_geocode", GEOCODE,
     "quota", "OVER_QUERY_LIMIT for the address 'anything': Please wait; wait a little"),
    ("google/distancematrix_request_denied.json", 200, "maps_distance_matrix", PAIR,
     "denied", "The provided API key is invalid; check GOOGLE_API_KEY"),
    ("google/directions_not_found.json", 200, "maps_directions", ENDS,
     "not_found", "answered NOT_FOUND for driving from 'a' to 'b'"),
    ("google/directions_ok_sydney_melbourne.json", 200, "maps_directions", ENDS,
     "upstream", "unknown shape (ValueError: leg 1 has no distance and no duration)"),
    ("google/place_details_legacy_invalid_request.json", 200, "maps_place_details",
     {"place_id": "x"}, "bad_arguments", "answered INVALID_REQUEST for the place 'x'"),
    ("google/places_new_error_403_disabled.json", 403, "maps_search_places", QUERY,
     "denied", "Places API (New) has not been used in project PROJECT"),
    ("google/places_new_error_400_fieldmask.json", 400, "maps_search_places", QUERY,
     "upstream", "FieldMask is a required parameter"),
]  # fmt: skip
LEGACY_REFUSAL = "google/legacy_api_not_enabled_request_denied.json"
LEGACY_TOOLS: list[tuple[str, dict[str, Any], str]] = [
    ("maps_search_places", QUERY, "Places API (New)"),
    ("maps_place_details", {"place_id": "x"}, "Places API (New)"),
    ("maps_distance_matrix", PAIR, "Routes API"),
    ("maps_directions", ENDS, "Routes API"),
]

READ = {
    *(case[0] for case in ERRORS),
    *(f"google/{file}.json" for file in ADDRESSES),
    LEGACY_REFUSAL,
    "google/directions_ok_transit_leg.json",
    "google/distancematrix_element_not_found.json",
    "google/distancematrix_ok_8x5.json",
    "google/elevation_ok_one_point.json",
    "google/place_details_legacy_google_sydney.json",
    "google/places_findplacefromtext_legacy.json",
    "google/places_textsearch_legacy_no_rating.json",
    "google/places_textsearch_legacy_page1_next_token_b.json",
    "google/places_textsearch_legacy_user_ratings_total.json",
    "google/routes_computeroutematrix_docs_example.json",
}


@pytest.mark.parametrize("file", ADDRESSES)
def test_the_first_address(ask: Asked, file: str) -> None:
    is_reverse = file.startswith("reverse")
    name, arguments = ("maps_reverse_geocode", POINT) if is_reverse else ("maps_geocode", GEOCODE)
    address, latitude, longitude, place_id, is_partial = ADDRESSES[file]
    expected = {
        "formatted_address": address,
        "location": {"lat": latitude, "lng": longitude},
        "place_id": place_id,
    }
    partly = {"partial_match": True} if is_partial else {}
    assert value(ask(f"google/{file}.json", name, arguments)) == expected | partly


def test_elevation(ask: Asked) -> None:
    arguments = {"locations": [{"latitude": -33.867487, "longitude": 151.20699}]}
    assert value(ask("google/elevation_ok_one_point.json", "maps_elevation", arguments)) == {
        "results": [
            {
                "elevation": 19.10829925537109,
                "location": {"lat": -33.867487, "lng": 151.20699},
                "resolution": 4.771975994110107,
            }
        ]
    }


def search(ask: Asked, file: str) -> dict[str, Any]:
    found: dict[str, Any] = value(ask(f"google/{file}.json", "maps_search_places", QUERY))
    return found


def test_a_full_page_of_places(ask: Asked, shared: Path) -> None:
    file = "places_textsearch_legacy_page1_next_token_b"
    found = search(ask, file)
    assert found["count"] == 20
    assert found["places"][0] == {
        "name": "Joe's Pizza",
        "place_id": "ChIJ8Q2WSpJZwokRQz-bYYgEskM",
        "address": "7 Carmine St, New York, NY 10014, United States",
        "location": {"lat": 40.7305876, "lng": -74.002141},
        "rating": 4.4,
        "rating_count": None,
    }
    assert [place["rating"] for place in found["places"]] == [
        *(4.4, 4.5, 4.6, 4.5, 4.3, 4.4, 4.2, 4.4, 4.6, 4.2),
        *(4.3, 4.4, 4.2, 4.4, 4.2, 4, 4.6, 4, 4.3, 3.7),
    ]
    raw = json.loads((shared / f"data/contracts/google/{file}.json").read_text())["results"]
    for place, one in zip(found["places"], raw, strict=True):
        assert (place["name"], place["place_id"]) == (one["name"], one["place_id"])
        assert place["address"] == one["formatted_address"]
        assert place["location"] == one["geometry"]["location"]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("places_textsearch_legacy_user_ratings_total",
         ("Google", "ChIJN1t_tDeuEmsRUsoyG83frY4", "5, 48 Pirrama Rd, Pyrmont NSW 2009, Australia",
          {"lat": -33.866651, "lng": 151.195827}, 4.4, 458)),
        ("places_textsearch_legacy_no_rating",
         ("Kita Ward", "ChIJHSR_jiupAWARcQjngz-_Cxk", "Kita Ward, Kyoto, Kyoto Prefecture, Japan",
          {"lat": 35.041053, "lng": 135.7539826}, None, 0)),
        ("places_findplacefromtext_legacy",
         ("Museum of Contemporary Art Australia", None,
          "140 George St, The Rocks NSW 2000, Australia",
          {"lat": -33.8599358, "lng": 151.2090295}, 4.4, None)),
    ],
)  # fmt: skip
def test_one_place(ask: Asked, file: str, expected: tuple[Any, ...]) -> None:
    found = search(ask, file)
    assert found["count"] == 1
    names = ("name", "place_id", "address", "location", "rating", "rating_count")
    assert found["places"] == [dict(zip(names, expected, strict=True))]


def test_place_details(ask: Asked) -> None:
    file = "google/place_details_legacy_google_sydney.json"
    assert value(ask(file, "maps_place_details", {"place_id": "x"})) == {
        "name": "Google Workplace 6",
        "place_id": "ChIJN1t_tDeuEmsRUsoyG83frY4",
        "address": "48 Pirrama Rd, Pyrmont NSW 2009, Australia",
        "location": {"lat": -33.866489, "lng": 151.1958561},
        "rating": 4,
        "rating_count": 973,
    }


def test_route_matrix(ask: Asked) -> None:
    file = "google/routes_computeroutematrix_docs_example.json"
    found = value(ask(file, "maps_distance_matrix", PAIR))
    distances = [
        (item["origin"], item["destination"], item["distance_km"]) for item in found["results"]
    ]
    assert distances == [("a", "c", 0.822), ("a", "d", 7.259), ("b", "c", 2.919), ("b", "d", 5.598)]
    assert found["results"][0]["duration_min"] == pytest.approx(160 / 60, abs=1e-4)


#: Metres of the recorded matrix, origin by origin.
METRES = [
    [3669839, 4172519, 3819685, 3111879, 193530],
    [2835495, 3995751, 129162, 4458286, 4081644],
    [2319610, 3776081, 856860, 4238615, 3565759],
    [1595141, 3051611, 1251530, 3514145, 2841289],
    [3236842, 3448098, 1008759, 3910632, 4482990],
    [1958480, 210387, 3849813, 1118071, 3969954],
    [3030901, 4487372, 1575309, 4949906, 4277050],
    [2619695, 3962495, 299573, 4425029, 3865843],
]


def test_legacy_matrix(ask: Asked) -> None:
    cities = [
        "Perth",
        "Sydney",
        "Melbourne",
        "Adelaide",
        "Brisbane",
        "Darwin",
        "Hobart",
        "Canberra",
    ]
    sights = ["Uluru", "Kakadu", "Blue Mountains", "Bungle Bungles", "The Pinnacles"]
    asked = {"origins": cities, "destinations": sights}
    found = value(ask("google/distancematrix_ok_8x5.json", "maps_distance_matrix", asked))
    elements = [row["elements"] for row in found["rows"]]
    assert [[item["distance"]["value"] for item in row] for row in elements] == METRES
    assert elements[0][0]["duration"] == {"value": 137846}
    assert len(found["results"]) == 40
    assert found["results"][11] == {
        "origin": "Melbourne",
        "destination": "Kakadu",
        "status": "OK",
        "distance_km": 3776.081,
        "duration_min": pytest.approx(146992 / 60, abs=1e-4),
    }
    others = value(ask("google/distancematrix_ok_8x5.json", "maps_distance_matrix", PAIR))
    assert others["results"][0]["origin"] == "Perth WA, Australia", "not of the places asked for"


def test_legacy_matrix_with_an_unknown_place(ask: Asked) -> None:
    asked = {"origins": ["Mills River, NC"], "destinations": ["nowhere"]}
    file = "google/distancematrix_element_not_found.json"
    assert value(ask(file, "maps_distance_matrix", asked))["results"] == [
        {
            "origin": "Mills River, NC",
            "destination": "nowhere",
            "status": "NOT_FOUND",
            "distance_km": None,
            "duration_min": None,
        }
    ]


def test_legacy_directions_by_transit(ask: Asked) -> None:
    asked = {"origin": "483 George St", "destination": "182 Church St", "mode": "transit"}
    found = value(ask("google/directions_ok_transit_leg.json", "maps_directions", asked))
    assert (found["distance_km"], found["duration_min"]) == (24.785, 33.3833)
    assert found["summary"].startswith("transit from '483 George St' to '182 Church St': 24.785 km")


@pytest.mark.parametrize(("name", "arguments", "title"), LEGACY_TOOLS)
def test_the_legacy_refusal_names_the_api_to_enable(
    ask: Asked, name: str, arguments: dict[str, Any], title: str
) -> None:
    said = f"enable the {title} for the key's project at https://console.cloud.google.com/apis/"
    check_error(ask, (LEGACY_REFUSAL, 200, name, arguments, "denied", said))
    said = "You're calling a legacy API, which is not enabled for your project."
    check_error(ask, (LEGACY_REFUSAL, 200, name, arguments, "denied", said))


def test_billing_is_to_be_turned_on(ask: Asked) -> None:
    file = "google/geocode_request_denied_billing.json"
    said = "turn billing on for the key's project, https://console.cloud.google.com/project/_/"
    check_error(ask, (file, 200, "maps_geocode", GEOCODE, "denied", said))


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: ErrorCase
) -> None:
    check_error(ask, case)
