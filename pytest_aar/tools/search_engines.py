"""Search services beside Serper: what each is asked, and its replies in our shape."""

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_aar.manners.error_fields import fields_in
from pytest_aar.manners.reply_text import and_then
from pytest_aar.manners.verdicts import BRAVE_KEY_HEADER
from pytest_aar.tools.arguments import WebSearch
from pytest_aar.tools.brave_codes import country_code, language_code
from pytest_aar.tools.exchange import Ask, fetch_json, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure
from pytest_aar.tools.services import Services

_MARK = re.compile(r"<[^<>]*>")
#: The most results that one request may ask for.
_MOST = 20
_PLAN_LIMITS = frozenset({432, 433})
#: Brave's codes of a wrong key, and of what the key's plan leaves out.
_KEY_CODES = ("SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND", "OPTION_NOT_IN_PLAN")
_MARKED = ("title", "description")
_JSON_OFF = (
    "most likely its JSON format is turned off. Add `json` to `search: formats:` in the settings.yml of the"
    " SearXNG instance and restart it; most public instances keep it off"
)


async def tavily(arguments: WebSearch, services: Services) -> dict[str, Any]:
    """Results of Tavily's search: at most 20."""
    key = services.keys.get("TAVILY_API_KEY")
    ask = Ask(
        service="Tavily",
        endpoint="tavily",
        url=f"{services.endpoints.tavily}/search",
        headers={"Authorization": f"Bearer {key}"} if key else None,
        body={"query": arguments.query, "max_results": min(arguments.num_results, _MOST)},
    )
    body = await fetch_json(services, ask, _classify_tavily)
    with reading("Tavily"):
        found = shaped(
            body["results"], arguments.num_results, snippet="content", day="published_date"
        )
        return found | ({"answer": body["answer"]} if body.get("answer") else {})


async def brave(arguments: WebSearch, services: Services) -> dict[str, Any]:
    """Results of Brave's web search: at most 20; no `web` in the reply means none.

    A country or language that Brave doesn't know is left out.
    """
    key = services.keys.get("BRAVE_API_KEY")
    wishes = {
        "country": country_code(arguments.gl or ""),
        "search_lang": language_code(arguments.hl or ""),
    }
    ask = Ask(
        service="Brave Search",
        endpoint="brave",
        url=f"{services.endpoints.brave}/res/v1/web/search",
        headers={BRAVE_KEY_HEADER: key} if key else None,
        params={
            "q": arguments.query,
            "count": str(min(arguments.num_results, _MOST)),
            "text_decorations": "false",
            **{name: value for name, value in wishes.items() if value},
        },
    )
    body = await fetch_json(services, ask, _classify_brave)
    with reading("Brave Search"):
        if "web" not in body and "query" not in body:
            raise KeyError("web")
        hits = (body.get("web") or {}).get("results") or []
        marked = [{**hit} | {name: _plain(hit.get(name)) for name in _MARKED} for hit in hits]
        return shaped(marked, arguments.num_results, snippet="description", day="age")


async def searxng(arguments: WebSearch, services: Services) -> dict[str, Any]:
    """Results of a SearXNG instance, which gives as many as its engines do."""
    base = services.endpoints.searxng or services.keys["SEARXNG_URL"]
    language = {"language": arguments.hl} if arguments.hl else {}
    ask = Ask(
        service="SearXNG",
        endpoint="searxng",
        given_by="" if services.endpoints.searxng else "SEARXNG_URL",
        url=f"{base.rstrip('/').removesuffix('/search')}/search",
        params={"q": arguments.query, "format": "json", **language},
    )
    try:
        body = await fetch_json(services, ask)
    except ToolFailure as failure:
        raise _explained(failure) from failure
    with reading("SearXNG"):
        found = shaped(
            body["results"], arguments.num_results, snippet="content", day="publishedDate"
        )
        answers = [text for each in body.get("answers") or [] if (text := _answer(each))]
        boxes = [box for each in body.get("infoboxes") or [] if (box := _about(each))]
        silent = body.get("unresponsive_engines") or []
        if silent and not (found["results"] or answers or boxes):
            raise ToolFailure("upstream", f"no engine of SearXNG answered: {_engines(silent)}")
        told = {"answer": next(iter(answers), None), "about": next(iter(boxes), None)}
        return found | {name: first for name, first in told.items() if first}


def shaped(
    hits: Iterable[Mapping[str, Any]],
    most: int,
    *,
    snippet: str,
    address: str = "url",
    day: str = "date",
) -> dict[str, Any]:
    """`{results: [{title, url, snippet, date?}], count}`; a hit without an address is none."""
    results = []
    for hit in [hit for hit in hits if hit.get(address)][:most]:
        found = {
            "title": hit.get("title") or hit[address],
            "url": hit[address],
            "snippet": hit.get(snippet) or "",
        }
        results.append({**found, "date": hit[day]} if hit.get(day) else found)
    return {"results": results, "count": len(results)}


def _plain(text: str | None) -> str:
    """A text without HTML marks and entities."""
    return html.unescape(_MARK.sub("", text or ""))


def _answer(given: Any) -> str | None:
    """Older instances answer with texts, newer ones with records."""
    text = given.get("answer") if isinstance(given, Mapping) else given
    return str(text) if text else None


def _about(box: Any) -> dict[str, str]:
    """What an infobox says of its thing: title and description."""
    said = {"title": box.get("infobox"), "description": box.get("content")}
    return {name: str(text) for name, text in said.items() if text}


def _engines(silent: Iterable[Any]) -> str:
    return ", ".join(
        f"{each[0]} ({each[1]})" if isinstance(each, list) and len(each) > 1 else str(each)
        for each in silent
    )


def _explained(failure: ToolFailure) -> ToolFailure:
    """A refusal, or a page instead of JSON, is how an instance says that it gives no JSON."""
    if failure.kind == "denied" or "not JSON" in failure.message:
        return ToolFailure("denied", and_then(failure.message, _JSON_OFF))
    return failure


def _classify_tavily(status: int, body: Any, message: str) -> ErrorKind | None:
    del body, message
    return "quota" if status in _PLAN_LIMITS else None


def _classify_brave(status: int, body: Any, message: str) -> ErrorKind | None:
    """A wrong key is HTTP 422, as is a wrong request; a missing one names the header."""
    del message
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping) or status not in (400, 404, 422):
        return None
    is_key = error.get("code") in _KEY_CODES or BRAVE_KEY_HEADER in fields_in(error).places
    return "denied" if is_key else None
