"""Pages outside the encyclopedia: fetched directly, each address checked, size capped."""

from dataclasses import dataclass

import httpx

from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services
from pytest_aar.tools.user_agent import user_agent

MOST_BYTES = 2_000_000
MOST_REDIRECTS = 5
_TEXT_KINDS = ("text/", "application/json", "application/xml", "application/xhtml+xml")
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


async def fetch_direct(url: httpx.URL, services: Services) -> DirectPage:
    """The text of a page: decoded, at most 2 MB, text types only, at most five redirects.

    Raises:
        ToolFailure: the guard refuses, or the server gives something else.
    """
    for _ in range(MOST_REDIRECTS + 1):
        await services.guard.check(url)
        headers = {"User-Agent": user_agent(services.contact)}
        async with services.http.stream("GET", url, headers=headers) as response:
            if not response.has_redirect_location:
                return await _page(response, url)
            url = url.join(response.headers["location"])
    raise ToolFailure("upstream", f"{url.host} redirects more than {MOST_REDIRECTS} times")


async def _page(response: httpx.Response, url: httpx.URL) -> DirectPage:
    status = response.status_code
    if status >= _FIRST_FAULT:
        kind = _KINDS.get(status, "upstream")
        raise ToolFailure(kind, f"{url.host} answered HTTP {status} for {url.path}")
    content_type = response.headers.get("content-type", "text/plain").lower()
    if not content_type.startswith(_TEXT_KINDS):
        raise ToolFailure(
            "denied", f"{url} is {content_type}; only text is fetched: {', '.join(_TEXT_KINDS)}"
        )
    return DirectPage(url=str(url), text=await _capped(response), is_html="html" in content_type)


async def _capped(response: httpx.Response) -> str:
    """The decoded text up to the cap; a body that inflates beyond it is not read on."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.aiter_bytes(65_536):
        chunks.append(chunk[: MOST_BYTES - size])
        size += len(chunk)
        if size >= MOST_BYTES:
            break
    encoding = response.charset_encoding or "utf-8"
    try:
        return b"".join(chunks).decode(encoding, "replace")
    except LookupError:  # a charset that Python doesn't know
        return b"".join(chunks).decode("utf-8", "replace")
