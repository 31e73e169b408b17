"""Where titles lead: normalised, converted, redirected, in batches of what one query takes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from pytest_aar.tools.exchange import reading
from pytest_aar.tools.services import Services
from pytest_aar.tools.wiki_api import SERVICE, query_parts

_MOST_TITLES = 50
#: Characters of titles in one address, percent-encoded; servers refuse much longer ones.
_MOST_CHARACTERS = 6_000


async def final_titles(services: Services, language: str, titles: Iterable[str]) -> dict[str, str]:
    """Title -> the title of the page it leads to today, itself if it is no redirect; without those that lead nowhere.

    Raises:
        ToolFailure: see `wiki_api.query_parts`.
    """
    found: dict[str, str] = {}
    for batch in batches(titles):
        params = {"titles": "|".join(batch), "redirects": "1"}
        bodies = await query_parts(services, language, params)
        found.update(final_titles_in(bodies, batch))
    return found


def final_titles_in(bodies: Iterable[Any], titles: Iterable[str]) -> dict[str, str]:
    """The same of replies, of format version 1 or 2."""
    with reading(SERVICE):
        queries = [body.get("query") or {} for body in bodies]
        there = {page["title"] for query in queries for page in pages_of(query) if _exists(page)}
        steps = [_steps(queries, kind) for kind in ("normalized", "converted", "redirects")]
        found = {title: _walked(title, steps) for title in titles}
    return {title: final for title, final in found.items() if final in there}


def pages_of(query: Mapping[str, Any]) -> Iterable[Any]:
    """The pages of a query: a list in format version 2, a mapping in 1."""
    pages = query.get("pages", ())
    return pages.values() if isinstance(pages, Mapping) else pages


def plain(title: Any) -> str:
    """A title that can be written: lone surrogates replaced."""
    return str(title).encode("utf-8", "replace").decode()


def fragment_in(redirects: Any) -> str | None:
    """The section that the last of a reply's redirects leads to, None without one."""
    fragment = redirects[-1].get("tofragment") if redirects else None
    return plain(fragment) if fragment else None


def batches(titles: Iterable[str]) -> Iterator[list[str]]:
    """At most 50 titles each, and no more than an address may hold; each title once, none with a "|"."""
    batch: list[str] = []
    size = 0
    for title in dict.fromkeys(title for title in titles if title and "|" not in title):
        length = len(quote(title)) + 3
        if batch and (len(batch) == _MOST_TITLES or size + length > _MOST_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(title)
        size += length
    if batch:
        yield batch


def _exists(page: Any) -> bool:
    """Format version 1 marks by a key with an empty text, version 2 by true or false."""
    return "title" in page and not any(
        page.get(mark) not in (None, False) for mark in ("missing", "invalid", "special")
    )


def _steps(queries: list[Any], kind: str) -> dict[str, str]:
    rows = [row for query in queries for row in query.get(kind, ())]
    return {_asked(row): row["to"] for row in rows if "to" in row and "tointerwiki" not in row}


def _asked(row: Any) -> str:
    """The title as it was asked for; one that is not in Unicode's composed form comes percent-encoded."""
    title = str(row["from"])
    return unquote(title) if row.get("fromencoded") else title


def _walked(title: str, steps: list[dict[str, str]]) -> str:
    normalized, converted, redirects = steps
    title = normalized.get(title, title)
    title = converted.get(title, title)
    seen = {title}
    while title in redirects and redirects[title] not in seen:
        title = redirects[title]
        seen.add(title)
    return title
