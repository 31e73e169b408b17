"""fetch_webpage: articles through the wiki's API, other pages directly and under the guard."""

from dataclasses import dataclass
from typing import Any

import httpx

from pytest_aar.tools.arguments import FetchWebpage
from pytest_aar.tools.direct import fetch_direct
from pytest_aar.tools.page_depth import bare_text, nests_too_deep
from pytest_aar.tools.page_text import PageText, page_text
from pytest_aar.tools.result import ToolFailure, ToolResult
from pytest_aar.tools.services import Services
from pytest_aar.tools.wikipedia import Article, article_of, parsed_page

_LEAD = frozenset({"0", "lead", "introduction"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A page as it came: HTML, or `is_plain` text of another kind."""

    body: str
    url: str
    title: str | None
    languages: int | None = None
    revision: int | None = None
    is_plain: bool = False


async def fetch_webpage(arguments: FetchWebpage, services: Services) -> ToolResult:
    """The page as markdown, or one section of it, or its HTML, from `offset` on."""
    url = httpx.URL(arguments.url)
    if url.scheme not in {"http", "https"} or not url.host:
        raise ToolFailure(
            "bad_arguments", f"url: expected http:// or https:// and a host, got {arguments.url!r}"
        )
    article = article_of(url, services.endpoints)
    source = await (_article(article, services) if article else _other(url, services))
    title, text = _text(source, arguments)
    if arguments.offset and arguments.offset >= len(text):
        raise ToolFailure(
            "bad_arguments",
            f"offset: expected less than {len(text)}, its characters, got {arguments.offset}",
        )
    return ToolResult(
        ok=True,
        text=text[arguments.offset :],
        final_url=source.url,
        title=title,
        details=_details(source, arguments, len(text)),
    )


async def _article(article: Article, services: Services) -> _Source:
    page = await parsed_page(article, services)
    return _Source(
        body=page.html,
        url=article.url(page.title),
        title=page.title,
        languages=page.languages,
        revision=page.revision,
    )


async def _other(url: httpx.URL, services: Services) -> _Source:
    page = await fetch_direct(url, services)
    if page.is_html and nests_too_deep(page.text):
        return _Source(body=bare_text(page.text), url=page.url, title=None, is_plain=True)
    return _Source(body=page.text, url=page.url, title=None, is_plain=not page.is_html)


def _text(source: _Source, arguments: FetchWebpage) -> tuple[str | None, str]:
    if arguments.raw_html or source.is_plain:
        return source.title, source.body
    page = page_text(source.body, title=source.title, url=source.url, languages=source.languages)
    if arguments.section is None:
        return page.title, page.markdown()
    return page.title, _section(page, arguments.section)


def _section(page: PageText, wanted: str) -> str:
    found = page.sections_named(wanted)
    if len(found) == 1:
        return page.section(found[0])
    if not found and wanted.strip().casefold() in _LEAD:
        return page.lead()
    outline = ", ".join(("0 lead", *(f"{item.number} {item.title}" for item in page.headings)))
    if found:
        numbers = ", ".join(heading.number for heading in found)
        raise ToolFailure(
            "ambiguous", f"section: several are called {wanted!r}; give a number: {numbers}"
        )
    raise ToolFailure(
        "not_found",
        f"section: {page.title!r} has none called {wanted!r}; it has {outline}",
    )


def _details(source: _Source, arguments: FetchWebpage, characters: int) -> dict[str, Any]:
    facts = {
        "characters": characters,
        "offset": arguments.offset or None,
        "section": arguments.section,
        "languages": source.languages,
        "revision": source.revision,
    }
    return {name: value for name, value in facts.items() if value is not None}
