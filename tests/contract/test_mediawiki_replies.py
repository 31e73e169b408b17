"""Recorded replies of Wikimedia, read through the tools with live endpoints."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from recorded import Asked, ErrorCase, check_error

from pytest_aar.tools import LIVE, Services, ToolResult, call

ARTICLE = {"url": "https://en.wikipedia.org/wiki/NonExistent"}

#: file, HTTP status, tool, arguments -> kind, and a part of the message
ERRORS: list[ErrorCase] = [
    (
        "mediawiki/error_parse_missingtitle_fv1.json",
        200,
        "fetch_webpage",
        ARTICLE,
        "not_found",
        "doesn't exist",
    ),
    (
        "mediawiki/error_badvalue_fv2.json",
        200,
        "fetch_webpage",
        ARTICLE,
        "bad_arguments",
        "badvalue",
    ),
    (
        "mediawiki/error_403_no_user_agent.txt",
        403,
        "fetch_webpage",
        ARTICLE,
        "denied",
        "user-agent",
    ),
    ("wikimedia_pageviews/error_429.txt", 429, "fetch_webpage", ARTICLE, "quota", "429"),
]

READ = {case[0] for case in ERRORS} | {
    "wikipedia_html/parse_text_cat_mobileformat_2024_650kB.html",
}


def test_a_parse_reply_of_a_real_article(shared: Path) -> None:
    """The recorded HTML of "Cat" in the envelope of both format versions."""
    html = (
        shared / "data/contracts/wikipedia_html/parse_text_cat_mobileformat_2024_650kB.html"
    ).read_text()
    texts = []
    for text in (html, {"*": html}):
        body = {"parse": {"title": "Cat", "text": text, "langlinks": [{}] * 3, "revid": 1}}

        async def over(body: dict[str, Any] = body) -> ToolResult:
            transport = httpx.MockTransport(lambda _: httpx.Response(200, json=body))
            async with httpx.AsyncClient(transport=transport, trust_env=False) as client:
                services = Services(http=client, endpoints=LIVE)
                return await call(
                    "fetch_webpage", {"url": "https://en.m.wikipedia.org/wiki/Cat"}, services
                )

        texts.append(asyncio.run(over()).text)
    assert texts[0] == texts[1]
    assert "Languages: 3" in texts[0]
    assert "3.1 Domestication" in texts[0]
    assert "| Kingdom: | [Animalia](/wiki/Animal) |" in texts[0]


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])
def test_errors_have_the_right_kind_and_say_what_the_service_said(
    ask: Asked, case: ErrorCase
) -> None:
    check_error(ask, case)
