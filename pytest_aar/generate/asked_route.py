"""A route that a model chose: the same demands as on a seeded one."""

import json
import re
from itertools import pairwise
from typing import Any

from .draft import Ask, Bench, PageGraph, PageNode, Rejected
from .facts import usable_facts
from .ways import described

_ROLE = (
    "You plan routes through an encyclopedia. You get a start page, a number of pages, and the links "
    'between pages. Answer with one JSON object and nothing else: {"route": ["title", ...]}. The route '
    "begins with the start page, has exactly that number of pages, none twice, and each page is "
    "linked from the one before it. Prefer routes that change between kinds of pages."
)
_JSON = re.compile(r"\{.*\}", re.DOTALL)


async def asked_route(
    graph: PageGraph, length: int, ask: Ask, bench: Bench
) -> list[tuple[PageNode, bool]]:
    """`length` pages from the seed on, as the model chose them; none is reached by a search.

    Raises:
        Rejected: the answer is no such route.
    """
    links = _links(graph, bench)
    question = {"start": graph.seed, "pages": length, "links": links}
    titles = _titles(await ask(_ROLE, json.dumps(question, ensure_ascii=False)))
    if len(titles) != length or titles[0] != graph.seed or len(set(titles)) != length:
        raise Rejected("plan", "the model's route is not what was asked for")
    if any(after not in links.get(before, ()) for before, after in pairwise(titles)):
        raise Rejected("plan", "the model's route follows a link that is not there")
    return [(graph.pages[title], False) for title in titles]


def _links(graph: PageGraph, bench: Bench) -> dict[str, list[str]]:
    """Page -> pages that it links in a way that a clue can describe, those with something to ask."""
    good = [title for title, page in graph.pages.items() if usable_facts(page, bench.level)]
    if graph.seed not in good:
        raise Rejected("plan", "a seed page without a usable fact")
    return {
        title: [
            other
            for other in dict.fromkeys(link.title for link in graph.pages[title].links)
            if other in graph.pages and other in good and other in described(graph.pages[title])
        ]
        for title in good
    }


def _titles(answer: str) -> list[str]:
    found = _JSON.search(answer)
    try:
        said: Any = json.loads(found[0]) if found else {}
    except ValueError:
        said = {}
    route = said.get("route", []) if isinstance(said, dict) else []
    return [str(title) for title in route] if isinstance(route, list) else []
