"""A call of `weather_historical`, and what the service answers to it."""

WEATHER = {
    "daily_units": {"precipitation_sum": "mm"},
    "daily": {"time": ["2024-01-01"], "precipitation_sum": [0.4]},
}
BERLIN = {
    "latitude": 52.52,
    "longitude": 13.41,
    "start_date": "2024-01-01",
    "end_date": "2024-01-01",
}
