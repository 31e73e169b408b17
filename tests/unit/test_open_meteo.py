"""Open-Meteo's limits, faults and odd replies."""

import asyncio
from typing import Any

import httpx
import pytest
from tool_calls import Recorder, ask, failure, reply, value

from pytest_aar.manners.weight import weight_of
from pytest_aar.tools.open_meteo import another_try

BERLIN = {"latitude": 52.52, "longitude": 13.41}
LIMIT = "{} API request limit exceeded. Please try again {}."


def weather(**changes: Any) -> dict[str, Any]:
    body = {
        "latitude": 52.5,
        "longitude": 13.4,
        "timezone": "Europe/Berlin",
        "daily_units": {"time": "iso8601", "precipitation_sum": "mm", "snowfall_sum": "cm"},
        "daily": {"time": ["2024-01-01"], "precipitation_sum": [0.4], "snowfall_sum": [None]},
    }
    return {**body, **changes}


@pytest.mark.parametrize("extra", [{}, {"error": True}])
@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        (LIMIT.format("Minutely", "in one minute"), 60.0),
        (LIMIT.format("Hourly", "in the next hour"), None),
        (LIMIT.format("Daily", "tomorrow"), None),
        (LIMIT.format("Monthly", "next month"), None),
        ("Too many concurrent requests", None),
    ],
)
def test_only_the_limit_of_a_minute_is_worth_waiting_for(
    extra: dict[str, Any], reason: str, advice: float | None
) -> None:
    assert another_try(httpx.Response(429, json={**extra, "reason": reason})) == advice


def test_other_replies_say_nothing_of_another_try() -> None:
    assert another_try(httpx.Response(200, json={"note": "Daily, minutely"})) is None
    assert another_try(httpx.Response(503, text="<html>Daily maintenance</html>")) is None


def limited(period: str) -> httpx.Response:
    body = {"reason": LIMIT.format(period, "later")}
    return httpx.Response(429, json=body, headers={"retry-after": "0"})


@pytest.mark.parametrize("period", ["Hourly", "Daily", "Monthly"])
def test_a_used_up_limit_ends_the_tries_and_says_what_to_do(period: str) -> None:
    seen = Recorder(limited(period))
    kind, message = failure(ask("weather_forecast", BERLIN, seen, attempts=4))
    assert (kind, len(seen.requests)) == ("quota", 1)
    assert message.startswith(f"Open-Meteo answered HTTP 429: {period} API request limit exceeded.")
    assert "aar_services weather" in message


def test_after_the_limit_of_a_minute_there_is_another_try() -> None:
    seen = Recorder(limited("Minutely"), weather())
    assert value(ask("weather_forecast", BERLIN, seen, attempts=2)) == weather()
    assert len(seen.requests) == 2


def test_the_wait_after_the_limit_of_a_minute_is_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = []

    async def no_time(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", no_time)
    body = {"reason": LIMIT.format("Minutely", "in one minute")}
    seen = Recorder(httpx.Response(429, json=body), weather())
    assert ask("weather_forecast", BERLIN, seen, attempts=2).ok
    assert [60 <= seconds <= 70 for seconds in waits] == [True]


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("Data corrupted at path ''. Cannot initialize ForecastVariableDaily from invalid String "
         "value tempeture.", "bad_arguments"),
        ("Invalid value: Cannot initialize ForecastVariableDaily from invalid String value x",
         "bad_arguments"),
        ("Parameter 'start_date' is out of allowed range from 1940-01-01 to 2026-12-01",
         "bad_arguments"),
        ("No data is available for this location", "not_found"),
    ],
)  # fmt: skip
def test_the_service_s_objections_by_any_wording(reason: str, kind: str) -> None:
    body = {"error": True, "reason": reason}
    found, message = failure(ask("weather_forecast", BERLIN, reply(body, 400)))
    assert (found, message) == (kind, f"Open-Meteo answered HTTP 400: {reason}")


def test_an_error_with_a_good_status_is_an_error() -> None:
    kind, message = failure(ask("weather_forecast", BERLIN, reply({"error": True, "reason": "no"})))
    assert (kind, message) == ("upstream", "Open-Meteo answered: no")


def test_a_page_of_a_proxy_is_a_fault_of_the_service() -> None:
    def page(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, html="<html><h1>Sign in</h1></html>")

    kind, message = failure(ask("weather_forecast", BERLIN, page))
    assert kind == "upstream"
    assert "text/html" in message
    assert "Sign in" in message


def test_no_days_are_said_to_be_none() -> None:
    empty = weather(daily={"time": [], "precipitation_sum": []})
    found = value(ask("weather_forecast", BERLIN, reply(empty)))
    assert found["daily"] == {"time": [], "precipitation_sum": []}
    assert "no days for this place and period" in found["note"]
    for body in (empty, weather(daily={})):
        picked = ask("weather_forecast", {**BERLIN, "select": ["daily.rain[0]"]}, reply(body))
        kind, message = failure(picked)
        assert (kind, "no days for this place and period" in message) == ("not_found", True)
    hours = {**empty, "hourly": {"time": ["x"]}}
    asked = {**BERLIN, "select": ["hourly.time[1]"]}
    kind, message = failure(ask("weather_forecast", asked, reply(hours)))
    assert (kind, "there are 1 values" in message) == ("bad_arguments", True)


def test_values_in_other_units_come_with_them() -> None:
    units = {"time": "iso8601", "precipitation_sum": "inch", "snowfall_sum": "cm"}
    paths = ["daily.precipitation_sum[0]", "daily.snowfall_sum[0]", "daily.time[0]", "timezone"]
    asked = {**BERLIN, "select": paths}
    expected = dict(zip(paths, (0.4, None, "2024-01-01", "Europe/Berlin"), strict=True))
    assert value(ask("weather_forecast", asked, reply(weather()))) == expected
    for units_of in (None, "mm"):
        odd = weather(daily_units=units_of)
        assert value(ask("weather_forecast", asked, reply(odd))) == expected
    found = value(ask("weather_forecast", asked, reply(weather(daily_units=units))))
    assert found == {**expected, "units": {paths[0]: "inch"}}


@pytest.mark.parametrize(
    "daily", [None, [], {"time": "2024-01-01"}, {"time": ["2024-01-01"], "rain_sum": []}]
)
def test_daily_values_in_no_known_shape(daily: Any) -> None:
    kind, message = failure(ask("weather_forecast", BERLIN, reply(weather(daily=daily))))
    assert kind == "upstream"
    assert "unknown shape" in message


HOURLY = [f"hourly.cloud_cover_{number}[0]" for number in range(50)]


@pytest.mark.parametrize(
    ("first", "last", "select", "said"),
    [
        (
            "1940-01-01",
            "2026-11-01",
            HOURLY,
            "31,717 days with 1206 values each are 38,250,702 values; one call gives at most 12,000: ask for at most 9 "
            "days at once, or for fewer variables in select (an hourly one has 24 values a day)",
        ),
        ("2015-01-01", "2020-06-23", None, "2,001 days with 6 values each are 12,006 values"),
    ],
)
def test_a_period_of_too_many_values_is_refused_before_anything_is_asked(
    first: str, last: str, select: list[str] | None, said: str
) -> None:
    seen = Recorder(weather())
    asked = {**BERLIN, "start_date": first, "end_date": last, "select": select}
    kind, message = failure(ask("weather_historical", asked, seen))
    assert kind == "bad_arguments"
    assert message.startswith(f"start_date to end_date: {said}")
    assert seen.requests == []


@pytest.mark.parametrize(
    ("last", "select", "weight"),
    [
        ("2024-01-01", None, 1),
        ("2024-01-14", None, 1),
        ("2024-01-15", None, 2),
        ("2024-01-28", [*HOURLY[:13], "daily.time[0]"], 4),
        ("2024-12-31", None, 27),
    ],
)
def test_a_request_counts_as_many_calls_as_open_meteo_counts(
    last: str, select: list[str] | None, weight: int
) -> None:
    """One for each ten variables and fortnight that are begun."""
    seen = Recorder(weather())
    ask(
        "weather_historical",
        {**BERLIN, "start_date": "2024-01-01", "end_date": last, "select": select},
        seen,
    )
    assert weight_of(seen.requests[0]) == weight
