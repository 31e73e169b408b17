"""Web search by the service that is set: Serper, Tavily, Brave or a SearXNG of one's own."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_aar.manners.verdicts import says_no_credits
from pytest_aar.sandbox_hosts import ZIM_MESSAGE, ZIM_SEARCH_BASE
from pytest_aar.tools.arguments import WebSearch
from pytest_aar.tools.endpoints import Endpoints
from pytest_aar.tools.exchange import Ask, fetch_json, reading
from pytest_aar.tools.result import ErrorKind, ToolFailure, ToolResult, answer
from pytest_aar.tools.search_engines import brave, searxng, tavily
from pytest_aar.tools.service_keys import KEY_SOURCES
from pytest_aar.tools.services import Services

_BAD_REQUEST = 400
#: What is kept of a knowledge graph; its attributes are label -> value.
_ABOUT = ("title", "type", "description", "attributes")
#: Who else speaks Serper's protocol.
_SPEAKERS = {ZIM_SEARCH_BASE: "the search over the ZIM file"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A search service: its name, that among the endpoints, and the variable that makes it the one asked."""

    name: str
    endpoint: str
    variable: str
    search: Callable[[WebSearch, Services], Awaitable[dict[str, Any]]]


async def web_search(arguments: WebSearch, services: Services) -> ToolResult:
    """`{results: [{title, url, snippet}], count}`; `answer` and `about` where there are some."""
    chosen = provider(services)
    try:
        return answer(await chosen.search(arguments, services))
    except ToolFailure as failure:
        raise services.blamed(failure, chosen.variable) from failure


def provider(services: Services) -> Provider:
    """The service to ask: one at an address of the user's own, else the first whose variable is set.

    Raises:
        ToolFailure: denied; names the variables and where to get each.
    """
    if not services.endpoints.needs_keys:
        return PROVIDERS[0]
    found = preferred(services.endpoints, services.keys)
    if found is not None:
        return found
    ways = "; ".join(f"{each.variable}: {KEY_SOURCES[each.variable]}" for each in PROVIDERS)
    raise ToolFailure("denied", f"no search service is set: set one of these variables. {ways}")


def preferred(endpoints: Endpoints, keys: Mapping[str, str]) -> Provider | None:
    """The service that is set: one at an address of the user's own, else the first whose variable is there."""
    own = [each for each in PROVIDERS if each.endpoint in endpoints.own]
    keyed = [each for each in PROVIDERS if keys.get(each.variable)]
    return next(iter((*own, *keyed)), None)


def found_in(body: Any, most: int) -> dict[str, Any]:
    """A Serper reply in our shape; all its parts but `organic` are optional."""
    with reading("Serper"):
        if not {"organic", "searchParameters"} & body.keys():
            raise KeyError("organic")
        hits = [hit for hit in body.get("organic") or () if hit.get("link")]
        results = [_hit(hit) for hit in hits[:most]]
        found: dict[str, Any] = {"results": results, "count": len(results)}
        box, graph = body.get("answerBox"), body.get("knowledgeGraph")
        if box:
            found |= _boxed(box)
        if graph:
            found["about"] = {name: graph[name] for name in _ABOUT if graph.get(name)}
    return found


async def _serper(arguments: WebSearch, services: Services) -> dict[str, Any]:
    key = services.keys.get("SERPER_API_KEY")
    wishes = {"gl": arguments.gl, "hl": arguments.hl}
    reply = await fetch_json(
        services,
        Ask(
            service=_SPEAKERS.get(services.endpoints.search, "Serper"),
            endpoint="search",
            url=f"{services.endpoints.search}/search",
            headers={"X-API-KEY": key} if key else None,
            body={
                "q": arguments.query,
                "num": arguments.num_results,
                **{name: value for name, value in wishes.items() if value is not None},
            },
        ),
        _classify,
    )
    return found_in(reply, arguments.num_results)


def _classify(status: int, body: Any, message: str) -> ErrorKind | None:
    """An account without credits was HTTP 400 before it became 429. What the ZIM file's search says is whole."""
    if isinstance(body, dict) and ZIM_MESSAGE in body:
        raise ToolFailure("upstream", str(body[ZIM_MESSAGE]))
    return "quota" if status == _BAD_REQUEST and says_no_credits(message) else None


def _boxed(box: Any) -> dict[str, Any]:
    """`{answer}` of an answer box; its title is the heading of an answer and none."""
    parts = (box.get("snippetHighlighted"), box.get("list"))
    lists = ("; ".join(map(str, part)) for part in parts if isinstance(part, list))
    told = (box.get("answer"), box.get("snippet"), *lists)
    return next(({"answer": each} for each in told if each), {})


def _hit(hit: Any) -> dict[str, Any]:
    title, url = hit.get("title") or hit["link"], hit["link"]
    found = {"title": title, "url": url, "snippet": hit.get("snippet") or ""}
    return {**found, "date": hit["date"]} if hit.get("date") else found


#: In the order in which they are preferred.
PROVIDERS = (
    Provider(name="Serper", endpoint="search", variable="SERPER_API_KEY", search=_serper),
    Provider(name="Tavily", endpoint="tavily", variable="TAVILY_API_KEY", search=tavily),
    Provider(name="Brave Search", endpoint="brave", variable="BRAVE_API_KEY", search=brave),
    Provider(name="SearXNG", endpoint="searxng", variable="SEARXNG_URL", search=searxng),
)
