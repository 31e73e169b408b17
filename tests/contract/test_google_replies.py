"""Recorded replies of Google Maps, read through the tools with live endpoints."""

import json
from pathlib import Path

import pytest
from recorded import Asked, ErrorCase, check_error, value

GEOCODE = {"address": "anything"}
POINT = {"latitude": 1, "longitude": 2}
PAIR = {"origins": ["a", "b"], "destinations": ["c", "d"]}

#: file, HTTP status, tool, arguments -> kind, and a part of the message
ERRORS: list[ErrorCase] = [
    ("google/geocode_zero_results.json", 200, "maps_geocode", GEOCODE, "not_found", "ZERO_RESULTS"),
    (
        "google/geocode_request_denied_billing.json",
        200,
        "maps_geocode",
        GEOCODE,
        "denied",
        "Billing",
    ),
    (
        "google/geocode_request_denied_no_key.json",
        200,
        "maps_geocode",
        GEOCODE,
        "denied",
        "REQUEST_DENIED",
    ),
    (
        "google/over_query_limit_with_message.json",
        200,
        "maps_geocode",
        GEOCODE,
        "quota",
        "Please wait.",
    ),
    (
        "google/places_new_error_403_disabled.json",
        403,
        "maps_search_places",
        {"query": "x"},
        "denied",
        "disabled",
    ),
    (
        "google/places_new_error_400_fieldmask.json",
        400,
        "maps_search_places",
        {"query": "x"},
        "upstream",
        "FieldMask",
    ),
]

READ = {case[0] for case in ERRORS} | {
    "google/elevation_ok_one_point.json",
    "google/geocode_ok_multi_results_utf8.json",
    "google/geocode_ok_new_york.json",
    "google/geocode_ok_no_locality_component.json",
    "google/geocode_ok_postcode_only_many.json",
    "google/reverse_geocode_address_descriptors.json",
    "google/reverse_geocode_ok_kyoto_ja.json",
    "google/reverse_geocode_ok_sydney.json",
    "google/routes_computeroutematrix_docs_example.json",
}


def test_geocode(ask: Asked) -> None:
    found = value(ask("google/geocode_ok_new_york.json", "maps_geocode", GEOCODE))
    assert found["formatted_address"] == "New York, NY, USA"
    assert found["location"] == {"lat": 40.7127837, "lng": -74.0059413}


@pytest.mark.parametrize(
    "file", ["geocode_ok_multi_results_utf8", "geocode_ok_no_locality_component", "geocode_ok_postcode_only_many"]
)  # fmt: skip
def test_geocode_takes_the_first_result(ask: Asked, shared: Path, file: str) -> None:
    raw = json.loads((shared / f"data/contracts/google/{file}.json").read_text())["results"][0]
    found = value(ask(f"google/{file}.json", "maps_geocode", GEOCODE))
    assert found["formatted_address"] == raw["formatted_address"]
    assert found["location"] == raw["geometry"]["location"]
    assert found["place_id"] == raw.get("place_id")


@pytest.mark.parametrize(
    "file", ["reverse_geocode_ok_sydney", "reverse_geocode_ok_kyoto_ja", "reverse_geocode_address_descriptors"]
)  # fmt: skip
def test_reverse_geocode(ask: Asked, shared: Path, file: str) -> None:
    raw = json.loads((shared / f"data/contracts/google/{file}.json").read_text())["results"][0]
    found = value(ask(f"google/{file}.json", "maps_reverse_geocode", POINT))
    assert found["formatted_address"] == raw["formatted_address"]


def test_elevation(ask: Asked) -> None:
    arguments = {"locations": [{"latitude": -33.867487, "longitude": 151.20699}]}
    found = value(ask("google/elevation_ok_one_point.json", "maps_elevation", arguments))
    assert found["results"][0]["elevation"] == 19.10829925537109
    assert found["results"][0]["location"] == {"lat": -33.867487, "lng": 151.20699}


def test_route_matrix(ask: Asked) -> None:
    file = "google/routes_computeroutematrix_docs_example.json"
    found = value(ask(file, "maps_distance_matrix", PAIR))
    distances = [
        (item["origin"], item["destination"], item["distance_km"]) for item in found["results"]
    ]
    assert distances[0] == ("a", "c", 0.822)
    assert distances[2:] == [("b", "c", 2.919), ("b", "d", 5.598)]
    assert found["results"][0]["duration_min"] == pytest.approx(160 / 60, abs=1e-4)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: ErrorCase
) -> None:
    check_error(ask, case)
