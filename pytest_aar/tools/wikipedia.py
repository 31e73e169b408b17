"""MediaWiki: which URLs are articles, and an article's HTML through `action=parse`."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from pytest_aar.tools.endpoints import Endpoints
from pytest_aar.tools.exchange import Ask, fetch_json, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services

_NO_PAGE = frozenset({"missingtitle", "nosuchpageid", "nosuchrevid", "pagecannotexist"})
_BAD_TITLE = frozenset({"invalidtitle", "invalid", "badvalue", "nosuchsection"})
_LIMITS = frozenset({"ratelimited", "maxlag"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """An article's address: `host` without the mobile label, `title` decoded, with spaces."""

    host: str
    title: str
    revision: str | None = None

    def url(self, title: str) -> str:
        """The canonical address of `title` on the same wiki."""
        return f"https://{self.host}/wiki/{quote(title.replace(' ', '_'), safe=_SAFE)}"


#: What Wikipedia leaves as it is in addresses of its own.
_SAFE = "/:;@$!*(),~'-._"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """A reply of `action=parse`. `languages` counts the other editions, None if not told."""

    title: str
    html: str
    languages: int | None
    revision: int | None


def article_of(url: httpx.URL, endpoints: Endpoints) -> Article | None:
    """The article that a URL names, None for anything else (other hosts, special pages' paths)."""
    if not _is_wiki(url.host, endpoints.article_hosts):
        return None
    if url.path.startswith("/wiki/"):
        title = url.path.removeprefix("/wiki/")
    elif url.path in {"/w/index.php", "/index.php"}:
        title = url.params.get("title", "")
    else:
        return None
    title = " ".join(title.replace("_", " ").split())
    if not title:
        return None
    host = url.host.replace(".m.", ".")
    return Article(host=host, title=title, revision=url.params.get("oldid"))


async def parsed_page(article: Article, services: Services) -> ParsedPage:
    """The article's HTML, redirects followed.

    Raises:
        ToolFailure: not_found and the like.
    """
    page = {"oldid": article.revision} if article.revision else {"page": article.title}
    reply = await fetch_json(
        services,
        Ask(
            service="Wikipedia",
            url=services.endpoints.wikipedia.replace("{language}", article.host.split(".")[0]),
            params={
                "action": "parse",
                **page,
                "redirects": "1",
                "prop": "text|langlinks|revid",
                "format": "json",
                "formatversion": "2",
            },
        ),
    )
    return page_in(reply, article.title)


def page_in(body: Any, title: str) -> ParsedPage:
    """A parse reply, in format version 2 or 1 (where the text stands under "*")."""
    with reading("Wikipedia"):
        if "error" in body:
            raise _failure(body["error"], title)
        parse = body["parse"]
        text = parse["text"]
        links = parse.get("langlinks")
        return ParsedPage(
            title=str(parse["title"]).encode("utf-8", "replace").decode(),
            html=text if isinstance(text, str) else str(text["*"]),
            languages=None if links is None else len(links),
            revision=parse.get("revid"),
        )


def _is_wiki(host: str, hosts: tuple[str, ...]) -> bool:
    return any(host == known or host.endswith(f".{known}") for known in hosts)


def _failure(problem: Any, title: str) -> ToolFailure:
    code, info = str(problem.get("code", "")), str(problem.get("info", ""))
    kind: ErrorKind = "upstream"
    if code in _NO_PAGE:
        kind = "not_found"
    elif code in _BAD_TITLE:
        kind = "bad_arguments"
    elif code in _LIMITS:
        kind = "quota"
    hint = "; look for the right title with web_search" if kind == "not_found" else ""
    return ToolFailure(kind, f"Wikipedia has no page to give for {title!r}: {code}: {info}{hint}")
