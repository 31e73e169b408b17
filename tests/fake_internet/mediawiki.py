"""The encyclopedia's `api.php`: `action=parse` and the parts of `action=query` in use."""

import html
import re
from collections.abc import Mapping
from typing import Any

from .exchange import Asked, Reply, as_json, as_text
from .library import Article, Library, normal

_NO_AGENT = (
    "Please set a user-agent and respect our robot policy https://w.wiki/4wJS."
    " See also https://phabricator.wikimedia.org/T400119.\n"
)
_LIBRARY_AGENT = re.compile(
    r"(?:(?:python-httpx|python-requests|python-urllib|aiohttp|curl)\b.*)?", re.IGNORECASE
)
_HEADING = re.compile(
    r'<div class="mw-heading mw-heading(\d)"><h\d id="([^"]*)">(.*?)</h\d>', re.DOTALL
)
_FRAME = '<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">'


def answer(library: Library, asked: Asked) -> Reply:
    """The reply of the wiki, in format version 2, or 1 without `formatversion`."""
    if _LIBRARY_AGENT.fullmatch(asked.headers.get("user-agent", "")):
        return as_text(_NO_AGENT, 403)
    action = asked.query.get("action", "help")
    if action == "parse":
        return as_json(_parse(library, asked.query))
    if action == "query":
        return as_json(_query(library, asked.query))
    return as_json(_error("badvalue", f'Unrecognized value for parameter "action": {action}.'))


def _parse(library: Library, query: Mapping[str, str]) -> dict[str, Any]:
    if "oldid" in query:
        article, redirected = library.revision(int(query["oldid"])), None
        missing = ("nosuchrevid", f"There is no revision with ID {query['oldid']}.")
    else:
        article, redirected = library.find(query.get("page", ""))
        missing = ("missingtitle", "The page you specified doesn't exist.")
    if article is None:
        return _error(*missing)
    text = article.html
    if "section" in query:
        part = _section(text, query["section"])
        if part is None:
            return _error("nosuchsection", f"There is no section {query['section']}.")
        text = part
    return {"parse": _parsed(article, redirected, query, text)}


def _parsed(
    article: Article, redirected: str | None, query: Mapping[str, str], text: str
) -> dict[str, Any]:
    modern = query.get("formatversion") == "2"
    redirects = [{"from": redirected, "to": article.title}] if redirected else []
    parts = {
        "text": lambda: text if modern else {"*": text},
        "langlinks": lambda: [_langlink(*each, modern=modern) for each in article.languages],
        "revid": lambda: article.revision,
        "sections": lambda: [_section_row(*each) for each in _outline(article.html)],
        "tocdata": lambda: {"sections": [_toc_row(*each) for each in _outline(article.html)]},
        "displaytitle": lambda: article.title,
        "properties": lambda: [] if modern else {},
    }
    wanted = query.get("prop", "text|langlinks|revid|sections").split("|")
    found = {name: parts[name]() for name in wanted if name in parts}
    return {"title": article.title, "pageid": article.page_id, "redirects": redirects, **found}


def _langlink(code: str, title: str, url: str, *, modern: bool) -> dict[str, str]:
    return {
        "lang": code,
        "url": url,
        "langname": title,
        "autonym": title,
        "title" if modern else "*": title,
    }


def _outline(text: str) -> list[tuple[int, str, str, str, str]]:
    """Level, number, index, anchor and text of each heading."""
    counts: list[int] = []
    rows = []
    for index, found in enumerate(_HEADING.finditer(text), 1):
        level = int(found[1])
        depth = level - 1
        counts = [*counts[:depth], *[0] * (depth - len(counts))]
        counts[-1] += 1
        number = ".".join(str(count or 1) for count in counts)
        rows.append((level, number, str(index), html.unescape(found[2]), found[3]))
    return rows


def _section_row(level: int, number: str, index: str, anchor: str, line: str) -> dict[str, Any]:
    return {
        "toclevel": level - 1, "level": str(level), "line": line, "number": number, "index": index,
        "byteoffset": None, "anchor": anchor, "linkAnchor": anchor,
    }  # fmt: skip


def _toc_row(level: int, number: str, index: str, anchor: str, line: str) -> dict[str, Any]:
    """Today's rows leave out what has its default value."""
    row = {"line": line, "number": number, "index": index, "anchor": anchor}
    return row if level == 2 else {"tocLevel": level - 1, "hLevel": level, **row}


def _section(text: str, index: str) -> str | None:
    """The lead for 0; else a heading's part, up to the next of its level."""
    headings = list(_HEADING.finditer(text))
    if not index.isdigit() or int(index) > len(headings):
        return None
    if int(index) == 0:
        return (text[: headings[0].start()] if headings else text.removesuffix("</div>")) + "</div>"
    this = headings[int(index) - 1]
    later = (each.start() for each in headings[int(index) :] if each[1] <= this[1])
    end = next(later, len(text) - len("</div>"))
    return f"{_FRAME}{text[this.start() : end]}</div>"


def _query(library: Library, query: Mapping[str, str]) -> dict[str, Any]:
    if query.get("list") == "search":
        hits = library.search(query.get("srsearch", ""), int(query.get("srlimit", "10")))
        rows = [{"ns": 0, "title": hit.title, "pageid": hit.page_id, "snippet": ""} for hit in hits]
        return {
            "batchcomplete": True,
            "query": {"searchinfo": {"totalhits": len(rows)}, "search": rows},
        }
    found: dict[str, Any] = {}
    normalized, redirects, pages = [], [], []
    for asked in query.get("titles", "").split("|"):
        title = normal(asked)
        if title != asked:
            normalized.append({"fromencoded": False, "from": asked, "to": title})
        article, redirected = library.find(title)
        if redirected and article:
            redirects.append({"from": redirected, "to": article.title})
        page = _page(article, title, query)
        if page not in pages:
            pages.append(page)
    if normalized:
        found["normalized"] = normalized
    if redirects:
        found["redirects"] = redirects
    modern = query.get("formatversion") == "2"
    found["pages"] = pages if modern else {str(page.get("pageid", -1)): page for page in pages}
    return {"batchcomplete": True, "query": found}


def _page(article: Article | None, title: str, query: Mapping[str, str]) -> dict[str, Any]:
    if article is None:
        missing = True if query.get("formatversion") == "2" else ""
        return {"ns": 0, "title": title, "missing": missing}
    page: dict[str, Any] = {"pageid": article.page_id, "ns": 0, "title": article.title}
    props = query.get("prop", "").split("|")
    if "info" in props:
        page |= {"lastrevid": article.revision, "touched": article.edited, "pagelanguage": "en"}
    if "revisions" in props and query.get("rvstart", "9") >= article.edited:
        page["revisions"] = [
            {"revid": article.revision, "parentid": 0, "timestamp": article.edited}
        ]
    return page


def _error(code: str, info: str) -> dict[str, Any]:
    docref = "See https://en.wikipedia.org/w/api.php for API usage."
    return {"error": {"code": code, "info": info, "docref": docref}, "servedby": "fake"}
