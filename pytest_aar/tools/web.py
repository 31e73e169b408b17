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
from pytest_aar.tools.wiki_address import Article, article_of
from pytest_aar.tools.wiki_notes import facts_of, notes_of
from pytest_aar.tools.wikipedia import ParsedPage, parsed_page, section_html

_LEAD = frozenset({"0", "lead", "introduction"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A page as it came: HTML, or `is_plain` text of another kind. `article` and `page` are None elsewhere."""

    body: str
    url: str
    title: str | None = None
    is_plain: bool = False
    article: Article | None = None
    page: ParsedPage | None = None
    notes: tuple[str, ...] = ()


async def fetch_webpage(arguments: FetchWebpage, services: Services) -> ToolResult:
    """The page as markdown, or one section of it, or its HTML, from `offset` on."""
    url = httpx.URL(arguments.url)
    if url.scheme not in {"http", "https"} or not url.host:
        raise ToolFailure(
            "bad_arguments", f"url: expected http:// or https:// and a host, got {arguments.url!r}"
        )
    article = article_of(url, services.endpoints)
    source = await (_article(article, services) if article else _other(url, services))
    title, text = await _text(source, arguments, services)
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
        details=_details(source, arguments, services, len(text)),
    )


async def _article(article: Article, services: Services) -> _Source:
    page = await parsed_page(article, services)
    return _Source(
        body=page.html,
        url=article.url(page.title),
        title=page.title,
        article=article,
        page=page,
        notes=notes_of(page, services.wiki_at),
    )


async def _other(url: httpx.URL, services: Services) -> _Source:
    page = await fetch_direct(url, services)
    if isinstance(page, Article):
        return await _article(page, services)
    if page.is_html and nests_too_deep(page.text):
        return _Source(body=bare_text(page.text), url=page.url, title=None, is_plain=True)
    return _Source(body=page.text, url=page.url, title=None, is_plain=not page.is_html)


async def _text(
    source: _Source, arguments: FetchWebpage, services: Services
) -> tuple[str | None, str]:
    if arguments.raw_html or source.is_plain:
        return source.title, source.body
    languages = source.page.languages if source.page else None
    page = page_text(source.body, title=source.title, url=source.url, languages=languages)
    if arguments.section is None:
        return page.title, _under_head(page, source.notes)
    return page.title, await _section(page, arguments.section, source, services)


def _under_head(page: PageText, notes: tuple[str, ...]) -> str:
    """The page under its head, `notes` below its title and address."""
    if not notes:
        return page.markdown()
    title, url, *rest = page.head().split("\n")
    return "\n\n".join(("\n".join((title, url, *notes, *rest)), *page.blocks))


async def _section(page: PageText, wanted: str, source: _Source, services: Services) -> str:
    found = page.sections_named(wanted)
    if len(found) == 1:
        return page.section(found[0])
    if found:
        numbers = ", ".join(heading.number for heading in found)
        raise ToolFailure(
            "ambiguous", f"section: several are called {wanted!r}; give a number: {numbers}"
        )
    if wanted.strip().casefold() in _LEAD:
        return page.lead()
    listed = await _listed_section(wanted, source, services)
    if listed is not None:
        return listed
    outline = ", ".join(("0 lead", *(f"{item.number} {item.title}" for item in page.headings)))
    raise ToolFailure(
        "not_found",
        f"section: {page.title!r} has none called {wanted!r}; it has {outline}",
    )


async def _listed_section(wanted: str, source: _Source, services: Services) -> str | None:
    """A section that only the wiki's own list knows by this name (an anchor, a heading put together by templates)."""
    if source.article is None or source.page is None or source.page.is_whole_document:
        return None
    html = await section_html(source.article, source.page, wanted, services)
    if html is None:
        return None
    part = page_text(html, title=source.title, url=source.url)
    return "\n\n".join((f"# {part.title}", *part.blocks))


def _details(
    source: _Source, arguments: FetchWebpage, services: Services, characters: int
) -> dict[str, Any]:
    facts = {
        "characters": characters,
        "offset": arguments.offset or None,
        "section": arguments.section,
    }
    told = {name: value for name, value in facts.items() if value is not None}
    return told | (facts_of(source.page, services.wiki_at) if source.page else {})
