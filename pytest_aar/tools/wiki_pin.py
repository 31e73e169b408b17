"""The revision of an article that was the current one at a given time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_aar.tools.exchange import reading
from pytest_aar.tools.result import ToolFailure
from pytest_aar.tools.services import Services
from pytest_aar.tools.wiki_address import Article
from pytest_aar.tools.wiki_api import SERVICE, ask, check
from pytest_aar.tools.wiki_titles import fragment_in, pages_of

#: Queries take several titles so: the second one's revision would be given for the first.
_BETWEEN_TITLES = "|"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedRevision:
    """A revision of the page `title`, `made` then; `redirected_from` by a redirect of today."""

    title: str
    revision: int
    made: str
    redirected_from: str | None = None
    fragment: str | None = None


async def revision_at(article: Article, at: str, services: Services) -> PinnedRevision:
    """The article's last revision up to `at` (UTC, "2026-03-20T02:07:11Z"), today's redirects followed.

    A page that redirects today, to one that is younger than `at`, is taken as it was itself.

    Raises:
        ToolFailure: not_found when there is no such page, or none was there yet.
    """
    body = await _asked(article, at, services, follow={"redirects": "1"})
    if _leads_to_a_younger_page(body):
        body = await _asked(article, at, services, follow={})
    return revision_in(body, article.name, at)


async def _asked(
    article: Article, at: str, services: Services, *, follow: Mapping[str, str]
) -> Any:
    if not article.page_id and _BETWEEN_TITLES in article.title:
        raise ToolFailure(
            "bad_arguments",
            f"Wikipedia has no answer for {article.name!r}: no title holds {_BETWEEN_TITLES!r}; look for the right "
            "title with web_search",
        )
    named = {"pageids": article.page_id} if article.page_id else {"titles": article.title}
    body = await ask(
        services,
        article.language,
        {
            "action": "query",
            **named,
            **follow,
            "prop": "revisions",
            "rvprop": "ids|timestamp",
            "rvlimit": "1",
            "rvstart": at,
            "rvdir": "older",
        },
    )
    check(body, article.name)
    return body


def _leads_to_a_younger_page(body: Any) -> bool:
    with reading(SERVICE):
        query = body.get("query") or {}
        page: Mapping[str, Any] = next(iter(pages_of(query)), {})
        return bool(query.get("redirects")) and not page.get("revisions")


def revision_in(body: Any, name: str, at: str) -> PinnedRevision:
    """The same of a reply, of format version 1 or 2."""
    with reading(SERVICE):
        query = body.get("query") or {}
        page = next(iter(pages_of(query)), None)
        if page is None:
            raise _none(name, "it leads to another wiki" if query.get("interwiki") else "no answer")
        if page.get("invalid") not in (None, False):
            reason = page.get("invalidreason", "the title is invalid")
            raise ToolFailure("bad_arguments", f"Wikipedia has no answer for {name!r}: {reason}")
        if page.get("missing") not in (None, False) or page.get("special") not in (None, False):
            raise _none(name, "there is none today; look for the right title with web_search")
        revisions = page.get("revisions")
        if not revisions:
            raise _none(
                name, f"the page was not there yet at {at}, the date that --aar-wiki-at asks for"
            )
        redirects = query.get("redirects") or ()
        return PinnedRevision(
            title=page["title"],
            revision=int(revisions[0]["revid"]),
            made=str(revisions[0].get("timestamp", "")),
            redirected_from=redirects[0]["from"] if redirects else None,
            fragment=fragment_in(redirects),
        )


def _none(name: str, why: str) -> ToolFailure:
    return ToolFailure("not_found", f"Wikipedia has no page to give for {name!r}: {why}")
