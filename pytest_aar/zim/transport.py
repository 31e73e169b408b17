"""The road to Wikipedia that ends at a ZIM file, and to a search over it; all else goes on."""

import asyncio
import json
from typing import Any

import httpx

from pytest_aar.article_paths import article_url
from pytest_aar.manners.blocked import Blocked
from pytest_aar.manners.meter import Note, take_note
from pytest_aar.manners.no_page import NO_PAGE_STATUS, no_page
from pytest_aar.sandbox_hosts import ZIM_MESSAGE, ZIM_SEARCH_HOST

from .edition import wrong_wiki
from .file import DamagedFileError, Found, RedirectLoopError, ZimFile
from .page import content_of, snippet_of
from .titles import OLD_ARTICLES, normal_title

_WIKIS = ".wikipedia.org"
_LOOP = "redirectloop"
_API = "/w/api.php"
#: What the file is called among the services that a call asked.
_SERVICE = "zim"


class ApiError(Exception):
    """An error as api.php tells it."""

    def __init__(self, code: str, info: str) -> None:
        super().__init__(info)
        self.code, self.info = code, info


class ZimTransport(httpx.AsyncBaseTransport):
    """Answers Wikipedia's hosts and `ZIM_SEARCH_HOST` from the file, in Wikipedia's and in Serper's shape."""

    def __init__(self, file: ZimFile, rest: httpx.AsyncBaseTransport) -> None:
        self._file, self._rest = file, rest

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request; reading the file keeps no other race waiting."""
        host = request.url.host
        if host == ZIM_SEARCH_HOST:
            return _noted(*await asyncio.to_thread(self._searched, await request.aread()))
        if host.endswith(_WIKIS):
            return _noted(*await asyncio.to_thread(self._of_wiki, request.url))
        return await self._rest.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the road to all else."""
        await self._rest.aclose()

    def _of_wiki(self, url: httpx.URL) -> tuple[httpx.Response, str]:
        """The answer, and what is wrong with the file."""
        edition = self._file.edition
        if url.path != _API:
            told = f"only articles are in {edition.file}, under https://{edition.host}/wiki/TITLE"
            return no_page("denied", told), ""
        if url.host.replace(".m.", ".") != edition.host:
            return _error(ApiError("readapidenied", wrong_wiki(edition, url.host))), ""
        action = _ACTIONS.get(url.params.get("action", ""), _unknown)
        try:
            return httpx.Response(200, json=action(self._file, url.params)), ""
        except ApiError as error:
            return _error(error), error.info if error.code == _LOOP else ""
        except DamagedFileError as damage:
            return _error(ApiError("internal_api_error", str(damage))), str(damage)

    def _searched(self, body: bytes) -> tuple[httpx.Response, str]:
        asked = json.loads(body)
        try:
            found = self._file.search(str(asked["q"]), int(asked.get("num", 10)))
        except DamagedFileError as damage:
            return httpx.Response(NO_PAGE_STATUS, json={ZIM_MESSAGE: str(damage)}), str(damage)
        edition = self._file.edition
        hits = [
            {
                "title": hit.title,
                "link": article_url(f"https://{edition.host}/wiki/", hit.title),
                "snippet": snippet_of(hit.html),
            }
            for hit in found
        ]
        asked_for = {"q": asked["q"], "engine": edition.file}
        return httpx.Response(200, json={"searchParameters": asked_for, "organic": hits}), ""


class NoFile(httpx.AsyncBaseTransport):
    """Stands for a file that is not here while recordings are replayed: what they lack can't be had."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Refuse."""
        raise Blocked(f"blocked: {self._reason}", request=request)


def _noted(reply: httpx.Response, trouble: str) -> httpx.Response:
    """The reply; whether the file was well is noted like a service's answer, and so no race is lost by its faults."""
    take_note(_SERVICE, Note(trouble=trouble))
    return reply


def _error(error: ApiError) -> httpx.Response:
    told = {"code": error.code, "info": error.info, ZIM_MESSAGE: error.info}
    return httpx.Response(200, json={"error": told})


def _unknown(file: ZimFile, _: httpx.QueryParams) -> dict[str, Any]:
    raise ApiError("badvalue", f"{file.edition.file} answers {', '.join(_ACTIONS)} alone")


def _parse(file: ZimFile, asked: httpx.QueryParams) -> dict[str, Any]:
    if "oldid" in asked:
        raise ApiError(
            "nosuchrevid",
            f"there is one revision of each article in {file.edition.file}, that of "
            f"{file.edition.date or 'its date'}: leave the revision out",
        )
    if "page" not in asked:
        raise ApiError(
            "nosuchpageid", f"pages have no numbers in {file.edition.file}: name the title"
        )
    wanted = normal_title(asked["page"])
    found = _found(file, wanted)
    prefix = OLD_ARTICLES if found.path.startswith(OLD_ARTICLES) and file.has_old_namespaces else ""
    content = content_of(found.html, found.path, prefix=prefix)
    parse: dict[str, Any] = {"title": found.title, "text": content.html}
    if found.title != wanted:
        parse["redirects"] = [{"from": wanted, "to": found.title}]
    if content.revision is not None:
        parse["revid"] = content.revision
    return {"parse": parse}


def _found(file: ZimFile, title: str) -> Found:
    try:
        found = file.find(title)
    except RedirectLoopError as loop:
        raise ApiError(_LOOP, f"redirects of {file.edition.file} lead nowhere: {loop}") from loop
    if found is not None:
        return found
    near = file.near(title)
    told = f"{file.edition.file} has no page {title.replace('_', ' ')!r}"
    if near:
        told += f"; titles that resemble it: {', '.join(near)}"
    elif file.has_words:
        told += "; to find the right title, use web_search"
    raise ApiError("missingtitle", told)


def _query(file: ZimFile, asked: httpx.QueryParams) -> dict[str, Any]:
    """Which of `titles` there are, and where they lead."""
    pages, redirects = [], []
    for title in asked.get("titles", "").split("|"):
        try:
            found = file.find(title)
        except RedirectLoopError:
            found = None
        if found is None:
            pages.append({"ns": 0, "title": title, "missing": True})
            continue
        pages.append({"ns": 0, "title": found.title})
        if found.title != title.replace("_", " "):
            redirects.append({"from": title.replace("_", " "), "to": found.title})
    return {"batchcomplete": True, "query": {"redirects": redirects, "pages": pages}}


_ACTIONS = {"parse": _parse, "query": _query}
