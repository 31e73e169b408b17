"""Articles through the wiki's API: what is said beside the text, and errors."""

import json
from typing import Any

import httpx
import pytest
from tool_calls import Recorder, ask, failure

from pytest_aar.tools import LIVE, ToolResult
from pytest_aar.tools.wiki_outline import outline_of
from pytest_aar.tools.wikipedia import page_in

URL = "https://en.wikipedia.org/wiki/Lima"
HTML = "<div class='mw-parser-output'><p>Lead.</p><h2>History</h2><p>Old.</p></div>"
AT = "2026-03-20T02:07:11Z"


def parse(**changes: Any) -> dict[str, Any]:
    return {"parse": {"title": "Lima", "text": HTML, "langlinks": [{}] * 3, "revid": 7, **changes}}


def fetch(*bodies: Any, url: str = URL, **options: Any) -> tuple[ToolResult, Recorder]:
    seen = Recorder(*bodies)
    arguments = {"url": url, **options.pop("arguments", {})}
    return ask("fetch_webpage", arguments, seen, endpoints=LIVE, **options), seen


def test_a_redirect_is_in_the_trace_and_one_to_a_section_in_the_head() -> None:
    plain, _ = fetch(parse(redirects=[{"from": "City of Lima", "to": "Lima"}]))
    assert plain.details["redirected_from"] == "City of Lima"
    assert "Redirected" not in plain.text
    hops = [{"from": "Old Lima", "to": "B"}, {"from": "B", "to": "Lima", "tofragment": "Old_times"}]
    found, _ = fetch(parse(redirects=hops))
    assert found.text.startswith(
        f"# Lima\nURL: {URL}\nRedirected from: Old Lima, to the section 'Old times' of this page\n"
        "Languages: 3 (other"
    )
    assert found.details["redirected_to_section"] == "Old_times"


@pytest.mark.parametrize(
    "properties", [{"disambiguation": ""}, [{"name": "disambiguation", "*": ""}]]
)
def test_a_disambiguation_page_says_so(properties: Any) -> None:
    found, seen = fetch(parse(properties=properties))
    note = "Note: this is a disambiguation page; it lists the pages that the name may mean"
    assert found.text.split("\n")[2] == note
    assert found.details["disambiguation"] is True
    assert "properties" in seen.params()["prop"].split("|")


@pytest.mark.parametrize("properties", [{}, [], {"wikibase_item": "Q1"}, None])
def test_other_pages_do_not(properties: Any) -> None:
    found, _ = fetch(parse(properties=properties))
    assert "disambiguation" not in found.text
    assert found.details == {"characters": len(found.text), "languages": 3, "revision": 7}


def test_warnings_of_the_parser_stay_in_the_trace() -> None:
    found, _ = fetch(parse(parsewarnings=["A template is too deep.", {"*": "So is another."}]))
    assert found.details["parse_warnings"] == ["A template is too deep.", "So is another."]
    assert "template" not in found.text


@pytest.mark.parametrize(
    "mark",
    [
        "12°S 77°W",
        "<div class='mw-parser-output'><span id='coordinates'>12°S 77°W</span></div>",
    ],
)
@pytest.mark.parametrize("modern", [True, False])
def test_coordinates_beside_the_title_stand_above_the_text(mark: str, modern: bool) -> None:
    both = {"coordinates": mark, "featured-star": "<a>Featured article</a>"}
    rows = [{"name": name, "*": html} for name, html in both.items()]
    found, seen = fetch(parse(indicators=both if modern else rows))
    assert "History\n\n12°S 77°W\n\nLead." in found.text
    assert found.text.count("77°W") == 1
    assert "Featured" not in found.text
    assert "indicators" in seen.params()["prop"].split("|")


@pytest.mark.parametrize("none", [{}, [], None, {"featured-star": "x"}])
def test_most_pages_have_no_coordinates(none: Any) -> None:
    assert fetch(parse(indicators=none))[0].text == fetch(parse())[0].text


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/?curid=736", {"pageid": "736"}),
        ("/wiki/Lima?oldid=55", {"oldid": "55"}),
        ("/wiki/Special:Permalink/55", {"oldid": "55"}),
        ("/wiki/Lima?variant=zh-tw", {"page": "Lima", "variant": "zh-tw"}),
    ],
)
def test_numbers_and_scripts_reach_the_wiki(path: str, params: dict[str, str]) -> None:
    found, seen = fetch(parse(), url=f"https://en.wikipedia.org{path}")
    assert found.final_url == URL
    asked = {
        key: seen.params()[key]
        for key in ("page", "pageid", "oldid", "variant")
        if key in seen.params()
    }
    assert asked == params


@pytest.mark.parametrize(
    ("title", "code", "kind", "said"),
    [
        ("Nowhere", "missingtitle", "not_found", "'Nowhere': missingtitle: so; look for the right title with"),
        ("Special:Random", "pagecannotexist", "not_found", "special pages are made for readers, not articles"),
        ("File:A b.jpg", "missingtitle", "not_found", "https://commons.wikimedia.org/wiki/File:A_b.jpg"),
        ("de:Bonn am Rhein", "invalidtitle", "bad_arguments", "https://de.wikipedia.org/wiki/Bonn_am_Rhein"),
        ("A[b]", "invalidtitle", "bad_arguments", "'A[b]': invalidtitle: so;"),
        ("A", "nosuchpageid", "not_found", "nosuchpageid"),
        ("A", "nosuchrevid", "not_found", "nosuchrevid"),
        ("A", "missingcontent-revid", "not_found", "missingcontent-revid"),
        ("A", "ratelimited", "quota", "limit is reached"),
        ("A", "maxlag", "quota", "fewer workers (-n), or recordings (--aar-record=once)"),
        ("A", "permissiondenied", "denied", "permissiondenied"),
        ("A", "readapidenied", "denied", "readapidenied"),
        ("A", "readonly", "upstream", "readonly"),
        ("A", "internal_api_error_DBQueryError", "upstream", "DBQueryError"),
        ("A", "cirrussearch-too-busy-error", "upstream", "too-busy"),
        ("A", "view-pool-timeout", "upstream", "view-pool"),
        ("A", "unknown_action", "upstream", "unknown_action"),
        ("A", "a-code-of-next-year", "bad_arguments", "a-code-of-next-year: so;"),
        ("A", "sectionsnotsupported", "bad_arguments", "sectionsnotsupported"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", ["error", "errors"])
def test_every_error_of_the_wiki_has_a_kind_and_advice(
    title: str, code: str, kind: str, said: str, shape: str
) -> None:
    bodies = {
        "error": {"error": {"code": code, "info": "so.", "*": "See the manual"}},
        "errors": {"errors": [{"code": code, "text": "so."}], "docref": "See the manual"},
    }
    result, _ = fetch(bodies[shape], url=f"https://en.wikipedia.org/wiki/{title}")
    found, message = failure(result)
    assert found == kind
    assert said in message
    assert "manual" not in message


@pytest.mark.parametrize(
    ("contact", "status", "kind", "said"),
    [
        (None, 403, "denied", "set --aar-contact (ini aar_contact) to a mail address or a URL of yours"),
        (None, 429, "quota", "set --aar-contact (ini aar_contact)"),
        ("a@b.test", 403, "denied", "User-Agent_policy; the User-Agent held the contact of --aar-contact"),
        ("a@b.test", 429, "quota", "ask less often: fewer workers (-n)"),
        ("a@b.test", 404, "upstream", "its address may have changed: name another with --aar-services wikipedia=URL"),
        ("a@b.test", 200, "upstream", "the address of a wiki's api.php? (aar_services, wikipedia = URL)"),
    ],
)  # fmt: skip
def test_a_plain_refusal_says_what_to_do(
    contact: str | None, status: int, kind: str, said: str
) -> None:
    plain = httpx.Response(status, text="Too many.\n", headers={"retry-after": "5"})
    result, _ = fetch(plain, contact=contact)
    found, message = failure(result)
    assert found == kind
    assert said in message
    assert message.count("aar_services") + message.count("--aar-services") <= 1
    assert "Too many; " in message


@pytest.mark.parametrize(
    "body", [[], {"parse": {}}, {"parse": {"title": "A", "text": {}}}, {}, "x", 5]
)
def test_another_shape_is_the_wikis_failure(body: Any) -> None:
    result, _ = fetch(httpx.Response(200, json=body))
    assert failure(result)[0] == "upstream"


OLD = {"sections": [{"toclevel": 1, "level": "2", "line": "<i>War</i> &amp; peace", "number": "1",
                     "index": "T-1", "anchor": "War_and_peace_2"}]}  # fmt: skip
NEW = {"tocdata": {"sections": [{"tocLevel": 1, "hLevel": 2, "line": "<i>War</i> &amp; peace", "number": "1",
                                 "index": "T-1", "anchor": "War_and_peace_2"}]}}  # fmt: skip
BARE = {"tocdata": {"sections": [{"line": "War &amp; peace", "index": "T-1"}]}}


@pytest.mark.parametrize("listed", [OLD, NEW, {**NEW, "sections": OLD["sections"]}])
@pytest.mark.parametrize("wanted", ["War_and_peace_2", "war & peace", "1"])
def test_a_section_that_only_the_wiki_knows_by_this_name_is_asked_for(
    listed: dict[str, Any], wanted: str
) -> None:
    whole = parse(text="<p>Lead, with its headings made by a script.</p>")
    part = {"parse": {"title": "Lima", "text": "<h2>War</h2><p>Both.</p>"}}
    found, seen = fetch(whole, {"parse": listed}, part, arguments={"section": wanted})
    assert found.text == "# Lima\n\n## War\n\nBoth."
    assert [dict(each.url.params).get("section") for each in seen.requests] == [None, None, "T-1"]
    assert {each.url.params.get("oldid") for each in seen.requests[1:]} == {"7"}


def test_todays_list_may_leave_out_what_is_usual() -> None:
    (found,) = outline_of(BARE)
    assert (found.index, found.title, found.number, found.level) == ("T-1", "War & peace", "", 2)
    assert found.is_called("War_&_peace")
    assert outline_of({"tocdata": None}) == outline_of({}) == ()


def test_names_that_several_sections_have_need_a_number() -> None:
    rows = [{"line": "Notes", "index": str(n), "number": str(n)} for n in (3, 5)]
    result, _ = fetch(
        parse(text="<p>x</p>"), {"parse": {"sections": rows}}, arguments={"section": "notes"}
    )
    assert failure(result) == (
        "ambiguous",
        "section: several are called 'notes'; give a number: 3, 5",
    )


def test_a_wiki_that_lists_no_sections_leaves_the_pages_own_outline() -> None:
    gone = {"error": {"code": "nosuchrevid", "info": "no"}}
    result, _ = fetch(parse(), gone, arguments={"section": "Art"})
    kind, message = failure(result)
    assert (kind, message) == (
        "not_found",
        "section: 'Lima' has none called 'Art'; it has 0 lead, 1 History",
    )


@pytest.mark.parametrize(
    ("refusal", "kind", "said"),
    [
        (httpx.Response(429, text="slow down"), "quota", "HTTP 429"),
        (httpx.Response(503, text="busy"), "upstream", "HTTP 503"),
        ({"error": {"code": "ratelimited", "info": "no"}}, "quota", "ratelimited"),
        ({"error": {"code": "readapidenied", "info": "no"}}, "denied", "readapidenied"),
    ],
)
def test_a_wiki_that_does_not_answer_for_its_sections_is_not_said_to_have_none(
    refusal: Any, kind: str, said: str
) -> None:
    result, _ = fetch(parse(), refusal, arguments={"section": "Art"})
    found, message = failure(result)
    assert (found, said in message) == (kind, True)
    assert "has none called" not in message


def test_a_language_without_a_wiki_is_not_found() -> None:
    missing = {
        "error": {"code": "nosuchwiki", "info": "there is no encyclopedia at cn.wikipedia.org"}
    }
    result, _ = fetch(missing, url="https://cn.wikipedia.org/wiki/Lima")
    assert (result.error_kind, "at cn.wikipedia.org" in result.text) == ("not_found", True)


@pytest.mark.parametrize(
    ("language", "status", "kind"),
    [("cn", 301, "not_found"), ("cn", 404, "not_found"), ("cn", 500, "upstream"), ("en", 404, "upstream")],
)  # fmt: skip
def test_a_wiki_that_moved_or_is_gone_is_the_agents_guess(
    language: str, status: int, kind: str
) -> None:
    reply = httpx.Response(status, json={})
    result, _ = fetch(reply, url=f"https://{language}.wikipedia.org/wiki/Lima")
    assert result.error_kind == kind


def query(**page: Any) -> dict[str, Any]:
    revisions = [{"revid": 41, "timestamp": "2026-03-19T10:00:00Z"}]
    return {"query": {"pages": [{"title": "Lima", "revisions": revisions, **page}]}}


def test_a_pinned_article_is_the_revision_of_that_time() -> None:
    found, seen = fetch(query(), parse(revid=41), wiki_at=AT)
    first, second = (dict(each.url.params) for each in seen.requests)
    assert first == {
        "action": "query", "titles": "Lima", "redirects": "1", "prop": "revisions", "rvprop": "ids|timestamp",
        "rvlimit": "1", "rvstart": AT, "rvdir": "older", "format": "json", "formatversion": "2",
    }  # fmt: skip
    assert (second["action"], second["oldid"], "page" in second) == ("parse", "41", False)
    assert found.text.startswith(
        f"# Lima\nURL: {URL}\nRevision: 41 of 2026-03-19T10:00:00Z, the current one at {AT}\n"
        "Note: the number of languages is today's, not that of the revision's time\nLanguages: 3 ("
    )
    expected = {
        "revision": 41,
        "revision_made": "2026-03-19T10:00:00Z",
        "wiki_at": AT,
        "languages": 3,
    }
    assert {name: found.details[name] for name in expected} == expected


def test_redirects_are_todays_also_for_a_pinned_article() -> None:
    body = query()
    body["query"]["redirects"] = [{"from": "Ciudad", "to": "Lima", "tofragment": "City"}]
    found, _ = fetch(body, parse(), wiki_at=AT, url="https://en.wikipedia.org/wiki/Ciudad")
    assert "Note: 'Ciudad' leads here by a redirect\n" in found.text
    assert found.details["redirected_from"] == "Ciudad"
    assert (found.final_url, found.title) == (URL, "Lima")


def redirect_page(to: str, attributes: str = "") -> dict[str, Any]:
    text = (
        '<div class="mw-parser-output"><div class="redirectMsg"><p>Weiterleitung nach:</p><ul class="redirectText">'
        f'<li><a href="/wiki/X"{attributes} title="{to}">X</a></li></ul></div></div>'
    )
    return parse(title="Alias", text=text)


def test_what_was_a_redirect_then_is_followed_as_then() -> None:
    """The page is an article of its own today."""
    found, seen = fetch(
        query(title="Alias"), redirect_page("Rock &amp; roll&#039;s"), query(title="Rock & roll's"),
        parse(title="Rock & roll's"), wiki_at=AT, url="https://en.wikipedia.org/wiki/Alias",
    )  # fmt: skip
    assert seen.requests[2].url.params["titles"] == "Rock & roll's"
    assert (found.title, found.details["redirected_from"]) == ("Rock & roll's", "Alias")
    assert "Note: 'Alias' leads here by a redirect\n" in found.text


def test_redirects_of_that_time_in_a_circle_end() -> None:
    result, seen = fetch(query(), redirect_page("Lima"), query(), redirect_page("Lima"), query(),
                         redirect_page("Lima"), query(), redirect_page("Lima"), wiki_at=AT)  # fmt: skip
    assert failure(result) == (
        "not_found",
        f"'Lima' was one of more than 3 redirects in a row at {AT}",
    )
    assert len(seen.requests) == 8


def test_a_redirect_of_that_time_to_a_page_that_is_none_is_shown_as_it_is() -> None:
    page = redirect_page("X (page does not exist)", ' class="new"')
    found, seen = fetch(query(), page, wiki_at=AT)
    assert (found.ok, len(seen.requests)) == (True, 2)
    assert "Weiterleitung nach:" in found.text


def test_a_page_that_redirects_only_since_is_taken_as_it_was() -> None:
    """It leads to a page today that is younger than the time asked for."""
    young = query(title="Merged", revisions=[])
    young["query"]["redirects"] = [{"from": "Lima", "to": "Merged"}]
    found, seen = fetch(young, query(), parse(), wiki_at=AT)
    assert [each.url.params.get("redirects") for each in seen.requests] == ["1", None, "1"]
    assert (found.title, found.details["revision"]) == ("Lima", 41)
    assert "redirected_from" not in found.details


def test_the_older_format_of_a_revision_is_read_as_well() -> None:
    body = {"query": {"pages": {"9": query()["query"]["pages"][0]}}}
    found, _ = fetch(body, parse(), wiki_at=AT, url="https://en.wikipedia.org/?curid=9")
    assert found.details["revision"] == 41


@pytest.mark.parametrize(
    ("page", "kind", "said"),
    [
        ({"revisions": []}, "not_found", f"the page was not there yet at {AT}, the date that --aar-wiki-at asks"),
        ({"missing": True, "revisions": None}, "not_found", "there is none today; look for the right title"),
        ({"missing": ""}, "not_found", "there is none today"),
        ({"invalid": True, "invalidreason": "It holds a <."}, "bad_arguments", "It holds a <."),
        ({"special": True}, "not_found", "there is none today"),
    ],
)  # fmt: skip
def test_a_page_that_has_no_such_revision_says_why(
    page: dict[str, Any], kind: str, said: str
) -> None:
    found, message = failure(fetch(query(**page), wiki_at=AT)[0])
    assert found == kind
    assert said in message
    assert "'Lima'" in message


def test_a_title_of_another_wiki_has_no_revision() -> None:
    body = {"query": {"interwiki": [{"title": "de:Bonn", "iw": "de"}]}}
    found, message = failure(
        fetch(body, wiki_at=AT, url="https://en.wikipedia.org/wiki/de:Bonn")[0]
    )
    assert (found, "it leads to another wiki" in message) == ("not_found", True)


def test_a_revision_that_is_asked_for_is_not_pinned() -> None:
    found, seen = fetch(parse(revid=55), wiki_at=AT, url=f"{URL}?oldid=55")
    assert len(seen.requests) == 1
    assert "Revision:" not in found.text
    assert found.details["revision"] == 55


def test_a_title_no_file_can_hold_is_mended() -> None:
    body = json.loads(r'{"parse": {"title": "a\ud800b", "text": "x"}}')
    assert page_in(body, "a").title == "a?b"


def test_a_fault_of_the_wikis_database_is_tried_again_however_it_is_called() -> None:
    code = "internal_api_error_Wikimedia\\Rdbms\\DBQueryError"
    seen = Recorder(
        {"error": {"code": code, "info": "x"}}, {"parse": {"title": "A", "text": "<p>x</p>"}}
    )
    page = {"url": "https://en.wikipedia.org/wiki/A"}
    assert ask("fetch_webpage", page, seen, endpoints=LIVE, attempts=2).ok
    assert len(seen.requests) == 2
