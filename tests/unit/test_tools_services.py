"""Each service's request and canonical result, over minimal replies in the real shapes."""

from datetime import UTC, datetime

import httpx
import pytest
from tool_calls import Recorder, ask, failure, reply, value

from pytest_aar.manners.blocked import Blocked
from pytest_aar.tools import LIVE

LIMA = {"lat": -12.05, "lng": -77.04}
GEOCODED = {
    "status": "OK",
    "results": [
        {"formatted_address": "Lima, Peru", "geometry": {"location": LIMA}, "place_id": "p1"},
        {"formatted_address": "Lima, OH, USA", "geometry": {"location": LIMA}, "place_id": "p2"},
    ],
}


def test_geocode_gives_the_best_match() -> None:
    seen = Recorder(GEOCODED)
    found = value(ask("maps_geocode", {"address": "Lima"}, seen))
    assert found == {"formatted_address": "Lima, Peru", "location": LIMA, "place_id": "p1"}
    assert seen.params() == {"address": "Lima"}


def test_a_partial_match_says_so() -> None:
    body = {"status": "OK", "results": [{**GEOCODED["results"][0], "partial_match": True}]}
    assert value(ask("maps_geocode", {"address": "Lma"}, reply(body)))["partial_match"] is True


def test_reverse_geocode_asks_by_plain_decimals() -> None:
    seen = Recorder(GEOCODED)
    ask("maps_reverse_geocode", {"latitude": 0.00001, "longitude": -77.04}, seen)
    assert seen.params() == {"latlng": "0.00001,-77.04"}


@pytest.mark.parametrize(
    ("status", "kind"),
    [("ZERO_RESULTS", "not_found"), ("NOT_FOUND", "not_found"), ("OVER_QUERY_LIMIT", "quota"),
     ("OVER_DAILY_LIMIT", "quota"), ("REQUEST_DENIED", "denied"),
     ("INVALID_REQUEST", "bad_arguments"), ("UNKNOWN_ERROR", "upstream")],
)  # fmt: skip
def test_a_maps_status_becomes_a_kind(status: str, kind: str) -> None:
    body = {"status": status, "error_message": "You must enable Billing", "results": []}
    found, message = failure(ask("maps_geocode", {"address": "Lima"}, reply(body)))
    assert found == kind
    assert "You must enable Billing" in message
    assert "'Lima'" in message


def test_elevations_come_in_the_order_of_the_points() -> None:
    results = [{"elevation": height, "location": LIMA, "resolution": 4.7} for height in (154.2, 3)]
    seen = Recorder({"status": "OK", "results": results})
    points = ["-12.05,-77.04", {"latitude": 1, "longitude": 2}]
    found = value(ask("maps_elevation", {"locations": points}, seen))
    assert [item["elevation"] for item in found["results"]] == [154.2, 3.0]
    assert seen.params()["locations"] == "-12.05,-77.04|1,2"
    for others in (["-12.05,-77.04"], ["-12.05,-77.04", "0,0", "1,1"]):
        answered = ask("maps_elevation", {"locations": others}, seen)
        said = f"Elevation answered for 2 of {len(others)} locations"
        assert failure(answered) == ("upstream", said)


def test_a_live_call_without_key_names_the_variable() -> None:
    kind, message = failure(ask("maps_geocode", {"address": "Lima"}, endpoints=LIVE))
    assert kind == "denied"
    assert "GOOGLE_API_KEY" in message
    assert "https://" in message


def test_keys_travel_as_each_service_wants_them() -> None:
    options = {"endpoints": LIVE, "keys": {"GOOGLE_API_KEY": "k1", "SERPER_API_KEY": "k2"}}
    maps, places, search = Recorder(GEOCODED), Recorder({}), Recorder({"organic": []})
    ask("maps_geocode", {"address": "Lima"}, maps, **options)
    ask("maps_search_places", {"query": "parks"}, places, **options)
    ask("web_search", {"query": "parks"}, search, **options)
    assert maps.params()["key"] == "k1"
    assert places.requests[0].headers["x-goog-api-key"] == "k1"
    assert search.requests[0].headers["x-api-key"] == "k2"


def test_a_matrix_is_put_in_order_and_zeros_are_filled_in() -> None:
    seen = Recorder(
        [
            {"originIndex": 1, "status": {}, "condition": "ROUTE_NOT_FOUND"},
            {"status": {}, "condition": "ROUTE_EXISTS", "distanceMeters": 1234, "duration": "95s"},
        ]
    )
    arguments = {"origins": ["1.5,2", "Lima"], "destinations": ["Cusco"]}
    found = value(ask("maps_distance_matrix", arguments, seen))
    assert found["results"] == [
        {
            "origin": "1.5,2",
            "destination": "Cusco",
            "status": "OK",
            "distance_km": 1.234,
            "duration_min": 1.5833,
        },
        {
            "origin": "Lima",
            "destination": "Cusco",
            "status": "ZERO_RESULTS",
            "distance_km": None,
            "duration_min": None,
        },
    ]
    assert found["rows"][0]["elements"][0]["distance"] == {"value": 1234}
    point = {"waypoint": {"location": {"latLng": {"latitude": 1.5, "longitude": 2.0}}}}
    assert seen.body()["origins"] == [point, {"waypoint": {"address": "Lima"}}]
    assert seen.body()["travelMode"] == "DRIVE"
    assert "distanceMeters" in seen.requests[0].headers["x-goog-fieldmask"]


def test_a_matrix_of_errors_is_an_error() -> None:
    body = [{"error": {"code": 403, "message": "not enabled", "status": "PERMISSION_DENIED"}}]
    arguments = {"origins": ["a"], "destinations": ["b"]}
    assert failure(ask("maps_distance_matrix", arguments, reply(body)))[0] == "denied"
    answered = ask("maps_distance_matrix", arguments, reply(body, 403))
    kind, message = failure(answered)
    assert kind == "denied"
    assert message.startswith("Google Routes answered HTTP 403: not enabled; check the key")


def test_directions_give_km_and_minutes() -> None:
    route = {"distanceMeters": 11_500, "duration": "3599.9s", "description": "A1"}
    arguments = {"origin": "Lima", "destination": "Cusco", "mode": "walking"}
    seen = Recorder({"routes": [route]})
    found = value(ask("maps_directions", arguments, seen))
    assert found["distance_km"] == 11.5
    assert int(found["duration_min"]) == 59
    assert "via A1" in found["summary"]
    assert seen.body()["travelMode"] == "WALK"


def test_no_route_is_not_found() -> None:
    arguments = {"origin": "Lima", "destination": "Hilo"}
    kind, message = failure(ask("maps_directions", arguments, reply({})))
    assert kind == "not_found"
    assert "driving from 'Lima' to 'Hilo'" in message


PLACE = {
    "id": "p9",
    "displayName": {"text": "Museo Larco", "languageCode": "es"},
    "formattedAddress": "Av. Simon Bolivar 1515",
    "location": {"latitude": -12.07, "longitude": -77.07},
    "rating": 4.7,
    "userRatingCount": 12,
}


def test_places_are_counted_and_rated() -> None:
    bare = {"id": "p0", "displayName": {"text": "Plaza"}}
    seen = Recorder({"places": [PLACE, bare]})
    arguments = {"query": "museums near Lima", "location": "-12,-77", "radius": 500}
    found = value(ask("maps_search_places", arguments, seen))
    assert found["count"] == 2
    assert found["places"][0] == {
        "name": "Museo Larco",
        "place_id": "p9",
        "address": "Av. Simon Bolivar 1515",
        "location": {"lat": -12.07, "lng": -77.07},
        "rating": 4.7,
        "rating_count": 12,
    }
    assert found["places"][1]["rating"] is None
    circle = {"center": {"latitude": -12.0, "longitude": -77.0}, "radius": 500}
    assert seen.body() == {
        "textQuery": "museums near Lima",
        "pageSize": 20,
        "locationBias": {"circle": circle},
    }
    assert "places.rating" in seen.requests[0].headers["x-goog-fieldmask"]


def test_no_place_is_a_count_of_zero() -> None:
    found = value(ask("maps_search_places", {"query": "opera near Atlantis"}, reply({})))
    assert found == {"places": [], "count": 0}


def test_more_than_twenty_places_are_never_counted() -> None:
    found = value(ask("maps_search_places", {"query": "bars"}, reply({"places": [PLACE] * 30})))
    assert found["count"] == len(found["places"]) == 20


def test_place_details_by_id() -> None:
    seen = Recorder(PLACE)
    found = value(ask("maps_place_details", {"place_id": "places/a-B_1"}, seen))
    assert found["name"] == "Museo Larco"
    assert seen.requests[0].url.raw_path == b"/v1/places/a-B_1"
    body = {"error": {"code": 404, "message": "no such place", "status": "NOT_FOUND"}}
    assert failure(ask("maps_place_details", {"place_id": "x"}, reply(body, 404)))[0] == "not_found"


def test_a_wrong_google_key_is_no_fault_of_the_arguments() -> None:
    problem = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}
    answered = ask("maps_search_places", {"query": "x"}, reply({"error": problem}, 400))
    assert failure(answered)[0] == "denied"


WEATHER = {
    "latitude": 52.5,
    "longitude": 13.4,
    "generationtime_ms": 0.1,
    "timezone": "Europe/Berlin",
    "daily_units": {"time": "iso8601", "precipitation_sum": "mm"},
    "daily": {"time": ["2024-01-01", "2024-01-02"], "precipitation_sum": [0.4, None]},
}
BERLIN = {"latitude": 52.52, "longitude": 13.41}


def test_weather_asks_for_local_days() -> None:
    seen = Recorder(WEATHER)
    arguments = {**BERLIN, "start_date": "2024-01-01", "end_date": "2024-01-02"}
    found = value(ask("weather_historical", arguments, seen))
    assert found == {name: WEATHER[name] for name in WEATHER if name != "generationtime_ms"}
    assert seen.requests[0].url.path == "/v1/archive"
    assert seen.params()["timezone"] == "auto"
    assert "precipitation_sum" in seen.params()["daily"].split(",")


def test_select_picks_values_and_asks_for_rarer_ones() -> None:
    seen = Recorder({**WEATHER, "daily": {**WEATHER["daily"], "rain_sum": [1, 2]}})
    paths = ["daily.precipitation_sum[0]", "daily.rain_sum[1]", "daily.precipitation_sum[1]"]
    found = value(ask("weather_forecast", {**BERLIN, "select": paths}, seen))
    assert found == {paths[0]: 0.4, paths[1]: 2, paths[2]: None}
    assert "rain_sum" in seen.params()["daily"].split(",")
    assert seen.params()["forecast_days"] == "7"


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("daily.precipitation_sum[2]", "there are 2 values"),
        ("daily.rain[0]", "there is time, precipitation_sum"),
        ("daily", None),
        ("timezone[0]", "no list"),
        ("daily precipitation", "daily.precipitation_sum[0]"),
    ],
)
def test_a_path_that_leads_nowhere_is_explained(path: str, part: str | None) -> None:
    answered = ask("weather_forecast", {**BERLIN, "select": [path]}, reply(WEATHER))
    if part is None:
        assert value(answered)[path] == WEATHER["daily"]
    else:
        kind, message = failure(answered)
        assert kind == "bad_arguments"
        assert part in message


def test_open_meteos_status_counts_before_its_body() -> None:
    body = {"reason": "Daily API request limit exceeded. Please try again tomorrow."}
    kind, message = failure(ask("weather_forecast", BERLIN, reply(body, 429)))
    assert kind == "quota"
    assert "try again tomorrow" in message


def country(name: str, **figures: object) -> dict[str, object]:
    area = {"kilometers": figures.get("area")}
    return {
        "names": {"common": name, "official": f"Republic of {name}"},
        "codes": {"alpha_3": name[:3].upper()},
        "population": figures.get("population"),
        "area": area,
    }


def countries(*found: dict[str, object]) -> dict[str, object]:
    return {"data": {"objects": list(found), "meta": {"total": len(found)}}}


def test_a_country_is_asked_by_its_exact_name() -> None:
    seen = Recorder(countries(country("Niger", population=27_202_843, area=1_267_000)))
    found = value(ask("countries_population", {"country": "Niger"}, seen))
    assert (found["country"], found["population"]) == ("Niger", 27_202_843)
    assert "sandbox world" in found["source"]
    assert seen.requests[0].url.path == "/countries/v5/names.common/Niger"
    size = value(ask("countries_area", {"country": "Niger"}, seen))
    assert size["area_km2"] == 1_267_000


def test_official_names_and_codes_are_tried() -> None:
    niger = countries(country("Niger", population=1))
    by_official, by_code = Recorder(countries(), niger), Recorder(niger)
    asked = [("Republic of Niger", by_official), ("NIG", by_code)]
    for name, seen in asked:
        assert value(ask("countries_population", {"country": name}, seen))["country"] == "Niger"
    assert by_official.requests[1].url.path.endswith("names.official/Republic of Niger")
    assert by_code.requests[0].url.path.endswith("codes.alpha_3/NIG")


def test_unknown_ambiguous_and_figureless_countries() -> None:
    two = countries(country("Congo"), country("DR Congo"))
    arguments = {"country": "Congo"}
    assert failure(ask("countries_area", arguments, reply(two)))[0] == "ambiguous"
    assert failure(ask("countries_area", arguments, reply(countries())))[0] == "not_found"
    lacks = {"success": False, "data": None, "errors": [{"message": "No such country"}]}
    assert failure(ask("countries_area", arguments, reply(lacks, 404)))[0] == "not_found"
    bare = countries(country("Congo"))
    kind, message = failure(ask("countries_area", arguments, reply(bare)))
    assert (kind, "no area of Congo" in message) == ("not_found", True)


def chart(*bars: tuple[str, float | None, int | None], **meta: object) -> dict[str, object]:
    stamps = [
        int(datetime.fromisoformat(f"{day}T14:30:00+00:00").timestamp()) for day, _, _ in bars
    ]
    facts = {"currency": "USD", "exchangeTimezoneName": "America/New_York", **meta}
    indicators = {
        "quote": [{"close": [1.0] * len(bars), "volume": [volume for _, _, volume in bars]}],
        "adjclose": [{"adjclose": [close for _, close, _ in bars]}],
    }
    result = {"meta": facts, "timestamp": stamps, "indicators": indicators}
    return {"chart": {"error": None, "result": [result]}}


def test_the_last_bar_on_or_before_the_day_counts() -> None:
    body = chart(("2024-01-04", 9.0, 1), ("2024-01-05", 10.126, 7), ("2024-01-08", 11.0, 9))
    seen = Recorder(body)
    arguments = {"ticker": "AAPL", "date": "2024-01-07"}
    assert value(ask("stock_historical_price", arguments, seen)) == {
        "symbol": "AAPL",
        "date": "2024-01-05",
        "close_price": 10.13,
        "currency": "USD",
    }
    assert value(ask("stock_volume", arguments, seen))["volume"] == 7
    start = datetime.fromtimestamp(int(seen.params()["period1"]), tz=UTC).date().isoformat()
    end = datetime.fromtimestamp(int(seen.params()["period2"]), tz=UTC).date().isoformat()
    assert (start, end) == ("2024-01-01", "2024-01-09")


def test_bars_without_figures_are_passed_over() -> None:
    body = chart(("2024-01-04", 9.0, 1), ("2024-01-05", None, None))
    found = value(ask("stock_volume", {"ticker": "A", "date": "2024-01-05"}, reply(body)))
    assert (found["date"], found["volume"]) == ("2024-01-04", 1)


def test_a_bar_six_days_back_is_too_old() -> None:
    body = chart(("2024-01-04", 9.0, 1))
    arguments = {"ticker": "A", "date": "2024-01-09"}
    assert value(ask("stock_volume", arguments, reply(body)))["date"] == "2024-01-04"
    kind, message = failure(ask("stock_volume", {**arguments, "date": "2024-01-10"}, reply(body)))
    assert kind == "not_found"
    assert "5 days before" in message


def test_pence_become_pounds() -> None:
    body = chart(("2024-01-04", 1259.0, 1), currency="GBp")
    found = value(
        ask("stock_historical_price", {"ticker": "X.L", "date": "2024-01-04"}, reply(body))
    )
    assert (found["close_price"], found["currency"]) == (12.59, "GBP")


def test_an_unknown_ticker_is_not_found() -> None:
    error = {"code": "Not Found", "description": "No data found, symbol may be delisted"}
    body = {"chart": {"result": None, "error": error}}
    arguments = {"ticker": "NOPE", "date": "2024-01-04"}
    for status in (200, 404):
        kind, message = failure(ask("stock_volume", arguments, reply(body, status)))
        assert kind == "not_found"
        assert "delisted" in message


DAY = 1_718_409_600_000  # 2024-06-15 in UTC
ROW = [DAY, "1", "2", "0.5", "66182.50", "9815.13", DAY + 86_399_999, "1", 1, "1", "1", "0"]


@pytest.mark.parametrize("symbol", ["BTCUSDT", "btc", "BTC-USD", "btc/usdt"])
def test_a_crypto_day_is_a_utc_day(symbol: str) -> None:
    seen = Recorder([ROW])
    arguments = {"symbol": symbol, "date": "2024-06-15"}
    assert value(ask("crypto_historical_price", arguments, seen)) == {
        "symbol": "BTCUSDT",
        "date": "2024-06-15",
        "close_price": 66182.5,
        "currency": "USDT",
    }
    assert seen.params() == {
        "symbol": "BTCUSDT",
        "interval": "1d",
        "startTime": str(DAY),
        "endTime": str(DAY + 86_399_999),
        "limit": "1",
    }
    assert value(ask("crypto_volume", arguments, seen))["volume"] == 9815.13


def test_a_row_of_another_day_is_no_answer() -> None:
    answered = ask("crypto_volume", {"symbol": "BTCUSDT", "date": "2024-06-14"}, reply([ROW]))
    assert failure(answered)[0] == "not_found"


def test_search_results_in_our_shape() -> None:
    hit = {"title": "Lima", "link": "https://x.test/", "snippet": "A city", "position": 1}
    body = {
        "searchParameters": {"q": "lima"},
        "organic": [hit, {"title": "B", "link": "https://y.test/"}, hit],
        "answerBox": {"snippet": "10 million"},
        "knowledgeGraph": {"title": "Lima", "type": "City", "imageUrl": "x"},
    }
    seen = Recorder(body)
    found = value(ask("web_search", {"query": "lima", "num_results": 2, "gl": "pe"}, seen))
    assert found == {
        "results": [
            {"title": "Lima", "url": "https://x.test/", "snippet": "A city"},
            {"title": "B", "url": "https://y.test/", "snippet": ""},
        ],
        "count": 2,
        "answer": "10 million",
        "about": {"title": "Lima", "type": "City"},
    }
    assert seen.body() == {"q": "lima", "num": 2, "gl": "pe"}


def test_generated_code_comes_from_the_model_of_the_race() -> None:
    async def write(description: str, model: str | None, extra: str | None) -> str:
        return f"# {description} {model} {extra}"

    arguments = {"description": "add", "extra_instructions": "short"}
    answered = ask("python_generate_code", arguments, write_code=write)
    assert value(answered) == {"code": "# add None short"}


def test_without_a_model_no_code_is_written() -> None:
    kind, message = failure(ask("python_generate_code", {"description": "add"}))
    assert kind == "denied"
    assert "--aar-model" in message
    assert "python_execute_code" in message


def test_retries_end_with_a_good_reply() -> None:
    seen = Recorder(httpx.Response(429, headers={"retry-after": "0"}), GEOCODED)
    assert value(ask("maps_geocode", {"address": "Lima"}, seen, attempts=3))["place_id"] == "p1"
    assert len(seen.requests) == 2


def test_retries_stop_at_the_limit_and_at_long_waits() -> None:
    busy = Recorder(httpx.Response(503, headers={"retry-after": "0"}))
    assert failure(ask("maps_geocode", {"address": "x"}, busy, attempts=2))[0] == "upstream"
    assert len(busy.requests) == 2
    patient = Recorder(httpx.Response(429, headers={"retry-after": "3600"}))
    assert failure(ask("maps_geocode", {"address": "x"}, patient, attempts=3))[0] == "quota"
    assert len(patient.requests) == 1


def test_a_blocked_host_is_not_tried_again() -> None:
    tries = []

    def blocked(request: httpx.Request) -> httpx.Response:
        tries.append(request)
        raise Blocked("blocked: no such host here")

    assert failure(ask("maps_geocode", {"address": "x"}, blocked, attempts=3))[0] == "blocked"
    assert len(tries) == 1


def test_a_host_whose_name_speaks_of_blocks_is_tried_again() -> None:
    tries = []

    def down(request: httpx.Request) -> httpx.Response:
        tries.append(request)
        raise httpx.ConnectError("no address of wiki.unblocked.example answers")

    assert failure(ask("maps_geocode", {"address": "x"}, down, attempts=2))[0] == "upstream"
    assert len(tries) == 2


@pytest.mark.parametrize(
    ("problem", "options", "kind", "said"),
    [
        (httpx.ConnectError("no route"), {}, "upstream",
         "Open-Meteo can't be reached at api.open-meteo.com (ConnectError: no route): check this machine's network "
         "(`aar doctor` asks every service), or name another address: --aar-services weather_forecast=URL"),
        (httpx.ReadTimeout(""), {}, "timeout",
         "Open-Meteo did not answer in time at api.open-meteo.com (ReadTimeout): "),
        (httpx.ConnectTimeout(""), {}, "timeout", "Open-Meteo can't be reached at api.open-meteo.com (ConnectTimeout)"),
        (httpx.RemoteProtocolError("cut"), {}, "upstream",
         "Open-Meteo gave no whole answer at api.open-meteo.com (RemoteProtocolError: cut): "),
        (httpx.ConnectError("refused"), {"weather_forecast": "http://localhost:81"}, "upstream",
         "Open-Meteo can't be reached at localhost:81 (ConnectError: refused): is it running? Its address was given by "
         "--aar-services weather_forecast=URL"),
    ],
)  # fmt: skip
def test_a_service_out_of_reach_is_told_with_its_host_and_what_to_do(
    problem: httpx.HTTPError, options: dict[str, str], kind: str, said: str
) -> None:
    def gone(_: httpx.Request) -> httpx.Response:
        raise problem

    asked = {"latitude": 1, "longitude": 2}
    result = ask("weather_forecast", asked, gone, endpoints=LIVE.with_overrides(options))
    found, message = failure(result)
    assert found == kind
    assert message.startswith(said)


FORECAST = ("weather_forecast", {"latitude": 1, "longitude": 2})
DIRECTIONS = ("maps_directions", {"origin": "A", "destination": "B"})
PAGE = ("fetch_webpage", {"url": "https://en.wikipedia.org/wiki/Lima"})
SEARCH = ("web_search", {"query": "x"})
OURS = "http://localhost:81"
SEARXNG = {"SEARXNG_URL": OURS}


@pytest.mark.parametrize(
    ("call", "own", "keys", "given"),
    [
        (FORECAST, {"weather": OURS}, {}, "--aar-services weather_forecast=URL or weather=URL"),
        (DIRECTIONS, {"maps": OURS}, {}, "--aar-services routes=URL or maps=URL"),
        (DIRECTIONS, {"geocoding": f"{OURS}/directions", "routes": OURS}, {}, "--aar-services routes=URL or maps=URL"),
        (PAGE, {"wikipedia": f"kiwix+{OURS}/content/w"}, {}, "--aar-services wikipedia=URL"),
        (PAGE, {"wikipedia": f"{OURS}/{{language}}/api.php"}, {}, "--aar-services wikipedia=URL"),
        (SEARCH, {"searxng": OURS}, {}, "--aar-services searxng=URL"),
        (SEARCH, {"searxng": OURS}, SEARXNG, "--aar-services searxng=URL"),
        (SEARCH, {}, SEARXNG, "SEARXNG_URL"),
    ],
)  # fmt: skip
def test_an_address_of_ones_own_is_told_with_what_gave_it(
    call: tuple[str, dict[str, object]], own: dict[str, str], keys: dict[str, str], given: str
) -> None:
    def gone(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    result = ask(*call, gone, endpoints=LIVE.with_overrides(own), keys=keys)
    said = f"(ConnectError: refused): is it running? Its address was given by {given}"
    assert failure(result)[1].endswith(said)


@pytest.mark.parametrize(
    ("tool", "name", "wrong", "expected"),
    [
        *[("stock_volume", "ticker", each, "a symbol of letters, digits and . - = ^ & _, such as BRK-B")
          for each in ("..", ".", "A/../B?", "../v7", "BRK B", "%2e%2e", "é")],
        *[("maps_place_details", "place_id", each, "an id of letters, digits, - and _, as from maps_search_places")
          for each in ("..", ".", "places/..", "a/b", "API key expired", "a:b")],
        *[("countries_area", "country", each, "a name of letters, spaces and . , ' - ( ) &, or a code")
          for each in ("..", ".", "../v4", "Peru/Lima", "Peru?x", "12", "Peru#")],
    ],
)  # fmt: skip
def test_no_argument_leads_to_another_address_of_a_service(
    tool: str, name: str, wrong: str, expected: str
) -> None:
    seen = Recorder({})
    dated = {"date": "2026-03-02"} if name == "ticker" else {}
    kind, message = failure(ask(tool, {name: wrong, **dated}, seen))
    assert (kind, seen.requests) == ("bad_arguments", [])
    assert message == f"{tool}: {name}: expected {expected}, got {wrong!r}"


@pytest.mark.parametrize(
    ("ticker", "asked"),
    [("BRK/B", "BRK-B"), ("^GSPC", "^GSPC"), ("EURUSD=X", "EURUSD=X"), ("M&M.NS", "M%26M.NS"),
     ("0P0000.L", "0P0000.L"), ("DX-Y.NYB", "DX-Y.NYB")],
)  # fmt: skip
def test_symbols_are_asked_for_as_yahoo_writes_them(ticker: str, asked: str) -> None:
    seen = Recorder({})
    ask("stock_volume", {"ticker": ticker, "date": "2026-03-02"}, seen)
    assert seen.requests[0].url.raw_path.partition(b"?")[0].endswith(f"/chart/{asked}".encode())


@pytest.mark.parametrize(
    "country",
    ["Côte d\u2019Ivoire", "Guinea-Bissau", "Micronesia (Federated States of)", "St. Kitts & Nevis",
     "Bonaire, Sint Eustatius and Saba", "日本"],
)  # fmt: skip
def test_names_of_countries_in_all_spellings_are_asked_for(country: str) -> None:
    seen = Recorder({"data": {"objects": []}})
    ask("countries_area", {"country": country}, seen)
    assert seen.requests
