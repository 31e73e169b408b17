"""Pages outside the encyclopedia: fetched directly, each address checked, time and size capped."""

import json
import time
from dataclasses import dataclass

import httpx

from pytest_aar.manners.meter import METER
from pytest_aar.manners.no_page import NO_PAGE
from pytest_aar.tools.outside import (
    MOST_BYTES,
    MOST_SECONDS,
    SECONDS_LEFT,
    TEXT_KINDS,
    is_text,
    shown,
)
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services
from pytest_aar.tools.user_agent import user_agent
from pytest_aar.tools.wiki_address import Article, article_of

MOST_REDIRECTS = 5
_FIRST_FAULT = 400
_KINDS: dict[int, ErrorKind] = {
    401: "denied",
    403: "denied",
    404: "not_found",
    410: "not_found",
    429: "quota",
    451: "denied",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectPage:
    """A page's text, after redirects."""

    url: str
    text: str
    is_html: bool


async def fetch_direct(url: httpx.URL, services: Services) -> DirectPage | Article:
    """The text of a page: decoded, at most 2 MB, text types only, at most five redirects.

    An article that a redirect leads to is not fetched here but named: of it, the wiki's API knows the revision.

    Raises:
        ToolFailure: the guard refuses, or the server gives something else.
    """
    client = services.pages or services.http
    deadline = _worked() + MOST_SECONDS
    for _ in range(MOST_REDIRECTS + 1):
        await services.guard.check(url)
        request = _asking(url, services, client, seconds=deadline - _worked())
        response = await client.send(request, auth=None, follow_redirects=False)
        if not response.has_redirect_location:
            return _page(response, url)
        url = url.join(response.headers["location"])  # httpx has seen that it is a URL
        article = article_of(url, services.endpoints)
        if article is not None:
            return article
    raise ToolFailure("upstream", f"{url.host} redirects more than {MOST_REDIRECTS} times")


def _worked() -> float:
    """A clock that stands still while this call waits for its turn at a host: that is not the host's doing."""
    meter = METER.get()
    return time.monotonic() - (sum(meter.waited.values()) if meter else 0.0)


def _asking(
    url: httpx.URL, services: Services, client: httpx.AsyncClient, *, seconds: float
) -> httpx.Request:
    """A request built by hand: the client would add cookies that an earlier page has set."""
    return httpx.Request(
        "GET",
        url,
        headers={
            "User-Agent": user_agent(services.contact),
            "Accept": "text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        },
        extensions={"timeout": client.timeout.as_dict(), SECONDS_LEFT: seconds},
    )


def _page(response: httpx.Response, url: httpx.URL) -> DirectPage:
    status = response.status_code
    content_type = response.headers.get("content-type", "text/plain").lower()
    if content_type == NO_PAGE:
        said = json.loads(response.content)
        raise ToolFailure(said["kind"], said["message"])
    if status >= _FIRST_FAULT:
        kind = _KINDS.get(status, "upstream")
        raise ToolFailure(kind, f"{url.host} answered HTTP {status} for {url.path}")
    if not is_text(response.headers):
        kinds = ", ".join(TEXT_KINDS)
        raise ToolFailure(
            "denied", f"{shown(url)} is {content_type}; only text is fetched: {kinds}"
        )
    return DirectPage(url=str(url), text=_text(response), is_html="html" in content_type)


def _text(response: httpx.Response) -> str:
    """The text up to the cap; the road has read no more, other transports may have."""
    body = response.content[:MOST_BYTES]
    try:
        return body.decode(response.charset_encoding or "utf-8", "replace")
    except LookupError:  # a charset that Python doesn't know
        return body.decode("utf-8", "replace")
