"""Recorded replies of Wikimedia, read through the tools with live endpoints, or by the parsers of their shape."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from recorded import Asked, ErrorCase, check_error

from pytest_aar.tools import LIVE, Services, ToolResult, TransportDecides, call
from pytest_aar.tools.page_text import page_text
from pytest_aar.tools.result import ToolFailure
from pytest_aar.tools.wiki_outline import outline_of
from pytest_aar.tools.wiki_pin import revision_in
from pytest_aar.tools.wiki_titles import final_titles_in

ARTICLE = {"url": "https://en.wikipedia.org/wiki/NonExistent"}
VIEWS = "https://wikimedia.org/api/rest_v1/metrics/pageviews/per-article/en.wikipedia/"
PYTHON, WITH_BARS = "Python (programming language)", "Python_(programming_language)"

#: file, HTTP status, tool, arguments -> kind, and a part of the message
ERRORS: list[ErrorCase] = [
    ("mediawiki/error_parse_missingtitle_fv1.json", 200, "fetch_webpage", ARTICLE, "not_found",
     "Wikipedia has no page to give for 'NonExistent': missingtitle: The page you specified doesn't exist"
     "; look for the right title with web_search"),
    ("mediawiki/error_badvalue_fv2.json", 200, "fetch_webpage", ARTICLE, "bad_arguments",
     'badvalue: Unrecognized value for parameter "apfilterredir": asdas'),
    ("mediawiki/error_invalid_geosearch_coord_fv1.json", 200, "fetch_webpage", ARTICLE, "bad_arguments",
     "gs_invalid-coord: Invalid coordinate provided"),
    ("mediawiki/error_403_no_user_agent.txt", 403, "fetch_webpage", ARTICLE, "denied",
     "Wikipedia answered HTTP 403: Please set a user-agent and respect our robot policy https://w.wiki/4wJS. See "
     "also https://phabricator.wikimedia.org/T400119; Wikimedia wants a contact in the User-Agent and allows few "
     "requests without one: set --aar-contact (ini aar_contact)"),
    ("wikimedia_pageviews/error_429.txt", 429, "fetch_webpage", ARTICLE, "quota",
     "Wikipedia answered HTTP 429: You are making too many requests to the API."),
]  # fmt: skip

#: file -> titles asked for -> where they lead (what leads nowhere is left out)
TITLES: dict[str, tuple[list[str], dict[str, str]]] = {
    "other_wiki_query_redirect_arya_fv1": (["arya", "Arya"], {"arya": "Arya Stark", "Arya": "Arya Stark"}),
    "other_wiki_query_missing_castos_fv1": (["Castos"], {"Castos": "Castos"}),
    "other_wiki_query_prop_redirects_fv1": (["Arya Stark", "Salty"], {"Arya Stark": "Arya Stark"}),
    "query_categories_fv1": ([WITH_BARS], {WITH_BARS: PYTHON}),
    "query_extracts_explaintext_wikisections_fv1": ([WITH_BARS], {WITH_BARS: PYTHON}),
    "query_extracts_exsentences5_fv1": (["Chess", "Xiangqi"], {"Chess": "Chess"}),
    "query_coordinates_london_fv1": (["London"], {"London": "London"}),
    "query_coordinates_two_titles_fv1": (["Paris", "London"], {"Paris": "Paris", "London": "London"}),
    "query_imageinfo_missing_fv1": (["File:ThisFileDoesNotExist12345.png"], {}),
    "query_info_exists_fv1": ([WITH_BARS], {WITH_BARS: PYTHON}),
    "query_info_missing_fv1": (["NonExistentPage_WikiAPI_Test_12345"], {}),
    "query_missing_pageid_fv1": (["Anything"], {}),
    "query_pageprops_disambiguation_bush_fv1": (["Bush"], {"Bush": "Bush"}),
    "query_pageprops_disambiguation_redirected_oasis_fv1": (
        ["Oasis (disambiguation)"], {"Oasis (disambiguation)": "Oasis (disambiguation)"},
    ),
    "query_redirect_bpp_fv1": (["BPP (complexity)"], {"BPP (complexity)": "BPP (complexity)"}),
}  # fmt: skip

#: file -> (index, number, title, anchor, level) of some sections, and how many there are
OUTLINES: dict[str, tuple[int, dict[int, tuple[str, str, str, str, int]]]] = {
    "other_wiki_parse_sections_arya_stark_fv1": (15, {
        0: ("1", "1", "Appearance and Character", "Appearance_and_Character", 2),
        3: ("4", "3.1", "A Game of Thrones", "A_Game_of_Thrones", 3),
        14: ("15", "9", "External Links", "External_Links", 2),
    }),
    "other_wiki_parse_sections_snake_eye_fv1": (9, {
        2: ("3", "2.1", "Etymology", "Etymology", 3),
        8: ("9", "3.4", "Weaknesses", "Weaknesses", 3),
    }),
    "wikiquote_parse_sections_einstein_fv1_excerpt": (6, {5: ("6", "1.5", "1930s", "1930s", 3)}),
}  # fmt: skip

READ = {
    *(case[0] for case in ERRORS),
    *(f"mediawiki/{name}.json" for name in (*TITLES, *OUTLINES)),
    "mediawiki/query_extracts_whole_area_fv1.json",
    "mediawiki/query_revisions_rvparse_bush_disambig_html_fv1.json",
    "wikimedia_pageviews/error_400_no_full_months.json",
    "wikimedia_pageviews/error_404_unknown_article.json",
    "wikipedia_html/parse_text_cat_mobileformat_2024_650kB.html",
}
_LISTS = "a list that no tool asks for: web_search has services of its own"
NOT_A_REPLY = {
    "mediawiki/commons_parse_links_category_ocean_fv1.json": "prop=links: links are read from the HTML",
    "mediawiki/opensearch_new_york_limit10_return.json": _LISTS,
    "mediawiki/opensearch_new_york_limit5_resolve.json": _LISTS,
    "mediawiki/query_geosearch_fv1.json": _LISTS,
    "mediawiki/query_random_10_fv1.json": _LISTS,
    "mediawiki/query_random_fv1.json": _LISTS,
    "mediawiki/query_random_redirects_fv1.json": _LISTS,
    "mediawiki/query_search_nearmatch_fv1.json": _LISTS,
    "mediawiki/query_search_suggestion_chest_set_fv1.json": _LISTS,
}

Recorded = Callable[[str], Any]


@pytest.fixture
def body(shared: Path) -> Recorded:
    return lambda name: json.loads((shared / f"data/contracts/mediawiki/{name}.json").read_text())


@pytest.mark.parametrize("name", TITLES)
def test_titles_lead_where_the_reply_says(body: Recorded, name: str) -> None:
    titles, final = TITLES[name]
    assert final_titles_in([body(name)], titles) == final


@pytest.mark.parametrize("name", OUTLINES)
def test_sections_are_read(body: Recorded, name: str) -> None:
    count, some = OUTLINES[name]
    found = outline_of(body(name)["parse"])
    assert len(found) == count
    for place, expected in some.items():
        each = found[place]
        assert (each.index, each.number, each.title, each.anchor, each.level) == expected


def test_a_revision_is_read(body: Recorded) -> None:
    pin = revision_in(body("query_extracts_whole_area_fv1"), "Area", "2016-10-01T00:00:00Z")
    assert (pin.title, pin.revision, pin.made, pin.redirected_from) == ("Area", 740370016, "", None)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("query_info_missing_fv1", "there is none today"),
        ("query_imageinfo_missing_fv1", "there is none today"),
        ("query_missing_pageid_fv1", "there is none today"),
        ("query_info_exists_fv1", "the page was not there yet at 2001-01-01T00:00:00Z"),
        ("query_categories_fv1", "the page was not there yet"),
    ],
)
def test_a_page_without_a_revision_is_not_found(body: Recorded, name: str, said: str) -> None:
    with pytest.raises(ToolFailure, match=said) as failure:
        revision_in(body(name), "Anything", "2001-01-01T00:00:00Z")
    assert failure.value.kind == "not_found"


@pytest.mark.parametrize(
    ("file", "status", "kind"),
    [("error_400_no_full_months.json", 400, "upstream"),
     ("error_404_unknown_article.json", 404, "not_found"),
     ("error_429.txt", 429, "quota")],
)  # fmt: skip
def test_page_views_are_a_page_like_any_other(
    shared: Path, file: str, status: int, kind: str
) -> None:
    """No tool counts views; an agent may fetch them as it fetches any address."""
    content = (shared / "data/contracts/wikimedia_pageviews" / file).read_bytes()
    found = fetched(
        f"{VIEWS}all-access/user/X/monthly/1/2", httpx.Response(status, content=content)
    )
    assert (found.ok, found.error_kind) == (False, kind)
    assert f"wikimedia.org answered HTTP {status}" in found.text


def fetched(url: str, reply: httpx.Response) -> ToolResult:
    async def over() -> ToolResult:
        transport = httpx.MockTransport(lambda _: reply)
        async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
            services = Services(http=client, endpoints=LIVE, guard=TransportDecides())
            return await call("fetch_webpage", {"url": url}, services)

    return asyncio.run(over())


def test_a_parse_reply_of_a_real_article(shared: Path) -> None:
    """The recorded HTML of "Cat" in the envelope of both format versions."""
    html = (
        shared / "data/contracts/wikipedia_html/parse_text_cat_mobileformat_2024_650kB.html"
    ).read_text()
    texts = []
    for text in (html, {"*": html}):
        parse = {"title": "Cat", "text": text, "langlinks": [{}] * 3, "revid": 1}
        reply = httpx.Response(200, json={"parse": parse})
        texts.append(fetched("https://en.m.wikipedia.org/wiki/Cat", reply).text)
    assert texts[0] == texts[1]
    assert "Languages: 3" in texts[0]
    assert "3.1 Domestication" in texts[0]
    assert "| Kingdom: | [Animalia](/wiki/Animal) |" in texts[0]


def test_the_html_of_a_disambiguation_page(body: Recorded) -> None:
    """By the deprecated rvparse: action=parse, which is asked instead, gives the same text."""
    (page,) = body("query_revisions_rvparse_bush_disambig_html_fv1")["query"]["pages"].values()
    found = page_text(page["revisions"][0]["*"], title="Bush")
    titles = ["People", "Places, United States", "Places, elsewhere", "Organisations", "Other uses"]
    assert [heading.title for heading in found.headings] == [*titles, "See also"]
    assert found.section(found.headings[1]) == (
        "# Bush\n\n## Places, United States\n\n"
        "- [Bush, Illinois](/wiki/Bush,_Illinois)\n"
        "- [Bush, Louisiana](/wiki/Bush,_Louisiana)\n"
        "- Bush, former name of the [Ralph Waldo Emerson House](/wiki/Ralph_Waldo_Emerson_House) in Concord,"
        " Massachusetts\n"
        "- [The Bush (Alaska)](/wiki/The_Bush_(Alaska))"
    )
    assert "edit" not in found.markdown()


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: ErrorCase
) -> None:
    check_error(ask, case)
