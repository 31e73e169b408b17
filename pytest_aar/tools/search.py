"""Web search in Serper's shape."""

from typing import Any

from pytest_aar.tools.arguments import WebSearch
from pytest_aar.tools.exchange import Ask, fetch_json, reading
from pytest_aar.tools.result import ToolResult, answer
from pytest_aar.tools.services import Services


async def web_search(arguments: WebSearch, services: Services) -> ToolResult:
    """`{results: [{title, url, snippet}], count}`; `answer` and `about` where there are some."""
    key = services.key("SERPER_API_KEY")
    wishes = {"gl": arguments.gl, "hl": arguments.hl}
    reply = await fetch_json(
        services,
        Ask(
            service="Serper",
            url=f"{services.endpoints.search}/search",
            headers={"X-API-KEY": key} if key else None,
            body={
                "q": arguments.query,
                "num": arguments.num_results,
                **{name: value for name, value in wishes.items() if value is not None},
            },
        ),
    )
    return answer(found_in(reply, arguments.num_results))


def found_in(body: Any, most: int) -> dict[str, Any]:
    """A Serper reply in our shape; all its parts but `organic` are optional."""
    with reading("Serper"):
        if not {"organic", "searchParameters"} & body.keys():
            raise KeyError("organic")
        hits = body.get("organic", [])
        results = [_hit(hit) for hit in hits[:most]]
        found: dict[str, Any] = {"results": results, "count": len(results)}
        box, graph = body.get("answerBox"), body.get("knowledgeGraph")
        if box:
            found["answer"] = box.get("answer") or box.get("snippet") or box.get("title")
        if graph:
            found["about"] = {
                name: graph[name] for name in ("title", "type", "description") if name in graph
            }
    return found


def _hit(hit: Any) -> dict[str, Any]:
    found = {"title": hit["title"], "url": hit["link"], "snippet": hit.get("snippet", "")}
    return {**found, "date": hit["date"]} if hit.get("date") else found
