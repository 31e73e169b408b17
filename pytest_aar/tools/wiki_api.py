"""MediaWiki's `api.php`: one request, its errors by kind, and queries in several parts."""

import html
import re
from collections.abc import Mapping
from typing import Any

import httpx

from pytest_aar.manners.error_fields import LONGEST_ERROR
from pytest_aar.manners.reply_text import and_then
from pytest_aar.sandbox_hosts import ZIM_MESSAGE
from pytest_aar.tools.exchange import Ask, fetch_json, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services

SERVICE = "Wikipedia"
#: Parts of one answer that are asked for at most.
_MOST_PARTS = 20
_CODES: dict[str, ErrorKind] = {
    **dict.fromkeys(
        ("missingtitle", "nosuchpageid", "nosuchrevid", "missingrev", "pagecannotexist"),
        "not_found",
    ),
    **dict.fromkeys(
        ("missingcontent", "missingcontent-pageid", "missingcontent-revid"), "not_found"
    ),
    "nosuchwiki": "not_found",  # the road says so where a language's host is not there
    **dict.fromkeys(("invalidtitle", "invalid", "badvalue", "badinteger"), "bad_arguments"),
    "nosuchsection": "bad_arguments",
    "redirectloop": "upstream",  # says our reader of ZIM files of a file's own fault: no service is asked
    **dict.fromkeys(("ratelimited", "maxlag", "actionthrottledtext", "concurrency-limit"), "quota"),
    **dict.fromkeys(("permissiondenied", "readapidenied"), "denied"),
}
#: Of the hundreds of other codes, those of a wiki that fails, or of an address that is no such wiki's. The rest, also
#: what extensions and later versions add, is about the page that was asked for.
_TROUBLE = re.compile(
    r"internal_api_error|internal-error|unknownerror|readonly|failed-save|db|timeout|.*pool|.*too-?busy|.*backend"
    r"|concurrency|unknown_action|unknown_format|mustpost|help$|$"
)
#: Ends of the codes of blocks: blocked, systemblocked, globalblocking-ipblocked-range.
_BLOCKED = re.compile(r"blocked(?:-range)?$")
#: Faults that are told with HTTP 200 and pass.
_PASSING = re.compile(
    rb'"code"\s*:\s*"(?:ratelimited|maxlag|concurrency-limit|readonly|internal_api_error_[^"]+)"'
)
_MARK = re.compile(r"<[^<>]*>")
_NO_CONTACT = (
    "Wikimedia wants a contact in the User-Agent and allows few requests without one: set --aar-contact (ini "
    "aar_contact) to a mail address or a URL of yours"
)
_WITH_CONTACT = (
    "see https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy; the User-Agent held the contact of "
    "--aar-contact"
)
_SLOWER = "ask less often: fewer workers (-n), or recordings (--aar-record=once)"
_PAGE_MISSING = 404
_MOVED = (301, 302, 307, 308)
_HOME = "en"
_WIKIMEDIA = ".wikipedia.org/"


async def ask(services: Services, language: str, params: Mapping[str, str]) -> Any:
    """The reply of `api.php`, an error of the wiki's own among them (see `check`).

    Raises:
        ToolFailure: another HTTP status than 200, or no JSON. 403 and 429 say what to do about them.
    """
    url = services.endpoints.wikipedia.replace("{language}", language)
    is_guess = url != services.endpoints.wikipedia and language != _HOME
    asked = {**params, "format": "json", "formatversion": "2"}
    try:
        return await fetch_json(
            services,
            Ask(
                service=SERVICE,
                endpoint="wikipedia",
                url=url,
                params=asked,
                advice=_another_try,
            ),
            lambda status, _, __: _kind(status, is_guess=is_guess),
        )
    except ToolFailure as failure:
        raise _advised(failure, services, url) from failure


async def query_parts(services: Services, language: str, params: Mapping[str, str]) -> list[Any]:
    """The replies of `action=query`, as many as it says that there are (`continue`).

    Raises:
        ToolFailure: see `ask` and `check`.
    """
    parts: list[Any] = []
    more: dict[str, str] = {}
    while len(parts) < _MOST_PARTS:
        body = await ask(services, language, {"action": "query", **params, **more})
        check(body, params.get("titles", "the query"))
        parts.append(body)
        with reading(SERVICE):
            more = {str(name): str(value) for name, value in body.get("continue", {}).items()}
        if not more:
            break
    return parts


def check(body: Any, name: str) -> None:
    """Nothing for a good reply; `name` is what was asked for.

    Raises:
        ToolFailure: the wiki's error, in the old and in the new shape, with its kind.
    """
    with reading(SERVICE):
        problem = body.get("error") or (body.get("errors") or [None])[0]
        if not problem:
            return
        code = str(problem.get("code", ""))
        whole = problem.get(ZIM_MESSAGE)
        said = (problem[key] for key in ("info", "text", "html", "*") if problem.get(key))
        info = html.unescape(_MARK.sub("", str(next(said, "it says no more"))))
    kind = _CODES.get(code) or _kind_of_unknown(code)
    raise ToolFailure(kind, str(whole) if whole else _told(kind, name, f"{code}: {info}"))


def _kind_of_unknown(code: str) -> ErrorKind:
    if _BLOCKED.search(code):
        return "denied"
    return "upstream" if _TROUBLE.match(code) else "bad_arguments"


def _another_try(response: httpx.Response) -> bool | None:
    is_short = len(response.content) < LONGEST_ERROR
    return True if is_short and _PASSING.search(response.content) else None


def _told(kind: ErrorKind, name: str, problem: str) -> str:
    if kind == "not_found":
        return and_then(f"Wikipedia has no page to give for {name!r}: {problem}", _hint(name))
    if kind == "quota":
        said = f"Wikipedia's limit is reached, nothing for {name!r}: {problem}"
        return and_then(said, _SLOWER)
    is_of_title = kind == "bad_arguments" and not problem.startswith("nosuchsection")
    said = f"Wikipedia has no answer for {name!r}: {problem}"
    return and_then(said, _hint(name)) if is_of_title else said


def _hint(name: str) -> str:
    """What to try instead."""
    prefix, colon, rest = name.partition(":")
    if prefix.casefold() == "special":
        return "special pages are made for readers, not articles: to search, use web_search"
    if prefix.casefold() in ("file", "image"):
        return f"most files are at https://commons.wikimedia.org/wiki/File:{rest.replace(' ', '_')}"
    if colon and 1 < len(prefix) < len("simple-") and prefix == prefix.casefold():
        return (
            f"if {prefix!r} is a language, use https://{prefix}.wikipedia.org/wiki/"
            f"{rest.strip().replace(' ', '_')}"
        )
    return "look for the right title with web_search"


def _kind(status: int, *, is_guess: bool) -> ErrorKind | None:
    """A page that is missing comes with status 200; `is_guess`: in a language whose wiki may not be there."""
    return "not_found" if is_guess and status in (*_MOVED, _PAGE_MISSING) else None


def _advised(failure: ToolFailure, services: Services, url: str) -> ToolFailure:
    advice = _advice(failure, contact=services.contact, url=url)
    if not advice:
        return failure
    return ToolFailure(failure.kind, and_then(failure.message, advice), **failure.details)


def _advice(failure: ToolFailure, *, contact: str | None, url: str) -> str:
    is_wikimedia = _WIKIMEDIA in url
    if failure.kind == "denied" and is_wikimedia:
        return _WITH_CONTACT if contact else _NO_CONTACT
    if failure.kind == "quota":
        return _NO_CONTACT if is_wikimedia and not contact else _SLOWER
    if failure.kind == "not_found":
        return "is there a Wikipedia in this language?"
    if "not JSON" in failure.message:
        return f"is {url} the address of a wiki's api.php? (aar_services, wikipedia = URL)"
    return ""
