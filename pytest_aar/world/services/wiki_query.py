"""`action=query`: properties of pages, and the lists search and random."""

from collections.abc import Callable
from typing import Any

from pytest_aar.world.records import Page
from pytest_aar.world.render import plain
from pytest_aar.world.seeded import draw
from pytest_aar.world.services.wiki_pages import (
    PAGE_ID,
    REVISION_ID,
    ApiError,
    Call,
    full_url,
    invalid_reason,
    language_links,
)
from pytest_aar.world.services.wiki_search import search_list
from pytest_aar.world.store import normal_title

MAX_TITLES = 50
MAX_LIMIT = 500


def query(call: Call) -> dict[str, Any]:
    """The reply of action=query."""
    reply: dict[str, Any] = {"batchcomplete": call.flagged}
    body: dict[str, Any] = {}
    lists = call.values("list")
    for name in lists:
        if name not in _LISTS:
            raise ApiError("badvalue", f'Unrecognized value for parameter "list": {name}')
        part, go_on = _LISTS[name](call)
        body |= part
        if go_on:
            reply["continue"] = go_on
    if "titles" in call.query or "pageids" in call.query:
        found, go_on = _pages(call)
        body |= found
        if go_on:
            reply["continue"] = go_on
            reply.pop("batchcomplete")
    return reply | {"query": body}


def _pages(call: Call) -> tuple[dict[str, Any], dict[str, str]]:
    body: dict[str, Any] = {}
    go_on: dict[str, str] = {}
    pages: list[dict[str, Any]] = []
    for name in _names(call, body):
        entry = _entry(call, name, body)
        if entry not in pages:
            pages.append(entry)
        if "pageid" in entry:
            page = call.world.page(entry["title"])
            for prop in call.values("prop"):
                if prop in _PROPS:
                    fields, more = _PROPS[prop](call, page)
                    entry.update(fields)
                    go_on |= more
    if call.modern:
        return body | {"pages": pages}, go_on
    return body | {"pages": _keyed(pages)}, go_on


def _keyed(pages: list[dict[str, Any]]) -> dict[str, Any]:
    """Format version 1: by page id, missing ones by -1, -2 and so on."""
    keyed: dict[str, Any] = {}
    missing = 0
    for page in pages:
        if "pageid" in page and "missing" not in page:
            keyed[str(page["pageid"])] = page
        else:
            missing += 1
            keyed[str(-missing)] = page
    return keyed


def _names(call: Call, body: dict[str, Any]) -> list[str]:
    """The titles asked for, normalized; page ids as titles where they exist."""
    if "pageids" in call.query:
        return [_title_of(call, text) for text in call.values("pageids")][:MAX_TITLES]
    titles = call.values("titles")[:MAX_TITLES]
    changed = [
        {"fromencoded": False, "from": name, "to": normal_title(name)}
        if call.modern
        else {"from": name, "to": normal_title(name)}
        for name in titles
        if normal_title(name) != name and not invalid_reason(name)
    ]
    if changed:
        body["normalized"] = changed
    return [name if invalid_reason(name) else normal_title(name) for name in titles]


def _title_of(call: Call, text: str) -> str:
    number = int(text) - PAGE_ID if text.isdecimal() else -1
    return call.world.title_of(number) if 0 <= number < len(call.world) else f"#{text}"


def _entry(call: Call, name: str, body: dict[str, Any]) -> dict[str, Any]:
    if name.startswith("#"):
        return {"pageid": int(name[1:] or 0) if name[1:].isdecimal() else 0} | {
            "missing": call.flagged
        }
    reason = invalid_reason(name)
    if reason:
        return {"title": name, "invalidreason": reason, "invalid": call.flagged}
    title = call.world.resolve(name)
    if title is None:
        return {"ns": 0, "title": name, "missing": call.flagged}
    if title != name:
        if not call.flag("redirects"):
            return {"ns": 0, "title": name, "redirect": call.flagged}
        body.setdefault("redirects", []).append({"from": name, "to": title})
    number = call.world.number_of(title)
    return {"pageid": (number or 0) + PAGE_ID, "ns": 0, "title": title}


Found = tuple[dict[str, Any], dict[str, str]]


def _info(call: Call, page: Page) -> Found:
    found = {
        "contentmodel": "wikitext",
        "pagelanguage": "en",
        "pagelanguagehtmlcode": "en",
        "pagelanguagedir": "ltr",
        "touched": f"{call.world.date}T00:00:00Z",
        "lastrevid": page.number + REVISION_ID,
        "length": len(page.html),
    }
    if "url" in call.values("inprop"):
        url = full_url(page.title)
        found |= {"fullurl": url, "editurl": f"{url}?action=edit", "canonicalurl": url}
    return found, {}


def _windowed(call: Call, page: Page, rows: list[Any], names: tuple[str, str, str]) -> Found:
    """A window over rows: (field, limit parameter, continue parameter)."""
    field, limit_name, continue_name = names
    limit = call.number(limit_name, 10, MAX_LIMIT)
    start_text = call.query.get(continue_name, "").rpartition("|")[2]
    start = int(start_text) if start_text.isdecimal() else 0
    more = {}
    if start + limit < len(rows):
        more = {continue_name: f"{page.number + PAGE_ID}|{start + limit}", "continue": "||"}
    return {field: rows[start : start + limit]}, more


def _links(call: Call, page: Page) -> Found:
    rows = [{"ns": 0, "title": title} for title in sorted(link.title for link in page.links)]
    return _windowed(call, page, rows, ("links", "pllimit", "plcontinue"))


def _langlinks(call: Call, page: Page) -> Found:
    key = "title" if call.modern else "*"
    rows = [{"lang": code, key: page.title} for code, _ in language_links(call.world, page)]
    return _windowed(call, page, rows, ("langlinks", "lllimit", "llcontinue"))


def _pageprops(call: Call, page: Page) -> Found:
    found = {"disambiguation": ""} if page.kind == "disambiguation" else {}
    return ({"pageprops": found} if found else {}), {}


def _extracts(call: Call, page: Page) -> Found:
    sections = page.sections[:1] if call.flag("exintro") else page.sections
    titles = call.world.title_of
    parts = []
    for section in sections:
        if section.heading:
            parts.append(f"\n== {section.heading} ==")
        parts += [plain(block, titles) for block in section.blocks if isinstance(block, str)]
    return {"extract": "\n".join(parts)}, {}


def _coordinates(call: Call, page: Page) -> Found:
    if page.location is None:
        return {}, {}
    point = {"lat": page.location[0], "lon": page.location[1]}
    return {"coordinates": [point | {"primary": call.flagged, "globe": "earth"}]}, {}


def _revisions(call: Call, page: Page) -> Found:
    number = page.number + REVISION_ID
    stamp = f"{call.world.date}T00:00:00Z"
    return {"revisions": [{"revid": number, "parentid": 0, "timestamp": stamp}]}, {}


_PROPS: dict[str, Callable[[Call, Page], Found]] = {
    "info": _info,
    "links": _links,
    "langlinks": _langlinks,
    "pageprops": _pageprops,
    "extracts": _extracts,
    "coordinates": _coordinates,
    "revisions": _revisions,
}


def _random(call: Call) -> Found:
    """Not random: the same pages at every call, so that nothing depends on when it is asked."""
    limit = call.number("rnlimit", 1, MAX_LIMIT)
    start = int(call.query.get("rncontinue", "0").partition("|")[0] or 0)
    numbers = [draw("random page", start + at) % len(call.world) for at in range(limit)]
    rows = [
        {"id": number + PAGE_ID, "ns": 0, "title": call.world.title_of(number)}
        for number in numbers
    ]
    return {"random": rows}, {"rncontinue": f"{start + limit}|0", "continue": "-||"}


_LISTS: dict[str, Callable[[Call], Found]] = {"search": search_list, "random": _random}
