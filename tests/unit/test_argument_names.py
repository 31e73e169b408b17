import pytest
from handmade_legs import finish, leg, roadblock, step, wire_leg
from perfect_trace import call
from tool_calls import Recorder, ask

from pytest_aar.argument_names import ALSO_CALLED, given, names_of, spelled_out
from pytest_aar.score import score
from pytest_aar.tools import TOOLS
from pytest_aar.trace import Finish, Trace

ANSWER = Finish(ending="answered", answer=5)
DAY = {"start_date": "2020-01-02", "end_date": "2020-01-02"}


def strict(golden, arguments):
    chain = [step("weather_historical", "snowfall", **golden)]
    read = leg(wire_leg([roadblock(0, chain, 5), finish(1, "5 % 10", [0], 5)], 5))
    made = call("weather_historical", arguments, {"daily.snowfall_sum[0]": 5})
    return score(read, Trace(events=(made,)), ANSWER).rcr_strict


def test_own_names_come_first():
    assert names_of("longitude") == ("longitude", "lng", "lon")
    assert given({"lon": 1, "lng": 2}, "longitude") == 2
    assert given({"lon": 1}, "latitude") is None
    assert spelled_out({"lon": 1, "lng": 2, "x": 3}) == {"longitude": 2, "x": 3}
    assert spelled_out({"date": "a", "end_date": "b"}) == {"start_date": "a", "end_date": "b"}


@pytest.mark.parametrize("east", ["longitude", "lng", "lon"])
@pytest.mark.parametrize("north", ["latitude", "lat"])
@pytest.mark.parametrize("when", [DAY, {"date": "2020-01-02"}])
def test_what_the_tool_accepts_the_strict_profile_does_too(north, east, when):
    arguments = {north: 59.91, east: 10.75} | when
    seen = Recorder({"daily": {"time": ["2020-01-02"], "snowfall_sum": [5]}})
    assert ask("weather_historical", arguments, seen).ok
    assert (seen.params()["latitude"], seen.params()["longitude"]) == ("59.91", "10.75")
    assert strict({"latitude": 59.91, "longitude": 10.75} | DAY, arguments) == 1
    assert strict(arguments, {"latitude": 59.91, "longitude": 10.75} | DAY) == 1


@pytest.mark.parametrize(
    "other",
    [{"lat": 61.0}, {"lon": 12.0}, {"date": "2020-01-03"}, {"date": None}],
)
def test_another_value_under_another_name_is_still_another(other):
    arguments = {"lat": 59.91, "lon": 10.75, "date": "2020-01-02"} | other
    assert strict({"latitude": 59.91, "longitude": 10.75} | DAY, arguments) == 0


def test_every_alias_in_the_tools_is_in_the_table():
    for tool in TOOLS:
        for name, field in tool.arguments.model_fields.items():
            if field.validation_alias is not None:
                assert tuple(field.validation_alias.choices) == (name, *ALSO_CALLED[name])
