"""Recorded replies of Open-Meteo, read through the tools with live endpoints."""

from typing import Any

import pytest
from recorded import Asked, ErrorCase, check_error, value

POINT = {"latitude": 1, "longitude": 2}
DAYS = {**POINT, "start_date": "2025-01-01", "end_date": "2025-01-05"}

#: file -> grid cell and time zone, days, units and values by variable
Recorded = dict[str, tuple[tuple[float, float, str], list[str], dict[str, tuple[str, list[Any]]]]]
ARCHIVE: Recorded = {
    "archive_daily_all_vars_fahrenheit_inch": (
        (64.077324, 141.87668, "America/New_York"),
        ["2024-04-12"],
        {
            "weather_code": ("wmo code", [73]),
            "temperature_2m_max": ("°F", [35.7]),
            "temperature_2m_min": ("°F", [20.1]),
            "temperature_2m_mean": ("°F", [26.5]),
            "apparent_temperature_max": ("°F", [27.3]),
            "apparent_temperature_min": ("°F", [12.6]),
            "apparent_temperature_mean": ("°F", [18.9]),
            "sunrise": ("iso8601", ["2024-04-11T15:10"]),
            "sunset": ("iso8601", ["2024-04-12T05:55"]),
            "daylight_duration": ("s", [53343.98]),
            "sunshine_duration": ("s", [6931.08]),
            "precipitation_sum": ("inch", [0.094]),
            "rain_sum": ("inch", [0.0]),
            "snowfall_sum": ("inch", [0.661]),
            "precipitation_hours": ("h", [11.0]),
            "wind_speed_10m_max": ("mp/h", [9.6]),
        },
    ),
    "archive_daily_bergen_fahrenheit": (
        (60.5, 5.25, "GMT"),
        ["2025-01-15", "2025-01-16", "2025-01-17"],
        {"temperature_2m_mean": ("°F", [46.0, 46.3, 46.4])},
    ),
    "archive_daily_denver_snowfall": (
        (39.753952, -105.02086, "America/Denver"),
        ["2025-01-01", "2025-01-02", "2025-01-03", "2025-01-04", "2025-01-05"],
        {
            "snowfall_sum": ("cm", [0.0, 0.0, 0.0, 0.42, 0.0]),
            "precipitation_sum": ("mm", [0.0, 0.0, 0.0, 0.6, 0.0]),
            "wind_gusts_10m_max": ("km/h", [16.2, 15.8, 17.6, 31.0, 25.2]),
            "temperature_2m_min": ("°C", [-7.4, -3.5, -4.4, -6.1, -8.5]),
            "temperature_2m_max": ("°C", [3.4, 7.9, 8.1, -0.3, -1.8]),
        },
    ),
    "archive_daily_svalbard_max_min_precip": (
        (78.25, 15.75, "GMT"),
        ["2025-01-15", "2025-01-16", "2025-01-17"],
        {
            "temperature_2m_max": ("°C", [-11.0, -12.3, -12.1]),
            "temperature_2m_min": ("°C", [-13.6, -13.1, -15.1]),
            "precipitation_sum": ("mm", [0.4, 5.7, 4.7]),
        },
    ),
    "archive_daily_tromso_mean_slow": (
        (69.75, 19.0, "GMT"),
        ["2025-01-15", "2025-01-16", "2025-01-17"],
        {"temperature_2m_mean": ("°C", [4.6, 6.4, 7.1])},
    ),
}
FORECAST: dict[
    str, tuple[tuple[float, float, str], list[str], dict[str, tuple[str, list[Any]]]]
] = {
    "forecast_daily_3days": (
        (14.0, 88.0, "GMT"),
        ["2024-11-10", "2024-11-11", "2024-11-12"],
        {
            "weather_code": ("wmo code", [95, 95, 3]),
            "temperature_2m_max": ("°C", [28.9, 28.9, 29.1]),
            "temperature_2m_min": ("°C", [28.0, 28.0, 28.3]),
            "wind_speed_10m_max": ("km/h", [20.0, 22.7, 27.6]),
        },
    ),
    "forecast_daily_beijing_7days_precip": (
        (39.89455, 116.35983, "Asia/Shanghai"),
        [f"2026-09-{day}" for day in range(17, 24)],
        {
            "weather_code": ("wmo code", [3, 51, 51, 3, 3, 53, 3]),
            "temperature_2m_max": ("°C", [31.1, 29.5, 28.3, 30.8, 31.0, 27.6, 28.7]),
            "temperature_2m_min": ("°C", [20.5, 21.4, 20.0, 21.1, 20.8, 20.8, 20.0]),
            "precipitation_sum": ("mm", [0.0, 0.2, 0.2, 0.0, 0.0, 4.8, 0.0]),
            "wind_speed_10m_max": ("km/h", [10.0, 9.7, 9.7, 8.5, 10.8, 7.4, 9.8]),
        },
    ),
}

#: file, HTTP status, tool, arguments -> kind, and a part of the message
ERRORS: list[ErrorCase] = [
    ("open_meteo/error_400_invalid_daily_variable.json", 400, "weather_forecast", POINT,
     "bad_arguments", "Open-Meteo answered HTTP 400: Invalid value: Cannot initialize "
     "ForecastVariableDaily from invalid String value tempeture_2m_max"),
    ("open_meteo/error_404_wrong_path.json", 404, "weather_forecast", POINT,
     "upstream", "Open-Meteo answered HTTP 404: Not Found; its address may have changed"),
    ("open_meteo/error_429_minutely.json", 429, "weather_forecast", POINT,
     "quota", "429: Minutely API request limit exceeded. Please try again in one minute; the free limits"),
    ("open_meteo/error_429_hourly_no_error_key.json", 429, "weather_forecast", POINT,
     "quota", "429: Hourly API request limit exceeded. Please try again in the next hour; the free limits"),
    ("open_meteo/error_429_daily_no_error_key.json", 429, "weather_historical", DAYS,
     "quota", "429: Daily API request limit exceeded. Please try again tomorrow; the free limits"),
]  # fmt: skip

READ = {
    *(case[0] for case in ERRORS),
    *(f"open_meteo/{file}.json" for file in (*ARCHIVE, *FORECAST)),
}


@pytest.mark.parametrize("file", [*ARCHIVE, *FORECAST])
def test_every_day_and_its_units(ask: Asked, file: str) -> None:
    is_archive = file in ARCHIVE
    (latitude, longitude, zone), days, series = (ARCHIVE if is_archive else FORECAST)[file]
    name, arguments = ("weather_historical", DAYS) if is_archive else ("weather_forecast", POINT)
    found = value(ask(f"open_meteo/{file}.json", name, arguments))
    assert found == {
        "latitude": latitude,
        "longitude": longitude,
        "timezone": zone,
        "daily_units": {"time": "iso8601"} | {name: unit for name, (unit, _) in series.items()},
        "daily": {"time": days} | {name: values for name, (_, values) in series.items()},
    }


def test_select(ask: Asked) -> None:
    file = "open_meteo/archive_daily_svalbard_max_min_precip.json"
    paths = ["daily.precipitation_sum[1]", "daily.temperature_2m_max[0]"]
    picked = value(ask(file, "weather_historical", {**DAYS, "select": paths}))
    assert picked == {paths[0]: 5.7, paths[1]: -11.0}


def test_select_names_units_that_nobody_expects(ask: Asked) -> None:
    file = "open_meteo/archive_daily_all_vars_fahrenheit_inch.json"
    paths = ["daily.snowfall_sum[0]", "daily.sunshine_duration[0]", "daily.temperature_2m_max[0]"]
    assert value(ask(file, "weather_historical", {**DAYS, "select": paths})) == {
        paths[0]: 0.661,
        paths[1]: 6931.08,
        paths[2]: 35.7,
        "units": {paths[0]: "inch", paths[2]: "°F"},
    }


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: ErrorCase
) -> None:
    check_error(ask, case)
