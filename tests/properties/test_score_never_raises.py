"""Whatever a tool answered and an agent asked for: a race gets its score."""

import json

import pytest
from handmade_legs import finish, leg, page, roadblock, step, wire_leg
from hypothesis import example, given, settings
from hypothesis import strategies as st
from perfect_trace import call

from pytest_aar.readings import ReadingError, number_of, numbers_agree, printed, read
from pytest_aar.score import score, upstream_compat
from pytest_aar.trace import Finish, Trace

ANSWER = Finish(ending="answered", answer=5)
PLACE = {"__from_previous_as_locations": ["coords"]}
CHAINS = [
    [
        step("maps_geocode", "coords", address="Oslo"),
        step("maps_elevation", "elevation", **PLACE),
    ],
    [
        step("maps_geocode", "coords", address="Oslo"),
        step("weather_historical", "snowfall", __from_previous="coords", start_date="2020-01-02"),
    ],
    [step("maps_search_places", "poi_count", query="museums near Oslo, Norway")],
    [step("maps_search_places", "place_rating", query="Oslo")],
    [step("maps_directions", "duration", origin="1,2", destination="Oslo", flag=True, list=["a"])],
    [step("maps_distance_matrix", "distance_km", origins=["Oslo"], units={"of": 3})],
    [step("countries_population", "population", country="Norway")],
    [step("stock_volume", "stock_volume", ticker="F", date="2020-01-02")],
    [step("python_execute_code", "converted", code="print(12.5)")],
]
KEYS = ("coords", "snowfall", "poi_count", "place_rating", "duration", "distance_km", "converted")

digits = st.sampled_from([1, 308, 309, 375, 400, 401, 2500, 4300, 4301, 8000]).map("9".__mul__)
numbers = st.builds("{}{}{}".format, st.sampled_from(["", "-", "+", "0."]), digits,
                    st.sampled_from(["", ".5", "e5", "e999", ",000", "²"]))  # fmt: skip
surrogates = st.characters(categories=["Cs", "Nd", "Lu", "Po"])
texts = (
    numbers | st.text(surrogates, max_size=20) | st.sampled_from(["http://[", "//[x/wiki/A", "1,2"])
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
names = st.sampled_from(
    ["location", "lat", "lng", "stdout", "results", "places", "count", "rating", "duration_min", "error",
     "distance_km", "status", "daily", "snowfall_sum", "daily.snowfall_sum", "population", "volume", "elevation"]
)  # fmt: skip
objects = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)
deep = st.sampled_from([400, 900, 100_000]).flatmap(
    lambda depth: st.sampled_from(
        [
            "[" * depth + "]" * depth,
            '{"location":' * depth + "1" + "}" * depth,
            '{"stdout":' + "[" * depth + "]" * depth + "}",
        ]
    )
)
raw_numbers = st.builds('{{"{}": {}}}'.format, names, numbers)
printouts = texts.map(lambda text: json.dumps({"stdout": text}))
results = objects.map(json.dumps) | deep | raw_numbers | printouts | texts
arguments = st.dictionaries(
    st.sampled_from(
        ["address", "url", "query", "location", "locations", "country", "ticker", "date", "lat", "lon", "flag",
         "latitude", "longitude", "start_date", "origin", "destination", "origins", "units", "list", "mode"]
    ),
    objects | st.just(10**5000) | st.just([10**5000]),
    max_size=6,
)  # fmt: skip
made = st.builds(
    call,
    st.sampled_from(["fetch_webpage", *sorted({each["tool_name"] for chain in CHAINS for each in chain})]),
    arguments,
    results,
    final_url=st.none() | texts,
)  # fmt: skip


def the_leg():
    stops = [page(0, "Oslo", 12.5)]
    stops += [roadblock(index, chain, 12.5) for index, chain in enumerate(CHAINS, 1)]
    return leg(wire_leg([*stops, finish(len(stops), "5 % 10", [0], 5)], 5))


LEG = the_leg()


@settings(deadline=None, max_examples=150)
@given(st.lists(made, max_size=6))
def test_any_race_has_a_score(calls):
    trace = Trace(events=tuple(calls))
    assert score(LEG, trace, ANSWER).fa == 1
    assert upstream_compat(LEG, trace, ANSWER)["reward"] == 1


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(KEYS), results)
@example("converted", json.dumps({"stdout": "9" * 4301}))
@example("duration", json.dumps({"duration_min": "9" * 8000}))
@example("poi_count", '{"count": 1e999}')
@example("coords", '{"location":' * 100_000)
def test_a_reading_is_a_value_or_says_that_there_is_none(key, text):
    try:
        value = read(key, text)
    except ReadingError:
        return
    assert isinstance(value, dict) or number_of(value) == value


@pytest.mark.parametrize("size", [309, 375, 4300, 4301, 8000])
def test_a_number_too_large_to_compare_is_no_number(size):
    with pytest.raises(ReadingError):
        printed(json.dumps({"stdout": "9" * size}))
    ran = call("python_execute_code", {"code": "x"}, {"stdout": "9" * size})
    assert score(LEG, Trace(events=(ran,)), ANSWER).rcr_strict == 0


def test_integers_beyond_every_float_agree_with_themselves_alone():
    assert not numbers_agree(12.5, 10**375)
    assert not numbers_agree(10**375, 12.5)
    assert not numbers_agree(10**375, 10**375 + 1)
    assert numbers_agree(10**375, 10**375)
    assert number_of(10**375) is None
