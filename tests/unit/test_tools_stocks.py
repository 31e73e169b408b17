"""Yahoo's chart: odd bars, and the second host."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
import stamina
from tool_calls import Recorder, ask, failure, value

from pytest_aar.manners.held_back import HeldBack
from pytest_aar.tools import LIVE

DAY = {"ticker": "AAPL", "date": "2024-01-05"}
OPENED = 1704465000  # 2024-01-05 14:30 in UTC
LIMITED = httpx.Response(429, text="Too Many Requests\r\n", headers={"content-type": "text/plain"})
CONSENT = httpx.Response(
    200, text="<html><body>guce.yahoo.com consent</body></html>", headers={"content-type": "text/html"}
)  # fmt: skip
MOVED = httpx.Response(307, headers={"location": "https://guce.yahoo.com/consent"})


def chart(meta: Mapping[str, Any] | None = None, **result: Any) -> dict[str, Any]:
    facts = {"currency": "USD", "exchangeTimezoneName": "America/New_York", **(meta or {})}
    indicators = {
        "quote": [{"close": [10.0], "volume": [7]}],
        "adjclose": [{"adjclose": [9.126]}],
    }
    found = {"meta": facts, "timestamp": [OPENED], "indicators": indicators, **result}
    return {"chart": {"error": None, "result": [found]}}


def price(*replies: Any, day: Mapping[str, str] = DAY, **options: Any) -> Any:
    return ask("stock_historical_price", day, Recorder(*replies), **{"endpoints": LIVE, **options})


def test_the_first_host_is_asked_alone_if_it_answers() -> None:
    seen = Recorder(chart())
    found = value(ask("stock_historical_price", DAY, seen, endpoints=LIVE))
    assert found["close_price"] == 9.13
    assert [request.url.host for request in seen.requests] == ["query1.finance.yahoo.com"]


@pytest.mark.parametrize("refusal", [LIMITED, CONSENT, MOVED, httpx.Response(503)])
def test_a_refusal_leads_once_to_the_second_host_under_another_name(
    refusal: httpx.Response,
) -> None:
    seen = Recorder(refusal, chart())
    found = value(ask("stock_historical_price", DAY, seen, endpoints=LIVE, contact="me@x.test"))
    assert found["close_price"] == 9.13
    hosts = [request.url.host for request in seen.requests]
    assert hosts == ["query1.finance.yahoo.com", "query2.finance.yahoo.com"]
    first, second = [request.headers["user-agent"] for request in seen.requests]
    assert first.startswith("pytest-aar/")
    assert second.startswith("Mozilla/5.0 (compatible; pytest-aar/")
    assert "me@x.test" in second
    assert seen.requests[0].url.raw_path == seen.requests[1].url.raw_path


def test_a_host_that_is_out_of_reach_leads_to_the_second() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "query1.finance.yahoo.com":
            raise httpx.ConnectError("no route")
        return httpx.Response(200, json=chart())

    assert value(ask("stock_volume", DAY, answer, endpoints=LIVE))["volume"] == 7


@pytest.mark.parametrize(
    ("fault", "tries"),
    [
        (httpx.ConnectError("no route"), 4),
        (httpx.Response(503), 4),
        (LIMITED, 1),
        (httpx.Response(429, text="Too Many", headers={"retry-after": "0"}), 1),
        (httpx.Response(403), 1),
    ],
)
def test_only_a_host_that_refuses_is_asked_once(fault: Any, tries: int) -> None:
    hosts: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        if isinstance(fault, Exception):
            raise fault
        return httpx.Response(fault.status_code, headers=fault.headers, content=fault.content)

    with stamina.set_testing(True, attempts=4, cap=True):
        failure(ask("stock_volume", DAY, answer, endpoints=LIVE, attempts=4))
    assert hosts == ["query1.finance.yahoo.com"] * tries + ["query2.finance.yahoo.com"] * tries


def test_two_connections_that_fail_are_no_failed_call() -> None:
    broken = iter((True, True))

    def answer(request: httpx.Request) -> httpx.Response:
        if next(broken, False):
            raise httpx.ConnectError("reset")
        assert request.url.host == "query1.finance.yahoo.com"
        return httpx.Response(200, json=chart())

    with stamina.set_testing(True, attempts=4, cap=True):
        found = ask("stock_volume", DAY, answer, endpoints=LIVE, attempts=4)
    assert value(found)["volume"] == 7


@pytest.mark.parametrize(
    ("refusal", "kind", "said"),
    [
        (LIMITED, "quota", "HTTP 429: Too Many Requests"),
        (CONSENT, "upstream", "text/html, not JSON"),
        (MOVED, "upstream", "HTTP 307"),
    ],
)
def test_two_refusals_say_what_to_do(refusal: httpx.Response, kind: str, said: str) -> None:
    found, message = failure(price(refusal, attempts=4))
    assert found == kind
    assert message.count(said) == 2
    assert "consent" in message
    assert "another network" in message
    assert "`stocks` in aar_services" in message


def test_two_hosts_out_of_reach_are_no_fault_of_yahoos() -> None:
    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route")

    kind, message = failure(ask("stock_volume", DAY, gone, endpoints=LIVE))
    assert kind == "upstream"
    assert message == (
        "Yahoo can't be reached at query1.finance.yahoo.com (ConnectError: no route); Yahoo can't be reached at "
        "query2.finance.yahoo.com (ConnectError: no route): check this machine's network (`aar doctor` asks "
        "every service), or name another address: --aar-services stocks=URL"
    )


@pytest.mark.parametrize("out", ["query1", "query2"])
def test_a_host_out_of_reach_and_one_that_refuses_have_one_remedy(out: str) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host.startswith(out):
            raise httpx.ConnectError("no route")
        return LIMITED

    message = failure(ask("stock_volume", DAY, answer, endpoints=LIVE))[1]
    gone = f"Yahoo can't be reached at {out}.finance.yahoo.com (ConnectError: no route)"
    told = [gone, "Yahoo answered HTTP 429: Too Many Requests"]
    first, second = told if out == "query1" else told[::-1]
    assert message.startswith(f"{first}; its second host: {second}. Yahoo limits and blocks")
    assert message.count("aar_services") == 1
    assert "--aar-services" not in message


def test_a_second_host_that_is_not_asked_says_itself_what_to_do() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host.startswith("query2"):
            raise HeldBack("Yahoo answered late: race with fewer workers", seconds=9, is_out=False)
        return LIMITED

    assert failure(ask("stock_volume", DAY, answer, endpoints=LIVE)) == (
        "quota",
        "Yahoo answered HTTP 429: Too Many Requests; Yahoo: Yahoo answered late: race with fewer workers",
    )


@pytest.mark.parametrize("astray", ["query1", "query2"])
def test_a_host_without_a_chart_and_one_that_refuses_have_one_remedy(astray: str) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        is_astray = request.url.host.startswith(astray)
        return httpx.Response(404, text="gone") if is_astray else LIMITED

    message = failure(ask("stock_volume", DAY, answer, endpoints=LIVE))[1]
    told = ["Yahoo answered HTTP 404: gone", "Yahoo answered HTTP 429: Too Many Requests"]
    first, second = told if astray == "query1" else told[::-1]
    assert message.startswith(f"{first}; its second host: {second}. Yahoo limits and blocks")
    assert message.count("aar_services") == 1
    assert "--aar-services" not in message


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (404, "No data found, symbol may be delisted", "not_found"),
        (404, "Nothing of that symbol", "not_found"),
        (400, "Data doesn't exist for startDate = 1, endDate = 2", "not_found"),
        (422, "Data doesn't exist for startDate = 1, endDate = 2", "not_found"),
        (400, "No data found for this date range", "not_found"),
        (400, "Invalid input - start date cannot be after end date.", "bad_arguments"),
    ],
)
def test_what_either_host_says_of_the_symbol_is_final(status: int, said: str, kind: str) -> None:
    body = {"chart": {"result": None, "error": {"code": "x", "description": said}}}
    final = httpx.Response(status, json=body)
    for replies in ((final, chart()), (LIMITED, final)):
        found, message = failure(price(*replies))
        assert (found, said in message) == (kind, True)


def test_a_symbol_that_is_missing_is_so_below_any_name() -> None:
    body = {"finance": {"error": {"code": "Not Found", "description": "No data found"}}}
    seen = Recorder(httpx.Response(404, json=body))
    assert failure(ask("stock_volume", DAY, seen, endpoints=LIVE))[0] == "not_found"
    assert len(seen.requests) == 1


def test_a_wrong_crumb_is_denied_in_yahoos_words() -> None:
    error = {"code": "Unauthorized", "description": "Invalid Crumb"}
    kind, message = failure(price(httpx.Response(401, json={"finance": {"error": error}})))
    assert (kind, "HTTP 401: Invalid Crumb" in message) == ("denied", True)


def test_an_address_of_ones_own_has_no_second_host() -> None:
    own = LIVE.with_overrides({"stocks": "https://mirror.test"})
    seen = Recorder(LIMITED)
    assert failure(ask("stock_volume", DAY, seen, endpoints=own))[0] == "quota"
    assert [request.url.host for request in seen.requests] == ["mirror.test"]


def test_the_live_bar_of_today_replaces_the_days_other_one() -> None:
    indicators = {
        "quote": [{"close": [10.0, 11.0], "volume": [7, 8]}],
        "adjclose": [{"adjclose": [10.0, 11.0]}],
    }
    body = chart(timestamp=[OPENED, OPENED + 23_401], indicators=indicators)
    assert value(price(body))["close_price"] == 11.0
    assert value(ask("stock_volume", DAY, Recorder(body)))["volume"] == 8


@pytest.mark.parametrize(
    ("meta", "day"),
    [
        ({"exchangeTimezoneName": "America/New_York"}, "2024-01-05"),
        ({"exchangeTimezoneName": "Pacific/Auckland"}, "2024-01-06"),
        ({"exchangeTimezoneName": None, "gmtoffset": 46800}, "2024-01-06"),
        ({"exchangeTimezoneName": "Mars/Base", "gmtoffset": 46800}, "2024-01-06"),
        ({"exchangeTimezoneName": None}, "2024-01-05"),
    ],
)
def test_a_bar_belongs_to_the_day_of_its_exchange(meta: dict[str, Any], day: str) -> None:
    found = value(price(chart(meta), day={"ticker": "X", "date": "2024-01-06"}))
    assert found["date"] == day


@pytest.mark.parametrize(
    ("currency", "given"),
    [
        ("GBp", (0.09, "GBP")),
        ("GBX", (0.09, "GBP")),
        ("ZAc", (0.09, "ZAR")),
        ("ILA", (0.09, "ILS")),
        ("GBP", (9.13, "GBP")),
        (None, (9.13, None)),
    ],
)
def test_minor_units_are_given_in_the_currency(
    currency: str | None, given: tuple[float, str | None]
) -> None:
    found = value(price(chart({"currency": currency})))
    assert (found["close_price"], found["currency"]) == given


@pytest.mark.parametrize("adjusted", [None, [], [{}], [{"adjclose": []}]])
def test_without_an_adjusted_close_the_close_counts(adjusted: Any) -> None:
    indicators = {"quote": [{"close": [10.0], "volume": [7]}], "adjclose": adjusted}
    assert value(price(chart(indicators=indicators)))["close_price"] == 10.0


@pytest.mark.parametrize(
    "body",
    [
        chart(timestamp=None, indicators={"quote": [{}], "adjclose": [{}]}),
        chart(timestamp=[], indicators={"quote": []}),
        chart(timestamp=[], indicators={}),
        chart(indicators={"quote": [{"close": [None], "volume": [None]}]}),
        chart(indicators={"quote": [{}]}),
    ],
)
def test_no_bar_is_not_found(body: dict[str, Any]) -> None:
    kind, message = failure(price(body))
    assert kind == "not_found"
    assert "no trading day of 'AAPL' on 2024-01-05 or in the 5 days before" in message


def test_bars_that_do_not_match_their_days_are_no_answer() -> None:
    kind, message = failure(price(chart(timestamp=[OPENED, OPENED + 1])))
    assert (kind, "unknown shape" in message) == ("upstream", True)
