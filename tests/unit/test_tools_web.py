import json
import time
from pathlib import Path

import httpx
import pytest
from tool_calls import Recorder, ask, failure, reply, value

from pytest_aar.tools import LIVE, RefuseEverything
from pytest_aar.tools.endpoints import SANDBOX
from pytest_aar.tools.page_depth import nests_too_deep
from pytest_aar.tools.wiki_address import article_of

HTML = """<div class="mw-parser-output"><p>Lead of <a href="/wiki/Peru">Peru</a>.</p>
<div class="mw-heading mw-heading2"><h2 id="H">History</h2></div><p>Founded.</p>
<div class="mw-heading mw-heading3"><h3>Early</h3></div><p>Before.</p>
<div class="mw-heading mw-heading2"><h2>Climate</h2></div><p>Dry.</p>
<div class="mw-heading mw-heading2"><h2>Notes</h2></div><p>One.</p>
<div class="mw-heading mw-heading2"><h2>Notes</h2></div><p>Two.</p></div>"""
URL = "https://wiki.aar.test/wiki/lima_(city)"


def parsed(**changes: object) -> dict[str, object]:
    links = [{"lang": "es"}, {"lang": "de"}]
    return {"parse": {"title": "Lima", "text": HTML, "langlinks": links, "revid": 7, **changes}}


def test_an_article_comes_as_markdown_under_its_head() -> None:
    seen = Recorder(parsed())
    result = ask("fetch_webpage", {"url": URL}, seen)
    assert result.ok
    assert result.text.startswith(
        "# Lima\nURL: https://wiki.aar.test/wiki/Lima\n"
        "Languages: 2 (other language editions of this page)\n"
        "Sections:\n1 History\n1.1 Early\n2 Climate\n3 Notes\n4 Notes\n\n"
        "Lead of [Peru](/wiki/Peru).\n\n## History\n\nFounded."
    )
    assert (result.final_url, result.title) == ("https://wiki.aar.test/wiki/Lima", "Lima")
    assert result.details["languages"] == 2
    assert result.details["revision"] == 7
    assert seen.params()["page"] == "lima (city)"
    assert seen.params()["redirects"] == "1"
    assert seen.params()["formatversion"] == "2"


def test_the_older_format_is_read_as_well() -> None:
    body = {
        "parse": {"title": "Lima", "text": {"*": HTML}, "langlinks": [{"lang": "es", "*": "x"}]}
    }
    result = ask("fetch_webpage", {"url": URL}, reply(body))
    assert "Languages: 1" in result.text
    assert "revision" not in result.details


@pytest.mark.parametrize(("section", "start"), [
    ("history", "# Lima\n\n## History\n\nFounded.\n\n### Early\n\nBefore."),
    ("1.1", "# Lima\n\n### Early\n\nBefore."),
    ("4", "# Lima\n\n## Notes\n\nTwo."),
    ("0", "# Lima\n\nLead of [Peru](/wiki/Peru)."),
])  # fmt: skip
def test_one_section_by_title_or_number(section: str, start: str) -> None:
    result = ask("fetch_webpage", {"url": URL, "section": section}, reply(parsed()))
    assert result.text == start
    assert result.details["section"] == section


def test_a_section_number_may_be_a_number() -> None:
    result = ask("fetch_webpage", {"url": URL, "section": 2}, reply(parsed()))
    assert result.text == "# Lima\n\n## Climate\n\nDry."


def test_a_section_that_is_not_there_lists_those_that_are() -> None:
    kind, message = failure(ask("fetch_webpage", {"url": URL, "section": "Art"}, reply(parsed())))
    assert kind == "not_found"
    assert "'Art'" in message
    assert "0 lead, 1 History, 1.1 Early, 2 Climate" in message


def test_sections_of_one_name_need_a_number() -> None:
    kind, message = failure(ask("fetch_webpage", {"url": URL, "section": "Notes"}, reply(parsed())))
    assert kind == "ambiguous"
    assert message.endswith("give a number: 3, 4")


def test_an_offset_skips_the_start() -> None:
    whole = ask("fetch_webpage", {"url": URL}, reply(parsed())).text
    rest = ask("fetch_webpage", {"url": URL, "offset": 10}, reply(parsed()))
    assert rest.text == whole[10:]
    assert rest.details["offset"] == 10
    kind, message = failure(ask("fetch_webpage", {"url": URL, "offset": 9999}, reply(parsed())))
    assert (kind, f"less than {len(whole)}" in message) == ("bad_arguments", True)


def test_raw_html_is_the_html() -> None:
    arguments = {"url": URL, "raw_html": True}
    assert ask("fetch_webpage", arguments, reply(parsed())).text == HTML


@pytest.mark.parametrize(
    ("code", "kind"),
    [("missingtitle", "not_found"), ("invalidtitle", "bad_arguments"), ("ratelimited", "quota"),
     ("internal_api_error", "upstream")],
)  # fmt: skip
def test_an_error_of_the_wiki_is_an_error(code: str, kind: str) -> None:
    body = {"error": {"code": code, "info": "The page you specified doesn't exist."}}
    found, message = failure(ask("fetch_webpage", {"url": URL}, reply(body)))
    assert found == kind
    assert "lima (city)" in message


def test_the_user_agent_names_a_contact() -> None:
    seen = Recorder(parsed())
    url = "https://en.m.wikipedia.org/wiki/Lima"
    result = ask("fetch_webpage", {"url": url}, seen, endpoints=LIVE, contact="Zoë\nme@example.org")
    agent = seen.requests[0].headers["user-agent"]
    assert agent.startswith("pytest-aar/")
    assert "(Zo? me@example.org)" in agent
    assert seen.requests[0].url.host == "en.wikipedia.org"
    assert result.final_url == "https://en.wikipedia.org/wiki/Lima"


@pytest.mark.parametrize(
    ("url", "host", "title"),
    [
        ("https://en.wikipedia.org/wiki/S%C3%A3o_Paulo", "en.wikipedia.org", "São Paulo"),
        ("https://de.m.wikipedia.org/wiki/AC/DC#Stil", "de.wikipedia.org", "AC/DC"),
        (
            "http://en.wikipedia.org/w/index.php?title=New_York&oldid=5",
            "en.wikipedia.org",
            "New York",
        ),
        ("https://en.wikipedia.org/wiki/C%2B%2B?x=1", "en.wikipedia.org", "C++"),
        ("https://zh-min-nan.wikipedia.org/wiki/A", "zh-min-nan.wikipedia.org", "A"),
    ],
)
def test_article_addresses_are_understood(url: str, host: str, title: str) -> None:
    article = article_of(httpx.URL(url), LIVE)
    assert article is not None
    assert (article.host, article.title) == (host, title)


@pytest.mark.parametrize(
    "url",
    ["https://en.wikipedia.org/", "https://en.wikipedia.org/wiki/", "https://example.org/wiki/Lima",
     "https://notwikipedia.org/wiki/Lima", "https://en.wikipedia.org.evil.test/wiki/Lima"],
)  # fmt: skip
def test_other_addresses_are_no_articles(url: str) -> None:
    assert article_of(httpx.URL(url), LIVE) is None


def test_the_sandbox_does_not_answer_for_wikipedia() -> None:
    assert article_of(httpx.URL("https://en.wikipedia.org/wiki/Lima"), SANDBOX) is None


@pytest.mark.parametrize(
    "url", ["ftp://x.test/a", "wiki/Lima", "file:///etc/passwd", "https://", "http://[::bad"]
)
def test_an_address_that_cannot_be_fetched_is_a_bad_argument(url: str) -> None:
    kind, message = failure(ask("fetch_webpage", {"url": url}))
    assert kind == "bad_arguments"
    assert "URL" in message or "url: expected http" in message


def test_other_pages_come_directly() -> None:
    page = "<title>About</title><body><nav>x</nav><p>Hello <a href='b.html'>there</a></p></body>"
    handler = Recorder(
        httpx.Response(302, headers={"location": "/new/a.html"}), httpx.Response(200, html=page)
    )
    result = ask("fetch_webpage", {"url": "https://x.test/a"}, handler)
    assert result.final_url == "https://x.test/new/a.html"
    assert result.title == "About"
    assert result.text.endswith("Hello [there](https://x.test/new/b.html)")


@pytest.mark.parametrize(
    "asked", ["https://w.wiki/abc", "https://en.wikipedia.org/", "https://cat.test/"]
)
def test_a_redirect_to_an_article_goes_on_through_the_wiki_and_keeps_the_pin(asked: str) -> None:
    """Followed as a page, it would be today's HTML."""
    revision = {"revid": 7, "timestamp": "2026-03-19T00:00:00Z"}
    handler = Recorder(
        httpx.Response(301, headers={"location": "https://en.m.wikipedia.org/wiki/Cat#History"}),
        {"query": {"pages": [{"pageid": 1, "title": "Cat", "revisions": [revision]}]}},
        {"parse": {"title": "Cat", "revid": 7, "text": "<p>Of that time.</p>"}},
    )
    options = {"endpoints": LIVE, "wiki_at": "2026-03-20T00:00:00Z"}
    found = ask("fetch_webpage", {"url": asked}, handler, **options)
    assert [request.url.path for request in handler.requests[1:]] == ["/w/api.php"] * 2
    assert handler.params()["oldid"] == "7"
    assert (found.final_url, found.title) == ("https://en.wikipedia.org/wiki/Cat", "Cat")
    assert "Of that time." in found.text
    assert found.details["revision"] == 7


def test_endless_redirects_binaries_and_missing_pages_are_errors() -> None:
    loop = Recorder(httpx.Response(301, headers={"location": "https://x.test/a"}))
    assert failure(ask("fetch_webpage", {"url": "https://x.test/a"}, loop))[0] == "upstream"
    assert len(loop.requests) == 6
    image = Recorder(httpx.Response(200, content=b"x", headers={"content-type": "image/png"}))
    kind, message = failure(ask("fetch_webpage", {"url": "https://x.test/a"}, image))
    assert (kind, "image/png" in message) == ("denied", True)
    gone = Recorder(httpx.Response(410))
    assert failure(ask("fetch_webpage", {"url": "https://x.test/a"}, gone))[0] == "not_found"


def test_a_huge_page_is_read_up_to_the_cap() -> None:
    huge = Recorder(httpx.Response(200, text="z" * 3_000_000))
    assert len(ask("fetch_webpage", {"url": "https://x.test/a"}, huge).text) == 2_000_000


def test_json_pages_stay_json() -> None:
    result = ask("fetch_webpage", {"url": "https://x.test/a.json"}, reply({"a": [1]}))
    assert json.loads(result.text) == {"a": [1]}
    assert value(result) == {"a": [1]}


def test_live_pages_outside_the_encyclopedia_are_refused_for_now() -> None:
    options = {"endpoints": LIVE, "guard": RefuseEverything()}
    kind, message = failure(ask("fetch_webpage", {"url": "http://169.254.169.254/x"}, **options))
    assert kind == "denied"
    assert "169.254.169.254" in message
    assert "https://en.wikipedia.org/wiki/Title" in message


@pytest.mark.parametrize(
    "bomb", ["<div>" * 300_000, "<div>" * 200_000 + "</x>" * 200_000, "<b><i>" * 200_000]
)
def test_a_page_made_to_choke_a_parser_is_not_parsed(bomb: str) -> None:
    handler = Recorder(httpx.Response(200, html=f"{bomb}<p>deep</p>"))
    started = time.process_time()
    result = ask("fetch_webpage", {"url": "https://x.test/a"}, handler)
    assert (result.ok, result.text) == (True, "deep")
    assert time.process_time() - started < 5


def test_honest_pages_are_parsed(shared: Path) -> None:
    for path in (shared / "data/contracts/wikipedia_html").glob("*.html"):
        assert not nests_too_deep(path.read_text()), path.name
