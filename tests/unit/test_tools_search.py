"""Web search by the service that is set, each with its replies and refusals."""

from typing import Any

import httpx
import pytest
from tool_calls import Handler, Recorder, ask, failure, reply, value

from pytest_aar.tools import LIVE

ASKED = {"query": "lima", "num_results": 30, "gl": "pe", "hl": "es"}
SEARXNG = "http://localhost:8888"


def search(handler: Handler, *, own: dict[str, str] | None = None, **keys: str) -> Any:
    return ask("web_search", ASKED, handler, endpoints=LIVE.with_overrides(own or {}), keys=keys)


HIT = {"title": "Lima", "url": "https://x.test/", "snippet": "A city"}
EMPTY = {"organic": [], "results": [], "web": {"results": []}}
ALL = ("SERPER_API_KEY", "TAVILY_API_KEY", "BRAVE_API_KEY")


@pytest.mark.parametrize(
    ("keys", "own", "host"),
    [
        (ALL, {"searxng": SEARXNG}, "localhost"),
        (ALL, {}, "google.serper.dev"),
        (ALL[1:], {}, "api.tavily.com"),
        (ALL[2:], {}, "api.search.brave.com"),
        ((), {"searxng": SEARXNG}, "localhost"),
        (("BRAVE_API_KEY", "SEARXNG_URL"), {}, "api.search.brave.com"),
        ((), {"search": "https://serper.test"}, "serper.test"),
        (ALL[1:], {"search": "https://serper.test"}, "serper.test"),
        (ALL, {"brave": "https://brave.test"}, "brave.test"),
        (ALL[2:], {"tavily": "https://tavily.test", "searxng": SEARXNG}, "tavily.test"),
    ],
)
def test_the_first_service_that_is_set_is_asked_above_all_one_of_ones_own(
    keys: tuple[str, ...], own: dict[str, str], host: str
) -> None:
    seen = Recorder(EMPTY)
    assert value(search(seen, own=own, **dict.fromkeys(keys, "k"))) == {"results": [], "count": 0}
    assert [request.url.host for request in seen.requests] == [host]


def test_without_any_all_four_are_named_with_where_to_get_them() -> None:
    kind, message = failure(ask("web_search", ASKED, endpoints=LIVE))
    assert kind == "denied"
    for variable in (*ALL, "SEARXNG_URL"):
        assert f"{variable}: https://" in message


def test_tavily() -> None:
    hit = {"title": "Lima", "url": "https://x.test/", "content": "A <city>", "score": 0.9}
    seen = Recorder({"query": "lima", "answer": "Peru", "results": [hit, {"title": "no address"}]})
    assert value(search(seen, TAVILY_API_KEY="t")) == {
        "results": [{**HIT, "snippet": "A <city>"}],
        "count": 1,
        "answer": "Peru",
    }
    assert seen.requests[0].url.path == "/search"
    assert seen.requests[0].headers["authorization"] == "Bearer t"
    assert seen.body() == {"query": "lima", "max_results": 20}


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, "denied"), (429, "quota"), (432, "quota"), (433, "quota"), (400, "bad_arguments"), (500, "upstream")],
)  # fmt: skip
def test_refusals_of_tavily(status: int, kind: str) -> None:
    handler = reply({"detail": {"error": "exceeds your plan"}}, status)
    found, message = failure(search(handler, TAVILY_API_KEY="t"))
    assert found == kind
    assert message.startswith(f"Tavily answered HTTP {status}: exceeds your plan")
    assert ("TAVILY_API_KEY; its source: https://" in message) == (kind in ("denied", "quota"))


def test_brave() -> None:
    hit = {
        "title": "Lima &amp; <strong>Callao</strong>",
        "url": "https://x.test/?a=1&amp=2",
        "description": "A <strong>city</strong> in Peru&#x27;s west",
        "age": "June 1, 2026",
    }
    seen = Recorder({"type": "search", "query": {}, "web": {"results": [hit]}})
    assert value(search(seen, BRAVE_API_KEY="b")) == {
        "results": [
            {
                "title": "Lima & Callao",
                "url": "https://x.test/?a=1&amp=2",
                "snippet": "A city in Peru's west",
                "date": "June 1, 2026",
            }
        ],
        "count": 1,
    }
    assert seen.requests[0].url.path == "/res/v1/web/search"
    assert seen.requests[0].headers["x-subscription-token"] == "b"
    assert seen.params() == {
        "q": "lima",
        "count": "20",
        "text_decorations": "false",
        "search_lang": "es",
    }


@pytest.mark.parametrize(
    ("gl", "hl", "sent"),
    [
        ("uk", "en-GB", ("GB", "en-gb")),
        ("jp", "ja", ("JP", "jp")),
        ("tw", "zh_TW", ("TW", "zh-hant")),
        ("cn", "zh-Hans-CN", ("CN", "zh-hans")),
        ("hk", "zh-hant-hk", ("HK", "zh-hant")),
        ("br", "pt", ("BR", "pt-br")),
        ("pt", "pt-PT", ("PT", "pt-pt")),
        ("us", "en-US", ("US", "en")),
        ("mx", "es-419", ("MX", "es")),
        ("no", "no", ("NO", "nb")),
        ("pe", "qu", (None, None)),
        (None, None, (None, None)),
    ],
)
def test_brave_is_asked_in_its_own_codes_and_without_those_that_it_lacks(
    gl: str | None, hl: str | None, sent: tuple[str | None, str | None]
) -> None:
    seen = Recorder(EMPTY)
    asked = {"query": "lima", "gl": gl, "hl": hl}
    value(ask("web_search", asked, seen, endpoints=LIVE, keys={"BRAVE_API_KEY": "b"}))
    assert (seen.params().get("country"), seen.params().get("search_lang")) == sent


def test_brave_without_hits_has_no_web_part() -> None:
    nothing = reply({"type": "search", "query": {"original": "lima"}})
    assert value(search(nothing, BRAVE_API_KEY="b"))["count"] == 0
    kind, message = failure(search(reply({"odd": 1}), BRAVE_API_KEY="b"))
    assert (kind, "unknown shape" in message) == ("upstream", True)


MISSING = {"errors": [{"loc": ["header", "x-subscription-token"]}]}


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (422, {"code": "SUBSCRIPTION_TOKEN_INVALID"}, "denied"),
        (422, {"code": "VALIDATION", "meta": MISSING}, "denied"),
        (422, {"code": "VALIDATION", "meta": {"errors": [{"loc": ["query", "q"]}]}}, "bad_arguments"),
        (422, {"code": "VALIDATION", "meta": {"errors": [{"loc": ["query", "q"], "input": "x-subscription-token"}]}},
         "bad_arguments"),
        (404, {"code": "SUBSCRIPTION_NOT_FOUND"}, "denied"),
        (401, {"code": "UNAUTHORIZED"}, "denied"),
        (429, {"code": "RATE_LIMITED"}, "quota"),
        (429, {"code": "QUOTA_LIMITED"}, "quota"),
    ],
)  # fmt: skip
def test_refusals_of_brave(status: int, error: dict[str, Any], kind: str) -> None:
    body = {"type": "ErrorResponse", "error": {**error, "detail": "said by Brave"}}
    found, message = failure(search(reply(body, status), BRAVE_API_KEY="b"))
    assert found == kind
    assert message.startswith(f"Brave Search answered HTTP {status}: said by Brave")
    assert ("BRAVE_API_KEY; its source: https://" in message) == (kind in ("denied", "quota"))


def test_searxng() -> None:
    hit = {"title": "Lima", "url": "https://x.test/", "content": "A city", "engines": ["a"]}
    dated = {"title": "", "url": "https://y.test/", "publishedDate": "2026-06-01T00:00:00"}
    seen = Recorder(
        {"query": "lima", "results": [hit, dated], "unresponsive_engines": [["b", "x"]]}
    )
    for address in (SEARXNG, f"{SEARXNG}/", f"{SEARXNG}/search"):
        assert value(search(seen, own={"searxng": address})) == {
            "results": [
                HIT,
                {
                    "title": "https://y.test/",
                    "url": "https://y.test/",
                    "snippet": "",
                    "date": "2026-06-01T00:00:00",
                },
            ],
            "count": 2,
        }
        assert seen.requests[-1].url.path == "/search"
    assert seen.params() == {"q": "lima", "format": "json", "language": "es"}
    assert value(search(Recorder(EMPTY), SEARXNG_URL=SEARXNG))["count"] == 0


@pytest.mark.parametrize("answers", [["10 million"], [{"answer": "10 million", "engine": "a"}]])
def test_an_answer_of_searxng(answers: list[Any]) -> None:
    body = {"results": [], "answers": answers, "unresponsive_engines": []}
    assert value(search(reply(body), own={"searxng": SEARXNG}))["answer"] == "10 million"


def test_silent_engines_are_no_empty_result() -> None:
    silent = [["google", "Suspended: CAPTCHA"], ["brave", "timeout"], "bing"]
    body = {"results": [], "unresponsive_engines": silent}
    assert failure(search(reply(body), own={"searxng": SEARXNG})) == (
        "upstream",
        "no engine of SearXNG answered: google (Suspended: CAPTCHA), brave (timeout), bing",
    )


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(403, html="<title>403 Forbidden</title>"),
        httpx.Response(200, html="<!doctype html>"),
    ],
)
def test_searxng_without_json_says_how_to_turn_it_on(response: httpx.Response) -> None:
    kind, message = failure(search(lambda _: response, own={"searxng": SEARXNG}))
    assert kind == "denied"
    assert "Add `json` to `search: formats:` in the settings.yml" in message


def test_a_searxng_that_is_too_busy_is_at_its_limit() -> None:
    busy = httpx.Response(429, html="Too Many Requests")
    kind, message = failure(search(lambda _: busy, SEARXNG_URL=SEARXNG))
    assert (kind, message) == ("quota", "SearXNG answered HTTP 429: Too Many Requests")


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (403, "Unauthorized.", "denied"),
        (429, "Too many requests", "quota"),
        (400, "Not enough credits", "quota"),
        (400, "Missing query parameter", "bad_arguments"),
    ],
)
def test_refusals_of_serper(status: int, said: str, kind: str) -> None:
    handler = reply({"message": said, "statusCode": status}, status)
    found, message = failure(search(handler, SERPER_API_KEY="s"))
    assert found == kind
    assert message.startswith(f"Serper answered HTTP {status}: {said}")
    assert ("SERPER_API_KEY; its source: https://" in message) == (kind in ("denied", "quota"))


def test_serper_may_leave_everything_out() -> None:
    parts = {"searchParameters": {}, "organic": None}
    assert value(search(reply(parts), SERPER_API_KEY="s"))["count"] == 0
    hits = [
        {"title": "no address"},
        {"title": "Lima", "link": "https://x.test/", "snippet": None},
        {"link": "https://y.test/"},
    ]
    found = value(search(reply({"organic": hits}), SERPER_API_KEY="s"))
    bare = {"title": "https://y.test/", "url": "https://y.test/", "snippet": ""}
    assert found == {"results": [{**HIT, "snippet": ""}, bare], "count": 2}


@pytest.mark.parametrize(
    ("keys", "body"),
    [
        ({"SERPER_API_KEY": "s"}, {"message": "Not enough credits"}),
        ({"BRAVE_API_KEY": "b"}, {"error": {"code": "QUOTA_LIMITED", "detail": "used up"}}),
    ],
)
def test_an_account_that_is_used_up_is_not_asked_again(keys: dict[str, str], body: Any) -> None:
    seen = Recorder(httpx.Response(429, json=body))
    assert (
        failure(ask("web_search", ASKED, seen, endpoints=LIVE, keys=keys, attempts=3))[0] == "quota"
    )
    assert len(seen.requests) == 1


def test_a_limit_of_a_second_is_waited_for() -> None:
    limited = {"error": {"code": "RATE_LIMITED", "detail": "slow down"}}
    seen = Recorder(httpx.Response(429, json=limited, headers={"retry-after": "0"}), EMPTY)
    options = {"endpoints": LIVE, "keys": {"BRAVE_API_KEY": "b"}, "attempts": 3}
    assert value(ask("web_search", ASKED, seen, **options))["count"] == 0
    assert len(seen.requests) == 2


@pytest.mark.parametrize(
    ("box", "answer"),
    [
        ({"title": "T", "answer": "42", "snippet": "It is 42"}, "42"),
        ({"title": "T", "snippet": "It is 42", "snippetHighlighted": ["42"]}, "It is 42"),
        ({"title": "T", "snippetHighlighted": ["42", "43"]}, "42; 43"),
        ({"title": "T", "list": ["first", "second"]}, "first; second"),
        ({"title": "T", "snippetHighlighted": []}, None),
        ({"title": "T", "link": "https://x.test/"}, None),
    ],
)
def test_a_heading_of_serpers_box_is_no_answer(box: dict[str, Any], answer: str | None) -> None:
    found = value(search(reply({"organic": [], "answerBox": box}), SERPER_API_KEY="s"))
    assert found.get("answer") == answer
