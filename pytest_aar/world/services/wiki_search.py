"""Searches of the encyclopaedia: `list=search` and `action=opensearch`."""

from html import escape
from typing import Any

from pytest_aar.world.services.wiki_pages import PAGE_ID, ApiError, Call, full_url
from pytest_aar.world.text import words

MAX_LIMIT = 500


def search_list(call: Call) -> tuple[dict[str, Any], dict[str, str]]:
    """`list=search`."""
    wanted = call.query.get("srsearch", "").strip()
    if not wanted:
        raise ApiError("missingparam", 'The "srsearch" parameter must be set.')
    limit = call.number("srlimit", 10, MAX_LIMIT)
    offset = call.number("sroffset", 0, 10_000)
    hits = call.world.finder.find(wanted)
    rows = [_row(call, number, wanted) for number in hits[offset : offset + limit]]
    go_on = {}
    if offset + limit < len(hits):
        go_on = {"sroffset": str(offset + limit), "continue": "-||"}
    return {"searchinfo": {"totalhits": len(hits)}, "search": rows}, go_on


def _row(call: Call, number: int, wanted: str) -> dict[str, Any]:
    title = call.world.title_of(number)
    text = call.world.finder.snippet(number)
    sought = set(words(wanted))
    shown = " ".join(
        f'<span class="searchmatch">{escape(word)}</span>'
        if sought.intersection(words(word))
        else escape(word)
        for word in text.split()
    )
    return {
        "ns": 0,
        "title": title,
        "pageid": number + PAGE_ID,
        "size": len(text),
        "wordcount": len(text.split()),
        "snippet": shown,
        "timestamp": f"{call.world.date}T00:00:00Z",
    }


def opensearch(call: Call) -> list[Any]:
    """[query, [titles], [descriptions], [urls]] of titles that begin with the query."""
    wanted = call.query.get("search", "")
    if not wanted.strip():
        raise ApiError("missingparam", 'The "search" parameter must be set.')
    titles = call.world.finder.starting_with(wanted, call.number("limit", 10, MAX_LIMIT))
    return [wanted, titles, ["" for _ in titles], [full_url(title) for title in titles]]
