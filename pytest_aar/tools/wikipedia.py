"""An article's HTML: through `action=parse` of a MediaWiki, or from a Kiwix server in its place."""

import re
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

from pytest_aar.settings import KIWIX
from pytest_aar.tools.exchange import reading
from pytest_aar.tools.result import ToolFailure
from pytest_aar.tools.services import Services
from pytest_aar.tools.wiki_address import Article
from pytest_aar.tools.wiki_api import SERVICE, ask, check
from pytest_aar.tools.wiki_outline import WikiSection, outline_of
from pytest_aar.tools.wiki_pin import PinnedRevision, revision_at
from pytest_aar.tools.wiki_titles import fragment_in, plain

_MOST_REDIRECTS = 3
#: How the wiki shows a page that is a redirect.
_REDIRECT = re.compile(
    r'class="redirectText">\s*<li>\s*<a\b(?![^>]*\bclass="new")[^>]*\btitle="([^"]+)"'
)
#: Characters at the start of a page among which that stands.
_TOP = 3_000
#: Kinds of failures that are an answer: this page has no list of sections.
_NO_LIST = frozenset({"not_found", "bad_arguments"})
_PARTS = "text|langlinks|revid|properties|indicators|parsewarnings"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """An article. `languages` counts the other editions, None if not told.

    `redirected_from` and `fragment` (the section that the redirect leads to) are None without a redirect.
    `is_whole_document`: not a MediaWiki's answer, which could be asked for its sections.
    `made` is when a pinned revision was saved, `warnings` what the wiki's parser found wrong in its source.
    """

    title: str
    html: str
    languages: int | None = None
    revision: int | None = None
    redirected_from: str | None = None
    fragment: str | None = None
    is_disambiguation: bool = False
    is_whole_document: bool = False
    made: str | None = None
    warnings: tuple[str, ...] = ()


async def parsed_page(article: Article, services: Services) -> ParsedPage:
    """The article's HTML, redirects followed; `services.wiki_at` chooses the revision of that time.

    Raises:
        ToolFailure: not_found and the like.
    """
    if services.endpoints.wikipedia.startswith(KIWIX):
        from pytest_aar.tools.kiwix_server import kiwix_page  # noqa: PLC0415 - few runs have one

        return await kiwix_page(article, services)
    if services.wiki_at is None or article.revision:
        return await _parsed(article, services)
    return await _pinned(article, services.wiki_at, services)


async def section_html(
    article: Article, page: ParsedPage, wanted: str, services: Services
) -> str | None:
    """The HTML of the one section that the wiki's own list calls so, by title, anchor or number.

    None where the list has none, or the wiki has no list of that page.

    Raises:
        ToolFailure: ambiguous for several of that name; what the wiki's failures are otherwise.
    """
    same = replace(article, title=page.title, page_id=None)
    if page.revision:
        same = replace(same, revision=str(page.revision))
    try:
        body = await _asked(same, services, {"prop": "sections|tocdata"})
    except ToolFailure as failure:
        if failure.kind not in _NO_LIST:
            raise
        return None  # the page's own outline tells what there is
    with reading(SERVICE):
        section = _one_called(outline_of(body["parse"]), wanted)
    if section is None:
        return None
    return page_in(
        await _asked(same, services, {"prop": "text", "section": section.index}), article.name
    ).html


def page_in(body: Any, name: str) -> ParsedPage:
    """A parse reply, in format version 2 or 1 (where the text stands under "*").

    Raises:
        ToolFailure: it holds an error, or has another shape.
    """
    check(body, name)
    with reading(SERVICE):
        parse = body["parse"]
        links, redirects = parse.get("langlinks"), parse.get("redirects") or ()
        return ParsedPage(
            title=plain(parse["title"]),
            html=_coordinates(parse.get("indicators")) + _text(parse["text"]),
            languages=None if links is None else len(links),
            revision=parse.get("revid") or None,
            redirected_from=plain(redirects[0]["from"]) if redirects else None,
            fragment=fragment_in(redirects),
            is_disambiguation="disambiguation" in _properties(parse.get("properties") or {}),
            warnings=tuple(map(_warning, parse.get("parsewarnings") or ())),
        )


async def _pinned(article: Article, at: str, services: Services) -> ParsedPage:
    """The page of that time; what was a redirect then is followed as then."""
    first: str | None = None
    for _ in range(_MOST_REDIRECTS + 1):
        pin = await revision_at(article, at, services)
        page = await _parsed(replace(article, revision=str(pin.revision)), services)
        target = _redirect_target(page.html)
        if target is None:
            found = _with_pin(page, pin)
            return replace(found, redirected_from=first or pin.redirected_from)
        first = first or article.name
        article = replace(article, title=target, page_id=None)
    raise ToolFailure(
        "not_found", f"{first!r} was one of more than {_MOST_REDIRECTS} redirects in a row at {at}"
    )


def _redirect_target(html: str) -> str | None:
    """The title that a revision leads to which is a redirect itself."""
    found = _REDIRECT.search(html[:_TOP])
    return None if found is None else unescape(found[1])


async def _parsed(article: Article, services: Services) -> ParsedPage:
    return page_in(await _asked(article, services, {"prop": _PARTS}), article.name)


async def _asked(article: Article, services: Services, more: dict[str, str]) -> Any:
    params = {"action": "parse", **_named(article), "redirects": "1", **more}
    if article.variant:
        params["variant"] = article.variant
    body = await ask(services, article.language, params)
    check(body, article.name)
    return body


def _named(article: Article) -> dict[str, str]:
    if article.revision:
        return {"oldid": article.revision}
    return {"pageid": article.page_id} if article.page_id else {"page": article.title}


def _with_pin(page: ParsedPage, pin: PinnedRevision) -> ParsedPage:
    return replace(
        page,
        revision=pin.revision,
        made=pin.made,
        redirected_from=pin.redirected_from,
        fragment=pin.fragment,
    )


def _one_called(sections: tuple[WikiSection, ...], wanted: str) -> WikiSection | None:
    found = [section for section in sections if section.is_called(wanted)]
    found = found or [section for section in sections if section.number == wanted.strip()]
    if len(found) > 1:
        numbers = ", ".join(section.number for section in found)
        raise ToolFailure(
            "ambiguous", f"section: several are called {wanted!r}; give a number: {numbers}"
        )
    return found[0] if found else None


def _properties(properties: Any) -> tuple[str, ...]:
    """Names of page properties: keys in format version 2, rows in 1."""
    if isinstance(properties, dict):
        return tuple(properties)
    return tuple(str(row.get("name")) for row in properties)


def _coordinates(indicators: Any) -> str:
    """What the wiki shows beside the title instead of in the text: a place's coordinates.

    `indicators`: HTML by name in format version 2, rows of both in 1, an empty list for none.
    """
    rows = indicators.items() if isinstance(indicators, dict) else map(_row, indicators or ())
    found = [html for name, html in rows if name == "coordinates"]
    marks = '<div class="mw-indicators"><div id="coordinates">'
    return f"{marks}{found[0]}</div></div>" if found else ""


def _row(row: Any) -> tuple[str, str]:
    return row["name"], _text(row)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value["*"])


def _warning(value: Any) -> str:
    return str(value.get("*", value)) if isinstance(value, dict) else str(value)
