"""The golden route of a leg as actions: what an agent without a fault does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_aar.leg import Leg, PitStop, Roadblock, RouteInfo
from pytest_aar.score import canonical_title

ActionKind = Literal["fetch", "sibling", "search", "call", "wrong call", "answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One turn of the pacer: a tool call, or the answer.

    `arguments` may hold the placeholders of a chain step; they are resolved from the trace when the
    action's turn comes. `output_key` is the chain step's. A `sibling` fetches some page that the last
    result links to instead of its golden page.
    """

    kind: ActionKind
    stop: int
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    output_key: str = ""


def golden_actions(leg: Leg) -> list[Action]:
    """Every stop's actions in route order, without the answer: each page is fetched once."""
    fetched: set[str] = set()
    actions: list[Action] = []
    for stop in leg.stops:
        actions += _of_stop(stop, fetched)
    return actions


def page_title(stop: RouteInfo) -> str | None:
    """The canonical title of the stop's page; None if it names none."""
    return canonical_title(stop.page_url) if stop.page_url else None


def _of_stop(stop: PitStop, fetched: set[str]) -> Iterator[Action]:
    if isinstance(stop, RouteInfo):
        title = page_title(stop)
        if title is not None and title not in fetched:
            fetched.add(title)
            yield _fetch(stop)
        if stop.transition == "search_query" and stop.search_query:
            yield search(stop.index, stop.search_query)
    elif isinstance(stop, Roadblock):
        for step in stop.chain:
            yield Action(
                kind="call",
                stop=stop.index,
                tool=step.tool,
                arguments=step.arguments,
                output_key=step.output_key or "",
            )


def _fetch(stop: RouteInfo) -> Action:
    return Action(
        kind="fetch", stop=stop.index, tool="fetch_webpage", arguments={"url": stop.page_url}
    )


def search(stop: int, query: str) -> Action:
    """A web search on the way from `stop`."""
    return Action(kind="search", stop=stop, tool="web_search", arguments={"query": query})
