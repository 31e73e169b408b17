"""Articles from a Kiwix server: `wikipedia = kiwix+http://HOST:PORT/content/BOOK`, without `/content` before 3.4.

Its addresses: `/content/BOOK/PATH` is an entry of a ZIM file, redirects of the file are redirects of HTTP;
`/suggest?content=BOOK&term=TEXT` lists titles. Documented in kiwix-tools' docs/kiwix-serve.rst.
"""

import difflib
import re
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import httpx

from pytest_aar.settings import KIWIX
from pytest_aar.tools.exchange import Ask, fetch_json, reading, send
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services
from pytest_aar.tools.wiki_address import OLD_FOLDER, Article, is_of_old_server

if TYPE_CHECKING:
    from pytest_aar.tools.wikipedia import ParsedPage

_SERVICE = "The Kiwix server"
_MOST_REDIRECTS = 5
_FOUND, _MISSING = 200, 404
#: Titles that a message about a missing one names.
_NEAR = 5
_PAGE_TITLE = re.compile(r"(?is)<title[^>]*>(.*?)</title")
#: Characters at the start of a page among which its title stands.
_TOP = 20_000


async def kiwix_page(article: Article, services: Services) -> "ParsedPage":
    """The article's HTML from the server's ZIM file: number of languages and revision are not in it.

    Raises:
        ToolFailure: not_found, with the nearest titles; bad_arguments for a revision or a page's number.
    """
    from pytest_aar.tools.wikipedia import ParsedPage  # noqa: PLC0415 - that module loads this one

    if not article.title:
        raise ToolFailure("bad_arguments", f"a Kiwix server has no {article.name}: ask by title")
    if {".", ".."} & set(article.title.split("/")):  # another path of the server than the book's
        raise ToolFailure("bad_arguments", f"{article.title!r} is no title: it holds . or ..")
    book = services.endpoints.wikipedia.removeprefix(KIWIX)
    for path in _paths(article.title):
        address = f"{book}/{quote(path)}"
        page = await _entry(address, services)
        if page is not None and _is_meant(page, address, article, book):
            break
    else:
        page = await _suggested(book, article, services)
    title = _title_of(page, article, book)
    asked = article.title
    if article.pages and not title.startswith(OLD_FOLDER):  # the server's own address names a path
        asked = asked.removeprefix(OLD_FOLDER)
    redirected = asked if _folded(title) != _folded(asked) else None
    return ParsedPage(
        title=title, html=page.text, redirected_from=redirected, is_whole_document=True
    )


def server_of(book: str) -> str:
    """The address of the server that has a book: its list of titles is not below the book's own."""
    return book.removeprefix(KIWIX).rpartition("/")[0].removesuffix("/content")


def _paths(title: str) -> tuple[str, ...]:
    """Where an article may lie: spelled as Wikipedia spells, and in the folder of old files."""
    spelled = title.replace(" ", "_")
    first = spelled[:1].upper() + spelled[1:]
    old = (OLD_FOLDER + first, OLD_FOLDER + spelled)
    return tuple(dict.fromkeys((first, spelled, *old)))


def _is_meant(page: httpx.Response, address: str, article: Article, book: str) -> bool:
    """Whether it is the article, and not one that a folder's name makes of it: "A/B testing" of "B testing"."""
    if article.pages or page.url != httpx.URL(address):  # the server's own address, or its redirect
        return True
    # A title of other signs than the path's ("C\u266f") says nothing of it.
    told = _told_title(page, book)
    return told is None or _folded(told) == _folded(article.title)


async def _entry(address: str, services: Services) -> httpx.Response | None:
    """The entry at an address after the server's own redirects, None where there is none."""
    url = httpx.URL(address)
    for _ in range(_MOST_REDIRECTS + 1):
        asked = Ask(
            service=_SERVICE,
            endpoint="wikipedia",
            url=str(url),
            headers={"Accept": "text/html"},
        )
        response = await send(services, asked)
        if not response.has_redirect_location:
            return _checked(response, url)
        following = url.join(response.headers["location"])
        if following.netloc != url.netloc:
            raise ToolFailure(
                "upstream", f"{_SERVICE} redirects {url} to another host, {following.host}"
            )
        url = following
    raise ToolFailure(
        "upstream", f"{_SERVICE} redirects {address} more than {_MOST_REDIRECTS} times"
    )


def _checked(response: httpx.Response, url: httpx.URL) -> httpx.Response | None:
    if response.status_code == _MISSING:
        return None
    kind = response.headers.get("content-type", "no content type")
    if response.status_code != _FOUND or "html" not in kind:
        raise ToolFailure(
            "upstream", f"{_SERVICE} answered HTTP {response.status_code} with {kind} at {url}"
        )
    response.request = httpx.Request("GET", url)  # replayed ones come without
    return response


async def _suggested(book: str, article: Article, services: Services) -> httpx.Response:
    """The page of the same title in another spelling, which the title index knows."""
    root, name = server_of(book), book.rpartition("/")[2]
    params = {"content": name, "term": article.title, "count": "10"}
    try:
        ask = Ask(service=_SERVICE, endpoint="wikipedia", url=f"{root}/suggest", params=params)
        rows = await fetch_json(services, ask, _classify)
    except ToolFailure as failure:
        if failure.kind != "not_found":
            raise
        raise ToolFailure(
            "upstream",
            f"{_SERVICE} at {root} has no page {article.title!r} and no list of titles: has it a book {name!r}? "
            "(aar_services, wikipedia = kiwix+http://HOST:PORT/content/BOOK)",
        ) from failure
    with reading(_SERVICE):
        titles = {_label(row): str(row["path"]) for row in rows if row.get("path")}
    same = next((title for title in titles if _folded(title) == _folded(article.title)), None)
    page = await _entry(f"{book}/{quote(titles[same])}", services) if same else None
    if page is None:
        near = difflib.get_close_matches(article.title, titles, n=_NEAR, cutoff=0) or ["none"]
        raise ToolFailure(
            "not_found",
            f"the Kiwix server's {name} has no page {article.title!r}; titles near it: {', '.join(near)}",
        )
    return page


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """A server without titles says so of whatever it is asked."""
    del body, message
    return "not_found" if status == _MISSING else None


def _label(row: Any) -> str:
    return str(row["value"])


def _title_of(page: httpx.Response, article: Article, book: str) -> str:
    """By the entry's path. Whether a folder's name is part of it, the page says; if not, what was asked for."""
    told = _told_title(page, book)
    if told is not None:
        return told
    has_folder = is_of_old_server(book) or not article.title.startswith(OLD_FOLDER)
    below = _below(page, book)
    return below.removeprefix(OLD_FOLDER) if has_folder else below


def _told_title(page: httpx.Response, book: str) -> str | None:
    """The form of the entry's path with which the page's own title begins, None where it begins with neither."""
    below = _below(page, book)
    found = _PAGE_TITLE.search(page.text[:_TOP])
    said = _folded(unescape(found[1])) if found else ""
    forms = (below, below.removeprefix(OLD_FOLDER))
    return next((form for form in forms if said.startswith(_folded(form))), None)


def _below(page: httpx.Response, book: str) -> str:
    """The path of an entry in its book, with spaces."""
    path = unquote(page.url.raw_path.decode().partition("?")[0])
    below = path.removeprefix(unquote(httpx.URL(book).raw_path.decode())).lstrip("/")
    return below.replace("_", " ")


def _folded(title: str) -> str:
    return " ".join(title.replace("_", " ").split()).casefold()
