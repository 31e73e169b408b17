"""Rare replies in the services' documented shapes: the kind that they stand for, and words that tell what to do."""

from typing import Any

import httpx
import pytest
from tool_calls import Recorder, ask, failure, reply, value

from pytest_aar.gateway.country_book import country_book
from pytest_aar.tools import LIVE

KEYS = {"GOOGLE_API_KEY": "g", "SERPER_API_KEY": "s"}
GOOGLE = {"endpoints": LIVE, "keys": KEYS}
PLACES = ("maps_search_places", {"query": "x"})
STOCK = {"ticker": "AAPL", "date": "2024-01-05"}
COIN = {"symbol": "BTC", "date": "2024-01-05"}
WIKI = {"url": "https://en.wikipedia.org/wiki/Lima"}


def refusal(code: int, status: str, reason: str, said: str = "The request failed.") -> Any:
    """An error of Google's present APIs: a google.rpc.Status with its details."""
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
    }
    localized = {"@type": "type.googleapis.com/google.rpc.LocalizedMessage", "message": "so"}
    details = [localized, info]
    return {"error": {"code": code, "message": said, "status": status, "details": details}}


@pytest.mark.parametrize(
    ("code", "status", "reason", "kind", "advice"),
    [
        (400, "INVALID_ARGUMENT", "API_KEY_INVALID", "denied", "check GOOGLE_API_KEY"),
        (403, "PERMISSION_DENIED", "BILLING_DISABLED", "denied", "billing/enable"),
        (403, "PERMISSION_DENIED", "API_KEY_IP_ADDRESS_BLOCKED", "denied", "let this machine in"),
        (403, "PERMISSION_DENIED", "API_KEY_HTTP_REFERRER_BLOCKED", "denied", "let this machine in"),
        (403, "PERMISSION_DENIED", "API_KEY_ANDROID_APP_BLOCKED", "denied", "let this machine in"),
        (403, "PERMISSION_DENIED", "CONSUMER_SUSPENDED", "denied", "Google has suspended the key's project"),
        (403, "PERMISSION_DENIED", "CONSUMER_INVALID", "denied", "check GOOGLE_API_KEY"),
        (429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "quota", "(RATE_LIMIT_EXCEEDED)"),
        (403, "PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED", "quota", "(RATE_LIMIT_EXCEEDED)"),
    ],
)  # fmt: skip
def test_the_reason_in_googles_details_counts_whatever_the_message_says(
    code: int, status: str, reason: str, kind: str, advice: str
) -> None:
    found, message = failure(ask(*PLACES, reply(refusal(code, status, reason), code), **GOOGLE))
    assert found == kind
    assert f"HTTP {code}: The request failed. ({reason})" in message
    assert advice in message


def test_a_disabled_service_leads_to_the_legacy_one_by_its_reason_alone() -> None:
    place = {"name": "Plaza", "place_id": "p"}
    seen = Recorder(
        httpx.Response(403, json=refusal(403, "PERMISSION_DENIED", "SERVICE_DISABLED")),
        {"status": "OK", "results": [place]},
    )
    assert value(ask(*PLACES, seen, **GOOGLE))["count"] == 1


def test_a_stream_that_ends_with_a_reason_has_its_kind() -> None:
    body = [{"distanceMeters": 5}, refusal(400, "INVALID_ARGUMENT", "API_KEY_INVALID")]
    pair = {"origins": ["a"], "destinations": ["b"]}
    assert failure(ask("maps_distance_matrix", pair, reply(body), **GOOGLE))[0] == "denied"


def test_a_call_that_arrives_without_its_key_says_to_check_it() -> None:
    said = "Method doesn't allow unregistered callers (callers without established identity)."
    body = {"error": {"code": 403, "message": said, "status": "PERMISSION_DENIED"}}
    kind, message = failure(ask(*PLACES, reply(body, 403), **GOOGLE))
    assert (kind, "check GOOGLE_API_KEY" in message) == ("denied", True)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("You have exceeded your daily request quota for this API", "the day's quota is used up"),
        ("You have exceeded your rate-limit for this API", "wait a little"),
    ],
)
def test_a_limit_of_the_day_is_not_waited_for(said: str, hint: str) -> None:
    body = {"status": "OVER_QUERY_LIMIT", "error_message": f"{said}.", "results": []}
    kind, message = failure(ask("maps_geocode", {"address": "x"}, reply(body), **GOOGLE))
    assert (kind, f"{said}; {hint}" in message) == ("quota", True)


@pytest.mark.parametrize(
    "called",
    [
        PLACES,
        ("web_search", {"query": "x"}),
        ("weather_forecast", {"latitude": 1, "longitude": 2}),
        ("countries_population", {"country": "Peru"}),
        ("countries_area", {"country": "Peru"}),
    ],
    ids=lambda called: called[0],
)
def test_a_page_that_says_not_found_speaks_of_the_address(called: Any) -> None:
    gone = httpx.Response(404, html="<title>Error 404 (Not Found)!!1</title>")
    keys = {**KEYS, "RESTCOUNTRIES_API_KEY": "rc"}
    options = {"endpoints": LIVE, "keys": keys, "country_book": country_book}
    kind, message = failure(ask(*called, lambda _: gone, **options))
    assert (kind, "HTTP 404: Error 404 (Not Found)!!1" in message) == ("upstream", True)


# --- stocks


def chart_error(code: str, said: str) -> Any:
    return {"chart": {"result": None, "error": {"code": code, "description": said}}}


@pytest.mark.parametrize(
    ("code", "said", "kind"),
    [
        ("Not Found", "No data found, symbol may be delisted", "not_found"),
        ("Bad Request", "Data doesn't exist for startDate = 1, endDate = 2", "not_found"),
        ("x", "Data doesn\u2019t exist for startDate = 1", "not_found"),
        ("Bad Request", "Invalid input - interval=9d is not supported.", "bad_arguments"),
        ("Unprocessable Entity", "1m data not available for startTime=1", "bad_arguments"),
        ("Unauthorized", "Invalid Crumb", "denied"),
        ("Too Many Requests", "slow down", "quota"),
        ("internal-error", "We are experiencing some temporary issues.", "upstream"),
    ],
)
@pytest.mark.parametrize("outer", ["chart", "finance"])
def test_an_error_of_yahoos_with_a_good_status(code: str, said: str, kind: str, outer: str) -> None:
    seen = Recorder({outer: chart_error(code, said)["chart"]})
    found, message = failure(ask("stock_volume", STOCK, seen, endpoints=LIVE))
    is_final = kind in ("not_found", "bad_arguments")
    told = "has nothing" if kind == "not_found" else "answered"
    assert (found, len(seen.requests)) == (kind, 1 if is_final else 2)
    assert message.startswith(f"Yahoo {told} for 'AAPL': {said.removesuffix('.')}")
    assert is_final or "`stocks` in aar_services" in message


def test_an_error_of_yahoos_with_a_good_status_leads_to_the_second_host() -> None:
    indicators = {"quote": [{"close": [12.34], "volume": [7]}]}
    meta = {"currency": "USD", "exchangeTimezoneName": "America/New_York"}
    result = {"meta": meta, "timestamp": [1704465000], "indicators": indicators}
    good = {"chart": {"error": None, "result": [result]}}
    seen = Recorder(chart_error("internal-error", "temporary issues"), good)
    assert value(ask("stock_volume", STOCK, seen, endpoints=LIVE))["volume"] == 7


def test_a_page_that_is_missing_at_yahoo_says_nothing_of_the_symbol() -> None:
    gone = httpx.Response(404, html="<title>Yahoo</title><style>p{}</style><p>Engineers at work")
    seen = Recorder(gone)
    kind, message = failure(ask("stock_volume", STOCK, seen, endpoints=LIVE))
    assert (kind, len(seen.requests)) == ("upstream", 2), "the second host is asked, too"
    said = "Yahoo answered HTTP 404: Yahoo Engineers at work"
    advice = "its address may have changed: name another with --aar-services stocks=URL"
    assert message == f"{said}; {said}; {advice}"


def test_a_fund_has_a_price_and_no_volume() -> None:
    indicators = {"quote": [{"close": [12.34]}], "adjclose": [{"adjclose": [12.301]}]}
    meta = {"currency": "USD", "exchangeTimezoneName": "America/New_York"}
    result = {"meta": meta, "timestamp": [1704465000], "indicators": indicators}
    body = reply({"chart": {"error": None, "result": [result]}})
    assert value(ask("stock_historical_price", STOCK, body, endpoints=LIVE))["close_price"] == 12.3
    assert failure(ask("stock_volume", STOCK, body, endpoints=LIVE)) == (
        "not_found",
        "Yahoo has no figure (volume) of 'AAPL' on 2024-01-05 or in the 5 days before",
    )


# --- crypto


@pytest.mark.parametrize("is_below_error", [True, False])
@pytest.mark.parametrize(
    ("status", "code", "said", "kind", "advice"),
    [
        (400, 10010, "If you are using Pro API key, please change your root URL", "denied", "takes a demo key"),
        (400, 10011, "If you are using Demo API key, please change your root URL", "denied", "takes a demo key"),
        (401, 10002, "API Key Missing", "denied", "API Key Missing"),
        (400, 10005, "This request is limited to PRO API subscribers.", "denied", "limited to PRO"),
        (401, 10012, "only the past 365 days", "denied", "365 days; earlier days need a paid plan"),
        (429, 429, "You've exceeded the Rate Limit.", "quota", "Rate Limit; wait a minute"),
    ],
)  # fmt: skip
def test_codes_of_coingecko(
    status: int, code: int, said: str, kind: str, advice: str, *, is_below_error: bool
) -> None:
    state = {"status": {"error_code": code, "error_message": said}}
    unknown = httpx.Response(400, json={"code": -1121, "msg": "Invalid symbol."})
    told = httpx.Response(status, json={"error": state} if is_below_error else state)
    seen = Recorder(unknown, told)
    options = {"endpoints": LIVE, "keys": {"COINGECKO_API_KEY": "c"}}
    found, message = failure(ask("crypto_volume", COIN, seen, **options))
    has_both = said.removesuffix(".") in message and advice in message
    assert (found, has_both) == (kind, True), message


# --- search

GRAPH = {"title": "Lima", "type": "Capital of Peru", "attributes": {"Elevation": "154 m"}}


def test_what_serper_knows_of_a_thing_comes_with_its_attributes() -> None:
    seen = {"searchParameters": {}, "knowledgeGraph": {**GRAPH, "imageUrl": "x"}, "organic": []}
    found = value(ask("web_search", {"query": "x"}, reply(seen), **GOOGLE))
    assert found == {"results": [], "count": 0, "about": GRAPH}


def test_news_of_tavily_have_a_date() -> None:
    hit = {"title": "a", "url": "https://x.test/", "content": "b", "published_date": "June 1"}
    options = {"endpoints": LIVE, "keys": {"TAVILY_API_KEY": "t"}}
    found = value(ask("web_search", {"query": "x"}, reply({"results": [hit]}), **options))
    assert found["results"][0]["date"] == "June 1"


def test_what_braves_plan_leaves_out_is_denied() -> None:
    error = {"code": "OPTION_NOT_IN_PLAN", "detail": "The option is not in the plan."}
    options = {"endpoints": LIVE, "keys": {"BRAVE_API_KEY": "b"}}
    answered = ask("web_search", {"query": "x"}, reply({"error": error}, 400), **options)
    assert failure(answered)[0] == "denied"


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ({"infoboxes": [{"infobox": "Lima", "content": "A capital"}]},
         {"about": {"title": "Lima", "description": "A capital"}}),
        ({"answers": ["154 m"], "infoboxes": [{}]}, {"answer": "154 m"}),
    ],
)  # fmt: skip
def test_a_box_or_an_answer_of_searxng_is_an_answer_though_engines_are_silent(
    part: Any, found: Any
) -> None:
    body = {"results": [], "unresponsive_engines": [["a", "CAPTCHA"]], **part}
    own = LIVE.with_overrides({"searxng": "http://localhost:8888"})
    answered = ask("web_search", {"query": "x"}, reply(body), endpoints=own)
    assert value(answered) == {"results": [], "count": 0, **found}


# --- countries


@pytest.mark.parametrize(
    ("code", "kind"),
    [("authKeyInvalid", "denied"), ("monthlyLimitReached", "quota"), ("serverError", "upstream")],
)
def test_an_error_of_rest_countries_with_a_good_status(code: str, kind: str) -> None:
    body = {"success": False, "data": None, "errors": [{"code": code, "message": "so"}]}
    keys = {"RESTCOUNTRIES_API_KEY": "rc"}
    options = {"endpoints": LIVE, "country_book": country_book, "keys": keys}
    found, message = failure(ask("countries_area", {"country": "Peru"}, reply(body), **options))
    assert found == kind
    assert message.startswith("REST Countries v5 answered: so")
    assert ("RESTCOUNTRIES_API_KEY; its source" in message) == (kind != "upstream")


# --- weather


def test_a_variable_that_a_place_lacks_has_no_unit() -> None:
    daily = {"time": ["2024-01-01"], "snowfall_sum": [None]}
    units = {"time": "iso8601", "snowfall_sum": "undefined"}
    day = {"start_date": "2024-01-01", "end_date": "2024-01-01"}
    path = "daily.snowfall_sum[0]"
    asked = {"latitude": 1, "longitude": 2, **day, "select": [path]}
    body = reply({"daily": daily, "daily_units": units})
    assert value(ask("weather_historical", asked, body, endpoints=LIVE)) == {path: None}


def test_hours_without_days_are_an_answer() -> None:
    body = {"hourly_units": {"rain": "mm"}, "hourly": {"time": ["2024-01-01T00:00"], "rain": [0.2]}}
    asked = {"latitude": 1, "longitude": 2, "select": ["hourly.rain[0]"]}
    answered = ask("weather_forecast", asked, reply(body), endpoints=LIVE)
    assert value(answered) == {"hourly.rain[0]": 0.2}
    answered = ask("weather_forecast", asked, reply({"latitude": 1}), endpoints=LIVE)
    assert failure(answered)[0] == "upstream"


# --- Wikipedia


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("blocked", "denied"),
        ("systemblocked", "denied"),
        ("globalblocking-ipblocked-range", "denied"),
        ("concurrency-limit", "quota"),
        ("nosuchsection", "bad_arguments"),
        ("readonly", "upstream"),
    ],
)
def test_what_is_no_fault_of_the_title_is_not_said_to_be_one(code: str, kind: str) -> None:
    body = {"error": {"code": code, "info": "so."}}
    found, message = failure(ask("fetch_webpage", WIKI, reply(body), endpoints=LIVE))
    assert (found, f"{code}: so" in message) == (kind, True)
    assert ".;" not in message
    assert "right title" not in message


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ({"html": "It doesn&#039;t <em>exist</em>."}, "It doesn't exist"),
        ({"*": "It is not."}, "It is not"),
        ({"key": "apierror-missingtitle", "params": []}, "it says no more"),
    ],
)
def test_errors_in_every_format_of_the_wiki_read_as_text(problem: Any, said: str) -> None:
    body = {"errors": [{"code": "missingtitle", "module": "parse", **problem}]}
    kind, message = failure(ask("fetch_webpage", WIKI, reply(body), endpoints=LIVE))
    assert (kind, f"missingtitle: {said}; look for" in message) == ("not_found", True)


@pytest.mark.parametrize(
    ("code", "tries"), [("ratelimited", 2), ("maxlag", 2), ("readonly", 2), ("missingtitle", 1)]
)
def test_faults_of_the_wiki_that_pass_are_tried_again_though_their_status_is_good(
    code: str, tries: int
) -> None:
    body = {"error": {"code": code, "info": "so."}}
    seen = Recorder(httpx.Response(200, json=body, headers={"retry-after": "0"}))
    failure(ask("fetch_webpage", WIKI, seen, endpoints=LIVE, attempts=2))
    assert len(seen.requests) == tries


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<!DOCTYPE html><style>p{}</style><script>x()</script><title>No</title><p>Busy &amp; slow", "No Busy & slow"),
        ('<?xml version="1.0"?><wb:error><wb:message id="1">Unavailable</wb:message></wb:error>', "Unavailable"),
        ("\ufeff<p>Busy", "Busy"),
        ("<", "<"),
        ("x < y", "x < y"),
    ],
)  # fmt: skip
def test_of_a_page_in_place_of_an_answer_the_words_are_told(page: str, said: str) -> None:
    busy = httpx.Response(503, text=page)
    kind, message = failure(ask("fetch_webpage", WIKI, lambda _: busy, endpoints=LIVE))
    assert (kind, message) == ("upstream", f"Wikipedia answered HTTP 503: {said}")
