import json
import re

import httpx
import pytest
from tool_calls import Recorder, ask, failure, reply, value

from pytest_aar.errors import ConnectionBlocked
from pytest_aar.manners.blocked import Blocked
from pytest_aar.tools import ALIASES, TOOL_NAMES, TOOLS, ToolResult, schema, shown, tool_named
from pytest_aar.tools.dispatch import check
from pytest_aar.tools.registry import Tool
from pytest_aar.tools.result import ToolFailure

PAPER_NAMES = [
    "fetch_webpage",
    "web_search",
    "maps_geocode",
    "maps_reverse_geocode",
    "maps_elevation",
    "maps_distance_matrix",
    "maps_directions",
    "maps_search_places",
    "maps_place_details",
    "weather_historical",
    "weather_forecast",
    "python_execute_code",
    "python_generate_code",
    "countries_population",
    "countries_area",
    "stock_historical_price",
    "stock_volume",
    "crypto_historical_price",
    "crypto_volume",
]
SEARCH_REPLY = {"searchParameters": {}, "organic": []}


def test_the_registry_holds_the_papers_nineteen() -> None:
    assert sorted(TOOL_NAMES) == sorted(PAPER_NAMES)
    assert len(TOOLS) == 19


def test_every_schema_is_self_contained_and_closed() -> None:
    for tool in TOOLS:
        text = json.dumps(schema(tool))
        assert schema(tool)["type"] == "object"
        assert schema(tool)["additionalProperties"] is False
        assert "$ref" not in text
        assert '"title"' not in text


def test_bounds_are_in_the_schema() -> None:
    tool = tool_named("maps_reverse_geocode")
    assert tool is not None
    latitude = schema(tool)["properties"]["latitude"]
    assert (latitude["minimum"], latitude["maximum"]) == (-90, 90)


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_published_aliases_are_the_tool(alias: str) -> None:
    assert value(ask(alias, {"query": "lake"}, reply(SEARCH_REPLY)))["count"] == 0


def test_one_date_stands_for_both() -> None:
    seen = Recorder({"daily": {"time": ["2024-02-29"], "snowfall_sum": [1.5]}})
    arguments = {"latitude": 1, "longitude": 2, "date": "2024-02-29"}
    ask("weather_historical", arguments, seen)
    assert seen.params()["start_date"] == seen.params()["end_date"] == "2024-02-29"


def test_an_unknown_tool_is_named_with_the_valid_ones() -> None:
    kind, message = failure(ask("maps_geocod", {}))
    assert kind == "bad_arguments"
    assert "'maps_geocod'" in message
    assert "did you mean maps_geocode?" in message
    assert "crypto_volume" in message


@pytest.mark.parametrize("arguments", [None, [], "x", 3])
def test_arguments_that_are_no_object_are_refused(arguments: object) -> None:
    kind, message = failure(ask("maps_geocode", arguments))
    assert kind == "bad_arguments"
    assert "expected a JSON object" in message


@pytest.mark.parametrize(
    ("name", "arguments", "parts"),
    [
        ("maps_geocode", {}, ["address", "missing"]),
        ("maps_geocode", {"address": "Lima", "region": "x"}, ["'region'", "it takes address"]),
        ("maps_geocode", {"address": 5}, ["address: expected text, got 5"]),
        ("maps_geocode", {"address": "   "}, ["address", "expected some text"]),
        ("maps_geocode", {"address": "\ud800"}, ["address"]),
        ("maps_reverse_geocode", {"latitude": 91, "longitude": 0}, ["latitude", "90"]),
        ("maps_reverse_geocode", {"latitude": True, "longitude": 0}, ["latitude", "a number"]),
        ("maps_reverse_geocode", {"latitude": float("nan"), "longitude": 0}, ["latitude"]),
        ("maps_elevation", {"locations": [{"latitude": 1}]}, ["locations[0].longitude"]),
        ("maps_elevation", {"locations": []}, ["locations", "a list of 1 or more"]),
        ("maps_distance_matrix", {"origins": "a", "destinations": ["b"]}, ["origins", "list"]),
        (
            "maps_directions",
            {"origin": "a", "destination": "b", "mode": "fly"},
            ["mode", "driving"],
        ),
        ("stock_volume", {"ticker": "A", "date": "2024-02-30"}, ["date", "YYYY-MM-DD"]),
        ("fetch_webpage", {"url": "https://wiki.aar.test/wiki/A", "offset": -1}, ["offset", "0"]),
        (
            "weather_historical",
            {"latitude": 1, "longitude": 1, "start_date": "2024-02-02", "end_date": "2024-02-01"},
            ["end_date 2024-02-01", "before start_date 2024-02-02"],
        ),
    ],
)
def test_a_bad_argument_is_named_with_what_was_expected(
    name: str, arguments: dict[str, object], parts: list[str]
) -> None:
    kind, message = failure(ask(name, arguments))
    assert kind == "bad_arguments"
    for part in parts:
        assert part in message


def test_null_means_not_given_where_an_argument_is_optional() -> None:
    arguments = {"query": "lake", "gl": None, "num_results": None}
    assert value(ask("web_search", arguments, reply(SEARCH_REPLY)))["count"] == 0
    assert failure(ask("web_search", {"query": None}))[0] == "bad_arguments"
    assert failure(ask("web_search", {"query": "x", "other": None}))[0] == "bad_arguments"


def test_every_wrong_field_is_reported_at_once() -> None:
    _, message = failure(ask("maps_reverse_geocode", {"latitude": "north", "extra": 1}))
    assert "latitude" in message
    assert "longitude: missing" in message
    assert "'extra'" in message


def test_coordinates_may_come_under_short_names() -> None:
    body = {"status": "OK", "results": [{"elevation": 3.5, "location": {"lat": 1.5, "lng": 2.0}}]}
    seen = Recorder(body)
    found = value(ask("maps_elevation", {"locations": [{"lat": 1.5, "lng": 2.0}]}, seen))
    assert found == {"results": [{"elevation": 3.5, "location": {"lat": 1.5, "lng": 2.0}}]}
    assert seen.params()["locations"] == "1.5,2"


def _caused_by(cause: OSError) -> httpx.ConnectError:
    """What a client makes of a failed connection."""
    problem = httpx.ConnectError("All connection attempts failed")
    problem.__cause__ = cause
    return problem


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (Blocked("the sandbox world has no host example.org"), "blocked"),
        (httpx.ConnectError("wiki.unblocked.example: connection refused"), "upstream"),
        (_caused_by(ConnectionBlocked("a connection to example.org")), "blocked"),
        (httpx.ConnectError("connection refused"), "upstream"),
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.RemoteProtocolError("broke off"), "upstream"),
    ],
)
def test_a_failure_below_http_is_a_result(problem: httpx.HTTPError, kind: str) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise problem

    assert failure(ask("maps_geocode", {"address": "Lima"}, fail))[0] == kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "bad_arguments"), (401, "denied"), (403, "denied"), (404, "upstream"), (408, "timeout"),
     (410, "upstream"), (429, "quota"), (432, "quota"), (451, "denied"), (500, "upstream"),
     (503, "upstream"), (302, "upstream")],
)  # fmt: skip
def test_an_http_status_becomes_a_kind(status: int, kind: str) -> None:
    answered = ask("web_search", {"query": "x"}, lambda _: httpx.Response(status, text="No.\r\n"))
    found, message = failure(answered)
    assert found == kind
    assert f"HTTP {status}: No" in message


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(200, html="<p>consent</p>"),
        httpx.Response(200, text="Too Many Requests"),
        httpx.Response(200, content=b"null", headers={"content-type": "application/json"}),
        httpx.Response(200, json=[1]),
        httpx.Response(200, json={"other": "shape"}),
        httpx.Response(200, content=b"{", headers={"content-type": "application/json"}),
        httpx.Response(200, content=b"[" * 100_000, headers={"content-type": "application/json"}),
    ],
)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fetch_webpage", {"url": "https://wiki.aar.test/wiki/A"}),
        ("web_search", {"query": "x"}),
        ("maps_geocode", {"address": "x"}),
        ("maps_elevation", {"locations": ["1,2"]}),
        ("maps_distance_matrix", {"origins": ["x"], "destinations": ["y"]}),
        ("weather_forecast", {"latitude": 1, "longitude": 2}),
        ("countries_area", {"country": "x"}),
        ("stock_volume", {"ticker": "x", "date": "2024-01-02"}),
        ("crypto_volume", {"symbol": "BTCUSDT", "date": "2024-01-02"}),
    ],
)
def test_a_reply_of_an_unknown_shape_is_an_upstream_error(
    name: str, arguments: dict[str, object], response: httpx.Response
) -> None:
    answered = ask(
        name,
        arguments,
        lambda _: httpx.Response(
            response.status_code,
            content=response.content,
            headers={"content-type": response.headers["content-type"]},
        ),
    )
    assert failure(answered)[0] == "upstream"


def test_lone_surrogates_of_a_service_are_replaced() -> None:
    raw = (
        b'{"searchParameters": {}, "organic": [{"title": "a\\ud800b", "link": "https://x.test/"}]}'
    )
    handler = lambda _: httpx.Response(  # noqa: E731 - one reply
        200, content=raw, headers={"content-type": "application/json"}
    )
    result = ask("web_search", {"query": "x"}, handler)
    assert result.text.encode().decode() == result.text
    assert value(result)["results"][0]["title"] == "a?b"


def test_short_texts_are_shown_whole() -> None:
    assert shown(ToolResult(ok=True, text="x" * 8_000), "web_search") == "x" * 8_000


def test_a_cut_says_how_much_is_missing() -> None:
    text = shown(ToolResult(ok=True, text="x" * 8_010), "web_search")
    assert text.startswith("x" * 8_000 + "\n[cut: characters 0 to 8000 of 8010 are shown; 10 are")
    assert "ask for less" in text


def test_a_page_is_cut_later_and_says_where_to_go_on() -> None:
    result = ToolResult(ok=True, text="y" * 100_001, details={"offset": 50})
    text = shown(result, "fetch_webpage", tool_characters=5)
    assert text.startswith("y" * 100_000 + "\n[cut: characters 50 to 100050 of 100051")
    assert "offset=100050" in text
    assert "section=" in text


def test_another_limit_holds_for_the_other_tools() -> None:
    assert shown(ToolResult(ok=True, text="abcdef"), "maps_geocode", tool_characters=3).startswith(
        "abc\n[cut"
    )


_WRONG: tuple[object, ...] = (
    *(None, True, "", " ", "abc", "x" * 300_000, 5, 1.5, -1e9, 1e99, float("nan"), float("inf")),
    *(
        [],
        [""],
        [None],
        [5],
        [{}],
        ["a"] * 200,
        [{"latitude": 99, "longitude": "x", "z": 1}],
        {},
        {"x": 1},
    ),
)
_GOOD: dict[str, object] = {
    **{"url": "https://x.test", "query": "q", "address": "a", "latitude": 1, "longitude": 2},
    **{
        "locations": ["1,2"],
        "origins": ["a"],
        "destinations": ["b"],
        "origin": "a",
        "destination": "b",
    },
    **{"place_id": "p", "start_date": "2024-01-01", "end_date": "2024-01-02", "code": "1"},
    **{"description": "d", "country": "Peru", "ticker": "A", "date": "2024-01-01", "symbol": "BTC"},
}
#: Every message about an argument is made of these.
_OURS = re.compile(
    r"[\w.\[\]]+: (missing, it is required|expected (text|some text|a list|true or false|a whole number|a number|"
    r"a finite number|a number (above|below|from|up to) [-\d.]+|at most \d+ characters|a list of at most \d+|"
    r"a list of 1 or more|a point, .*|a (symbol|name) of .*|an id of .*|"
    r"a day of the calendar as YYYY-MM-DD|'driving', .*), got .*)"
    r"|unknown argument '[\w.\[\]]+'(; it takes [\w, ]+)?"
    r"|end_date .* lies before start_date .*",
    re.DOTALL,
)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_whatever_is_wrong_with_an_argument_is_told_in_our_words(tool: Tool) -> None:
    fields = tool.arguments.model_fields
    good = {name: _GOOD[name] for name, field in fields.items() if field.is_required()}
    cases = [
        {},
        {**good, "zzz": 1},
        *({**good, name: value} for name in fields for value in _WRONG),
    ]
    told = [message for case in cases for message in _refusals(tool, case)]
    assert len(told) > len(fields)
    assert [message for message in told if not _OURS.fullmatch(message)] == []


def _refusals(tool: Tool, case: dict[str, object]) -> list[str]:
    try:
        check(tool, case)
    except ToolFailure as refusal:
        return refusal.message.removeprefix(f"{tool.name}: ").split("; ")[:1]
    return []


def test_a_bad_point_says_how_points_are_written() -> None:
    kind, message = failure(ask("maps_elevation", {"locations": ["Lima", {"lat": 1}]}))
    assert kind == "bad_arguments"
    assert message.startswith(
        'maps_elevation: locations[0]: expected a point, {"latitude": NUMBER, "longitude": NUMBER} or '
        "\"LATITUDE,LONGITUDE\", got 'Lima'; "
    )
