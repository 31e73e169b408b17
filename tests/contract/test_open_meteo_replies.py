"""Recorded replies of Open-Meteo, read through the tools with live endpoints."""

import json
from pathlib import Path

import pytest
from recorded import Asked, ErrorCase, check_error, value

POINT = {"latitude": 1, "longitude": 2}

#: file, HTTP status, tool, arguments -> kind, and a part of the message
ERRORS: list[ErrorCase] = [
    (
        "open_meteo/error_400_invalid_daily_variable.json",
        400,
        "weather_forecast",
        POINT,
        "bad_arguments",
        "tempeture",
    ),
    ("open_meteo/error_404_wrong_path.json", 404, "weather_forecast", POINT, "not_found", "404"),
    ("open_meteo/error_429_minutely.json", 429, "weather_forecast", POINT, "quota", "429"),
    (
        "open_meteo/error_429_hourly_no_error_key.json",
        429,
        "weather_forecast",
        POINT,
        "quota",
        "Hourly",
    ),
    (
        "open_meteo/error_429_daily_no_error_key.json",
        429,
        "weather_forecast",
        POINT,
        "quota",
        "Daily",
    ),
]

READ = {case[0] for case in ERRORS} | {
    "open_meteo/archive_daily_all_vars_fahrenheit_inch.json",
    "open_meteo/archive_daily_bergen_fahrenheit.json",
    "open_meteo/archive_daily_denver_snowfall.json",
    "open_meteo/archive_daily_svalbard_max_min_precip.json",
    "open_meteo/archive_daily_tromso_mean_slow.json",
    "open_meteo/forecast_daily_3days.json",
    "open_meteo/forecast_daily_beijing_7days_precip.json",
}


def test_weather(ask: Asked) -> None:
    days = {**POINT, "start_date": "2025-01-15", "end_date": "2025-01-17"}
    file = "open_meteo/archive_daily_svalbard_max_min_precip.json"
    found = value(ask(file, "weather_historical", days))
    assert found["daily"]["temperature_2m_max"] == [-11.0, -12.3, -12.1]
    assert found["daily_units"]["precipitation_sum"] == "mm"
    paths = ["daily.precipitation_sum[1]", "daily.temperature_2m_max[0]"]
    picked = value(ask(file, "weather_historical", {**days, "select": paths}))
    assert picked == {paths[0]: 5.7, paths[1]: -11.0}


@pytest.mark.parametrize("file", ["archive_daily_denver_snowfall", "archive_daily_all_vars_fahrenheit_inch",
                                  "archive_daily_bergen_fahrenheit", "archive_daily_tromso_mean_slow",
                                  "forecast_daily_3days", "forecast_daily_beijing_7days_precip"])  # fmt: skip
def test_weather_keeps_every_day_and_its_units(ask: Asked, shared: Path, file: str) -> None:
    raw = json.loads((shared / f"data/contracts/open_meteo/{file}.json").read_text())
    found = value(ask(f"open_meteo/{file}.json", "weather_forecast", POINT))
    assert found["daily"] == raw["daily"]
    assert found["daily_units"] == raw["daily_units"]


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: ErrorCase
) -> None:
    check_error(ask, case)
