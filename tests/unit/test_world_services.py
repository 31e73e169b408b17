"""Each service of the sandbox world: the real API's shape, its errors, and plausible figures."""

import asyncio
import json
import subprocess
import sys
from datetime import date, timedelta
from urllib.parse import urlencode

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from pytest_aar.world import HOSTS, World, WorldTransport, asgi_app, dispatch, load
from pytest_aar.world.climate import climate_of, weather_on
from pytest_aar.world.services.answers import Answer

MASK = {"X-Goog-FieldMask": "*"}
API = "https://wiki.aar.test/w/api.php"
MAPS = "https://maps.aar.test"


def ask(url: str, body: object = None, *, headers: dict[str, str] | None = None, **query: object):
    if query:
        url += "?" + urlencode(query)
    method = "GET" if body is None else "POST"
    raw = b"" if body is None else json.dumps(body).encode()
    answer = dispatch(load(), method, url, raw, headers)
    assert answer is not None
    return answer


def data(answer: Answer):
    return json.loads(answer.body)


@pytest.fixture(scope="module")
def world() -> World:
    return load()


# Encyclopaedia


def test_parse_both_format_versions() -> None:
    old = data(ask(API, action="parse", page="Thimphu", format="json"))["parse"]
    new = data(ask(API, action="parse", page="Thimphu", formatversion=2))["parse"]
    assert old["title"] == new["title"] == "Thimphu"
    assert old["text"]["*"] == new["text"]
    assert {"ns": 0, "exists": "", "*": "Bhutan"} in old["links"]
    assert {"ns": 0, "title": "Bhutan", "exists": True} in new["links"]
    assert old["langlinks"][0]["*"] == new["langlinks"][0]["title"] == "Thimphu"
    assert len(new["langlinks"]) > 5
    first = new["sections"][0]
    assert (first["index"], first["line"], first["level"]) == ("1", "Geography", "2")


def test_pages_carry_mediawiki_markup_and_the_honest_footer() -> None:
    tree = LexborHTMLParser(
        data(ask(API, action="parse", page="Bhutan", formatversion=2))["parse"]["text"]
    )
    root = tree.css_first("div.mw-parser-output")
    assert root is not None
    assert root.css_first("table.infobox th.infobox-above").text() == "Bhutan"
    labels = [node.text() for node in root.css("th.infobox-label")]
    assert "Population" in labels
    heads = [node.text() for node in root.css("div.mw-heading.mw-heading2 > h2")]
    assert heads[:2] == ["History", "Geography"]
    assert root.css_first('a[href="/wiki/Thimphu"]').attributes["title"] == "Thimphu"
    assert "not of Wikipedia" in root.css_first(".sandbox-note").text()
    assert root.css_first("table.wikitable") is not None


def test_one_section_of_a_page() -> None:
    text = data(ask(API, action="parse", page="Thimphu", section=1, formatversion=2))["parse"][
        "text"
    ]
    assert "Geography" in text
    assert "infobox" not in text
    lead = data(ask(API, action="parse", page="Thimphu", section=0, formatversion=2))["parse"][
        "text"
    ]
    assert "infobox" in lead
    assert "mw-heading" not in lead


def test_redirects_are_followed_and_told() -> None:
    parse = data(ask(API, action="parse", page="Kingdom_of_Bhutan", redirects=1))["parse"]
    assert parse["title"] == "Bhutan"
    assert parse["redirects"] == [{"from": "Kingdom of Bhutan", "to": "Bhutan"}]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"action": "parse", "page": "No such page at all"}, "missingtitle"),
        ({"action": "parse", "page": "a[b"}, "invalidtitle"),
        ({"action": "parse"}, "missingparam"),
        ({"action": "parse", "pageid": "1"}, "nosuchpageid"),
        ({"action": "parse", "oldid": "7"}, "nosuchrevid"),
        ({"action": "parse", "page": "Paris", "section": "99"}, "nosuchsection"),
        ({"action": "dance"}, "badvalue"),
        ({"action": "query", "list": "nothing"}, "badvalue"),
        ({"action": "query", "titles": "Paris", "prop": "links", "pllimit": "x"}, "badinteger"),
    ],
)
def test_api_errors_come_with_http_200(query: dict[str, str], code: str) -> None:
    for version in ("1", "2"):
        answer = ask(API, **query, formatversion=version)
        assert answer.status == 200
        error = data(answer)["error"]
        assert error["code"] == code
        assert ("*" in error) == (version == "1")


def test_query_missing_invalid_normalized_and_disambiguation() -> None:
    titles = "san Jose|Nope nope|a{b"
    old = data(ask(API, action="query", titles=titles, prop="pageprops|info"))["query"]
    new = data(ask(API, action="query", titles=titles, prop="pageprops", formatversion=2))["query"]
    assert old["normalized"] == [{"from": "san Jose", "to": "San Jose"}]
    assert old["pages"]["-1"]["missing"] == ""
    assert old["pages"]["-2"]["invalid"] == ""
    by_title = {page["title"]: page for page in new["pages"]}
    assert by_title["San Jose"]["pageprops"] == {"disambiguation": ""}
    assert by_title["Nope nope"]["missing"] is True
    assert "characters" in by_title["a{b"]["invalidreason"]


def test_query_links_go_on_with_the_continue_value() -> None:
    whole = data(ask(API, action="query", titles="France", prop="links", pllimit="max"))["query"]
    (page,) = whole["pages"].values()
    seen: list[str] = []
    more: dict[str, str] = {}
    while True:
        reply = data(ask(API, action="query", titles="France", prop="links", pllimit=20, **more))
        (part,) = reply["query"]["pages"].values()
        seen += [link["title"] for link in part["links"]]
        more = reply.get("continue", {})
        if not more:
            break
    assert seen == [link["title"] for link in page["links"]]
    assert len(seen) > 40


def test_opensearch_and_search() -> None:
    query, titles, descriptions, urls = data(ask(API, action="opensearch", search="thimp"))
    assert (query, titles, descriptions) == ("thimp", ["Thimphu"], [""])
    assert urls == ["https://wiki.aar.test/wiki/Thimphu"]
    found = data(ask(API, action="query", list="search", srsearch="Thimphu"))["query"]["search"]
    assert found[0]["title"] == "Thimphu"
    assert 'class="searchmatch"' in found[0]["snippet"]


def test_a_browser_gets_whole_documents() -> None:
    page = ask("https://wiki.aar.test/wiki/Bhutan")
    assert page.content_type.startswith("text/html")
    tree = LexborHTMLParser(page.body.decode())
    assert tree.css_first("h1.firstHeading").text() == "Bhutan"
    assert tree.css_first("form[role=search] input[name=q]") is not None
    assert ask("https://wiki.aar.test/").status == 200
    missing = ask("https://wiki.aar.test/wiki/%3Cscript%3E")
    assert missing.status == 404
    assert b"<script>" not in missing.body
    assert b'href="/wiki/Thimphu"' in ask("https://wiki.aar.test/search", q="Thimphu").body


def test_every_link_of_a_page_can_be_clicked() -> None:
    tree = LexborHTMLParser(ask("https://wiki.aar.test/wiki/New_Zealand").body.decode())
    hrefs = [node.attributes["href"] for node in tree.css("main a")]
    assert len(hrefs) > 20
    assert any("Aoraki/Mount" in href for href in hrefs)
    for href in hrefs:
        assert ask(f"https://wiki.aar.test{href}").status == 200, href


def test_web_search_in_serpers_shape() -> None:
    reply = data(ask("https://search.aar.test/search", {"q": "Paro Airport Bhutan", "num": 3}))
    first = reply["organic"][0]
    assert first["link"] == "https://wiki.aar.test/wiki/Paro_Airport"
    assert [row["position"] for row in reply["organic"]] == [1, 2, 3]
    assert data(ask("https://search.aar.test/search", {"q": "qwxyzzy"}))["organic"] == []
    assert ask("https://search.aar.test/search", {"q": " "}).status == 400
    assert ask("https://search.aar.test/search", ["q"]).status == 400


# Maps


def test_geocode() -> None:
    (found,) = data(ask(f"{MAPS}/maps/api/geocode/json", address="Thimphu, Bhutan"))["results"]
    assert found["geometry"]["location"] == {"lat": 27.46609, "lng": 89.64191}
    assert found["formatted_address"] == "Thimphu, Bhutan"
    assert "partial_match" not in found
    by_id = data(ask(f"{MAPS}/maps/api/geocode/json", place_id=found["place_id"]))["results"]
    assert by_id == [found]


@pytest.mark.parametrize(
    ("address", "formatted"),
    [
        ("Paris", "Paris, France"),
        ("vancouver, united states", "Vancouver, United States"),
        ("Armenia, Colombia", "Armenia, Colombia"),
        ("Armenia", "Armenia"),
        ("PBH", "Paro Airport, Bhutan"),
        ("Nam Dinh, Vietnam", "Nam Định, Vietnam"),
        ("48.85,2.35", "Paris, France"),
    ],
)
def test_geocode_names(address: str, formatted: str) -> None:
    results = data(ask(f"{MAPS}/maps/api/geocode/json", address=address))["results"]
    assert results[0]["formatted_address"] == formatted


def test_geocode_errors() -> None:
    url = f"{MAPS}/maps/api/geocode/json"
    assert data(ask(url, address="Nowhere at all")) == {"results": [], "status": "ZERO_RESULTS"}
    assert data(ask(url, address="Thimphu, France"))["status"] == "ZERO_RESULTS"
    assert data(ask(url))["status"] == "INVALID_REQUEST"
    assert data(ask(url, latlng="91,0"))["status"] == "INVALID_REQUEST"
    assert data(ask(url, latlng="0,-30"))["status"] == "ZERO_RESULTS"
    partial = data(ask(url, address="Thimphu, Shangri-La"))["results"]
    assert partial[0]["partial_match"] is True


def test_reverse_geocode_is_most_specific_first() -> None:
    results = data(ask(f"{MAPS}/maps/api/geocode/json", latlng="27.47,89.64"))["results"]
    assert [row["types"][0] for row in results] == ["locality", "country"]
    assert [row["formatted_address"] for row in results] == ["Thimphu, Bhutan", "Bhutan"]


def test_elevation() -> None:
    reply = data(ask(f"{MAPS}/maps/api/elevation/json", locations="27.988,86.925|31.5,35.5|0,-30"))
    assert [row["elevation"] for row in reply["results"]] == [5325.0, -427.0, 0.0]
    assert reply["results"][0]["location"] == {"lat": 27.988, "lng": 86.925}
    for bad in ("", "1", "a,b", "95,0", "nan,0"):
        assert (
            data(ask(f"{MAPS}/maps/api/elevation/json", locations=bad))["status"]
            == "INVALID_REQUEST"
        )


def test_a_citys_page_agrees_with_the_elevation_service(world: World) -> None:
    for title in ("Thimphu", "Paris", "Sydney", "La Paz, Bolivia", "Singapore"):
        page = world.page(title)
        shown = {fact.label: fact.value for fact in page.facts}.get("Elevation")
        if shown is not None and page.location is not None:
            at = f"{page.location[0]},{page.location[1]}"
            (row,) = data(ask(f"{MAPS}/maps/api/elevation/json", locations=at))["results"]
            assert row["elevation"] == shown, title


def stop(address: str) -> dict[str, object]:
    return {"waypoint": {"address": address}}


def test_route_matrix_leaves_zero_values_out_and_knows_the_sea() -> None:
    body = {
        "origins": [stop("Paris"), stop("London")],
        "destinations": [stop("Paris"), stop("Berlin")],
    }
    rows = data(ask(f"{MAPS}/distanceMatrix/v2:computeRouteMatrix", body, headers=MASK))
    cells = {(row.get("originIndex", 0), row.get("destinationIndex", 0)): row for row in rows}
    assert "originIndex" not in cells[0, 0]
    assert "distanceMeters" not in cells[0, 0]
    assert cells[0, 0]["duration"] == "0s"
    assert cells[0, 1]["condition"] == "ROUTE_EXISTS"
    assert 950_000 < cells[0, 1]["distanceMeters"] < 1_350_000
    assert cells[1, 0] == {"originIndex": 1, "status": {}, "condition": "ROUTE_NOT_FOUND"}
    unknown = {"origins": [stop("Paris")], "destinations": [stop("Nowhere at all")]}
    (row,) = data(ask(f"{MAPS}/distanceMatrix/v2:computeRouteMatrix", unknown, headers=MASK))
    assert row["status"]["code"] == 5


def test_directions_agree_with_the_matrix_in_both_directions() -> None:
    url = f"{MAPS}/directions/v2:computeRoutes"
    there = {"origin": {"address": "Paris"}, "destination": {"address": "Berlin"}}
    back = {"origin": there["destination"], "destination": there["origin"]}
    route = data(ask(url, there, headers=MASK))["routes"][0]
    assert route == data(ask(url, back, headers=MASK))["routes"][0]
    body = {"origins": [stop("Paris")], "destinations": [stop("Berlin")]}
    (row,) = data(ask(f"{MAPS}/distanceMatrix/v2:computeRouteMatrix", body, headers=MASK))
    assert (row["distanceMeters"], row["duration"]) == (route["distanceMeters"], route["duration"])
    sea = {"origin": {"address": "Sydney"}, "destination": {"address": "Paris"}}
    assert data(ask(url, sea, headers=MASK)) == {}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"origin": 3, "destination": {"address": "Paris"}},
        {"origin": {"address": "Paris"}, "destination": {"address": "Rome"}, "travelMode": "FLY"},
        {"origin": {"location": {"latLng": {"latitude": 99}}}, "destination": {"address": "Rome"}},
    ],
)
def test_bad_routes_are_http_400(body: object) -> None:
    answer = ask(f"{MAPS}/directions/v2:computeRoutes", body, headers=MASK)
    assert answer.status == 400
    assert data(answer)["error"]["status"] == "INVALID_ARGUMENT"


def test_the_field_mask_is_required() -> None:
    for path in ("/directions/v2:computeRoutes", "/v1/places:searchText"):
        answer = ask(f"{MAPS}{path}", {"textQuery": "x"})
        assert answer.status == 400
        assert "FieldMask is a required parameter" in data(answer)["error"]["message"]


def places(text: str, **more: object):
    return data(ask(f"{MAPS}/v1/places:searchText", {"textQuery": text, **more}, headers=MASK))


def test_places_have_counts_that_vary() -> None:
    counts = {}
    for city in ("Paris, France", "Thimphu", "Nairobi", "Lima", "Tokyo", "Oslo", "Cairo", "Quito"):
        counts[city] = len(places(f"museums in {city}")["places"])
    assert all(1 <= count <= 20 for count in counts.values())
    assert len(set(counts.values())) >= 4


def test_places_are_the_same_however_they_are_asked_for() -> None:
    first = places("museums in Thimphu, Bhutan")
    assert first == places("Museum near Thimphu")
    circle = {"center": {"latitude": 27.47, "longitude": 89.64}, "radius": 5000.0}
    assert first == places("museum", locationBias={"circle": circle})
    place = first["places"][0]
    assert 2.8 <= place["rating"] <= 5.0
    details = data(ask(f"{MAPS}/v1/places/{place['id']}", headers=MASK))
    assert details.pop("sandbox").startswith("synthetic")
    assert details == place


def test_places_pages_and_masks_and_errors() -> None:
    whole = places("restaurants in Tokyo")["places"]
    part = places("restaurants in Tokyo", pageSize=2)
    rest = places("restaurants in Tokyo", pageSize=2, pageToken=part["nextPageToken"])
    assert part["places"] + rest["places"] == whole[:4]
    url = f"{MAPS}/v1/places:searchText"
    masked = data(ask(url, {"textQuery": "zoo in Lima"}, headers={"x-goog-fieldmask": "places.id"}))
    assert set(masked["places"][0]) == {"id"}
    assert places("museums in Nowhere at all") == {}
    assert ask(url, {"textQuery": ""}, headers=MASK).status == 400
    assert ask(f"{MAPS}/v1/places/aar-poi-1-99-0", headers=MASK).status == 404


# Weather


def archive(latitude: float, longitude: float, start: str, end: str, daily: str, **more: object):
    url = "https://weather.aar.test/v1/archive"
    query = {"latitude": latitude, "longitude": longitude, "start_date": start, "end_date": end}
    return data(ask(url, **query, daily=daily, **more))


def test_archive_shape() -> None:
    names = "temperature_2m_max,precipitation_sum,snowfall_sum,sunshine_duration,rain_sum,sunrise"
    reply = archive(27.47, 89.64, "2024-01-05", "2024-01-07", names, timezone="auto")
    assert reply["daily"]["time"] == ["2024-01-05", "2024-01-06", "2024-01-07"]
    assert set(reply["daily"]) == {"time", *names.split(",")} == set(reply["daily_units"])
    assert all(len(values) == 3 for values in reply["daily"].values())
    assert reply["daily_units"]["snowfall_sum"] == "cm"
    assert reply["sandbox"].startswith("synthetic")
    fahrenheit = archive(
        27.47,
        89.64,
        "2024-01-05",
        "2024-01-05",
        "temperature_2m_max",
        temperature_unit="fahrenheit",
    )
    celsius = reply["daily"]["temperature_2m_max"][0]
    assert fahrenheit["daily"]["temperature_2m_max"][0] == pytest.approx(
        celsius * 1.8 + 32, abs=0.06
    )


def test_a_day_is_the_same_in_any_window() -> None:
    long = archive(48.85, 2.35, "2023-03-01", "2023-03-31", "precipitation_sum")["daily"]
    short = archive(48.85, 2.35, "2023-03-09", "2023-03-09", "precipitation_sum")["daily"]
    assert short["precipitation_sum"][0] == long["precipitation_sum"][8]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"start_date": "2024-13-01"}, "YYYY-MM-DD"),
        ({"end_date": "2023-01-01"}, "larger or equals"),
        ({"start_date": "1900-01-01"}, "out of allowed range"),
        ({"end_date": "2099-01-01"}, "out of allowed range"),
        ({"latitude": "95"}, "range of -90"),
        ({"latitude": "nan"}, "not a number"),
        ({"longitude": "east"}, "not one number"),
        ({"daily": "happiness"}, "invalid String value happiness"),
        ({"timezone": "Mars/Olympus"}, "Invalid timezone"),
        ({"hourly": "temperature_2m"}, "daily weather only"),
    ],
)
def test_bad_weather_requests_are_http_400(change: dict[str, str], reason: str) -> None:
    good = {
        "latitude": "48",
        "longitude": "2",
        "start_date": "2024-01-01",
        "end_date": "2024-01-02",
    }
    answer = ask("https://weather.aar.test/v1/archive", **(good | {"daily": "rain_sum"} | change))
    assert answer.status == 400
    assert data(answer)["error"] is True
    assert reason in data(answer)["reason"]


def test_forecast_and_unknown_path() -> None:
    url = "https://weather.aar.test/v1/forecast"
    reply = data(ask(url, latitude=1, longitude=103.8, daily="temperature_2m_max", forecast_days=3))
    assert len(reply["daily"]["time"]) == 3
    assert ask("https://weather.aar.test/v1/tides").status == 404


@pytest.mark.parametrize(
    ("latitude", "longitude", "celsius", "millimetres"),
    [
        (1.29, 103.85, 27.5, 2340),  # Singapore
        (30.06, 31.25, 22.0, 25),  # Cairo
        (51.51, -0.13, 11.0, 600),  # London
        (41.85, -87.65, 10.3, 940),  # Chicago
        (62.03, 129.73, -8.5, 240),  # Yakutsk
        (47.60, -122.33, 11.5, 950),  # Seattle
        (-33.87, 151.20, 18.0, 1150),  # Sydney
        (55.75, 37.60, 6.0, 700),  # Moscow
        (-1.28, 36.82, 19.0, 900),  # Nairobi
        (35.69, 139.69, 16.0, 1550),  # Tokyo
        (19.07, 72.88, 27.3, 2300),  # Mumbai
        (64.14, -21.90, 5.0, 850),  # Reykjavik
    ],
)
def test_climate_is_plausible(
    world: World, latitude: float, longitude: float, celsius: float, millimetres: float
) -> None:
    cell = world.grid.nearest_land(latitude, longitude)
    assert cell is not None
    climate = climate_of(cell)
    days = [weather_on(climate, date(2021, 1, 1) + timedelta(days=n)) for n in range(1461)]
    assert sum(day.mean for day in days) / len(days) == pytest.approx(celsius, abs=4)
    rain = sum(day.precipitation for day in days) / 4
    assert millimetres / 2 <= rain <= millimetres * 2
    assert all(day.lowest <= day.mean <= day.highest for day in days)
    assert all(day.sunshine <= day.daylight for day in days)


# Countries, stocks, crypto


def test_countries() -> None:
    base = "https://countries.aar.test/countries/v5"
    (bhutan,) = data(ask(f"{base}/names.common/Bhutan"))["data"]["objects"]
    assert bhutan["names"]["common"] == "Bhutan"
    assert (bhutan["population"], bhutan["area"]["kilometers"]) == (892_877, 38_394)
    assert bhutan["capitals"][0]["name"] == "Thimphu"
    for field, value in {"names.official": "Kingdom%20of%20Bhutan", "codes.alpha_3": "BTN"}.items():
        assert data(ask(f"{base}/{field}/{value}"))["data"]["objects"] == [bhutan]
    (niger,) = data(ask(f"{base}/names.common/niger"))["data"]["objects"]
    assert niger["codes"]["alpha_2"] == "NE"
    unknown = ask(f"{base}/names.common/Narnia")
    assert (unknown.status, data(unknown)["data"]["objects"]) == (200, [])


def chart(symbol: str, start: date, end: date, **more: object) -> Answer:
    epoch = date(1970, 1, 1)
    stamps = {"period1": (start - epoch).days * 86400, "period2": (end - epoch).days * 86400}
    return ask(
        f"https://stocks.aar.test/v8/finance/chart/{symbol}", **stamps, interval="1d", **more
    )


def test_stock_bars_only_on_trading_days() -> None:
    week = data(chart("AAPL", date(2024, 1, 1), date(2024, 1, 8)))["chart"]["result"][0]
    assert len(week["timestamp"]) == 4  # New Year's Day is a holiday
    quote = week["indicators"]["quote"][0]
    for low, close, high in zip(quote["low"], quote["close"], quote["high"], strict=True):
        assert low <= close <= high
    assert week["indicators"]["adjclose"][0]["adjclose"] == quote["close"]
    weekend = data(chart("AAPL", date(2024, 1, 6), date(2024, 1, 8)))["chart"]["result"][0]
    assert "timestamp" not in weekend
    assert weekend["indicators"] == {"quote": [{}]}


def test_stock_errors() -> None:
    unknown = chart("NOSUCH", date(2024, 1, 1), date(2024, 1, 8))
    assert (unknown.status, data(unknown)["chart"]["error"]["code"]) == (404, "Not Found")
    early = chart("AAPL", date(1970, 1, 2), date(1980, 1, 1))
    assert early.status == 400
    assert data(early)["chart"]["error"]["description"].startswith("Data doesn't exist")
    assert chart("AAPL", date(2024, 1, 8), date(2024, 1, 1)).status == 400
    assert ask("https://stocks.aar.test/v8/finance/chart/AAPL", period1="x").status == 400


def klines(**query: object) -> Answer:
    return ask("https://crypto.aar.test/api/v3/klines", **query)


def test_crypto_rows() -> None:
    start = 1_704_067_200_000
    rows = data(klines(symbol="BTCUSDT", interval="1d", startTime=start, limit=2))
    assert [row[0] for row in rows] == [start, start + 86_400_000]
    assert all(len(row) == 12 for row in rows)
    assert isinstance(rows[0][4], str)
    assert float(rows[0][3]) <= float(rows[0][4]) <= float(rows[0][2])
    assert data(klines(symbol="BTCUSDT", interval="1d", endTime=1_000_000_000_000)) == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"symbol": "NOSUCH", "interval": "1d"}, -1121),
        ({"symbol": "BTCUSDT", "interval": "3q"}, -1120),
        ({"interval": "1d"}, -1102),
        ({"symbol": "BTCUSDT", "interval": "1d", "startTime": "soon"}, -1100),
    ],
)
def test_crypto_errors(query: dict[str, str], code: int) -> None:
    answer = klines(**query)
    assert answer.status == 400
    assert data(answer)["code"] == code


# All of them


QUESTIONS = [
    f"{API}?action=parse&page=Bhutan",
    f"{API}?action=query&list=random&rnlimit=3",
    f"{MAPS}/maps/api/geocode/json?address=Lima",
    "https://weather.aar.test/v1/archive?latitude=9&longitude=9&start_date=2024-07-01"
    "&end_date=2024-07-09&daily=precipitation_sum,temperature_2m_max",
    "https://stocks.aar.test/v8/finance/chart/MSFT?range=1mo",
    "https://crypto.aar.test/api/v3/klines?symbol=ETHUSDT&interval=1d&limit=5",
]


def test_answers_are_equal_in_another_process(world: World) -> None:
    code = (
        "import hashlib, json, sys; from pytest_aar.world import dispatch, load; w = load();"
        "print(w.hash, *(hashlib.sha256(dispatch(w, 'GET', u).body).hexdigest()"
        " for u in json.loads(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, json.dumps(QUESTIONS)]
    runs = {
        subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
    assert world.hash in runs.pop()


def test_transport_answers_the_worlds_hosts_and_blocks_the_rest() -> None:
    async def talk() -> None:
        async with httpx.AsyncClient(transport=WorldTransport()) as client:
            reply = await client.get(API, params={"action": "parse", "page": "Bhutan"})
            assert reply.json()["parse"]["title"] == "Bhutan"
            posted = await client.post("https://search.aar.test/search", json={"q": "Bhutan"})
            assert posted.json()["organic"]
            form = await client.post(API, data={"action": "parse", "page": "Bhutan"})
            assert form.json() == reply.json()
            with pytest.raises(httpx.ConnectError, match=r"no host 'example\.org'"):
                await client.get("https://example.org/")
            with pytest.raises(httpx.ConnectError, match=r"no host 'wiki\.aar\.test:8080'"):
                await client.get("https://wiki.aar.test:8080/wiki/Bhutan")

    asyncio.run(talk())


def test_asgi_app_serves_every_service_on_one_port(world: World) -> None:
    async def talk() -> None:
        transport = httpx.ASGITransport(app=asgi_app(world))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:1") as client:
            assert "Sandbox world" in (await client.get("/")).text
            assert (await client.get("/wiki/Aoraki/Mount_Cook")).status_code == 200
            found = await client.get("/maps/api/geocode/json", params={"address": "Lima"})
            assert found.json()["status"] == "OK"
            assert (await client.post("/search", json={"q": "Lima"})).json()["organic"]
            named = await client.get("http://countries.aar.test/countries/v5/codes.alpha_2/PE")
            assert named.json()["data"]["objects"][0]["names"]["common"] == "Peru"

    asyncio.run(talk())


def test_hosts_are_reserved_names() -> None:
    assert all(host.endswith(".aar.test") for host in HOSTS)
