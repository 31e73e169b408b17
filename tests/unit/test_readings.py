import json

import pytest

from pytest_aar.readings import (
    ReadingError,
    agree,
    number_of,
    point_of,
    points_agree,
    printed,
    read,
)


@pytest.mark.parametrize(
    ("key", "result", "value"),
    [
        (
            "coords",
            {"location": {"lat": 59.91, "lng": 10.75}, "place_id": "x"},
            {"latitude": 59.91, "longitude": 10.75},
        ),
        (
            "coords_b",
            {"location": {"lat": 1, "lng": -2}},
            {"latitude": 1, "longitude": -2},
        ),
        ("elevation", {"results": [{"elevation": 12.5}]}, 12.5),
        ("poi_count", {"places": [{}, {}, {}], "count": 3}, 3),
        ("poi_count", {"places": [], "count": 0}, 0),
        ("place_rating", {"places": [{"rating": 4.6}, {"rating": 1}]}, 4.6),
        ("distance_km", {"results": [{"status": "OK", "distance_km": 307.2}]}, 307.2),
        ("duration", {"distance_km": 1, "duration_min": 59.9}, 59),
        ("population", {"country": "Norway", "population": 5550203}, 5550203),
        ("area_km2", {"country": "Norway", "area_km2": 323802.0}, 323802.0),
        ("stock_price", {"symbol": "F", "close_price": 15.03}, 15.03),
        ("stock_volume", {"symbol": "F", "volume": 100}, 100),
        ("crypto_price", {"close_price": 66000.1}, 66000.1),
        ("crypto_volume", {"volume": 7.5}, 7.5),
        ("precipitation", {"daily.precipitation_sum[0]": 3.4}, 3.4),
        ("snowfall", {"daily.snowfall_sum": [0.7]}, 0.7),
        ("sunshine", {"daily": {"sunshine_duration": [30000.0]}}, 30000.0),
        ("temperature", {"daily": {"temperature_2m_max": [21.5, 3]}}, 21.5),
        ("days", {"stdout": "55226\n", "stderr": "", "exit_code": 0}, 55226),
        ("converted", {"stdout": "from 4 m\nit is 1,234.5 yards\n\n"}, 1234.5),
        ("merged", {"stdout": "-12\ndone\n"}, -12),
    ],
)
def test_reads(key, result, value):
    assert read(key, json.dumps(result)) == value


@pytest.mark.parametrize(
    ("key", "text", "problem"),
    [
        ("elevation", "no json", "the result is no JSON: no json"),
        ("elevation", "[1]", "no JSON object"),
        ("elevation", '{"results": []}', "no elevation in the result (IndexError"),
        ("population", '{"country": "X"}', "no population in the result (KeyError: 'population')"),
        ("population", '{"population": null}', "None is not a number"),
        ("place_rating", '{"places": [{"name": "X"}]}', "'rating'"),
        ("distance_km", '{"results": [{"status": "ROUTE_NOT_FOUND"}]}', "ROUTE_NOT_FOUND"),
        ("days", '{"stdout": "", "stderr": "NameError"}', "NameError"),
        ("coords", '{"location": {"lat": 1}}', "is no location"),
        ("colour", "{}", "unknown output key 'colour'; there are: area_km2, converted"),
        (
            "population",
            '{"error": {"kind": "not_found", "message": "no country X"}}',
            "error result 'not_found': no country X",
        ),
    ],
)
def test_says_what_was_missing(key, text, problem):
    with pytest.raises(ReadingError) as caught:
        read(key, text)
    assert problem in str(caught.value)


def test_printed_wants_a_number():
    assert printed('{"stdout": "a 3\\n"}') == 3
    with pytest.raises(ReadingError, match="no converted in the result"):
        printed('{"stdout": "nothing"}')


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3),
        ("524,930", 524930),
        (" -2.5 ", -2.5),
        ("1e3", 1000.0),
        ("3 km", None),
        ("12,34", None),
        (True, None),
        (float("nan"), None),
        (None, None),
    ],
)
def test_number_of(value, number):
    assert number_of(value) == number


@pytest.mark.parametrize(
    ("value", "point"),
    [
        ("59.91, 10.75", (59.91, 10.75)),
        ({"lat": 1, "lng": 2}, (1, 2)),
        ({"location": {"latitude": 1, "longitude": 2}}, (1, 2)),
        ("Oslo, Norway", None),
        ("1,2,3", None),
        ({"lat": 1}, None),
        (5, None),
    ],
)
def test_point_of(value, point):
    assert point_of(value) == point


@pytest.mark.parametrize(
    ("golden", "seen", "expected"),
    [
        (100, 101, True),
        (100, 101.1, False),
        (0, 0.0, True),
        (0, 0.001, False),
        ("1,692", 1692.0, True),
        ("Oslo  city", "oslo City", True),
        ("Oslo", "Oslo city", False),
        ({"lat": 1, "lng": 2}, {"latitude": 1.02, "longitude": 1.98}, True),
        ({"lat": 1, "lng": 2}, {"latitude": 1.03, "longitude": 2}, False),
        ([1, "a"], [1.005, "A"], True),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1.001}, True),
        ({"a": 1}, {"b": 1}, False),
        ("a", 1, False),
    ],
)
def test_agree(golden, seen, expected):
    assert agree(golden, seen) is expected


def test_agree_takes_another_tolerance():
    assert not agree(100, 101, relative=0.001)


def test_places_agree_within_the_degrees_that_are_asked_for():
    here, there = (10.0, 20.0), (10.0, 20.25)
    assert points_agree(here, (10.02, 19.98))
    assert not points_agree(here, there)
    assert points_agree(here, there, degrees=0.25)
    assert not points_agree(here, (10.3, 20.0), degrees=0.25)
