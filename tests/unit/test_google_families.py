"""Places and routes from either family of Google's APIs, and the words of every refusal."""

from typing import Any

import httpx
import pytest
from google_projects import LEGACY_PLACE, Project
from tool_calls import Recorder, ask, failure, reply, value

from pytest_aar.manners.weight import weight_of
from pytest_aar.tools import LIVE

OPTIONS: dict[str, Any] = {"endpoints": LIVE, "keys": {"GOOGLE_API_KEY": "k1"}}
CALLS = [
    ("maps_search_places", {"query": "museums in Lima"}, "count", 1),
    ("maps_place_details", {"place_id": "p9"}, "name", "Museo Larco"),
    ("maps_distance_matrix", {"origins": ["a"], "destinations": ["b"]}, "rows",
     [{"elements": [{"status": "OK", "distance": {"value": 1500}, "duration": {"value": 90}}]}]),
    ("maps_directions", {"origin": "a", "destination": "b"}, "distance_km", 1.5),
]  # fmt: skip
each_call = pytest.mark.parametrize("call", CALLS, ids=[call[0] for call in CALLS])


@each_call
@pytest.mark.parametrize(("new", "legacy", "requests"), [(True, False, 1), (False, True, 2)])
def test_the_family_that_the_project_has_answers(
    call: Any, new: bool, legacy: bool, requests: int
) -> None:
    name, arguments, key, expected = call
    project = Project(new=new, legacy=legacy)
    assert value(ask(name, arguments, project, **OPTIONS))[key] == expected
    assert len(project.requests) == requests
    assert project.paths[-1].startswith("/maps/api/") is legacy


@each_call
def test_without_either_family_the_message_tells_to_enable_the_present_one(call: Any) -> None:
    kind, message = failure(ask(*call[:2], Project(new=False, legacy=False), **OPTIONS))
    assert kind == "denied"
    assert "has not been used in project 7" in message
    library = "places-backend" if "place" in call[0] else "routes"
    assert f"https://console.cloud.google.com/apis/library/{library}.googleapis.com" in message


@each_call
def test_a_legacy_refusal_at_any_address_tells_to_enable_the_present_api(call: Any) -> None:
    body = {"status": "REQUEST_DENIED", "error_message": "You're calling a legacy API, ..."}
    kind, message = failure(ask(*call[:2], reply(body), **OPTIONS))
    assert kind == "denied"
    assert "You're calling a legacy API" in message
    assert "enable the " in message


def test_a_key_restricted_to_the_legacy_apis_uses_them() -> None:
    blocked = {
        "code": 403,
        "status": "PERMISSION_DENIED",
        "message": "Requests to this API places.googleapis.com method SearchText are blocked.",
    }
    project = Project(new=False, legacy=True, refusal={"error": blocked})
    assert value(ask("maps_search_places", {"query": "x"}, project, **OPTIONS))["count"] == 1


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("This API method requires billing to be enabled.", "billing/enable"),
        ("Requests from referer <empty> are blocked.", "application restrictions"),
        ("API key expired. Please renew the API key.", "check GOOGLE_API_KEY"),
        ("The request is missing a valid API key.", "check GOOGLE_API_KEY"),
        ("The caller does not have permission", "check the key"),
    ],
)
def test_other_refusals_are_no_reason_for_the_legacy_family(said: str, advice: str) -> None:
    refusal = {"error": {"code": 403, "message": said, "status": "PERMISSION_DENIED"}}
    project = Project(new=False, legacy=True, refusal=refusal)
    kind, message = failure(ask("maps_search_places", {"query": "x"}, project, **OPTIONS))
    assert (kind, len(project.requests)) == ("denied", 1)
    assert f"{said.removesuffix('.')}; " in message
    assert advice in message


def test_legacy_requests_ask_for_what_the_present_ones_do() -> None:
    project = Project(new=False, legacy=True)
    near = {"query": "museums", "location": "-12.05,-77", "radius": 500}
    ask("maps_search_places", near, project, **OPTIONS)
    assert dict(project.requests[-1].url.params) == {
        "query": "museums",
        "location": "-12.05,-77",
        "radius": "500",
        "key": "k1",
    }
    ask("maps_place_details", {"place_id": "p9"}, project, **OPTIONS)
    assert "user_ratings_total" in project.requests[-1].url.params["fields"]
    places = {"origins": ["a|b", "c"], "destinations": ["d"], "mode": "transit"}
    ask("maps_distance_matrix", places, project, **OPTIONS)
    assert project.requests[-1].url.params["origins"] == "a b|c"
    assert project.requests[-1].url.params["mode"] == "transit"


# --- shapes


def places(body: Any) -> Any:
    return value(ask("maps_search_places", {"query": "x"}, reply(body)))["places"]


def test_a_legacy_place_has_the_canonical_shape() -> None:
    assert places({"status": "OK", "results": [LEGACY_PLACE]}) == [
        {
            "name": "Museo Larco",
            "place_id": "p9",
            "address": "Av. Simon Bolivar 1515",
            "location": {"lat": -12.07, "lng": -77.07},
            "rating": 5,
            "rating_count": 12,
        }
    ]


def test_what_a_place_lacks_is_null() -> None:
    (found,) = places({"status": "OK", "candidates": [{"name": "Louvre", "rating": 4.5}]})
    assert (found["place_id"], found["location"], found["rating_count"]) == (None, None, None)
    (found,) = places({"status": "OK", "results": [{"place_id": "p2", "vicinity": "Rue 1"}]})
    assert (found["address"], found["rating_count"]) == ("Rue 1", 0), "a nearby search"
    (found,) = places({"places": [{"id": "p1", "location": {"longitude": 32.5}}]})
    assert (found["name"], found["rating"], found["rating_count"]) == (None, None, 0)
    assert found["location"] == {"lat": 0, "lng": 32.5}, "the equator: zeros are left out"
    (found,) = places({"places": [{"name": "places/p7"}]})
    assert found["place_id"] == "p7"
    shown = {"formattedAddress": "367 Pitt St", "displayName": {"text": "Kitchen"}}
    (found,) = places({"places": [shown]})
    assert (found["name"], found["place_id"]) == ("Kitchen", None), "another field mask"


def test_legacy_searches_stop_at_twenty_and_follow_no_token() -> None:
    body = {"status": "OK", "results": [LEGACY_PLACE] * 30, "next_page_token": "t"}
    seen = Recorder(body)
    assert value(ask("maps_search_places", {"query": "x"}, seen))["count"] == 20
    assert len(seen.requests) == 1
    nothing = {"status": "ZERO_RESULTS", "results": []}
    assert value(ask("maps_search_places", {"query": "x"}, reply(nothing)))["count"] == 0


@pytest.mark.parametrize("body", [{"message": "proxy"}, {"status": "OK"}, ["x"], "text", 3,
                                  {"places": [{}]}, {"status": "OK", "results": [{}]}])  # fmt: skip
def test_places_in_no_known_shape_are_no_empty_search(body: Any) -> None:
    assert failure(ask("maps_search_places", {"query": "x"}, reply(body)))[0] == "upstream"


PAIR = {"origins": ["a"], "destinations": ["b", "c"]}


def matrix(body: Any) -> Any:
    return value(ask("maps_distance_matrix", PAIR, reply(body)))


def test_statuses_of_single_elements() -> None:
    element = {"distance": {"value": 10}, "duration": {"value": 0}, "status": "OK"}
    rows = [{"elements": [element, {"status": "MAX_ROUTE_LENGTH_EXCEEDED"}]}]
    found = matrix({"status": "OK", "rows": rows})["results"]
    assert [item["status"] for item in found] == ["OK", "MAX_ROUTE_LENGTH_EXCEEDED"]
    assert [item["distance_km"] for item in found] == [0.01, None]
    unknown = {"status": {"code": 5, "message": "no such place"}}
    found = matrix([unknown, {"destinationIndex": 1, "status": {"code": 13}}])
    assert [item["status"] for item in found["results"]] == ["NOT_FOUND", "UNKNOWN_ERROR"]
    assert found["rows"][0]["elements"][0] == {"status": "NOT_FOUND", "message": "no such place"}


def test_an_element_of_zeros_is_a_route_to_the_same_place() -> None:
    (here, missing) = matrix([{"condition": "ROUTE_EXISTS"}])["results"]
    assert (here["status"], here["distance_km"], here["duration_min"]) == ("OK", 0.0, 0.0)
    assert missing["status"] == "UNKNOWN_ERROR", "the stream ended before it"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([], "elements []"),
        ([{"originIndex": 4}], "elements [(4, 0)] of 1 origins x 2 destinations"),
        ({"routes": []}, "a list of elements expected"),
        ({"status": "OK", "rows": [{"elements": [{"status": "OK"}] * 2}]}, "no distance and no"),
    ],
)
def test_a_matrix_in_no_known_shape(body: Any, said: str) -> None:
    kind, message = failure(ask("maps_distance_matrix", PAIR, reply(body)))
    assert kind == "upstream"
    assert said in message


def test_an_error_after_good_elements_of_a_stream_is_an_error() -> None:
    problem = {"code": 8, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}
    body = [{"distanceMeters": 5}, {"error": problem}]
    kind, message = failure(ask("maps_distance_matrix", PAIR, reply(body)))
    assert (kind, message) == ("quota", "Google Routes answered: Quota exceeded")


def elements(*codes: int) -> list[dict[str, Any]]:
    return [
        {"destinationIndex": place, "status": {"code": code, "message": f"code {code}"}}
        for place, code in enumerate(codes)
    ]


@pytest.mark.parametrize(
    ("codes", "kind", "said"),
    [
        ((8, 8), "quota", "OVER_QUERY_LIMIT for each of the 2 pairs of places: code 8; wait"),
        ((14, 7), "denied", "REQUEST_DENIED for each of the 2 pairs of places: code 7; check"),
        ((16, 16), "denied", "REQUEST_DENIED"),
        ((13, 4), "timeout", "DEADLINE_EXCEEDED for each of the 2 pairs of places: code 4"),
        ((13, 14), "upstream", "UNKNOWN_ERROR for each of the 2 pairs of places: code 1"),
        ((13,), "upstream", "UNKNOWN_ERROR"),
    ],
)
def test_a_matrix_of_nothing_but_the_services_faults_is_an_error(
    codes: tuple[int, ...], kind: str, said: str
) -> None:
    found, message = failure(ask("maps_distance_matrix", PAIR, reply(elements(*codes))))
    assert (found, message.startswith(f"Google Routes answered {said}")) == (kind, True), message


@pytest.mark.parametrize("code", [3, 5, 9])
def test_one_element_that_tells_of_its_places_makes_a_matrix(code: int) -> None:
    found = matrix(elements(8, code))["results"]
    assert found[0]["status"] == "OVER_QUERY_LIMIT"
    assert found[1]["status"] not in ("OK", "UNKNOWN_ERROR")


ENDS = {"origin": "a", "destination": "b"}


def test_a_route_is_as_long_as_its_legs() -> None:
    traffic = {"duration_in_traffic": {"value": 999}, "fare": {"value": 3}}
    leg = {"distance": {"value": 1500}, "duration": {"value": 90}, **traffic}
    body = {"status": "OK", "routes": [{"legs": [leg, leg], "summary": "A1"}]}
    found = value(ask("maps_directions", ENDS, reply(body)))
    assert (found["distance_km"], found["duration_min"]) == (3.0, 3.0)
    assert "via A1" in found["summary"]
    legs = [{"distanceMeters": 700, "duration": "60s"}, {"duration": "30.5s"}]
    found = value(ask("maps_directions", ENDS, reply({"routes": [{"legs": legs}]})))
    assert (found["distance_km"], found["duration_min"]) == (0.7, 1.5083)
    legs = [{"distanceMeters": 700}, {"distanceMeters": 50}]
    mixed = {"routes": [{"duration": "60s", "legs": legs}]}
    found = value(ask("maps_directions", ENDS, reply(mixed)))
    assert (found["distance_km"], found["duration_min"]) == (0.75, 1.0)
    found = value(ask("maps_directions", ENDS, reply({"routes": [{}]})))
    assert (found["distance_km"], found["duration_min"]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ({"status": "ZERO_RESULTS", "routes": []}, "not_found", "driving from 'a' to 'b'"),
        ({"status": "OK", "routes": [{"legs": [{}]}]}, "upstream", "leg 1 has no distance and no"),
        ({"status": "OK", "routes": [{"legs": []}]}, "upstream", "a route without legs"),
        ({"status": "MAX_ROUTE_LENGTH_EXCEEDED"}, "bad_arguments", "MAX_ROUTE_LENGTH"),
        ({"geocodingResults": {}}, "not_found", "there is no route driving from 'a' to 'b'"),
        ({"message": "no route here"}, "upstream", "unknown shape (KeyError: 'routes')"),
        ({"error": {"message": "boom", "status": "INTERNAL"}}, "upstream", "boom"),
    ],
)
def test_no_route_and_no_known_shape(body: Any, kind: str, said: str) -> None:
    found, message = failure(ask("maps_directions", ENDS, reply(body)))
    assert found == kind
    assert said in message


# --- statuses of Geocoding and Elevation


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("You must enable Billing on the Google Cloud Project", "project/_/billing/enable"),
        ("The provided API key is invalid. ", "check GOOGLE_API_KEY"),
        ("You must use an API key to authenticate each request", "check GOOGLE_API_KEY"),
        ("This API project is not authorized to use this API.", "enable this API"),
        ("Please check the API restrictions settings of your API key", "enable this API"),
        ("API keys with referer restrictions cannot be used with this API.", "let this machine in"),
    ],
)
def test_a_refused_key_comes_with_what_to_do(said: str, advice: str) -> None:
    body = {"status": "REQUEST_DENIED", "error_message": said, "results": []}
    for status in (200, 403):
        kind, message = failure(ask("maps_geocode", {"address": "Lima"}, reply(body, status)))
        assert kind == "denied"
        assert f"{said.strip('. ')}; " in message
        assert advice in message


@pytest.mark.parametrize(
    ("name", "arguments", "advice"),
    [
        ("maps_geocode", {"address": "x"}, "try another spelling"),
        (
            "maps_reverse_geocode",
            {"latitude": 1, "longitude": 2},
            "nothing with an address is near",
        ),
        ("maps_place_details", {"place_id": "x"}, "ids change: search for the place again"),
        ("maps_directions", {"origin": "a", "destination": "b"}, "try another spelling"),
    ],
)
def test_what_to_do_when_there_is_nothing(name: str, arguments: Any, advice: str) -> None:
    for status in ("ZERO_RESULTS", "NOT_FOUND"):
        kind, message = failure(ask(name, arguments, reply({"status": status})))
        assert kind == "not_found"
        assert advice in message
    nothing = {"status": "OK", "results": []}
    if "geocode" in name:
        assert advice in failure(ask(name, arguments, reply(nothing)))[1]


def test_no_height_is_not_found() -> None:
    point = {"locations": ["1,2"]}
    for body in ({"status": "DATA_NOT_AVAILABLE"}, {"status": "OK", "results": []}):
        assert failure(ask("maps_elevation", point, reply(body)))[0] == "not_found"


def test_a_status_beside_an_http_error_gives_the_kind() -> None:
    body = {"status": "INVALID_REQUEST", "error_message": "Missing the 'address' parameter."}
    kind, message = failure(ask("maps_geocode", {"address": "x"}, reply(body, 400)))
    assert kind == "bad_arguments"
    assert "Missing the 'address'" in message
    body = {"status": "OVER_QUERY_LIMIT", "error_message": "slower"}
    assert failure(ask("maps_geocode", {"address": "x"}, reply(body, 403)))[0] == "quota"


ONCE_MORE = {"status": "OK", "results": [{"formatted_address": "Lima",
             "geometry": {"location": {"lat": 1, "lng": 2}}}]}  # fmt: skip


def at_once(body: Any, status: int = 200) -> httpx.Response:
    """A reply after which nobody has to wait."""
    return httpx.Response(status, json=body, headers={"retry-after": "0"})


@pytest.mark.parametrize("status", ["UNKNOWN_ERROR", "OVER_QUERY_LIMIT"])
def test_faults_that_pass_are_tried_again(status: str) -> None:
    seen = Recorder(at_once({"status": status, "results": []}), ONCE_MORE)
    found = value(ask("maps_geocode", {"address": "Lima"}, seen, attempts=2))
    assert found["formatted_address"] == "Lima"
    assert len(seen.requests) == 2


def test_faults_that_stay_become_errors_after_the_last_try() -> None:
    seen = Recorder(at_once({"status": "UNKNOWN_ERROR", "results": []}))
    kind, message = failure(ask("maps_geocode", {"address": "Lima"}, seen, attempts=2))
    assert (kind, len(seen.requests)) == ("upstream", 2)
    assert "may be over at the next try" in message


@pytest.mark.parametrize(
    ("name", "arguments", "status", "body"),
    [
        ("maps_geocode", {"address": "x"}, 200,
         {"status": "OVER_QUERY_LIMIT", "error_message": "You have exceeded your daily quota"}),
        ("maps_geocode", {"address": "x"}, 200, {"status": "OVER_DAILY_LIMIT"}),
        ("maps_search_places", {"query": "x"}, 429,
         {"error": {"status": "RESOURCE_EXHAUSTED", "message": "limit 'SearchText per day'"}}),
        ("maps_place_details", {"place_id": "x"}, 429,
         {"error": {"status": "RESOURCE_EXHAUSTED", "message": "limit 'Details per day'"}}),
        ("maps_directions", {"origin": "a", "destination": "b"}, 429,
         {"error": {"status": "RESOURCE_EXHAUSTED", "message": "limit 'Routes per day'"}}),
    ],
)  # fmt: skip
def test_a_day_s_quota_is_not_tried_again(
    name: str, arguments: Any, status: int, body: Any
) -> None:
    seen = Recorder(at_once(body, status))
    assert failure(ask(name, arguments, seen, attempts=3))[0] == "quota"
    assert len(seen.requests) == 1


@pytest.mark.parametrize(
    "problem",
    [
        {"message": "Places API (New) has not been used in project 7 before.", "details": "odd"},
        {"message": "It is off.", "details": [{"@type": "help"}, {"reason": "SERVICE_DISABLED"}]},
    ],
)
def test_a_refusal_has_the_reason_or_the_words(problem: dict[str, Any]) -> None:
    project = Project(new=False, legacy=True, refusal=[{"error": problem}])
    assert value(ask("maps_search_places", {"query": "x"}, project, **OPTIONS))["count"] == 1


@pytest.mark.parametrize(
    "said",
    [
        "This API project is not authorized to use this API.",
        "This API key is not authorized to use this service or API.",
    ],
)
def test_older_words_of_a_legacy_refusal(said: str) -> None:
    refusal = {"status": "REQUEST_DENIED", "error_message": said}
    project = Project(new=False, legacy=False, legacy_refusal=refusal)
    kind, message = failure(ask("maps_directions", ENDS, project, **OPTIONS))
    assert kind == "denied"
    assert message.startswith("Google Routes answered HTTP 403: Places API (New) has not been")


@pytest.mark.parametrize(("side", "weight"), [(1, 1), (2, 1), (4, 4), (25, 125)])
def test_a_matrix_counts_by_its_elements(side: int, weight: int) -> None:
    """Google allows 3,000 a minute, our limits 600 requests; the older API is asked after the newer one."""
    places = [f"place {number}" for number in range(side)]
    project = Project(new=False, legacy=True)
    ask("maps_distance_matrix", {"origins": places, "destinations": places}, project, **OPTIONS)
    assert [weight_of(request) for request in project.requests] == [weight] * 2
